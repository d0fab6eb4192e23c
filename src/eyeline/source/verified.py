"""`VerifiedBlobs`: hands a stored blob out only when it still has its digest."""

from __future__ import annotations

import io
import os
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO

from eyeline.errors import IntegrityError
from eyeline.toolkit.copying import copy_checked

if TYPE_CHECKING:
    from eyeline.model.digest import Digest
    from eyeline.source.stored import BlobReading

MAX_VERIFIED_BYTES = 256 << 20
"""Size up to which a blob is read whole before any of it is used; of larger ones a check finds the damage."""

_REMEMBERED = 4096

State = tuple[int, int, int, int, int]
"""A file as it was: device, number, size, and when its bytes and its entry changed, in nanoseconds."""


class VerifiedBlobs:
    """A `BlobReading` over another: a blob of up to `max_bytes` is hashed before it is handed out.

    What was hashed is not hashed again while the file stays as it was, so that the second part of an answer costs
    nothing. Blobs without a file are hashed each time. Shared by threads.
    """

    def __init__(self, blobs: BlobReading, *, max_bytes: int = MAX_VERIFIED_BYTES) -> None:
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._known: OrderedDict[Digest, State] = OrderedDict()
        self._lock = Lock()

    def open(self, digest: Digest, /) -> BinaryIO:
        """The blob at its first byte; `IntegrityError` where its bytes are not what was taken in."""
        blob = self._blobs.open(digest)
        try:
            self._verify(blob, digest)
        except BaseException:
            blob.close()
            raise
        return blob

    def read_range(self, digest: Digest, /, *, offset: int, length: int) -> bytes:
        """A range that lies inside the blob; `IntegrityError` as `open`."""
        self.open(digest).close()
        return self._blobs.read_range(digest, offset=offset, length=length)

    def _verify(self, blob: BinaryIO, digest: Digest) -> None:
        # looked at before hashing, so that a change meanwhile shows the next time
        state = _state(blob)
        if state is not None and self._remembers(digest, state):
            return
        size = blob.seek(0, io.SEEK_END)
        blob.seek(0)
        if size > self._max_bytes:
            return
        try:
            copy_checked(blob, len, expected=digest)
        except IntegrityError as error:
            hint = "it is never written over; `eyeline check` names every damaged blob"
            raise IntegrityError(f"blob {str(digest)!r} is damaged", hint=hint, digest=str(digest)) from error
        blob.seek(0)
        if state is not None:
            self._remember(digest, state)

    def _remembers(self, digest: Digest, state: State) -> bool:
        with self._lock:
            return self._known.get(digest) == state

    def _remember(self, digest: Digest, state: State) -> None:
        with self._lock:
            self._known[digest] = state
            self._known.move_to_end(digest)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)


def _state(blob: BinaryIO) -> State | None:
    try:
        status = os.fstat(blob.fileno())
    except io.UnsupportedOperation:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
