"""Servers that lie, never end, never begin, or send little that becomes much."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import httpcore2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.urls import SOON_MS, WAIT_S, Names, SilentNames, fetched, full_listener, opened, outcome, policy

from eyeline.errors import EyelineError, FetchFailed, Unreachable
from eyeline.source.url import UrlSource
from eyeline.source.url.failures import library_errors
from eyeline.testing.hostile_ways import Exchange
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken

MIB = 1 << 20


@pytest.fixture
def web() -> Iterator[HostileWeb]:
    with HostileWeb() as serving:
        yield serving


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/too-short", ("unreachable", "broken_off")),
        ("/cut-chunks", ("unreachable", "broken_off")),
        ("/bad-chunks", ("fetch_failed", "protocol")),
        ("/cut-pack", ("fetch_failed", "encoding")),
        ("/bad-pack", ("fetch_failed", "encoding")),
        ("/fruitless", ("fetch_failed", "encoding")),
        ("/framing", ("fetch_failed", "protocol")),
        # these never begin
        ("/two-lengths", ("fetch_failed", "protocol")),
        ("/packed-twice", ("fetch_failed", "encoding")),
        ("/packed-otherwise", ("fetch_failed", "encoding")),
        ("/huge-header", ("fetch_failed", "protocol")),
        ("/endless-headers", ("fetch_failed", "protocol")),
        ("/informing", ("fetch_failed", "headers")),
        ("/not-http", ("fetch_failed", "protocol")),
        ("/breaking-off", ("unreachable", "broken_off")),
    ],
)
def test_what_is_not_as_promised_is_an_error(web: HostileWeb, path: str, expected: tuple[str, str]) -> None:
    assert outcome(lambda: fetched(web, path)) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (b"Content-Length: " + b"9" * 5000, ("fetch_failed", "protocol")),
        (b"Content-Length: -5", ("fetch_failed", "protocol")),
        (b"Content-Length: 0x5", ("fetch_failed", "protocol")),
        (b"Content-Length: 5\r\nTransfer-Encoding: chunked", ("unreachable", "broken_off")),
        (b"Transfer-Encoding: gzip, chunked", ("fetch_failed", "protocol")),
        (b"Content-Encoding: identity\r\nContent-Encoding: gzip", ("fetch_failed", "encoding")),
        (b"Content-Encoding: gzip\r\nContent-Encoding: gzip", ("fetch_failed", "encoding")),
        (b"Content-Encoding: zstd", ("fetch_failed", "encoding")),
        (b"No colon", ("fetch_failed", "protocol")),
    ],
)
def test_headers_that_contradict_each_other_are_no_answer(
    web: HostileWeb, headers: bytes, expected: tuple[str, str]
) -> None:
    web.ways["/said"] = lambda exchange: exchange.send(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\nhello")
    assert outcome(lambda: fetched(web, "/said")) == expected


GOOD = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
PACKED = gzip.compress(b"a body that is long enough to be hurt " * 8)
ANSWER = GOOD + b"%x\r\n%s\r\n0\r\n\r\n" % (len(PACKED), PACKED)


@given(place=st.integers(0, len(ANSWER)), taken=st.integers(0, 20), put=st.binary(max_size=20))
def test_an_answer_that_was_damaged_is_bytes_or_an_error_of_ours(place: int, taken: int, put: bytes) -> None:
    damaged = ANSWER[:place] + put + ANSWER[place + taken :]
    with HostileWeb() as web:
        web.ways["/said"] = lambda exchange: exchange.send(damaged)
        with suppress(EyelineError):
            fetched(web, "/said")


def test_what_broke_once_never_looks_like_an_end(web: HostileWeb) -> None:
    with opened(web, "/too-short") as arriving:
        assert arriving.read(1000) == b"only this"
        codes = [outcome(lambda: arriving.read(1000)) for _ in range(3)]
    assert set(codes) == {("unreachable", "broken_off")}


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize("path", ["/dripping-headers", "/dripping-header", "/silent"])
def test_headers_that_never_end_meet_their_deadline(web: HostileWeb, path: str) -> None:
    assert outcome(lambda: opened(web, path, header_timeout_ms=SOON_MS)) == ("unreachable", "timeout")


@pytest.mark.requirement("VF-06")
def test_all_redirects_together_meet_one_deadline(web: HostileWeb) -> None:
    def slowly(exchange: Exchange) -> None:
        for _ in zip(range(4), exchange.ticks(), strict=False):
            pass
        exchange.answer(b"", f"Location: ?{len(web.asked)}", status=302)

    web.ways["/slowly"] = slowly
    late = outcome(lambda: opened(web, "/slowly", header_timeout_ms=4 * SOON_MS, max_redirects=10_000))
    assert late == ("unreachable", "timeout")
    assert 1 < len(web.asked) < 100


@pytest.mark.requirement("VF-06")
def test_a_look_up_that_never_ends_meets_the_deadline(web: HostileWeb) -> None:
    names = SilentNames()
    source = UrlSource(policy(web, header_timeout_ms=SOON_MS), resolve=names)
    late = outcome(lambda: source.open(web.url("/plain", host="slow.example"), cancel=CancelToken()))
    names.released.set()
    assert late == ("unreachable", "timeout")
    assert web.connections == 0


@pytest.mark.requirement("VF-06")
def test_a_connection_that_neither_comes_nor_fails_meets_the_deadline() -> None:
    with full_listener() as port, HostileWeb() as web:
        source = UrlSource(policy(web, ports=(port,), header_timeout_ms=SOON_MS))
        late = outcome(lambda: source.open(f"http://127.0.0.1:{port}/", cancel=CancelToken()))
    assert late == ("unreachable", "timeout")


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize("path", ["/dripping-body", "/held-body"])
def test_a_body_that_never_ends_meets_its_deadline(web: HostileWeb, path: str) -> None:
    assert outcome(lambda: fetched(web, path, body_timeout_ms=SOON_MS)) == ("unreachable", "timeout")


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize("path", ["/endless", "/promising"])
def test_a_body_without_an_end_comes_in_pieces_and_ends_when_the_reader_has_enough(web: HostileWeb, path: str) -> None:
    read = 0
    with opened(web, path) as arriving:
        while read < 4 * MIB:
            piece = arriving.read(100_000)
            assert 0 < len(piece) <= 100_000
            read += len(piece)
    assert web.signals.hung_up.wait(WAIT_S)


@pytest.mark.requirement("VF-06")
def test_a_packed_body_never_becomes_large_at_once(web: HostileWeb) -> None:
    read, largest = 0, 0
    tracemalloc.start()
    try:
        with opened(web, "/bomb?mib=64") as arriving:
            assert arriving.byte_count is None
            while piece := arriving.read(64 << 10):
                read += len(piece)
                largest = max(largest, len(piece))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (read, largest) == (64 * MIB, 64 << 10)
    # the server, in the same process, holds a MiB of zeros of its own
    assert peak < 6 * MIB


def test_every_error_of_the_http_library_becomes_one_of_ours() -> None:
    names = [name for name in dir(httpcore2) if isinstance(getattr(httpcore2, name), type)]
    kinds = [kind for kind in (getattr(httpcore2, name) for name in names) if issubclass(kind, Exception)]
    assert len(kinds) > 10
    for kind in kinds:
        for ended in ([], ["closed"]):
            with pytest.raises(EyelineError), library_errors(has_ended=partial(bool, ended)):
                raise kind("407 text of the other side")


@pytest.mark.parametrize(("said", "error"), [("502 x", Unreachable), ("403 x", FetchFailed), ("x", FetchFailed)])
def test_what_a_proxy_answers_is_told_apart(said: str, error: type[FetchFailed]) -> None:
    with pytest.raises(FetchFailed) as failed, library_errors(has_ended=lambda: False):
        raise httpcore2.ProxyError(said)
    assert type(failed.value) is error


def test_a_name_that_nobody_knows_is_unreachable(web: HostileWeb) -> None:
    source = UrlSource(policy(web), resolve=Names(empty_example=[[]]))
    for host in ("unknown.example", "empty.example"):
        failed = outcome(lambda host=host: source.open(web.url("/plain", host=host), cancel=CancelToken()))
        assert failed == ("unreachable", "name")
