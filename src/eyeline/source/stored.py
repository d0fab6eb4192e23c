"""`StoredSource`: a source on an original that a store keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol

from eyeline.errors import LimitExceeded
from eyeline.source.stream import spool

if TYPE_CHECKING:
    from pathlib import Path

    from eyeline.model.digest import Digest
    from eyeline.model.document import BlobRef
    from eyeline.model.media_type import MediaType

MAX_RANGE_BYTES = 64 << 20


class BlobReading(Protocol):
    """The reading half of a store."""

    def open(self, digest: Digest, /) -> BinaryIO:
        """The blob as a seekable file."""
        ...

    def read_range(self, digest: Digest, /, *, offset: int, length: int) -> bytes:
        """A range that lies inside the blob."""
        ...


class StoredSource:
    """A `Source` over a stored blob; temporary files go to `folder`, else where the system keeps them."""

    def __init__(self, blobs: BlobReading, content: BlobRef, *, name: str, folder: Path | None = None) -> None:
        self._blobs = blobs
        self._content = content
        self._name = name
        self._folder = folder

    @property
    def name(self) -> str:
        """The public reference."""
        return self._name

    @property
    def byte_count(self) -> int:
        """The size of the whole."""
        return self._content.byte_count

    @property
    def digest(self) -> Digest:
        """The digest of the whole."""
        return self._content.digest

    @property
    def media_type(self) -> MediaType:
        """What the bytes are."""
        return self._content.media_type

    def open(self) -> BinaryIO:
        """A seekable file at the first byte."""
        return self._blobs.open(self.digest)

    def read_range(self, *, offset: int, length: int) -> bytes:
        """A range that lies inside and is at most 64 MiB."""
        if length > MAX_RANGE_BYTES:
            raise LimitExceeded(
                f"a range has at most {MAX_RANGE_BYTES} bytes, not {length}",
                hint="read it in pieces, or open the source",
                limit="range_bytes",
                allowed=MAX_RANGE_BYTES,
                asked=length,
            )
        return self._blobs.read_range(self.digest, offset=offset, length=length)

    def temporary_file(self, *, max_bytes: int) -> BinaryIO:
        """A private copy, held to the bound and to the digest."""
        with self.open() as original:
            return spool(
                original,
                max_bytes=max_bytes,
                expected=self.digest,
                expected_bytes=self.byte_count,
                folder=self._folder,
            ).file
