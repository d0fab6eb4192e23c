"""The zygote: imports the engines once, opens nothing, and forks one child for each job it is told of.

The child for the next job is forked ahead, while the one before works; it holds nothing of any job.
It runs in one thread. It ends when its parent does, and takes its children with it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import platform
import selectors
import signal
import socket
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyeline.errors import InvalidRequest
from eyeline.media.bounded import limits as kernel_limits
from eyeline.media.bounded.channel import ChannelClosed, close_descriptors, receive, send, socket_pair
from eyeline.media.bounded.job import split_job
from eyeline.media.bounded.sandbox import Sandbox
from eyeline.media.bounded.worker import serve

if TYPE_CHECKING:
    import resource
    from collections.abc import Callable, Sequence
    from types import FrameType

_MAXRSS_UNIT = 1024 if sys.platform == "linux" else 1


def main(descriptor: int) -> None:
    """Serve the parent at the other end of a socket until it is gone. The subprocess starts here."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    kernel_limits.prefer_as_victim()
    control = socket.socket(fileno=descriptor)
    with contextlib.suppress(ChannelClosed):
        settings, _ = receive(control)
        zygote = _Zygote(control, settings)
        send(control, zygote.facts())
        zygote.run()


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A child that was forked ahead of its order."""

    pid: int
    channel: socket.socket


class _Zygote:
    """The loop: orders come in on one socket; each child has a socket on which the parent hears of it."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self._control = control
        self._extra_modules = tuple(settings["extra_modules"])
        self._engines = [name for name in settings["preload"] if _import(name)]
        self._sandbox = Sandbox([Path(path) for path in settings["read_paths"]])
        self._children: dict[int, socket.socket] = {}
        self._spare: _Waiting | None = None
        self._selector = selectors.DefaultSelector()
        self._wake, wake_end = socket.socketpair()
        for end in (self._wake, wake_end):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, _note)
        signal.set_wakeup_fd(wake_end.detach(), warn_on_full_buffer=False)
        self._watch(self._wake, self._reap)
        self._watch(control, self._take_order)
        _settle_memory()
        self._spare = self._fork()

    def facts(self) -> dict[str, Any]:
        """What holds here, found out by trying."""
        return {
            "system": platform.system().lower(),
            "machine": platform.machine(),
            "landlock": self._sandbox.landlock,
            "seccomp": self._sandbox.seccomp,
            "limits": kernel_limits.IN_FORCE,
            "engines": self._engines,
        }

    def run(self) -> None:
        """Serve until the parent is gone, then end every child."""
        try:
            while True:
                for key, _ in self._selector.select():
                    key.data()
        except ChannelClosed:
            self._dismiss_spare()
            for pid in self._children:
                _kill(pid)
                os.waitpid(pid, 0)

    def _watch(self, end: socket.socket, act: Callable[[], None]) -> None:
        self._selector.register(end, selectors.EVENT_READ, act)

    def _take_order(self) -> None:
        message, descriptors = receive(self._control)
        status = socket.socket(fileno=descriptors.pop(0))
        status.setblocking(False)
        try:
            self._prepare(message["job"])
            self._hand_over(message | {"usage": asdict(kernel_limits.usage())}, descriptors, status=status)
        except (InvalidRequest, OSError) as exc:
            with status:
                _tell(status, {"refused": type(exc).__name__})
        close_descriptors(descriptors)

    def _prepare(self, job: str) -> None:
        """Import the module of a job that comes for the first time; a child that waits has not got it."""
        module, _ = split_job(job, extra_modules=self._extra_modules)
        if module not in sys.modules and _import(module):
            self._sandbox.admit_packages()
            _settle_memory()
            self._dismiss_spare()

    def _hand_over(self, message: dict[str, Any], descriptors: list[int], *, status: socket.socket) -> None:
        """Give the order to the child that waits, tell the parent of it, and have the next one wait."""
        for spare in (self._spare, None):
            child = spare or self._fork()
            self._spare = None
            try:
                send(child.channel, message, descriptors=descriptors)
            except ChannelClosed:
                self._dismiss(child)
            else:
                self._follow(child, status)
                break
        else:
            raise ChildProcessError
        with contextlib.suppress(OSError):
            self._spare = self._fork()

    def _fork(self) -> _Waiting:
        """A child that waits for one order."""
        ours, theirs = socket_pair()
        pid = os.fork()
        if pid == 0:
            serve(theirs, self._sandbox)
        theirs.close()
        return _Waiting(pid, ours)

    def _follow(self, child: _Waiting, status: socket.socket) -> None:
        """The child has its order: what becomes of it is the parent's concern from now on."""
        pid = child.pid
        child.channel.close()
        self._children[pid] = status
        self._watch(status, lambda: self._stop(pid))
        try:
            descriptor = os.pidfd_open(pid)
        except (AttributeError, OSError):
            _tell(status, {"started": pid})
            return
        _tell(status, {"started": pid}, descriptors=[descriptor])
        os.close(descriptor)

    def _dismiss_spare(self) -> None:
        if self._spare is not None:
            self._dismiss(self._spare)
            self._spare = None

    def _dismiss(self, child: _Waiting) -> None:
        child.channel.close()
        _kill(child.pid)
        os.waitpid(child.pid, 0)

    def _stop(self, pid: int) -> None:
        """The parent hung up on this job: it is not wanted any more, if it is not reaped already."""
        if pid in self._children:
            self._selector.unregister(self._children[pid])
            _kill(pid)

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wake.recv(4096)
        for pid in tuple(self._children):
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                self._report_end(pid, os.waitstatus_to_exitcode(status), usage)

    def _report_end(self, pid: int, status: int, usage: resource.struct_rusage) -> None:
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)  # what it may have forked where nothing forbids that
        end = self._children.pop(pid)
        with contextlib.suppress(KeyError):
            self._selector.unregister(end)
        with end:
            cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)
            _tell(end, {"ended": status, "cpu_ms": cpu_ms, "peak_bytes": usage.ru_maxrss * _MAXRSS_UNIT})


def _tell(end: socket.socket, message: dict[str, Any], *, descriptors: Sequence[int] = ()) -> None:
    """Say something to a parent that may have stopped listening."""
    with contextlib.suppress(ChannelClosed, OSError):
        send(end, message, descriptors=descriptors)


def _import(name: str) -> bool:
    """Import a module before the fork; one that cannot be imported fails again, loudly, in the job that needs it."""
    try:
        importlib.import_module(name)
    except (ImportError, OSError):
        return False
    return True


def _note(number: int, frame: FrameType | None) -> None:
    """A child ended; that there is a handler is what makes Python write to the wake-up socket."""


def _settle_memory() -> None:
    """Collect now and never look at these objects again, so that children share their pages."""
    gc.collect()
    gc.freeze()


def _kill(pid: int) -> None:
    """End a child that is not reaped yet, so the pid is still its own."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
