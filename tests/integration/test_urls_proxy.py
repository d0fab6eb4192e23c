"""A proxy is used where it is set, and only there; what can be told without a look-up is checked all the same."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.certificates import Authority
from tests.support.urls import HERE, Names, body, fetched, outcome, policy, tunnel_to

from eyeline.errors import ConfigError, Unreachable
from eyeline.model.viewing import UrlPolicy
from eyeline.source.url import UrlSource
from eyeline.source.url.failures import PROXY_VARIABLES
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken


@pytest.fixture
def nobody() -> Iterator[Names]:
    """A resolver that is not asked: the proxy looks names up."""
    names = Names()
    yield names
    assert names.asked == []


@pytest.fixture
def proxy() -> Iterator[HostileWeb]:
    with HostileWeb() as serving:
        yield serving


def through(proxy: HostileWeb, *, credentials: str = "", **changes: object) -> UrlPolicy:
    return policy(**{"proxy": f"http://{credentials}{HERE}:{proxy.port}", "ports": (80, 443), **changes})


def test_a_proxy_is_given_the_whole_url_and_looks_the_name_up(proxy: HostileWeb, nobody: Names) -> None:
    source = UrlSource(through(proxy), resolve=nobody)
    assert body(source.open("http://public.example/plain?x=1", cancel=CancelToken())) == b"plain text"
    (asked,) = proxy.asked
    assert asked.target == "http://public.example/plain?x=1"
    assert asked.headers["host"] == "public.example"
    assert "proxy-authorization" not in asked.headers


def test_https_goes_through_a_tunnel_with_the_name_and_its_certificate(
    proxy: HostileWeb, tmp_path: Path, nobody: Names
) -> None:
    authority = Authority(tmp_path)
    with HostileWeb(tls=authority.server("public.example")) as web:
        proxy.ways["CONNECT"] = tunnel_to(web)
        source = UrlSource(through(proxy), resolve=nobody, trust=authority.trust)
        assert body(source.open("https://public.example/plain", cancel=CancelToken())) == b"plain text"
        assert (web.asked[0].server_name, web.asked[0].headers["host"]) == ("public.example", "public.example")
        other = outcome(lambda: source.open("https://other.example/plain", cancel=CancelToken()))
        assert other == ("fetch_failed", "certificate")
    assert [each.target for each in proxy.asked] == ["public.example:443", "other.example:443"]


def test_an_address_in_the_url_stands_in_brackets_for_the_tunnel(proxy: HostileWeb, nobody: Names) -> None:
    proxy.ways["CONNECT"] = lambda exchange: exchange.answer(b"", status=403)
    source = UrlSource(through(proxy), resolve=nobody)
    refused = outcome(lambda: source.open("https://[2606:4700::1111]/", cancel=CancelToken()))
    assert refused == ("fetch_failed", "proxy")
    assert proxy.asked[0].target == "[2606:4700::1111]:443"


def test_user_and_password_of_a_proxy_go_to_the_proxy_only(proxy: HostileWeb, tmp_path: Path, nobody: Names) -> None:
    authority = Authority(tmp_path)
    with HostileWeb(tls=authority.server("public.example")) as web:
        proxy.ways["CONNECT"] = tunnel_to(web)
        source = UrlSource(through(proxy, credentials="me:p%40ss@"), resolve=nobody, trust=authority.trust)
        body(source.open("https://public.example/plain", cancel=CancelToken()))
        said = f"Basic {base64.b64encode(b'me:p@ss').decode()}"
        assert proxy.asked[0].headers["proxy-authorization"] == said
        assert "proxy-authorization" not in web.asked[0].headers


@pytest.mark.parametrize(
    ("status", "expected"), [(403, "fetch_failed"), (407, "fetch_failed"), (502, "unreachable"), (503, "unreachable")]
)
def test_a_tunnel_that_is_refused_is_an_error_of_the_proxy(
    proxy: HostileWeb, status: int, expected: str, nobody: Names
) -> None:
    proxy.ways["CONNECT"] = lambda exchange: exchange.answer(b"", status=status)
    source = UrlSource(through(proxy), resolve=nobody)
    refused = outcome(lambda: source.open("https://public.example/", cancel=CancelToken()))
    assert refused == (expected, "proxy")


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/", "address_refused"),
        ("http://10.0.0.1/", "address_refused"),
        ("http://169.254.169.254/latest/meta-data", "address_refused"),
        ("http://[::1]/", "address_refused"),
        ("http://[64:ff9b::a9fe:a9fe]/", "address_refused"),
        ("http://localhost/", "address_refused"),
        ("http://some.localhost/", "address_refused"),
        ("http://metadata.google.internal/", "address_refused"),
        ("http://2130706433/", "url_refused"),
        ("http://public.example:22/", "url_refused"),
        ("http://user@public.example/", "url_refused"),
        ("file:///etc/passwd", "url_refused"),
        ("http://public.example/redirect?to=http://127.0.0.1/", "address_refused"),
        ("http://public.example/redirect?to=http://metadata/", "address_refused"),
    ],
)
def test_a_proxy_is_not_asked_for_what_is_never_fetched(proxy: HostileWeb, url: str, code: str, nobody: Names) -> None:
    source = UrlSource(through(proxy, allow_private_hosts=()), resolve=nobody)
    assert outcome(lambda: source.open(url, cancel=CancelToken()))[0] == code
    assert {each.path for each in proxy.asked} <= {"/redirect"}


def test_proxies_of_the_environment_are_not_used(proxy: HostileWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.setenv(name, f"http://{HERE}:{proxy.port}")
    monkeypatch.delenv("no_proxy", raising=False)
    with HostileWeb() as web:
        assert fetched(web, "/plain") == b"plain text"
        assert (proxy.connections, web.connections) == (0, 1)


@pytest.mark.parametrize("fails", ["name", "connect"])
def test_where_no_connection_comes_about_the_error_says_that_such_proxies_are_ignored(
    monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with HostileWeb() as web:
        gone = policy(web)
        url = web.url("/plain", host="public.example" if fails == "name" else HERE)
    hints: list[tuple[object, str | None]] = []
    for variables in ({}, {"HTTPS_PROXY": "http://proxy.example:3128"}):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(Unreachable) as failed:
            UrlSource(gone, resolve=Names()).open(url, cancel=CancelToken())
        hints.append((failed.value.detail.get("proxy"), failed.value.hint))
    assert [each for each, _ in hints] == [None, "ignored"]
    assert hints[0][1] != hints[1][1]


def test_a_proxy_that_is_not_there_is_named_as_the_one_that_is_set(nobody: Names) -> None:
    with HostileWeb() as proxy:
        allowed = through(proxy)
    with pytest.raises(Unreachable) as failed:
        UrlSource(allowed, resolve=nobody).open("http://public.example/", cancel=CancelToken())
    assert (failed.value.detail["reason"], failed.value.detail["proxy"]) == ("connect", "set")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "proxy",
        "proxy:3128",
        "https://proxy",
        "socks5://proxy:1080",
        "http://proxy/path",
        "http://",
        "http://proxy:0",
    ],
)
def test_a_proxy_that_cannot_be_one_is_a_setting_that_cannot_be_used(text: str) -> None:
    with pytest.raises(ConfigError):
        UrlSource(UrlPolicy(proxy=text))


def test_the_error_about_a_proxy_does_not_hold_its_password() -> None:
    with pytest.raises(ConfigError) as failed:
        UrlSource(UrlPolicy(proxy="https://me:sesame@proxy"))
    assert "sesame" not in f"{failed.value}{failed.value.detail}"
