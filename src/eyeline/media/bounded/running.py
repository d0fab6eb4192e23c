"""One job from the parent's side: serve its bytes, keep its time, end it when it must end, see it reaped."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

from eyeline.media.bounded.channel import (
    ANSWER,
    ASK,
    CHUNK_BYTES,
    DONE,
    READ,
    ChannelClosed,
    close_descriptors,
    receive,
    socket_pair,
)

if TYPE_CHECKING:
    from types import TracebackType

    from eyeline.media.bounded.exchange import OpenedSource
    from eyeline.toolkit.cancel import CancelToken

START_SECONDS = 60.0
"""How long a zygote may take to fork; it may be importing a job's module for the first time."""

REAP_SECONDS = 10.0
"""How long the kernel may take to end a killed child."""

_GONE = select.POLLHUP | select.POLLERR | select.POLLNVAL

Stop = Literal["timeout", "cancelled", "misbehaved"]


@dataclass(slots=True)
class Ending:
    """How a job came to its end. `status` is none when nobody lived to say; negative is a signal."""

    started: bool = False
    refused: str | None = None
    stopped: Stop | None = None
    status: int | None = None
    cpu_ms: int = 0
    peak_bytes: int = 0
    report: tuple[int, int] | None = None

    @property
    def came_to_nothing(self) -> bool:
        """Whether the zygote went away before it took the job, so that another may have it."""
        return self.was_lost and not self.started and self.stopped is None

    @property
    def was_lost(self) -> bool:
        """Whether nobody could say what became of the job: its zygote is gone or does not answer."""
        return self.status is None and self.refused is None and self.report is None


class RunningJob:
    """The parent's ends of one job. A context manager: whatever happens inside, the child is not left running."""

    def __init__(self, source: OpenedSource, *, wall_ms: int, cancel: CancelToken | None) -> None:
        self.ending = Ending()
        self._source = source
        self._wall_seconds = wall_ms / 1000
        self._cancel = cancel
        self._lock = threading.Lock()
        self._pidfd: int | None = None
        self._deadline = 0.0
        self._channel, theirs = socket_pair()
        try:
            self._status, zygotes = socket_pair()
        except OSError:
            self._channel.close()
            theirs.close()
            raise
        self._child_ends = [zygotes, theirs]
        self._channel.setblocking(False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close everything; a child that still runs is ended first and waited for."""
        if kind is not None and self.ending.started and self.ending.was_lost:
            self._end_child()
            with contextlib.suppress(ChannelClosed):
                self._await_end()
        for end in self._child_ends:
            end.close()
        with self._lock:
            self._channel.close()
        self._status.close()
        if self._pidfd is not None:
            os.close(self._pidfd)

    @property
    def child_ends(self) -> list[int]:
        """The descriptors that go to the zygote: its own end of the status socket, and the child's socket."""
        return [end.fileno() for end in self._child_ends]

    def see_through(self) -> Ending:
        """Stay with the job until it has reported, or has ended without. What `read_at` raises comes through.

        A child that reported is killed at once rather than waited for: it has nothing more to do.
        """
        for end in self._child_ends:
            end.close()
        self._deadline = time.monotonic() + START_SECONDS
        unregister = self._cancel.on_cancel(self._wake) if self._cancel is not None else None
        try:
            with contextlib.suppress(ChannelClosed):
                self._attend()
        finally:
            if unregister is not None:
                unregister()
        return self.ending

    def _attend(self) -> None:
        poll = select.poll()
        poll.register(self._status, select.POLLIN)
        poll.register(self._channel, select.POLLIN)
        while self.ending.status is None and self.ending.refused is None and self.ending.report is None:
            self._check_stop(poll)
            left = self._deadline - time.monotonic()
            events = dict(poll.poll(max(left, 0.0) * 1000))
            if self._status.fileno() in events:
                self._hear_zygote()
            elif (event := events.get(self._channel.fileno())) is not None:
                self._hear_child(poll, event)
        with contextlib.suppress(_Misbehaved):
            while self.ending.status == 0 and self.ending.report is None and self._take_ask():
                pass
        if self.ending.report is not None and self.ending.status is None:
            self._end_child()

    def _check_stop(self, poll: select.poll) -> None:
        """End the child when its time is up or nobody wants it; raise `ChannelClosed` when that does not end it."""
        is_late = time.monotonic() >= self._deadline
        if is_late and (self.ending.stopped is not None or not self.ending.started):
            raise ChannelClosed
        if self.ending.stopped is None:
            if self._cancel is not None and self._cancel.cancelled:
                self._stop("cancelled", poll)
            elif is_late:
                self._stop("timeout", poll)

    def _stop(self, why: Stop, poll: select.poll) -> None:
        self.ending.stopped = why
        with contextlib.suppress(KeyError):
            poll.unregister(self._channel)
        if self.ending.started:
            self._end_child()

    def _end_child(self) -> None:
        """Kill, and never another process by mistake: by pidfd, or through the zygote, which has not reaped it."""
        self._deadline = time.monotonic() + REAP_SECONDS
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        else:
            with contextlib.suppress(OSError):
                self._status.shutdown(socket.SHUT_WR)

    def _hear_zygote(self) -> None:
        message, descriptors = receive(self._status)
        if "started" in message:
            self.ending.started = True
            self._pidfd = descriptors.pop() if descriptors else None
            self._deadline = time.monotonic() + self._wall_seconds
            if self.ending.stopped is not None:
                self._end_child()
        elif "refused" in message:
            self.ending.refused = message["refused"]
        else:
            self.ending.status = message["ended"]
            self.ending.cpu_ms = message["cpu_ms"]
            self.ending.peak_bytes = message["peak_bytes"]
        close_descriptors(descriptors)

    def _hear_child(self, poll: select.poll, event: int) -> None:
        try:
            if not self._take_ask() and event & _GONE:
                poll.unregister(self._channel)
        except _Misbehaved:
            self._stop("misbehaved", poll)

    def _take_ask(self) -> bool:
        """Answer one message of the child; False when there is none, and when there will be no more."""
        try:
            message = self._channel.recv(ASK.size + 1)
        except (BlockingIOError, ConnectionError):
            return False
        if not message:
            return False
        if len(message) != ASK.size or self.ending.report is not None:
            raise _Misbehaved
        kind, place, length = ASK.unpack(message)
        if kind == DONE:
            self.ending.report = (place, length)
        elif kind == READ and length <= CHUNK_BYTES and place <= self._source.size:
            self._answer(place, length)
        else:
            raise _Misbehaved
        return True

    def _answer(self, offset: int, length: int) -> None:
        data = self._source.read_at(offset, length)
        with contextlib.suppress(ConnectionError):
            try:
                self._channel.send(ANSWER + data[:length])
            except BlockingIOError as exc:
                raise _Misbehaved from exc

    def _await_end(self) -> None:
        self._status.settimeout(REAP_SECONDS)
        with contextlib.suppress(TimeoutError):
            while self.ending.status is None:
                self._hear_zygote()

    def _wake(self) -> None:
        """Hang up on the child, which wakes the thread that waits; runs in the thread that cancels."""
        with self._lock, contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)


class _Misbehaved(Exception):
    """The child said what no job says."""
