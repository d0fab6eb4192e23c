"""Calls a job in this process with the reader and the outputs it has in the bounded child."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

from eyeline.media.bounded.output import Output
from eyeline.media.bounded.reader import Fetch, Reader

if TYPE_CHECKING:
    from eyeline.media.bounded.worker import JobFunction


def reader_of(data: bytes) -> Reader:
    """A reader over bytes in memory."""
    return Reader(lambda offset, length: data[offset : offset + length], size=len(data))


def call(job: JobFunction, source: bytes | Reader, /, **params: object) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """What a job returns, through JSON as it would come back, and its outputs."""
    reader = reader_of(source) if isinstance(source, bytes) else source
    with tempfile.TemporaryFile() as exchange:
        out = Output(exchange.fileno(), limit=64 << 20)
        place, length = out.finish(job(reader, params, out))
        report = json.loads(os.pread(exchange.fileno(), length, place))
        outputs: list[bytes] = []
        at = 0
        for size in report["outputs"]:
            outputs.append(os.pread(exchange.fileno(), size, at))
            at += size
        return report["value"], tuple(outputs)


class CountingFetch:
    """Counts how much of a source is read; on request it fails like a broken disk."""

    def __init__(self, data: bytes, *, fails: bool = False) -> None:
        self.bytes_read = 0
        self._data = data
        self.fails = fails

    def __call__(self, offset: int, length: int) -> bytes:
        if self.fails:
            raise OSError(5, "the disk does not answer")
        self.bytes_read += length
        return self._data[offset : offset + length]

    def reader(self) -> Reader:
        """A reader over this source."""
        fetch: Fetch = self
        return Reader(fetch, size=len(self._data))
