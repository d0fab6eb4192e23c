"""`Source`: what a converter is given instead of bytes. `Arriving`: bytes that are still on their way."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol, Self

if TYPE_CHECKING:
    from types import TracebackType

    from eyeline.model.digest import Digest
    from eyeline.model.media_type import MediaType
    from eyeline.toolkit.cancel import CancelToken


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


class Arriving(Protocol):
    """One source that is being read. Leaving the block ends it; for a download, that cuts the connection."""

    @property
    def name(self) -> str:
        """Its neutralised public name."""
        ...

    @property
    def leaf(self) -> str:
        """The last part of its name, which may say what text it is."""
        ...

    @property
    def declared(self) -> str | None:
        """The media type it claims."""
        ...

    @property
    def byte_count(self) -> int | None:
        """Its size, where that is known before reading."""
        ...

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end. Raises what went wrong."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Urls(Protocol):
    """Opens what an http(s) URL leads to, under the guard of URLs."""

    def open(self, url: str, *, cancel: CancelToken) -> Arriving:
        """Connect, and answer once the headers are in."""
        ...
