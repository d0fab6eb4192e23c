"""`BlobStore`: what every store of blobs promises. `eyeline.testing.store_contract` holds one test for each promise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, BinaryIO, Protocol

from eyeline.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyeline.model.digest import Digest
    from eyeline.toolkit.copying import Readable


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a put: the blob's digest and size, and whether this put brought it (else it was here already)."""

    digest: Digest
    byte_count: int
    created: bool


class FlawKind(StrEnum):
    """What can be wrong with a store beside its blobs."""

    WRONG_MODE = "wrong_mode"
    STRAY_FILE = "stray_file"
    STAGING_LEFTOVER = "staging_leftover"


@dataclass(frozen=True, slots=True)
class StoreFlaw:
    """Something that is not as the layout says: a digest, or a path inside the store, and whether it was mended."""

    kind: FlawKind
    subject: str
    mended: bool = False


class BlobStore(Protocol):
    """Keeps blobs by digest: written once, in full or not at all, never changed afterwards.

    Every method may be called from any thread. Failures of the medium are `StoreError`; no message names a host path.
    """

    def put(
        self,
        stream: Readable,
        *,
        max_bytes: int | None = None,
        expected: Digest | None = None,
        expected_bytes: int | None = None,
    ) -> Stored:
        """Keep the rest of a stream, read in bounded chunks; when this returns, the blob survives a crash.

        Bytes that are here already are read again and compared, and the blob stays the one it was. Nothing is kept when
        the stream raises (its error passes through), holds more than `max_bytes` (`LimitExceeded`), or is not what was
        promised (`IntegrityError`). A blob found damaged is `IntegrityError` too: it is never written over.
        """
        ...

    def open(self, digest: Digest, /) -> BinaryIO:
        """A seekable, read-only file at the blob's first byte, with a position of its own; `BlobNotFound`."""
        ...

    def read_range(self, digest: Digest, /, *, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset`; `InvalidRequest` unless the range lies inside the blob."""
        ...

    def size(self, digest: Digest, /) -> int:
        """The blob's bytes, counted; `BlobNotFound`."""
        ...

    def list(self) -> Iterator[Digest]:
        """Every blob, sorted by digest. Blobs that come or go meanwhile may be there or not."""
        ...

    def delete(self, digest: Digest, /) -> bool:
        """Let a blob go; False where there was none. Files that are open stay readable."""
        ...

    def verify(self, digest: Digest, /) -> None:
        """Read the whole blob; `IntegrityError` unless it still has its digest, `BlobNotFound` if it is gone."""
        ...

    def kept_ms(self, digest: Digest, /) -> int:
        """When the blob was written, in milliseconds since 1970; `BlobNotFound`."""
        ...

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """What is wrong beside the blobs' bytes, in a stable order; `mend` mends what loses nothing."""
        ...

    def host_path(self, digest: Digest, /) -> Path | None:
        """An absolute path that holds the blob on this machine, or None from a store without files; `BlobNotFound`."""
        ...


def check_range(*, offset: int, length: int, byte_count: int) -> None:
    """Raise `InvalidRequest` unless a range of bytes lies inside a blob of `byte_count` bytes."""
    if offset < 0 or length < 0 or offset + length > byte_count:
        raise InvalidRequest(
            f"{length} bytes from {offset} do not lie inside {byte_count} bytes",
            offset=offset,
            length=length,
            byte_count=byte_count,
        )
