"""Copying a stream once: in bounded chunks, hashed on the way, held to its bound and to what was promised of it."""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from eyeline.errors import IntegrityError, InvalidRequest, LimitExceeded
from eyeline.model.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer

    from eyeline.toolkit.cancel import CancelToken

CHUNK_BYTES = 1 << 20


class Readable(Protocol):
    """Anything bytes can be read from in order; an empty answer is the end."""

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes; fewer is no sign of the end."""
        ...


class Cancellable:
    """A stream whose reading ends with `Cancelled` once a token has fired."""

    def __init__(self, stream: Readable, cancel: CancelToken) -> None:
        self._stream = stream
        self._cancel = cancel

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes of the stream."""
        self._cancel.raise_if_cancelled()
        return self._stream.read(size)


def chunks(stream: Readable, *, max_bytes: int | None = None) -> Iterator[bytes]:
    """The bytes of a stream in pieces of at most 1 MiB; `LimitExceeded` as soon as more than `max_bytes` came."""
    total = 0
    while True:
        wanted = CHUNK_BYTES if max_bytes is None else min(CHUNK_BYTES, max_bytes - total + 1)
        piece = stream.read(wanted)
        if piece is None:
            raise InvalidRequest(
                "the stream has no bytes yet and does not wait for them", hint="give a blocking stream"
            )
        if not piece:
            return
        total += len(piece)
        if max_bytes is not None and total > max_bytes:
            raise LimitExceeded(
                f"there are more than the {max_bytes} bytes allowed", limit="max_bytes", allowed=max_bytes, asked=total
            )
        yield piece


def copy_checked(
    stream: Readable,
    sink: Callable[[bytes], object],
    *,
    max_bytes: int | None = None,
    expected: Digest | None = None,
    expected_bytes: int | None = None,
) -> tuple[Digest, int]:
    """Copy a stream into `sink` and answer digest and byte count.

    `IntegrityError` where digest or count differ from what was promised; `LimitExceeded` over `max_bytes`, before
    reading where the promised count already is over it. The caller throws away what `sink` got.
    """
    if max_bytes is not None and expected_bytes is not None and expected_bytes > max_bytes:
        raise LimitExceeded(
            f"{expected_bytes} bytes are more than the {max_bytes} allowed",
            limit="max_bytes",
            allowed=max_bytes,
            asked=expected_bytes,
        )
    hashed, total = hashlib.sha256(), 0
    for piece in chunks(stream, max_bytes=max_bytes):
        hashed.update(piece)
        sink(piece)
        total += len(piece)
    digest = Digest(hashed.hexdigest())
    if expected_bytes is not None and total != expected_bytes:
        raise IntegrityError(
            f"the stream has {total} bytes, {expected_bytes} were promised", expected=expected_bytes, found=total
        )
    if expected is not None and digest != expected:
        raise IntegrityError(
            f"the stream is {str(digest)!r}, {str(expected)!r} was promised", expected=str(expected), found=str(digest)
        )
    return digest, total


class _Reading(io.FileIO):
    """A descriptor read through a translation of its failures."""

    def __init__(self, descriptor: int, *, failure: Callable[[OSError], Exception]) -> None:
        super().__init__(descriptor, "rb")
        self._failure = failure

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        try:
            # a blocking descriptor never answers None
            return cast("int", super().readinto(buffer))
        except OSError as error:
            raise self._failure(error) from error

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            raise self._failure(error) from error


def reading(descriptor: int, *, failure: Callable[[OSError], Exception]) -> BinaryIO:
    """A buffered, seekable, read-only file that owns a descriptor; a failing read raises what `failure` makes of it."""
    return io.BufferedReader(_Reading(descriptor, failure=failure), 128 << 10)
