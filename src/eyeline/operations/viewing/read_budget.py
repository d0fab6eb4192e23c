"""The read budget of a batch: granted in the order of the items, whatever order they finish in."""

from __future__ import annotations

from threading import Condition

from eyeline.model.limits import Budget
from eyeline.toolkit.cancel import CancelToken


class ReadBudget:
    """Who may read how much, so that the outcome is that of reading one item after the other.

    Items read ahead of their turn; `settle` decides on them in order. What is held ahead of its turn stays within the
    budget once more, so that memory is bounded whatever the sources send. Thread-safe.
    """

    def __init__(self, allowed: int, *, cancel: CancelToken) -> None:
        self._budget = Budget(allowed)
        self._cancel = cancel
        self._turn = 0
        self._ahead: dict[int, int] = {}
        self._changed = Condition()

    @property
    def used(self) -> int:
        """Bytes of the items that were settled as read."""
        return self._budget.taken

    @property
    def left(self) -> int:
        """The most that an item which is not settled yet may have; it only ever falls."""
        return self._budget.left

    def hold(self, index: int, byte_count: int) -> bool:
        """Announce that item `index` (from 0) is about to hold so many bytes; wait for room, unless it is its turn.

        Returns whether it had to wait. Raises `Cancelled`.
        """
        waited = False
        release = self._cancel.on_cancel(self._wake)
        try:
            with self._changed:
                while not self._has_room(index, byte_count):
                    self._cancel.raise_if_cancelled()
                    waited = True
                    self._changed.wait()
                self._cancel.raise_if_cancelled()
                self._ahead[index] = byte_count
        finally:
            release()
        return waited

    def await_turn(self, index: int) -> None:
        """Wait until everything before item `index` is settled. Raises `Cancelled`."""
        release = self._cancel.on_cancel(self._wake)
        try:
            with self._changed:
                while self._turn < index and not self._cancel.cancelled:
                    self._changed.wait()
        finally:
            release()
        self._cancel.raise_if_cancelled()

    def settle(self, index: int, byte_count: int | None) -> bool:
        """Decide on the next item, in order: whether its bytes still fit. `None` is for one that keeps no bytes."""
        with self._changed:
            assert index == self._turn, "items are settled in their order"
            fits = byte_count is not None and self._budget.fits(byte_count)
            if fits and byte_count is not None:
                self._budget.take(byte_count)
            self._ahead.pop(index, None)
            self._turn += 1
            self._changed.notify_all()
        return fits

    def _has_room(self, index: int, byte_count: int) -> bool:
        others = sum(held for item, held in self._ahead.items() if item not in (index, self._turn))
        return index == self._turn or others + byte_count <= self._budget.allowed

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
