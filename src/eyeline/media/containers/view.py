"""Bounded reads at offsets of a seekable reader."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Protocol

BLOCK = 1 << 20
_WINDOW = 1 << 14


class Reader(Protocol):
    """What a job gets to read media from: a seekable binary file, maybe on a descriptor."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes from the current position; all that is left for -1."""
        ...

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to an offset from the start, the position or the end; the new position."""
        ...


def descriptor_of(reader: Reader) -> int | None:
    """The open descriptor under a reader; none where it reads by other means."""
    fileno = getattr(reader, "fileno", None)
    if fileno is None:
        return None
    try:
        return int(fileno())
    except (OSError, AttributeError):
        return None


class ByteView:
    """Reads a few bytes here and there without keeping the file: one small window is held.

    `size` is the byte count of the whole file.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._descriptor = descriptor_of(reader)
        self._start = 0
        self._window = b""
        self.size = reader.seek(0, os.SEEK_END)

    def at(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only where the file ends."""
        length = min(length, self.size - offset)
        if length <= 0:
            return b""
        begin = offset - self._start
        if begin < 0 or begin + length > len(self._window):
            if length >= _WINDOW:
                return self._read(offset, length)
            self._start, self._window, begin = offset, self._read(offset, _WINDOW), 0
        return self._window[begin : begin + length]

    def blocks(self, offset: int, *, block: int = BLOCK) -> Iterator[tuple[int, bytes]]:
        """Pairs of offset and bytes from `offset` to the end of the file."""
        while part := self._read(offset, block):
            yield offset, part
            offset += len(part)

    def _read(self, offset: int, length: int) -> bytes:
        parts: list[bytes] = []
        if self._descriptor is None:
            self._reader.seek(offset)
        while length > 0:
            part = self._reader.read(length) if self._descriptor is None else os.pread(self._descriptor, length, offset)
            if not part:
                break
            parts.append(part)
            offset += len(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


class Section(ByteView):
    """A run of bytes of a file, seen as a file of its own; it ends where the file does."""

    def __init__(self, whole: ByteView, start: int, *, length: int) -> None:
        self._whole = whole
        self._first = start
        self.size = max(0, min(length, whole.size - start))

    def at(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only where the run ends."""
        return self._whole.at(self._first + offset, min(length, self.size - offset))

    def blocks(self, offset: int, *, block: int = BLOCK) -> Iterator[tuple[int, bytes]]:
        """Pairs of offset and bytes from `offset` to the end of the run."""
        while part := self.at(offset, block):
            yield offset, part
            offset += len(part)
