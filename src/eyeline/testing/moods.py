"""How an endpoint on loopback may answer a good request: as it should, or in one of the many other ways."""

from __future__ import annotations

import gzip
import threading
from enum import StrEnum

from eyeline.testing.loopback import LoopbackExchange


class Mood(StrEnum):
    """How the endpoint answers a good request: the first four with what was asked for, the others not."""

    WELL = "well"
    CUT_SHORT = "cut_short"  # stopped at the token limit
    PARTS = "parts"  # the text in a list of parts
    LATE = "late"  # well, once `released` is set
    EMPTY = "empty"
    GARBAGE = "garbage"
    WRONG_SHAPE = "wrong_shape"
    HUGE = "huge"  # a text that does not end
    PACKED = "packed"  # compressed, though nobody asked for that
    FAILING = "failing"
    BUSY = "busy"
    DENYING = "denying"
    REDIRECTING = "redirecting"
    BREAKING_OFF = "breaking_off"
    TRICKLING = "trickling"  # a byte now and then
    SILENT = "silent"


_STATUS = {Mood.FAILING: 500, Mood.BUSY: 429, Mood.DENYING: 403, Mood.REDIRECTING: 307}


class Moody:
    """What such an endpoint has: its mood, and events.

    `arrived` is set when a good request came; `released` lets late answers go; `closing` ends those that never end.
    """

    def __init__(self, mood: Mood) -> None:
        self.mood = mood
        self.arrived = threading.Event()
        self.released = threading.Event()
        self.closing = threading.Event()

    def end(self) -> None:
        """Let every exchange come to its end."""
        self.closing.set()
        self.released.set()


class MoodyExchange(LoopbackExchange):
    """One request and its answer in the mood of an endpoint."""

    def reply(self, endpoint: Moody, good: bytes, *, beginning: bytes) -> None:
        """Answer with `good`, or otherwise; `beginning` is how a good answer begins that never ends."""
        match endpoint.mood:
            case Mood.SILENT:
                endpoint.closing.wait(60)
            case Mood.TRICKLING:
                self._begin(200, length=1 << 16)
                while not endpoint.closing.wait(0.05):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            case Mood.BREAKING_OFF:
                self._begin(200, length=1 << 16)
                self.wfile.write(beginning[:8])
            case Mood.HUGE:
                self._begin(200, length=1 << 40)
                self.wfile.write(beginning)
                while not endpoint.closing.is_set():
                    self.wfile.write(b"more " * 4096)
            case Mood.LATE:
                endpoint.released.wait(60)
                self.answer(200, good)
            case Mood.PACKED:
                self.answer(200, gzip.compress(good), encoding="gzip")
            case Mood.GARBAGE:
                self.answer(200, b"<html>503 from a proxy that says 200</html>")
            case Mood.WRONG_SHAPE:
                self.answer(200, b'{"choices": []}')
            case mood:
                self.answer(_STATUS.get(mood, 200), good)

    def answer(self, status: int, body: bytes, *, encoding: str | None = None) -> None:
        """Answer with a status and a body."""
        self._begin(status, length=len(body), encoding=encoding)
        self.wfile.write(body)

    def _begin(self, status: int, *, length: int, encoding: str | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(length))
        if encoding is not None:
            self.send_header("content-encoding", encoding)
        if status in range(300, 400):
            self.send_header("location", "/v1/elsewhere")
        self.end_headers()
