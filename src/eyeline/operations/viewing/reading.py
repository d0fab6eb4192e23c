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
from eyeline.source.url.target import without_credentials
from eyeline.toolkit.cancel import CancelToken

_CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Arrived:
    """One item as far as it came: its bytes in `source`, or why there are none in `left`.

    `name` is neutralised. `told` is the size that was known before all was read. `read` counts the bytes that came
    beyond the beginning, also of what is given up. `has_changed`: a file was written to while it was read.
    """

    name: str
    source: HeldSource | None = None
    left: Left | None = None
    media_type: MediaType | None = None
    told: int | None = None
    read: int = 0
    notes: tuple[str, ...] = ()
    has_changed: bool = False

    @property
    def byte_count(self) -> int | None:
        """The size: counted where all was read, else as it was told."""
        return self.told if self.source is None else self.source.byte_count


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
                yield self._decided(index, future, name=shown(without_credentials(asked[index])))
        finally:
            _stop(pending)

    def _decided(self, index: int, future: Future[Arrived], *, name: str) -> Arrived:
        """What an item comes to in its turn: over budget first, its own failure after that, as if read in sequence."""
        came = settled(future)
        arrived = Arrived(name, left=failed(came, name=name)) if isinstance(came, BaseException) else came
        left_before = self._budget.left
        is_over = max(arrived.told or 0, arrived.read) > left_before
        held = None if is_over else arrived.source
        self._budget.settle(index, None if held is None else held.byte_count)
        return _over(arrived, left=left_before) if is_over else arrived

    def _one(self, index: int, asked: str) -> Arrived:
        """One item; again in its turn where waiting for room may be why it came to what it came to."""
        attempt = _Attempt(self._budget, index, self._doors)
        arrived = attempt.made(asked, cancel=self._cancel)
        if not attempt.waited or not _is_doubtful(arrived):
            return arrived
        del arrived, attempt
        self._budget.await_turn(index)
        return _Attempt(self._budget, index, self._doors).made(asked, cancel=self._cancel)


def _is_doubtful(arrived: Arrived) -> bool:
    """Whether a host that lost its patience would look like this: a failure, or an end that no size was told for."""
    return arrived.left is not None or (arrived.source is not None and arrived.told is None)


class _Attempt:
    """One attempt at one item."""

    def __init__(self, budget: ReadBudget, index: int, doors: Doors) -> None:
        self._budget = budget
        self._index = index
        self._doors = doors
        self._so_far = Arrived("")
        self.waited = False

    def made(self, asked: str, *, cancel: CancelToken) -> Arrived:
        """The item, whatever goes wrong with it; what was known of it by then stays."""
        self._so_far = Arrived(shown(without_credentials(asked)))
        try:
            cancel.raise_if_cancelled()
            door = self._doors.open(asked, cancel=cancel)
            if isinstance(door, Left):
                return replace(self._so_far, left=door)
            with door as arriving:
                return self._read(arriving)
        except Cancelled:
            raise
        except EyelineError as exc:
            return replace(self._so_far, left=failed(exc, name=self._so_far.name))

    def _read(self, arriving: Arriving) -> Arrived:
        """Read one source from its first byte to where it is decided on."""
        self._so_far = Arrived(arriving.name, told=arriving.byte_count, notes=_own_notes(arriving))
        head, is_whole = self._head(arriving)
        told = len(head) if is_whole else arriving.byte_count
        media_type = sniff(head, size=len(head) + 1 if told is None else told, name=arriving.leaf)
        notes = (*self._so_far.notes, *_differences(arriving, media_type))
        self._so_far = replace(self._so_far, media_type=media_type, told=told, notes=notes)
        left = verdict(media_type, names=_names(arriving), view=self._doors.view, is_empty=not head)
        if left is not None:
            # what is not read on is held against no budget
            return replace(self._so_far, left=left)
        if told is not None and told > self._budget.left:
            return self._so_far
        return self._rest(arriving, head, media_type, is_whole=is_whole)

    def _head(self, arriving: Arriving) -> tuple[bytes, bool]:
        head = b""
        while len(head) < HEAD_BYTES:
            piece = arriving.read(HEAD_BYTES - len(head))
            if not piece:
                return head, True
            head += piece
        return head, False

    def _rest(self, arriving: Arriving, head: bytes, media_type: MediaType, *, is_whole: bool) -> Arrived:
        """All of it, or as much as makes certain that it does not fit."""
        held = io.BytesIO()
        held.write(head)
        self._hold(len(head))
        while not is_whole:
            came = held.tell()
            self._so_far = replace(self._so_far, read=came)
            if came > self._budget.left:
                return self._so_far
            self._hold(came + _CHUNK_BYTES)
            piece = arriving.read(_CHUNK_BYTES)
            is_whole = not piece
            held.write(piece)
        source = HeldSource(held.getvalue(), name=arriving.leaf, media_type=media_type)
        has_changed = isinstance(arriving, ArrivingFile) and not arriving.opened.unchanged()
        return replace(self._so_far, source=source, read=source.byte_count, has_changed=has_changed)

    def _hold(self, byte_count: int) -> None:
        self.waited = self._budget.hold(self._index, byte_count) or self.waited


def _over(arrived: Arrived, *, left: int) -> Arrived:
    """Told by what was known ahead only: how far it was read depends on who came first."""
    what = f"it has {arrived.told} bytes" if arrived.told is not None else "it is larger than what is left"
    message = f"{what}, and the batch may read {left} more"
    hint = "view it in a batch of its own, or make the file smaller"
    skipped = Left(ViewStatus.SKIPPED, ViewCode.OVER_BUDGET, message, hint=hint)
    return replace(arrived, source=None, left=skipped, has_changed=False)


def _names(arriving: Arriving) -> tuple[str, ...]:
    """The names that a local file announces itself by; none for a URL."""
    return (arriving.leaf, arriving.target) if isinstance(arriving, ArrivingFile) else ()


def _own_notes(arriving: Arriving) -> tuple[str, ...]:
    return arriving.notes if isinstance(arriving, ArrivingFile) else ()


def _differences(arriving: Arriving, media_type: MediaType) -> tuple[str, ...]:
    differs = mismatch(arriving.declared, arriving.leaf, media_type)
    return (f"type_mismatch: {differs}",) if differs else ()


def _stop(pending: list[Future[Arrived]]) -> None:
    """Let no item begin that nobody waits for any more."""
    for future in pending:
        future.cancel()
