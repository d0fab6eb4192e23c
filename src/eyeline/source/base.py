"""`Source`: what a converter is given instead of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from eyeline.model.digest import Digest
    from eyeline.model.media_type import MediaType


class Source(Protocol):
    """An immutable, hashed original, read in bounded pieces and never as one.

    `name` is the public reference it came in under, for hints and messages only.
    """

    @property
    def name(self) -> str:
        """The public reference."""
        ...

    @property
    def byte_count(self) -> int:
        """The size of the whole."""
        ...

    @property
    def digest(self) -> Digest:
        """The digest of the whole."""
        ...

    @property
    def media_type(self) -> MediaType:
        """What the bytes are."""
        ...

    def open(self) -> BinaryIO:
        """A seekable, read-only file at the first byte, with a position of its own."""
        ...

    def read_range(self, *, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset`; `InvalidRequest` unless it lies inside, `LimitExceeded` over 64 MiB."""
        ...

    def temporary_file(self, *, max_bytes: int) -> BinaryIO:
        """A private, seekable copy without a name, gone when it is closed; at its first byte.

        `LimitExceeded` where the original is larger than `max_bytes`, asked before and while copying; `IntegrityError`
        unless the copy has the digest.
        """
        ...
