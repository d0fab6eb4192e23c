"""`MemoryStore`: blobs in this process, gone with it."""

from __future__ import annotations

import io
import threading
import time
from typing import TYPE_CHECKING, BinaryIO

from eyeline.errors import BlobNotFound, IntegrityError
from eyeline.model.digest import Digest
from eyeline.store.base import Stored, check_range
from eyeline.toolkit.copying import copy_checked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyeline.store.base import StoreFlaw
    from eyeline.toolkit.copying import Readable


class MemoryStore:
    """A `BlobStore` for tests and for callers that keep nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blobs: dict[Digest, bytes] = {}
        self._kept_ms: dict[Digest, int] = {}

    def put(
        self,
        stream: Readable,
        *,
        max_bytes: int | None = None,
        expected: Digest | None = None,
        expected_bytes: int | None = None,
    ) -> Stored:
        """Keep the rest of a stream; see `BlobStore.put`."""
        held = bytearray()
        digest, byte_count = copy_checked(
            stream, held.extend, max_bytes=max_bytes, expected=expected, expected_bytes=expected_bytes
        )
        with self._lock:
            created = digest not in self._blobs
            if created:
                self._blobs[digest] = bytes(held)
                self._kept_ms[digest] = time.time_ns() // 1_000_000
        if not created:
            self.verify(digest)
        return Stored(digest, byte_count, created)

    def open(self, digest: Digest, /) -> BinaryIO:
        """The blob as a file of its own."""
        return io.BufferedReader(io.BytesIO(self._bytes(digest)))

    def read_range(self, digest: Digest, /, *, offset: int, length: int) -> bytes:
        """A range that lies inside the blob."""
        blob = self._bytes(digest)
        check_range(offset=offset, length=length, byte_count=len(blob))
        return blob[offset : offset + length]

    def size(self, digest: Digest, /) -> int:
        """The blob's bytes, counted."""
        return len(self._bytes(digest))

    def list(self) -> Iterator[Digest]:
        """Every blob, sorted by digest."""
        with self._lock:
            return iter(sorted(self._blobs))

    def delete(self, digest: Digest, /) -> bool:
        """Let a blob go."""
        with self._lock:
            return self._blobs.pop(digest, None) is not None

    def verify(self, digest: Digest, /) -> None:
        """Hash the blob again."""
        found = Digest.of(self._bytes(digest))
        if found != digest:
            raise IntegrityError(f"blob {str(digest)!r} is damaged", digest=str(digest), found=str(found))

    def kept_ms(self, digest: Digest, /) -> int:
        """When the blob was put."""
        self._bytes(digest)
        with self._lock:
            return self._kept_ms[digest]

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """Nothing: there is no medium beside the bytes."""
        del mend
        return iter(())

    def host_path(self, digest: Digest, /) -> Path | None:
        """None: there are no files."""
        self._bytes(digest)
        return None

    def _bytes(self, digest: Digest) -> bytes:
        with self._lock:
            blob = self._blobs.get(digest)
        if blob is None:
            raise BlobNotFound(f"there is no blob {str(digest)!r}", digest=str(digest))
        return blob
