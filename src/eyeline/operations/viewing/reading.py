"""Reading a batch: many sources at the same time, decided on in order, within one budget.

Of each source the headers come first, then the beginning that tells its type, then the rest where it can be shown. A
source that cannot be shown is left where it is; one that does not fit is given up as soon as that is certain.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from eyeline.errors import Cancelled, EyelineError
from eyeline.media.sniffing import HEAD_BYTES, mismatch, sniff
from eyeline.model.display import shown
from eyeline.model.media_type import MediaType
from eyeline.model.viewing import ViewCode, ViewStatus
from eyeline.operations.viewing.arriving import Arriving, ArrivingFile, Doors, Left
from eyeline.operations.viewing.choosing import verdict
from eyeline.operations.viewing.failing import failed, settled
from eyeline.operations.viewing.read_budget import ReadBudget
from eyeline.source.held import HeldSource
from eyeline.toolkit.cancel import CancelToken

_CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Arrived:
    """One item as far as it came: its bytes in `source`, or why there are none in `left`.

    `read` counts the bytes that came, also of what is given up; `name` is neutralised.
    """

    name: str
    source: HeldSource | None = None
    left: Left | None = None
    media_type: MediaType | None = None
    byte_count: int | None = None
    read: int = 0
    notes: tuple[str, ...] = ()


class BatchReader:
    """Reads the items of one batch; `arrivals` gives them in order, each as soon as it is decided on."""

    def __init__(self, doors: Doors, *, budget: ReadBudget, cancel: CancelToken) -> None:
        self._doors = doors
        self._budget = budget
        self._cancel = cancel

    def arrivals(self, asked: tuple[str, ...], *, pool: ThreadPoolExecutor) -> Iterator[Arrived]:
        """One for each item, in order. Raises `Cancelled`; what goes wrong with an item is told by it."""
        pending = [pool.submit(self._one, index, text) for index, text in enumerate(asked)]
        try:
            for index, future in enumerate(pending):
                yield self._decided(index, future, name=shown(asked[index]))
        finally:
            _stop(pending)

    def _decided(self, index: int, future: Future[Arrived], *, name: str) -> Arrived:
        """What an item comes to in its turn: over budget first, its own failure after that, as if read in sequence."""
        came = settled(future)
        arrived = Arrived(name, left=failed(came, name=name)) if isinstance(came, BaseException) else came
        held = arrived.source
        wanted = held.byte_count if held is not None else None
        left_before = self._budget.left
        fits = self._budget.settle(index, wanted)
        if held is not None and not fits:
            return _over(arrived, size=held.byte_count, left=left_before)
        if held is None and arrived.read > left_before:
            return _over(arrived, size=arrived.byte_count, left=left_before)
        return arrived

    def _one(self, index: int, asked: str) -> Arrived:
        """One item; again in its turn where waiting for room may be why it broke off."""
        attempt = _Attempt(self._budget, index, self._doors)
        arrived = attempt.made(asked, cancel=self._cancel)
        if attempt.waited and arrived.left is not None and arrived.left.retryable:
            self._budget.await_turn(index)
            arrived = _Attempt(self._budget, index, self._doors).made(asked, cancel=self._cancel)
        return arrived


class _Attempt:
    """One attempt at one item."""

    def __init__(self, budget: ReadBudget, index: int, doors: Doors) -> None:
        self._budget = budget
        self._index = index
        self._doors = doors
        self._came = 0
        self._size = 0
        self.waited = False

    def made(self, asked: str, *, cancel: CancelToken) -> Arrived:
        """The item, whatever goes wrong with it."""
        name = shown(asked)
        try:
            cancel.raise_if_cancelled()
            door = self._doors.open(asked, cancel=cancel)
            if isinstance(door, Left):
                return Arrived(name, left=door)
            with door as arriving:
                return self._read(arriving, is_file=isinstance(arriving, ArrivingFile))
        except Cancelled:
            raise
        except EyelineError as exc:
            read = max(self._came, self._size)
            return Arrived(name, left=failed(exc, name=name), read=read)

    def _read(self, arriving: Arriving, *, is_file: bool) -> Arrived:
        """Read one source from its first byte to where it is decided on."""
        head, is_whole = self._head(arriving)
        size = len(head) if is_whole else arriving.byte_count
        media_type = sniff(head, size=len(head) + 1 if size is None else size, name=arriving.leaf)
        arrived = Arrived(
            arriving.name, media_type=media_type, byte_count=size, notes=_notes(arriving, media_type), read=self._came
        )
        left = verdict(media_type, leaf=arriving.leaf, is_file=is_file, view=self._doors.view, is_empty=not head)
        if left is not None:
            return replace(arrived, left=left, read=0)
        self._size = size or 0
        if size is not None and size > self._budget.left:
            return replace(arrived, read=size)
        return self._rest(arriving, arrived, head, is_whole=is_whole)

    def _head(self, arriving: Arriving) -> tuple[bytes, bool]:
        head = b""
        while len(head) < HEAD_BYTES:
            piece = arriving.read(HEAD_BYTES - len(head))
            if not piece:
                return head, True
            head += piece
            self._came = len(head)
        return head, False

    def _rest(self, arriving: Arriving, arrived: Arrived, head: bytes, *, is_whole: bool) -> Arrived:
        """All of it, or as much as makes certain that it does not fit."""
        held = io.BytesIO()
        held.write(head)
        self._hold(len(head))
        while not is_whole:
            if self._came > self._budget.left:
                return replace(arrived, read=self._came)
            self._hold(self._came + _CHUNK_BYTES)
            piece = arriving.read(_CHUNK_BYTES)
            is_whole = not piece
            held.write(piece)
            self._came += len(piece)
        assert arrived.media_type is not None
        source = HeldSource(held.getvalue(), name=arriving.leaf, media_type=arrived.media_type)
        return replace(arrived, source=source, byte_count=source.byte_count, read=self._came)

    def _hold(self, byte_count: int) -> None:
        self.waited = self._budget.hold(self._index, byte_count) or self.waited


def _over(arrived: Arrived, *, size: int | None, left: int) -> Arrived:
    what = f"it has {size} bytes" if size is not None else "it is larger than what is left"
    message = f"{what}, and the batch may read {left} more"
    hint = "view it in a batch of its own, or make the file smaller"
    return replace(arrived, source=None, left=Left(ViewStatus.SKIPPED, ViewCode.OVER_BUDGET, message, hint=hint))


def _notes(arriving: Arriving, media_type: MediaType) -> tuple[str, ...]:
    own = arriving.notes if isinstance(arriving, ArrivingFile) else ()
    differs = mismatch(arriving.declared, arriving.leaf, media_type)
    return (*own, f"type_mismatch: {differs}") if differs else own


def _stop(pending: list[Future[Arrived]]) -> None:
    """Let no item begin that nobody waits for any more."""
    for future in pending:
        future.cancel()
