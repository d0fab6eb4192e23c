"""A body while it comes in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, Self

from eyeline.errors import EyelineError, InvalidRequest
from eyeline.source.url.failures import library_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Body(Protocol):
    """What the bytes come from."""

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; empty at the end."""
        ...


@dataclass(slots=True)
class ArrivingUrl:
    """An answer whose headers are in. Leaving the block, or `close`, cuts the connection.

    `name` is the URL that answered, neutralised and without a fragment, and without its query where a redirect led
    there. `leaf` is the last part of its path. `declared` is the type that the server claims, neutralised.
    `byte_count` is the size that the server promised; a body that breaks the promise ends with an error or there.
    """

    name: str
    leaf: str
    declared: str | None
    byte_count: int | None
    _body: Body = field(repr=False)
    _has_ended: Callable[[], bool] = field(repr=False)
    _close: Callable[[], None] = field(repr=False)
    _failure: EyelineError | None = field(default=None, repr=False)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes of the body, unpacked; empty at the end.

        Raises `Cancelled`; `Unreachable` where the body is too slow or breaks off; `FetchFailed` where it is not what
        HTTP or its packing allow.
        """
        if size < 1:
            raise InvalidRequest(f"a read of {size} bytes asks for nothing")
        if self._failure is not None:
            raise self._failure
        try:
            with library_errors(has_ended=self._has_ended):
                return self._body.read(size)
        except EyelineError as exc:
            # what broke once never looks like the end of a body
            self._failure = exc
            raise

    def close(self) -> None:
        """Cut the connection. Twice does nothing."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class PlainBody:
    """Pieces as they come, handed out in sizes that are asked for."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; empty at the end."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._rest = memoryview(piece)
        got, self._rest = self._rest[:size], self._rest[size:]
        return bytes(got)
