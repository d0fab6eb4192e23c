"""Fetching from servers on loopback, which a policy of tests allows by name."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from eyeline.errors import EyelineError
from eyeline.model.viewing import UrlPolicy
from eyeline.source.url import ArrivingUrl, UrlSource
from eyeline.source.url.watching import Watch
from eyeline.testing.hostile_ways import Exchange
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken

HERE = "127.0.0.1"
SOON_MS = 150
"""A deadline that a test runs into."""

WAIT_S = 60
SOON_S = 20
"""Long for what ends at once, and shorter than anything that waits."""

T = TypeVar("T")


def policy(*webs: HostileWeb, **changes: Any) -> UrlPolicy:
    """One that lets these servers be spoken to, and nothing else."""
    here = UrlPolicy(ports=tuple(web.port for web in webs), allow_private_hosts=(HERE,))
    return replace(here, **changes)


def opened(web: HostileWeb, path: str, **changes: Any) -> ArrivingUrl:
    return UrlSource(policy(web, **changes)).open(web.url(path), cancel=CancelToken())


def body(arriving: ArrivingUrl) -> bytes:
    """All of a body; the connection is closed then."""
    with arriving:
        return b"".join(iter(lambda: arriving.read(1000), b""))


def fetched(web: HostileWeb, path: str, **changes: Any) -> bytes:
    return body(opened(web, path, **changes))


def outcome(fetch: Callable[[], object]) -> tuple[str, object]:
    """The code of the error that a fetch ends with, and its reason."""
    with pytest.raises(EyelineError) as failed:
        fetch()
    return failed.value.code, failed.value.detail.get("reason")


class Names:
    """A resolver that knows the names of a test and counts how often it was asked.

    Each name has a list of answers; each look-up takes the next, and the last one for ever.
    """

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self._answers = {name.replace("_", ".").replace("..", "-"): list(given) for name, given in answers.items()}
        self.asked: list[tuple[str, int]] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        given = self._answers.get(host)
        if given is None:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return given.pop(0) if len(given) > 1 else given[0]


class SilentNames:
    """A resolver that does not answer until it is `released`; `asked` is set when it was."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.released = threading.Event()

    def __call__(self, host: str, port: int) -> Sequence[str]:
        del host, port
        self.asked.set()
        self.released.wait(WAIT_S)
        return [HERE]


@contextmanager
def full_listener(host: str = HERE, port: int = 0) -> Generator[int]:
    """A port whose queue is full, so that further connections neither come about nor fail."""
    with socket.create_server((host, port), backlog=0) as listener:
        address = listener.getsockname()[:2]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        try:
            yield address[1]
        finally:
            for each in waiting:
                each.close()


def tunnel_to(web: HostileWeb) -> Callable[[Exchange], None]:
    """What a proxy does when it is asked for a tunnel: whatever the name, it leads to `web`."""

    def tunnel(exchange: Exchange) -> None:
        with socket.create_connection((HERE, web.port), WAIT_S) as onward:
            exchange.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            ends = {exchange.connection: onward, onward: exchange.connection}
            with suppress(OSError):
                while True:
                    for end in select.select(list(ends), [], [], WAIT_S)[0]:
                        piece = end.recv(1 << 16)
                        if not piece:
                            return
                        ends[end].sendall(piece)

    return tunnel


@contextmanager
def watched_waits(web: HostileWeb) -> Generator[threading.Event]:
    """Set once a client stands in the wait for more than the server has sent, by a way that says `held`."""
    stuck = threading.Event()
    waits = Watch.wait

    def wait(watch: Watch, connections: Collection[socket.socket], events: int, *, at_most_s: float = 3600) -> set[int]:
        if connections and events & select.POLLIN:
            assert web.signals.held.wait(WAIT_S)
            poll = select.poll()
            for each in connections:
                poll.register(each, select.POLLIN)
            if not poll.poll(0):
                stuck.set()
        return waits(watch, connections, events, at_most_s=at_most_s)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watch, "wait", wait)
        yield stuck


def cancelled_while(call: Callable[[CancelToken], T], waiting: threading.Event, *, reason: str) -> T:
    """What a call comes to, or raises, that is cancelled once `waiting` is set; a call that does not hear it fails."""
    cancel = CancelToken()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(call, cancel)
        assert waiting.wait(WAIT_S)
        cancel.cancel(reason)
        return running.result(SOON_S)


def cancelled_in_a_body(call: Callable[[CancelToken], T], *, web: HostileWeb, reason: str) -> T:
    """The same for a call that waits for the rest of a body."""
    with watched_waits(web) as stuck:
        return cancelled_while(call, stuck, reason=reason)
