"""URLs are read in one way only, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import UrlRefused
from eyeline.source.url.target import MAX_URL_CHARS, Target

REFUSED = {
    "scheme": [
        *("file:///etc/passwd", "FILE:///etc/passwd", "ftp://host/", "gopher://host/", "data:text/plain,x"),
        *("javascript:alert(1)", "view-source:http://host/", "ws://host/", "blob:http://host/x", "//host/share"),
        *("", "host", "/etc/passwd", "://host/", "1http://host/", "jar:http://host!/x", "unix:///run/x"),
    ],
    "spelling": [
        *("http:host", "http:/host", "http:\\\\host\\", "http://host\\@evil/", "http://host/a\\b"),
        *(" http://host/", "http://host/ ", "http://host/\n", "http://host/a\tb", "http://ho\0st/", "ht\ntp://host/"),
        *("http://host/\x7f", "http://host/\x85", "http://host/\u2028", "http://host/\ud800", "http://host/a\r\nX: y"),
        "http://host/" + "x" * MAX_URL_CHARS,
    ],
    "credentials": [
        *("http://user@host/", "http://user:password@host/", "http://@host/", "http://host@127.0.0.1/"),
        *("http://:@host/", "https://public.example:80@10.0.0.1/", "http://user:p@ss@host/"),
    ],
    "host": [
        # numbers that some resolver takes for an address
        *("http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://0x7f.1/", "http://127.1/"),
        *("http://0177.0.0.1/", "http://127.0.0.01/", "http://0x7f.0x0.0x0.0x1/", "http://127.0.1/", "http://0/"),
        *(
            "http://256.256.256.256/",
            "http://1.2.3.4.5/",
            "http://127.0.0.1.0x1/",
            "http://4294967296/",
            "http://1.2.3/",
        ),
        *("http://0x/", "http://127.0.0.1../", "http://host.0x10/", "http://host.1/", "http://127.0.0.-1/"),
        # other digits and dots
        *("http://①②⑦.⓪.⓪.①/", "http://１２７.0.0.1/", "http://127。0。0。1/", "http://127．0．0．1/"),
        *(
            "http://127｡0｡0｡1/",
            "http://١٢٧.0.0.1/",
            "http://𝟏𝟐𝟕.0.0.1/",
            "http://ⅼocalhost/",
            "http://ｌｏｃａｌｈｏｓｔ/",
        ),
        *(
            "http://loc\u200balhost/",
            "http://loc\u00adalhost/",
            "http://host\u202e/",
            "http://ho\u2024st/",
            "http://℀.example/",
        ),
        # what is no name
        *("http://%6c%6f%63%61%6c%68%6f%73%74/", "http://host%2eexample/", "http://host..example/", "http://.host/"),
        *("http://ho st/", "http://ho*st/", "http://host,/", "http://ho'st/", "http://ho!st/", "http://[host]/"),
        *(
            "http://?",
            "http://#",
            "http:///host",
            "http://:80/",
            "http://host:80:80/",
            "http://host:0x50/",
            "http://host:８０/",
        ),
        *(
            "http://[::1/",
            "http://::1/",
            "http://[::1]x/",
            "http://[]/",
            "http://[127.0.0.1]/",
            "http://[::1]:99999999/",
        ),
        *("http://[1:2:3:4:5:6:7:8:9]/", "http://[::ffff:0x7f.1]/", "http://[::ffff:127.1]/", "http://[[::1]]/"),
        *("http://" + "a" * 64 + ".example/", "http://" + "a." * 130 + "example/", "http://" + "ä" * 300 + ".example/"),
        *("http://-\u0301.example/", "http://xn--\u00e4.example/"),
    ],
    "zone": ["http://[fe80::1%eth0]/", "http://[fe80::1%25eth0]/", "http://[::1%1]/"],
    "port": ["http://host:0/", "http://host:65536/", "http://host:99999/"],
}


@pytest.mark.parametrize(("reason", "url"), [(reason, url) for reason, urls in REFUSED.items() for url in urls])
def test_a_url_that_can_be_read_otherwise_is_refused_with_its_reason(reason: str, url: str) -> None:
    with pytest.raises(UrlRefused) as refused:
        Target.parse(url)
    assert refused.value.detail["reason"] == reason


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("http://host", "http://host/"),
        ("HTTP://HOST.Example./A", "http://host.example/A"),
        ("http://host:80/", "http://host/"),
        ("http://host:/", "http://host/"),
        ("https://host:443/", "https://host/"),
        ("https://host:080/", "https://host:80/"),
        ("http://host/a b?c d#e f", "http://host/a%20b?c%20d"),
        ("http://host/a%20b%2Fc", "http://host/a%20b%2Fc"),
        ("http://host?x=1", "http://host/?x=1"),
        ("http://host/?", "http://host/?"),
        ("http://host/bücher/ß.png", "http://host/b%C3%BCcher/%C3%9F.png"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BU\u0308CHER.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        ("http://例え.example/", "http://xn--r8jz45g.example/"),
        ("http://a_b.host-1.example/", "http://a_b.host-1.example/"),
        ("http://1.2.3.4.example/", "http://1.2.3.4.example/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://[2A00:0:0::0:1]/", "http://[2a00::1]/"),
        ("http://[::ffff:127.0.0.1]:8080/x", "http://[::ffff:7f00:1]:8080/x"),
        ("http://host/" + "<>\"{}|^`'", "http://host/%3C%3E%22%7B%7D%7C%5E%60'"),
        ("http://host/@user:x", "http://host/@user:x"),
    ],
)
def test_a_url_has_one_canonical_form(url: str, canonical: str) -> None:
    target = Target.parse(url)
    assert target.url == canonical
    assert Target.parse(canonical) == target


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("b", "https://host/dir/b"),
        ("../b?c#d", "https://host/b?c"),
        ("/b", "https://host/b"),
        ("?x", "https://host/dir/page?x"),
        ("", "https://host/dir/page?q"),
        ("//other/b", "https://other/b"),
        ("http://other:81", "http://other:81/"),
        ("HTTPS://Other/", "https://other/"),
        ("./a:b", "https://host/dir/a:b"),
        ("a b/ü", "https://host/dir/a%20b/%C3%BC"),
    ],
)
def test_a_redirect_is_read_from_where_it_was_said(location: str, expected: str) -> None:
    assert Target.parse("https://host/dir/page?q").follow(location).url == expected


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "scheme"),
        ("data:text/plain,x", "scheme"),
        ("https:other", "spelling"),
        ("https:/other", "spelling"),
        ("///other", "host"),
        ("/\\other", "spelling"),
        ("\\\\other", "spelling"),
        ("/a\tb", "spelling"),
        ("//user@other/", "credentials"),
        ("//0x7f.1/", "host"),
    ],
)
def test_a_redirect_is_refused_like_any_url(location: str, reason: str) -> None:
    with pytest.raises(UrlRefused) as refused:
        Target.parse("https://host/dir/page?q").follow(location)
    assert refused.value.detail["reason"] == reason


def test_no_error_repeats_what_may_be_a_password() -> None:
    for url in REFUSED["credentials"] + ["http://user:sesame@host:x/", "sesame", "ftp://user:sesame@host/"]:
        with pytest.raises(UrlRefused) as refused:
            Target.parse(url)
        assert "sesame" not in f"{refused.value}{refused.value.detail}"
        assert "password" not in str(refused.value.detail)


@given(st.text(max_size=40), st.sampled_from(["", "http://", "https://", "http://host", "http://[", "http://host/"]))
def test_any_text_is_a_target_that_reads_the_same_again_or_is_refused(text: str, begin: str) -> None:
    try:
        target = Target.parse(begin + text)
    except UrlRefused:
        return
    assert Target.parse(target.url) == target
    assert target.url.isascii()
    assert not set(target.url) & set(" \t\r\n\\#")
    assert "@" not in target.authority


@given(st.text("0123456789abcdefx.xX", min_size=1, max_size=24))
def test_a_host_that_ends_in_a_number_is_four_plain_numbers_or_refused(host: str) -> None:
    try:
        target = Target.parse(f"http://{host}/")
    except UrlRefused:
        return
    last = target.host.rpartition(".")[2]
    assert (target.address is not None) == last.isdigit()
    assert not last.startswith("0x") or target.address is None


def test_the_last_part_of_a_path_is_the_name_of_what_is_there() -> None:
    assert Target.parse("http://host/a/b%20c.png?d=/e").leaf == "b c.png"
    assert Target.parse("http://host/a/").leaf == ""
    assert Target.parse("http://host/a%0Ab").leaf == "a\\u{a}b"
