"""A cancelled fetch ends at once, wherever it waits, with the caller's reason, and leaves nothing open."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.urls import (
    HERE,
    WAIT_S,
    SilentNames,
    body,
    cancelled_while,
    full_listener,
    opened,
    policy,
    watched_waits,
)

from eyeline.errors import Cancelled, EyelineError, Unreachable
from eyeline.source.url import UrlSource
from eyeline.source.url.watching import Watch
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken

REASON = "the user went home"
LONG_MS = WAIT_S * 1000


def sockets() -> set[str]:
    """The sockets that this process has open, by what the kernel calls them."""
    found: set[str] = set()
    for each in Path("/proc/self/fd").iterdir():
        try:
            target = str(each.readlink())
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


def reason_of(fetch: Callable[[CancelToken], object], waiting: threading.Event) -> str:
    """Cancel once `waiting` is set; the reason that the fetch ended with."""
    with pytest.raises(Cancelled) as ended:
        cancelled_while(fetch, waiting, reason=REASON)
    return str(ended.value)


@pytest.fixture
def web() -> Iterator[HostileWeb]:
    with HostileWeb() as serving:
        yield serving


@pytest.mark.requirement("VF-08")
@pytest.mark.parametrize("path", ["/silent", "/held-body", "/watched-body"])
def test_a_fetch_is_cancelled_while_it_waits_for_the_host(web: HostileWeb, path: str) -> None:
    before = sockets()
    source = UrlSource(policy(web, header_timeout_ms=LONG_MS, body_timeout_ms=LONG_MS))
    with watched_waits(web) as stuck:
        assert reason_of(lambda cancel: body(source.open(web.url(path), cancel=cancel)), stuck) == REASON
    web.signals.released.set()
    if path == "/watched-body":
        assert web.signals.hung_up.wait(WAIT_S)
        web.__exit__()
        assert sockets() <= before


@pytest.mark.requirement("VF-08")
def test_a_fetch_is_cancelled_while_it_shakes_hands() -> None:
    with HostileWeb(is_mute=True) as web:
        source = UrlSource(policy(web, header_timeout_ms=LONG_MS))
        url = f"https://{HERE}:{web.port}/"
        assert reason_of(lambda cancel: source.open(url, cancel=cancel), web.signals.arrived) == REASON
        assert web.signals.hung_up.wait(WAIT_S)


@pytest.mark.requirement("VF-08")
def test_a_fetch_is_cancelled_while_it_looks_a_name_up(web: HostileWeb) -> None:
    names = SilentNames()
    source = UrlSource(policy(web, header_timeout_ms=LONG_MS), resolve=names)
    url = web.url("/plain", host="slow.example")
    assert reason_of(lambda cancel: source.open(url, cancel=cancel), names.asked) == REASON
    names.released.set()
    assert web.connections == 0


@pytest.mark.requirement("VF-08")
def test_a_fetch_is_cancelled_while_it_connects() -> None:
    looked_up = threading.Event()

    def resolve(host: str, port: int) -> list[str]:
        del host, port
        looked_up.set()
        return [HERE]

    with full_listener() as port, HostileWeb() as web:
        source = UrlSource(policy(web, ports=(port,), header_timeout_ms=LONG_MS), resolve=resolve)
        url = f"http://stuck.example:{port}/"
        assert reason_of(lambda cancel: source.open(url, cancel=cancel), looked_up) == REASON


@pytest.mark.requirement("VF-08")
def test_the_connection_is_cut_also_while_nobody_reads(web: HostileWeb) -> None:
    cancel = CancelToken()
    with UrlSource(policy(web)).open(web.url("/watched-body"), cancel=cancel) as arriving:
        assert arriving.read(100) == b"0123456789"
        cancel.cancel(REASON)
        # the host hears of it before anybody asks for another byte
        assert web.signals.hung_up.wait(WAIT_S)
        with pytest.raises(Cancelled):
            arriving.read(100)


def test_a_token_that_has_fired_lets_nothing_begin(web: HostileWeb) -> None:
    cancel = CancelToken()
    cancel.cancel(REASON)
    with pytest.raises(Cancelled):
        UrlSource(policy(web)).open(web.url("/plain"), cancel=cancel)
    assert web.connections == 0


def test_a_token_that_fires_after_the_end_finds_nothing(web: HostileWeb) -> None:
    cancel = CancelToken()
    arriving = UrlSource(policy(web)).open(web.url("/plain"), cancel=cancel)
    assert body(arriving) == b"plain text"
    arriving.close()
    cancel.cancel(REASON)


def test_a_body_that_is_not_wanted_is_cut_off(web: HostileWeb) -> None:
    opened(web, "/watched-body").close()
    assert web.signals.hung_up.wait(WAIT_S)


@pytest.mark.requirement("VF-08")
@pytest.mark.parametrize("path", ["/plain", "/chain?left=3", "/status?is=500", "/too-short", "/bad-pack", "/circle"])
def test_no_fetch_leaves_a_socket_open(path: str) -> None:
    with HostileWeb() as web:
        fetched = UrlSource(policy(web))
        before = sockets()
        for _ in range(3):
            with suppress(EyelineError):
                body(fetched.open(web.url(path), cancel=CancelToken()))
        web.__exit__()
        assert sockets() <= before


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_a_reader_that_takes_its_time_loses_nothing_of_the_time_for_the_body() -> None:
    clock = Clock()
    watch = Watch(CancelToken(), header_ms=1000, clock=clock)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"x")
        clock.now_s += 0.5
        assert watch.left_s() == pytest.approx(0.5)
        watch.begin_body(200)
        for _ in range(10):
            clock.now_s += 3600
            assert watch.wait([ours], 1) == {ours.fileno()}
        assert watch.left_s() == pytest.approx(0.2)
    watch.close()


def test_the_time_for_the_headers_runs_on_whatever_is_done_meanwhile() -> None:
    clock = Clock()
    watch = Watch(CancelToken(), header_ms=1000, clock=clock)
    clock.now_s += 1.001
    with pytest.raises(Unreachable):
        watch.wait([], 1)
    watch.close()
