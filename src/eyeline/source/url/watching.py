"""How long a fetch may go on waiting, and whether anybody still wants it: every wait passes through here."""

from __future__ import annotations

import select
import socket
import time
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from eyeline.source.url.reasons import WhyUnreachable, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from eyeline.toolkit.cancel import CancelToken


class Watch:
    """The waits of one fetch, from the look-up of the first name to the last byte.

    Up to the headers one deadline runs on, whatever is done meanwhile. From `begin_body` on only the time counts that
    is spent waiting, so that a reader that takes its time loses nothing. A cancelled token ends a wait at once, and
    shuts the connection down also while nobody waits. `clock` counts seconds.
    """

    def __init__(self, cancel: CancelToken, *, header_ms: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._cancel = cancel
        self._clock = clock
        self._lock = Lock()
        self._held: socket.socket | None = None
        self._wake, self._woken = socket.socketpair()
        self._allowed_ms = header_ms
        self._until: float | None = clock() + header_ms / 1000
        self._left_s = 0.0
        self._take_back = cancel.on_cancel(self._cut)

    def begin_body(self, body_ms: int) -> None:
        """The headers are in: from now on waits add up to `body_ms` at most."""
        self._allowed_ms = body_ms
        self._until = None
        self._left_s = body_ms / 1000

    def hold(self, connection: socket.socket) -> None:
        """Name the socket that a cancelled token shuts down; `Cancelled` where it has fired already."""
        with self._lock:
            self._held = connection
        self.check()

    def let_go(self) -> None:
        """There is no socket any more; call it before closing that."""
        with self._lock:
            self._held = None

    def check(self) -> None:
        """`Cancelled` once the token has fired."""
        self._cancel.raise_if_cancelled()

    def wait(self, connections: Collection[socket.socket], events: int, *, at_most_s: float = 3600) -> set[int]:
        """The descriptors that are ready for `events` of `select.poll`; empty after `at_most_s`.

        Raises `Cancelled`, or `Unreachable` once the time is used up.
        """
        self.check()
        left_s = self.left_s()
        poll = select.poll()
        poll.register(self._woken, select.POLLIN)
        for connection in connections:
            poll.register(connection, events)
        before = self._clock()
        ready = {descriptor for descriptor, _ in poll.poll(min(left_s, at_most_s) * 1000)}
        if self._until is None:
            self._left_s -= self._clock() - before
        self.check()
        if not ready:
            self.left_s()
        return ready

    def left_s(self) -> float:
        """How much longer may be waited; `Unreachable` where that is nothing."""
        left_s = self._left_s if self._until is None else self._until - self._clock()
        if left_s > 0:
            return left_s
        phase = "body" if self._until is None else "headers"
        raise unreachable(
            WhyUnreachable.TIMEOUT,
            f"the {phase} did not come within {self._allowed_ms} ms",
            hint="try again later, or allow more time",
            phase=phase,
            allowed_ms=self._allowed_ms,
        )

    def close(self) -> None:
        """Hear no wish any more. Twice does nothing."""
        self._take_back()
        with self._lock:
            self._held = None
            self._wake.close()
            self._woken.close()

    def _cut(self) -> None:
        """In the thread that cancels: wake whoever waits, and tell the other side that it is over."""
        with self._lock, suppress(OSError):
            # nothing is read from the pair: once written to, it stays ready
            self._wake.send(b"\0")
            if self._held is not None:
                # not the method of a TLS socket, which would touch what another thread is using
                socket.socket.shutdown(self._held, socket.SHUT_RDWR)
