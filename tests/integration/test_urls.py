"""What comes from a URL, from real servers on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.urls import fetched, opened

from eyeline.testing.hostile_web import HostileWeb


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
    ("path", "expected"),
    [
        ("/chunked", b"in a few bits"),
        ("/to-the-end", b"as far as it goes"),
        ("/too-long", b"right"),
        ("/packed", b"packed though nobody asked"),
        ("/members", b"one two"),
        ("/deflated", b"deflated"),
        ("/deflated-bare", b"deflated, bare"),
        ("/chain?left=5", b"plain text"),
    ],
)
def test_every_way_of_sending_a_body_gives_the_same_bytes(web: HostileWeb, path: str, expected: bytes) -> None:
    assert fetched(web, path) == expected
