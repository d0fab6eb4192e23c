"""What runs inside a child: shut in, call one function, say how it went, be gone."""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

from eyeline.errors import EyelineError
from eyeline.media.bounded.channel import ASK, DONE, receive
from eyeline.media.bounded.job import JobLimits
from eyeline.media.bounded.limits import Usage
from eyeline.media.bounded.output import Output
from eyeline.media.bounded.reader import Reader, asking_reader, descriptor_reader

if TYPE_CHECKING:
    import socket

    from eyeline.media.bounded.sandbox import Sandbox

JobFunction = Callable[[Reader, dict[str, Any], Output], dict[str, Any]]
"""What a job name stands for: it reads, adds outputs, and returns a value that JSON can hold."""

REPORTED, OVER_MEMORY, OVER_OUTPUT, NOT_ISOLATED, LOST = 0, 90, 91, 92, 93
"""Exit statuses: a report is there; memory or output ran out; the sandbox did not close; nothing could be said."""


@dataclass(frozen=True, slots=True)
class Order:
    """One job as the child gets it: names, limits, and descriptors of socket, exchange file and source."""

    module: str
    function: str
    limits: JobLimits
    usage: Usage
    size: int
    descriptors: list[int]

    @property
    def channel(self) -> int:
        """The job's socket to the parent."""
        return self.descriptors[0]

    @property
    def exchange(self) -> int:
        """The file that params came in and outputs leave in."""
        return self.descriptors[1]

    def reader(self) -> Reader:
        """The source."""
        if len(self.descriptors) > 2:
            return descriptor_reader(self.descriptors[2], size=self.size)
        return asking_reader(self.channel, size=self.size)


def serve(zygote: socket.socket, sandbox: Sandbox) -> NoReturn:
    """Wait for one order, run it and end the process; never returns, whatever happens."""
    status = LOST
    try:
        status = _serve(zygote, sandbox)
    finally:
        os._exit(status)


def _serve(zygote: socket.socket, sandbox: Sandbox) -> int:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        sandbox.enter(keep=[zygote.fileno()])
        order = _take_order(zygote)
        sandbox.close(order.limits, order.usage, keep=order.descriptors)
    except (OSError, ValueError):
        return NOT_ISOLATED
    return _run(order)


def _take_order(zygote: socket.socket) -> Order:
    message, descriptors = receive(zygote)
    module, _, function = message["job"].partition(":")
    limits, usage = JobLimits(**message["limits"]), Usage(**message["usage"])
    return Order(module, function, limits=limits, usage=usage, size=message["size"], descriptors=descriptors)


def _run(order: Order) -> int:
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
    return function(order.reader(), params, output)


def _take_params(exchange: int) -> bytes:
    """The exchange file holds the params when a job starts, and what the job makes when it ends."""
    data = os.pread(exchange, os.fstat(exchange).st_size, 0)
    os.ftruncate(exchange, 0)
    return data


def _find(module: str, function: str) -> JobFunction:
    """The function, if it is the module's own and not something that the module imported."""
    found = getattr(importlib.import_module(module), function, None)
    if not callable(found) or getattr(found, "__module__", None) != module:
        raise LookupError(function)
    return cast("JobFunction", found)


def _failure(exc: BaseException) -> dict[str, Any]:
    """Our own errors by code, message and detail; of a foreign one only its class, for its text may hold anything."""
    if isinstance(exc, EyelineError):
        return {"code": exc.code, "message": exc.message, "hint": exc.hint, "detail": exc.detail}
    return {"exception": type(exc).__name__}
