"""What a job hands back: outputs in order and one value, in a file without a name that the parent reads afterwards."""

from __future__ import annotations

import json
import os
from typing import Any

from eyeline.errors import EngineFailed
from eyeline.media.bounded.job import VALUE_BYTES

REPORT_BYTES = 64 << 10
"""Room in the exchange file beyond the output limit, so that a job that failed can still say how."""


class Output:
    """Collects a job's outputs; over the limit it raises `EngineFailed` with reason `over_output`."""

    def __init__(self, descriptor: int, *, limit: int) -> None:
        self._descriptor = descriptor
        self._limit = limit
        self._lengths: list[int] = []
        self._end = 0

    def add(self, data: bytes | bytearray | memoryview) -> None:
        """Add one output."""
        view = memoryview(data).cast("B")
        self._write(view, room=self._limit)
        self._lengths.append(view.nbytes)

    def finish(self, value: dict[str, Any]) -> tuple[int, int]:
        """Write the value behind the outputs; place and length of the report."""
        report = json.dumps({"value": value, "outputs": self._lengths}, allow_nan=False).encode()
        if len(report) > VALUE_BYTES:
            raise over_output(VALUE_BYTES)
        return self._append(report, room=self._limit + REPORT_BYTES)

    def fail(self, failure: dict[str, Any]) -> tuple[int, int]:
        """Throw the outputs away and say what went wrong; place and length of the report."""
        os.ftruncate(self._descriptor, 0)
        self._end = 0
        return self._append(json.dumps(failure).encode()[:REPORT_BYTES], room=REPORT_BYTES)

    def _append(self, report: bytes, *, room: int) -> tuple[int, int]:
        place = self._end
        self._write(memoryview(report), room=room)
        return place, len(report)

    def _write(self, view: memoryview, *, room: int) -> None:
        if self._end + view.nbytes > room:
            raise over_output(self._limit)
        while view.nbytes:
            written = os.pwrite(self._descriptor, view, self._end)
            self._end += written
            view = view[written:]


def over_output(limit: int) -> EngineFailed:
    """The error of a job that makes more than it may."""
    return EngineFailed(f"an engine made more output than {limit} bytes", reason="over_output", allowed=limit)
