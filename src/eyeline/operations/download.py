"""`download`: what a URL leads to becomes a new file in the base folder, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eyeline.errors import LimitExceeded
from eyeline.media.sniffing import HEAD_BYTES, TAIL_BYTES, mismatch, sniff
from eyeline.model.carrying import Downloaded
from eyeline.source.base import Urls
from eyeline.source.path import FileBoundary
from eyeline.source.writing import NewFile
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.copying import copy_checked

TELL_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class DownloadParts:
    """What downloading works with."""

    boundary: FileBoundary
    urls: Urls
    max_bytes: int


@dataclass(frozen=True, slots=True)
class DownloadCaller:
    """How a download is stopped, and whom to tell how far it is (`done`, `total` in bytes, what)."""

    cancel: CancelToken
    progress: Callable[[float, float | None, str], None]


def download(url: str, path: str, *, parts: DownloadParts, caller: DownloadCaller) -> Downloaded:
    """Make the file. The place is checked before anything is asked of the network.

    Raises what `FileBoundary.create_inside` and the guard of URLs raise, `LimitExceeded` and `Cancelled`; there is no
    trace of the file then.
    """
    with parts.boundary.create_inside(path) as new, parts.urls.open(url, cancel=caller.cancel) as answer:
        size = answer.byte_count
        if size is not None and size > parts.max_bytes:
            raise _too_large(size, parts.max_bytes)
        written = _Written(new, size, caller)
        try:
            digest, byte_count = copy_checked(answer, written.write, max_bytes=parts.max_bytes)
        except LimitExceeded as exc:
            raise _too_large(None, parts.max_bytes) from exc
        head = new.read_range(offset=0, length=HEAD_BYTES)
        tail = new.read_range(offset=max(0, byte_count - TAIL_BYTES), length=TAIL_BYTES)
        media_type = sniff(head, size=byte_count, tail=tail, name=new.reference)
        caller.cancel.raise_if_cancelled()
        new.publish()
        differs = mismatch(answer.declared, new.reference, media_type)
        notes = (f"type_mismatch: {differs}",) if differs else ()
        return Downloaded(new.reference, answer.name, byte_count, media_type, digest, notes)


class _Written:
    """Writes what comes, and tells about every so many bytes."""

    def __init__(self, new: NewFile, size: int | None, caller: DownloadCaller) -> None:
        self._new = new
        self._size = size
        self._caller = caller
        self._done = self._told = 0

    def write(self, piece: bytes) -> None:
        self._new.write(piece)
        self._done += len(piece)
        if self._done - self._told >= TELL_BYTES or self._done == self._size:
            self._told = self._done
            self._caller.progress(self._done, self._size, self._new.reference)


def _too_large(size: int | None, allowed: int) -> LimitExceeded:
    what = f"it has more than the {allowed} bytes allowed" if size is None else f"{size} bytes, {allowed} are allowed"
    return LimitExceeded(
        what,
        hint="whoever runs Eyeline can raise `max_read_bytes` in [view]",
        limit="view.max_read_bytes",
        allowed=allowed,
        asked=size,
    )
