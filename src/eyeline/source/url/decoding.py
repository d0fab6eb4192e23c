"""A body as it was before the server packed it, in pieces that stay small however well it is packed."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from eyeline.errors import FetchFailed
from eyeline.model.display import shown
from eyeline.source.url.reasons import WhyFailed, failed

if TYPE_CHECKING:
    from collections.abc import Iterator

_GZIP_BITS = 16 + zlib.MAX_WBITS
_CODINGS = {"gzip": _GZIP_BITS, "x-gzip": _GZIP_BITS, "deflate": zlib.MAX_WBITS}
_ZLIB_METHOD = 8

MAX_FRUITLESS_BYTES = 1 << 20
"""Packed bytes in a row that may come to nothing; without a bound, empty blocks are a body without an end."""


def coding(header: str) -> str | None:
    """The one coding of a `Content-Encoding`; None where the body is as it is. `FetchFailed` for any other."""
    named = [each for each in (part.strip().lower() for part in header.split(",")) if each not in {"", "identity"}]
    if not named:
        return None
    if len(named) > 1 or named[0] not in _CODINGS:
        raise failed(
            WhyFailed.ENCODING,
            f"the body is packed as {shown(header, max_chars=40)!r}, which was not asked for and is not unpacked",
            hint="gzip and deflate are",
        )
    return named[0]


class Unpacker:
    """Takes the packed pieces of a body and gives at most so many bytes at a time."""

    def __init__(self, name: str, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._bits = _CODINGS[name]
        self._stream = zlib.decompressobj(self._bits)
        self._rest = b""
        self._has_begun = False
        self._fruitless_bytes = 0

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; empty at the end. `FetchFailed` where the packing is broken or stops too early."""
        while True:
            if not self._rest:
                self._rest = next(self._pieces, b"")
                if not self._rest:
                    return self._flushed(size)
                self._fruitless_bytes += len(self._rest)
            try:
                got = self._unpacked(size)
            except zlib.error as exc:
                raise _broken() from exc
            if got:
                self._fruitless_bytes = 0
                return got
            if self._fruitless_bytes > MAX_FRUITLESS_BYTES:
                raise _broken()

    def _unpacked(self, size: int) -> bytes:
        if not self._has_begun:
            self._begin()
        if self._stream.eof:
            self._go_on_with_the_next_member()
        got = self._stream.decompress(self._rest, size)
        self._rest = self._stream.unconsumed_tail or self._stream.unused_data
        return got

    def _begin(self) -> None:
        """Some servers send what they call deflate without the frame that belongs to it."""
        self._has_begun = True
        if self._bits == zlib.MAX_WBITS and self._rest[0] & 0x0F != _ZLIB_METHOD:
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)

    def _go_on_with_the_next_member(self) -> None:
        if self._bits != _GZIP_BITS:
            raise _broken()
        self._stream = zlib.decompressobj(self._bits)

    def _flushed(self, size: int) -> bytes:
        """What is left inside when no piece is."""
        if self._stream.eof or not self._has_begun:
            return b""
        try:
            got = self._stream.decompress(b"", size)
        except zlib.error as exc:
            raise _broken() from exc
        if not got and not self._stream.eof:
            raise _broken()
        return got


def _broken() -> FetchFailed:
    return failed(WhyFailed.ENCODING, "the body is packed and cannot be unpacked")
