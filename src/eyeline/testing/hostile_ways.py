"""Ways of a web server to behave towards a client, each of them a path of `HostileWeb`.

Where a way goes on and on, it does so until the client hangs up or the server is closed.
"""

from __future__ import annotations

import gzip
import threading
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

_TICK_S = 0.005
_PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came: the target of its first line, and its headers by lower-case name.

    `server_name` is what a client said in its TLS greeting.
    """

    method: str
    target: str
    headers: dict[str, str]
    server_name: str | None = None

    @property
    def path(self) -> str:
        """Without the query, also where a proxy was given the whole URL; `CONNECT` where it was asked for a tunnel."""
        if self.method == "CONNECT":
            return self.method
        return urlsplit(self.target).path

    def option(self, name: str, otherwise: str = "") -> str:
        """One value of the query."""
        return parse_qs(urlsplit(self.target).query).get(name, [otherwise])[0]


class Signals:
    """What a server and its test tell each other.

    `arrived` is set when a request has; `held` when a way has sent all it does before it waits for `released`;
    `hung_up` when a client closed a connection while it was being served; `closing` when the server is closed.
    """

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.held = threading.Event()
        self.released = threading.Event()
        self.hung_up = threading.Event()
        self.closing = threading.Event()


@dataclass(slots=True)
class Exchange:
    """A connection with the request that came over it."""

    signals: Signals
    connection: socket.socket
    asked: Asked

    def send(self, data: bytes) -> None:
        """All of it; `OSError` where the client is gone."""
        self.connection.sendall(data)

    def head(self, status: int = 200, *fields: str, length: int | None = None) -> None:
        """Status line and headers."""
        lines = [f"HTTP/1.1 {status} Status", "Connection: close", *fields]
        lines += [] if length is None else [f"Content-Length: {length}"]
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1"))

    def answer(self, body: bytes, *fields: str, status: int = 200) -> None:
        """A whole answer, as it should be."""
        self.head(status, *fields, length=len(body))
        self.send(body)

    def ticks(self) -> Iterator[None]:
        """One now and then, until the server is closed; sending in between finds out when the client is gone."""
        while not self.signals.closing.wait(_TICK_S):
            yield


def _plain(exchange: Exchange) -> None:
    exchange.answer(b"plain text", "Content-Type: text/plain; charset=utf-8")


def _of_size(exchange: Exchange) -> None:
    exchange.answer(b"x" * int(exchange.asked.option("bytes", "1000")), "Content-Type: text/plain")


def _to_the_end(exchange: Exchange) -> None:
    """No length: the end is where the connection ends."""
    exchange.head(200)
    exchange.send(b"as far as it goes")


def _chunked(exchange: Exchange) -> None:
    exchange.head(200, "Transfer-Encoding: chunked")
    exchange.send(b"5\r\nin a \r\n8;x=y\r\nfew bits\r\n0\r\n\r\n")


def _endless(exchange: Exchange) -> None:
    exchange.head(200, "Transfer-Encoding: chunked")
    piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    while not exchange.signals.closing.is_set():
        exchange.send(piece)


def _promising(exchange: Exchange) -> None:
    """A length that no disk has, and bytes without an end."""
    exchange.head(200, length=1 << 50)
    while not exchange.signals.closing.is_set():
        exchange.send(b"x" * 0x10000)


def _dripping_headers(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\n")
    for _ in exchange.ticks():
        exchange.send(b"X-A: b\r\n")


def _dripping_header(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for _ in exchange.ticks():
        exchange.send(b"b")


def _dripping_body(exchange: Exchange) -> None:
    exchange.head(200, length=1 << 30)
    for _ in exchange.ticks():
        exchange.send(b"x")


def _silent(exchange: Exchange) -> None:
    exchange.signals.held.set()
    exchange.signals.released.wait(_PATIENCE_S)


def _held_body(exchange: Exchange) -> None:
    """The first bytes, and the others once `released` is set."""
    exchange.head(200, length=20)
    exchange.send(b"0123456789")
    exchange.signals.held.set()
    exchange.signals.released.wait(_PATIENCE_S)
    exchange.send(b"9876543210")


def _watched_body(exchange: Exchange) -> None:
    """The first bytes and never another; hears when the client hangs up."""
    exchange.head(200, length=20)
    exchange.send(b"0123456789")
    exchange.signals.held.set()
    if not exchange.connection.recv(1):
        exchange.signals.hung_up.set()


def _too_short(exchange: Exchange) -> None:
    exchange.head(200, length=100)
    exchange.send(b"only this")


def _too_long(exchange: Exchange) -> None:
    exchange.head(200, length=5)
    exchange.send(b"right and far more than that")


def _two_lengths(exchange: Exchange) -> None:
    exchange.head(200, "Content-Length: 5", "Content-Length: 50")
    exchange.send(b"x" * 50)


def _bad_chunks(exchange: Exchange) -> None:
    exchange.head(200, "Transfer-Encoding: chunked")
    exchange.send(b"5\r\nright\r\nzzz\r\nwrong")


def _cut_chunks(exchange: Exchange) -> None:
    exchange.head(200, "Transfer-Encoding: chunked")
    exchange.send(b"5\r\nright\r\n5\r\nwr")


def _packed(exchange: Exchange) -> None:
    exchange.answer(gzip.compress(b"packed though nobody asked"), "Content-Encoding: gzip")


def _members(exchange: Exchange) -> None:
    exchange.answer(gzip.compress(b"one ") + gzip.compress(b"two"), "Content-Encoding: x-gzip")


def _deflated(exchange: Exchange) -> None:
    exchange.answer(zlib.compress(b"deflated"), "Content-Encoding: deflate")


def _deflated_bare(exchange: Exchange) -> None:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    exchange.answer(packer.compress(b"deflated, bare") + packer.flush(), "Content-Encoding: deflate")


def _bomb(exchange: Exchange) -> None:
    """A gzip of zeros, `mib` of them."""
    packer = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS)
    exchange.head(200, "Content-Encoding: gzip", "Content-Type: image/png")
    for _ in range(int(exchange.asked.option("mib", "256"))):
        exchange.send(packer.compress(bytes(1 << 20)))
    exchange.send(packer.flush())


def _fruitless(exchange: Exchange) -> None:
    """Packed bytes without an end that come to nothing."""
    exchange.head(200, "Content-Encoding: gzip")
    empty = gzip.compress(b"") * 1000
    while not exchange.signals.closing.is_set():
        exchange.send(empty)


def _framing(exchange: Exchange) -> None:
    """Single bytes, each with a long framing, without an end."""
    exchange.head(200, "Transfer-Encoding: chunked")
    piece = b"1;" + b"x" * 10_000 + b"\r\nx\r\n"
    while not exchange.signals.closing.is_set():
        exchange.send(piece)


def _cut_pack(exchange: Exchange) -> None:
    exchange.answer(gzip.compress(b"x" * 10_000)[:-8], "Content-Encoding: gzip")


def _bad_pack(exchange: Exchange) -> None:
    exchange.answer(b"this is not gzip", "Content-Encoding: gzip")


def _packed_twice(exchange: Exchange) -> None:
    exchange.answer(gzip.compress(gzip.compress(b"twice")), "Content-Encoding: gzip, gzip")


def _packed_otherwise(exchange: Exchange) -> None:
    exchange.answer(b"\x0b\x02\x80brotli\x03", "Content-Encoding: br")


def _huge_header(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\nX-Huge: " + b"x" * (1 << 20) + b"\r\n\r\n")


def _endless_headers(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\n")
    while not exchange.signals.closing.is_set():
        exchange.send(b"X-A: b\r\n" * 1000)


def _informing(exchange: Exchange) -> None:
    """Interim answers without an end."""
    while not exchange.signals.closing.is_set():
        exchange.send(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 100)


def _not_http(exchange: Exchange) -> None:
    exchange.send(b"220 mail.example ready\r\n\r\n")


def _breaking_off(exchange: Exchange) -> None:
    del exchange


def _status(exchange: Exchange) -> None:
    exchange.answer(b"a page about it", status=int(exchange.asked.option("is", "500")))


def _redirect(exchange: Exchange) -> None:
    """To what `to` says, with the status `is`; cookies are set on the way."""
    status = int(exchange.asked.option("is", "302"))
    exchange.answer(b"", f"Location: {exchange.asked.option('to')}", "Set-Cookie: a=b; Path=/", status=status)


def _redirect_nowhere(exchange: Exchange) -> None:
    exchange.answer(b"", status=302)


def _circle(exchange: Exchange) -> None:
    exchange.answer(b"", "Location: /redirect?to=/circle", status=302)


def _chain(exchange: Exchange) -> None:
    """`left` more redirects before the plain text."""
    left = int(exchange.asked.option("left", "0"))
    if left == 0:
        _plain(exchange)
    else:
        exchange.answer(b"", f"Location: ?left={left - 1}", status=307)


WAYS: dict[str, Callable[[Exchange], None]] = {
    "/plain": _plain,
    "/of-size": _of_size,
    "/to-the-end": _to_the_end,
    "/chunked": _chunked,
    "/endless": _endless,
    "/promising": _promising,
    "/dripping-headers": _dripping_headers,
    "/dripping-header": _dripping_header,
    "/dripping-body": _dripping_body,
    "/silent": _silent,
    "/held-body": _held_body,
    "/watched-body": _watched_body,
    "/too-short": _too_short,
    "/too-long": _too_long,
    "/two-lengths": _two_lengths,
    "/bad-chunks": _bad_chunks,
    "/cut-chunks": _cut_chunks,
    "/packed": _packed,
    "/members": _members,
    "/deflated": _deflated,
    "/deflated-bare": _deflated_bare,
    "/bomb": _bomb,
    "/fruitless": _fruitless,
    "/framing": _framing,
    "/cut-pack": _cut_pack,
    "/bad-pack": _bad_pack,
    "/packed-twice": _packed_twice,
    "/packed-otherwise": _packed_otherwise,
    "/huge-header": _huge_header,
    "/endless-headers": _endless_headers,
    "/informing": _informing,
    "/not-http": _not_http,
    "/breaking-off": _breaking_off,
    "/status": _status,
    "/redirect": _redirect,
    "/redirect-nowhere": _redirect_nowhere,
    "/circle": _circle,
    "/chain": _chain,
}
"""Path by path, one way to behave."""
