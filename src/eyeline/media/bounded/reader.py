"""The source as a job sees it: a seekable binary file that reads at positions, from a descriptor or from the parent."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from eyeline.media.bounded.channel import ANSWER, ASK, CHUNK_BYTES, MESSAGE_BYTES, READ

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Fetch = Callable[[int, int], bytes]
"""Bytes from an offset on: exactly the length asked for, fewer only where the source ends."""


class Reader(io.RawIOBase):
    """A source inside a job: binary, seekable, read-only; `size` in bytes.

    `read(n)` and `readinto` are short only at the end, as libraries expect of a buffered file. `fileno()` is there when
    the source came as a descriptor: it belongs to this job alone, and reading here never moves its position.
    """

    def __init__(self, fetch: Fetch, *, size: int, descriptor: int | None = None) -> None:
        super().__init__()
        self.size = size
        self._fetch = fetch
        self._descriptor = descriptor
        self._position = 0

    def fileno(self) -> int:
        """The job's own descriptor; `io.UnsupportedOperation` when the parent serves the bytes."""
        if self._descriptor is None:
            raise io.UnsupportedOperation("this source has no descriptor")
        return self._descriptor

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """Position in bytes."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move the position; beyond the end is allowed, before the start is a ValueError."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        if base + offset < 0:
            raise ValueError(f"position {base + offset} lies before the start")
        self._position = base + offset
        return self._position

    def read(self, size: int | None = -1, /) -> bytes:
        """`size` bytes, or all that are left."""
        left = max(self.size - self._position, 0)
        length = left if size is None or size < 0 else min(size, left)
        data = self._fetch(self._position, length) if length else b""
        self._position += len(data)
        return data

    def readall(self) -> bytes:
        """All that is left."""
        return self.read(-1)

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill a buffer; how many bytes it got."""
        view = memoryview(buffer).cast("B")
        data = self.read(view.nbytes)
        view[: len(data)] = data
        return len(data)


def descriptor_reader(descriptor: int, *, size: int) -> Reader:
    """A reader over a descriptor of the job's own."""

    def fetch(offset: int, length: int) -> bytes:
        data = os.pread(descriptor, length, offset)
        while len(data) < length and (more := os.pread(descriptor, length - len(data), offset + len(data))):
            data += more
        return data

    return Reader(fetch, size=size, descriptor=descriptor)


def asking_reader(channel: int, *, size: int) -> Reader:
    """A reader that asks the parent over the job's socket; small reads are served from the last block."""
    lock = threading.Lock()
    block_start, block = 0, b""

    def ask(offset: int, length: int) -> bytes:
        os.write(channel, ASK.pack(READ, offset, length))
        answer = os.read(channel, MESSAGE_BYTES)
        if not answer.startswith(ANSWER):
            raise ConnectionAbortedError
        return answer[1:]

    def fetch(offset: int, length: int) -> bytes:
        nonlocal block_start, block
        pieces: list[bytes] = []
        end = min(offset + length, size)
        with lock:
            while offset < end:
                if not block_start <= offset < block_start + len(block):
                    block_start, block = offset, ask(offset, min(CHUNK_BYTES, size - offset))
                    if not block:
                        break
                piece = block[offset - block_start : end - block_start]
                pieces.append(piece)
                offset += len(piece)
        return b"".join(pieces)

    return Reader(fetch, size=size)
