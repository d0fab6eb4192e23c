"""What runs inside a child: shut in, call one function, say how it went, be gone."""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from eyeline.errors import EyelineError
from eyeline.media.bounded.channel import ASK, DONE
from eyeline.media.bounded.output import Output
from eyeline.media.bounded.reader import Reader, asking_reader, descriptor_reader

if TYPE_CHECKING:
    from eyeline.media.bounded.job import JobFunction, JobLimits
    from eyeline.media.bounded.sandbox import Sandbox

REPORTED, OVER_MEMORY, OVER_OUTPUT, NOT_ISOLATED, LOST = 0, 90, 91, 92, 93
"""Exit statuses of a child: a report is there; memory or output ran out; the sandbox did not close; no report could be made."""


@dataclass(frozen=True, slots=True)
class Order:
    """One job as the child gets it: names, limits, and descriptors of socket, exchange file and source."""

    module: str
    function: str
    limits: JobLimits
    size: int
    channel: int
    exchange: int
    source: int | None

    @property
    def descriptors(self) -> list[int]:
        """All that stay open."""
        return [self.channel, self.exchange, *([] if self.source is None else [self.source])]


def serve(order: Order, sandbox: Sandbox) -> NoReturn:
    """Run one job and end the process; never returns, whatever happens."""
    status = LOST
    try:
        status = _serve(order, sandbox)
    finally:
        os._exit(status)


def _serve(order: Order, sandbox: Sandbox) -> int:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        sandbox.close(order.limits, keep=order.descriptors)
    except (OSError, ValueError):
        return NOT_ISOLATED
    output = Output(order.exchange, limit=order.limits.output_bytes)
    try:
        report = output.finish(_call(order, output))
    except MemoryError:
        return OVER_MEMORY
    except BaseException as exc:
        if isinstance(exc, OSError) and exc.errno == errno.EFBIG:
            return OVER_OUTPUT
        report = output.fail(_failure(exc))
    with contextlib.suppress(OSError):
        os.write(order.channel, ASK.pack(DONE, *report))
    return REPORTED


def _call(order: Order, output: Output) -> dict[str, Any]:
    params = json.loads(_take_params(order.exchange))
    function = _find(order.module, order.function)
    return function(_reader(order), params, output)


def _take_params(exchange: int) -> bytes:
    """The exchange file holds the params when a job starts, and what the job makes when it ends."""
    data = os.pread(exchange, os.fstat(exchange).st_size, 0)
    os.ftruncate(exchange, 0)
    return data


def _reader(order: Order) -> Reader:
    if order.source is None:
        return asking_reader(order.channel, size=order.size)
    return descriptor_reader(order.source, size=order.size)


def _find(module: str, function: str) -> JobFunction:
    """The function, if it is the module's own and not something that the module imported."""
    found = getattr(importlib.import_module(module), function, None)
    if not callable(found) or getattr(found, "__module__", None) != module:
        raise LookupError(function)
    return found


def _failure(exc: BaseException) -> dict[str, Any]:
    """Our own errors by code, message and detail; of a foreign one only its class, for its text may hold anything."""
    if isinstance(exc, EyelineError):
        return {"code": exc.code, "message": exc.message, "hint": exc.hint, "detail": exc.detail}
    return {"exception": type(exc).__name__}
