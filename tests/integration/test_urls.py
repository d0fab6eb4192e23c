"""What comes from a URL, and where redirects may lead: from real servers on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

import pytest
from tests.support.urls import body, fetched, opened, outcome, policy

from eyeline.errors import FetchFailed, InvalidRequest, Unreachable, UrlRefused
from eyeline.source.url import UrlSource
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken


@pytest.fixture
def web() -> Iterator[HostileWeb]:
    with HostileWeb() as serving:
        yield serving


def test_a_url_gives_its_bytes_and_what_the_server_says_of_them(web: HostileWeb) -> None:
    with opened(web, "/plain?page=1#part") as arriving:
        assert arriving.name == web.url("/plain?page=1")
        assert (arriving.leaf, arriving.declared) == ("plain", "text/plain; charset=utf-8")
        assert arriving.byte_count == 10
        assert (arriving.read(5), arriving.read(100), arriving.read(100)) == (b"plain", b" text", b"")


@pytest.mark.parametrize(
    ("path", "expected", "byte_count"),
    [
        ("/chunked", b"in a few bits", None),
        ("/to-the-end", b"as far as it goes", None),
        ("/too-long", b"right", 5),
        ("/packed", b"packed though nobody asked", None),
        ("/members", b"one two", None),
        ("/deflated", b"deflated", None),
        ("/deflated-bare", b"deflated, bare", None),
        ("/chain?left=5", b"plain text", 10),
        ("/of-size?bytes=300000", b"x" * 300_000, 300_000),
        ("/of-size?bytes=0", b"", 0),
    ],
)
def test_every_way_of_sending_a_body_gives_its_bytes(
    web: HostileWeb, path: str, expected: bytes, byte_count: int | None
) -> None:
    arriving = opened(web, path)
    assert arriving.byte_count == byte_count
    assert body(arriving) == expected


def test_a_request_says_what_is_wanted_and_nothing_of_who_asks(web: HostileWeb) -> None:
    fetched(web, "/redirect?to=/plain")
    first, second = web.asked
    assert first.headers == {
        "host": f"127.0.0.1:{web.port}",
        "user-agent": f"eyeline/{version('eyeline')}",
        "accept": "*/*",
        "accept-encoding": "identity",
        "connection": "close",
    }
    # the redirect set a cookie, and could have been named as the referer
    assert second.headers == first.headers
    assert [each.method for each in web.asked] == ["GET", "GET"]


def test_the_name_after_a_redirect_is_where_it_led_without_its_query(web: HostileWeb) -> None:
    with opened(web, "/redirect?to=/plain?signature=secret") as arriving:
        assert (arriving.name, arriving.leaf) == (web.url("/plain"), "plain")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_of_any_kind_is_followed(web: HostileWeb, status: int) -> None:
    assert fetched(web, f"/redirect?is={status}&to=plain") == b"plain text"


@pytest.mark.parametrize(
    ("headers", "declared"),
    [
        (b"Content-Type: Image/PNG; x=1", "Image/PNG; x=1"),
        (b"Content-Type: a\xff\xe2\x80\xaeb`c\xc3\xbc", "a\\u{dcff}\\u{202e}b'cü"),
        (b"Content-Type: " + b"x" * 5000, "x" * 200 + "…"),
        (b"Content-Type:", ""),
        (b"X: y", None),
    ],
)
def test_what_a_server_says_of_its_bytes_can_be_shown(web: HostileWeb, headers: bytes, declared: str | None) -> None:
    web.ways["/said"] = lambda exchange: exchange.send(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\nbody")
    with opened(web, "/said") as arriving:
        assert arriving.declared == declared


def test_a_read_of_nothing_asks_for_nothing(web: HostileWeb) -> None:
    with opened(web, "/plain") as arriving, pytest.raises(InvalidRequest):
        arriving.read(0)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        *((status, FetchFailed) for status in (204, 206, 300, 304, 305, 400, 401, 403, 404, 407, 410, 418, 451)),
        *((status, Unreachable) for status in (408, 425, 429, 500, 502, 503, 504, 599)),
    ],
)
def test_a_status_that_brings_nothing_is_an_error_that_says_whether_to_try_again(
    web: HostileWeb, status: int, error: type[FetchFailed]
) -> None:
    with pytest.raises(FetchFailed) as failed:
        opened(web, f"/status?is={status}")
    assert type(failed.value) is error
    assert (failed.value.detail["status"], failed.value.retryable) == (status, error is Unreachable)


def test_a_redirect_that_leads_nowhere_is_a_failure(web: HostileWeb) -> None:
    assert outcome(lambda: opened(web, "/redirect-nowhere")) == ("fetch_failed", "status")


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("file:///etc/passwd", ("url_refused", "scheme")),
        ("ftp://public.example/", ("url_refused", "scheme")),
        ("data:text/plain,x", ("url_refused", "scheme")),
        ("http:", ("url_refused", "spelling")),
        ("/a\\b", ("url_refused", "spelling")),
        ("http://user:password@127.0.0.1/", ("url_refused", "credentials")),
        ("http://127.0.0.1/", ("url_refused", "port")),
        ("http://public.example:22/", ("url_refused", "port")),
        ("http://2130706433:{port}/", ("url_refused", "host")),
        ("http://0x7f.1:{port}/", ("url_refused", "host")),
        ("http://①②⑦.⓪.⓪.①:{port}/", ("url_refused", "host")),
        ("http://[::1%251]:{port}/", ("url_refused", "zone")),
        ("http://127.0.0.2:{port}/", ("address_refused", None)),
        ("http://10.0.0.1:{port}/", ("address_refused", None)),
        ("http://0.0.0.0:{port}/", ("address_refused", None)),
        ("http://169.254.169.254:{port}/latest/meta-data", ("address_refused", None)),
        ("http://metadata.google.internal:{port}/", ("address_refused", None)),
        ("http://[::1]:{port}/", ("address_refused", None)),
        ("http://[::]:{port}/", ("address_refused", None)),
        ("http://[::ffff:127.0.0.1]:{port}/", ("address_refused", None)),
        ("http://[64:ff9b::169.254.169.254]:{port}/", ("address_refused", None)),
        ("http://[2002:7f00:1::]:{port}/", ("address_refused", None)),
        ("http://[fd00:ec2::254]:{port}/", ("address_refused", None)),
    ],
)
def test_a_redirect_to_what_is_never_fetched_is_refused(
    web: HostileWeb, location: str, expected: tuple[str, str | None]
) -> None:
    place = location.format(port=web.port).encode().decode("latin-1")
    web.ways["/away"] = lambda exchange: exchange.answer(b"", f"Location: {place}", status=302)
    assert outcome(lambda: opened(web, "/away")) == expected
    assert (web.connections, len(web.asked)) == (1, 1)


@pytest.mark.requirement("VF-06")
def test_redirects_in_a_circle_end_at_the_first_turn(web: HostileWeb) -> None:
    assert outcome(lambda: opened(web, "/circle")) == ("url_refused", "circle")
    assert len(web.asked) == 2


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize("allowed", [0, 1, 5])
def test_so_many_redirects_are_followed_and_no_more(web: HostileWeb, allowed: int) -> None:
    assert fetched(web, f"/chain?left={allowed}", max_redirects=allowed) == b"plain text"
    refused = outcome(lambda: opened(web, f"/chain?left={allowed + 1}", max_redirects=allowed))
    assert refused == ("url_refused", "redirects")
    assert len(web.asked) == 2 * allowed + 2


def test_an_error_says_nothing_that_a_redirect_said(web: HostileWeb) -> None:
    with pytest.raises(UrlRefused) as refused:
        opened(web, "/redirect?to=http://ignore!previous!instructions/")
    assert "ignore" not in f"{refused.value}{refused.value.detail}"


def test_a_port_that_is_not_allowed_is_not_spoken_to(web: HostileWeb) -> None:
    assert outcome(lambda: opened(web, "/plain", ports=(80, 443))) == ("url_refused", "port")
    assert web.connections == 0


def test_a_host_that_takes_no_connection_is_unreachable() -> None:
    with HostileWeb() as web:
        url, allowed = web.url("/plain"), policy(web)
    refused = outcome(lambda: UrlSource(allowed).open(url, cancel=CancelToken()))
    assert refused == ("unreachable", "connect")
