"""Encrypted connections: to the checked address, under the name that was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.certificates import Authority
from tests.support.urls import HERE, SOON_MS, WAIT_S, Names, body, outcome, policy

from eyeline.model.viewing import UrlPolicy
from eyeline.source.url import ArrivingUrl, UrlSource
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken

NAME = "pictures.example"
NAMES = {"pictures_example": [[HERE]], "other_example": [[HERE]]}


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def source(authority: Authority, *webs: HostileWeb, **changes: object) -> UrlSource:
    return UrlSource(policy(*webs, **changes), resolve=Names(**NAMES), trust=authority.trust)


def opened(fetching: UrlSource, url: str) -> ArrivingUrl:
    return fetching.open(url, cancel=CancelToken())


@pytest.mark.requirement("VF-06")
def test_the_name_that_was_asked_for_is_kept_in_the_greeting_the_certificate_and_the_request(
    authority: Authority,
) -> None:
    with HostileWeb(tls=authority.server(NAME)) as web:
        assert body(opened(source(authority, web), web.url("/plain", host=NAME))) == b"plain text"
        (asked,) = web.asked
    assert asked.server_name == NAME
    assert asked.headers["host"] == f"{NAME}:{web.port}"


def test_an_address_may_have_a_certificate_and_greets_without_a_name(authority: Authority) -> None:
    with HostileWeb(tls=authority.server(HERE)) as web:
        assert body(opened(source(authority, web), web.url("/of-size?bytes=500000"))) == b"x" * 500_000
        assert web.asked[0].server_name is None


def test_an_international_name_is_asked_for_as_the_dns_knows_it(authority: Authority) -> None:
    with HostileWeb(tls=authority.server("xn--bcher-kva.example")) as web:
        names = Names(xn____bcher__kva_example=[[HERE]])
        fetching = UrlSource(policy(web), resolve=names, trust=authority.trust)
        assert body(opened(fetching, web.url("/plain", host="bücher.example"))) == b"plain text"
        assert web.asked[0].server_name == "xn--bcher-kva.example"


@pytest.mark.parametrize("fault", ["another name", "expired", "unknown authority"])
def test_a_certificate_that_does_not_hold_is_refused_before_anything_is_asked(
    authority: Authority, fault: str, tmp_path: Path
) -> None:
    tls = {
        "another name": lambda: authority.server("other.example", HERE),
        "expired": lambda: authority.server(NAME, days=-1),
        "unknown authority": lambda: Authority(tmp_path).server(NAME),
    }[fault]()
    with HostileWeb(tls=tls) as web:
        refused = outcome(lambda: opened(source(authority, web), web.url("/plain", host=NAME)))
        assert (refused, web.asked) == (("fetch_failed", "certificate"), [])


def test_a_host_that_does_not_speak_tls_is_told_apart(authority: Authority) -> None:
    with HostileWeb() as web:
        refused = outcome(lambda: opened(source(authority, web), f"https://{NAME}:{web.port}/plain"))
    assert refused in {("fetch_failed", "tls"), ("unreachable", "broken_off")}


@pytest.mark.requirement("VF-06")
def test_a_host_that_never_greets_meets_the_deadline(authority: Authority) -> None:
    with HostileWeb(is_mute=True) as web:
        fetching = source(authority, web, header_timeout_ms=SOON_MS)
        assert outcome(lambda: opened(fetching, f"https://{NAME}:{web.port}/")) == ("unreachable", "timeout")
        assert web.signals.hung_up.wait(WAIT_S)


@pytest.mark.requirement("VF-06")
def test_a_redirect_from_https_to_http_is_refused(authority: Authority) -> None:
    with HostileWeb() as plain, HostileWeb(tls=authority.server(NAME)) as web:
        url = web.url(f"/redirect?to={plain.url('/plain')}", host=NAME)
        assert outcome(lambda: opened(source(authority, web, plain), url)) == ("url_refused", "downgrade")
        assert plain.connections == 0


def test_a_redirect_from_http_to_https_is_followed_and_checked_by_name(authority: Authority) -> None:
    with HostileWeb() as plain, HostileWeb(tls=authority.server(NAME)) as web:
        fetching = source(authority, web, plain)
        right, wrong = (plain.url(f"/redirect?to={web.url('/plain', host=host)}") for host in (NAME, "other.example"))
        assert body(opened(fetching, right)) == b"plain text"
        assert outcome(lambda: opened(fetching, wrong)) == ("fetch_failed", "certificate")


@pytest.mark.parametrize("path", ["/too-short", "/cut-chunks"])
def test_a_connection_that_ends_too_early_is_not_an_end(authority: Authority, path: str) -> None:
    with HostileWeb(tls=authority.server(NAME)) as web:
        cut = outcome(lambda: body(opened(source(authority, web), web.url(path, host=NAME))))
    assert cut == ("unreachable", "broken_off")


def test_a_dripping_body_meets_its_deadline_also_when_it_is_encrypted(authority: Authority) -> None:
    with HostileWeb(tls=authority.server(NAME)) as web:
        fetching = source(authority, web, body_timeout_ms=SOON_MS)
        late = outcome(lambda: body(opened(fetching, web.url("/dripping-body", host=NAME))))
    assert late == ("unreachable", "timeout")


def test_the_certificates_of_this_machine_are_used_where_none_are_given(authority: Authority) -> None:
    with HostileWeb(tls=authority.server(NAME)) as web:
        fetching = UrlSource(policy(web), resolve=Names(**NAMES))
        for _ in range(2):
            refused = outcome(lambda: opened(fetching, web.url("/plain", host=NAME)))
            assert refused == ("fetch_failed", "certificate")


def test_certificates_that_cannot_be_read_are_a_matter_of_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/at/all.pem")
    assert outcome(lambda: opened(UrlSource(UrlPolicy()), "https://public.example/")) == ("config_error", None)
