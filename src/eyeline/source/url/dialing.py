"""The network below the HTTP library: it connects to checked addresses only, and every wait can be ended."""

from __future__ import annotations

import select
import socket
import ssl
from typing import TYPE_CHECKING, Any

import httpcore2

from eyeline.errors import AddressRefused
from eyeline.source.url.connecting import connect
from eyeline.source.url.reasons import WhyFailed, broken_off, failed
from eyeline.source.url.resolving import look_up

if TYPE_CHECKING:
    from eyeline.source.url.admitting import Admittance
    from eyeline.source.url.resolving import Resolve
    from eyeline.source.url.special import Address
    from eyeline.source.url.watching import Watch

MAX_HEADER_BYTES = 256 << 10
"""Bytes of one answer that may come before its last header."""

_FAULTS = {9: "it is not valid yet", 10: "it has expired", 62: "it is for other names", 64: "it is for other addresses"}
"""By the numbers of OpenSSL."""


class Dialer(httpcore2.NetworkBackend):
    """Opens one connection: one look-up, every answer checked, connected to what was checked.

    `address` is that of the host where it is an address. Without `admittance` nothing is checked: only for a proxy,
    which an operator named.
    """

    def __init__(
        self, *, address: Address | None, admittance: Admittance | None, resolve: Resolve, watch: Watch
    ) -> None:
        self._address = address
        self._admittance = admittance
        self._resolve = resolve
        self._watch = watch
        self.stream: WatchedStream | None = None

    def connect_tcp(self, host: str, port: int, *unused: object, **unneeded: object) -> httpcore2.NetworkStream:
        """A stream to `host`; the deadline is that of the watch."""
        del unused, unneeded
        connection = connect(self._checked(host, port), port=port, watch=self._watch)
        self.stream = WatchedStream(connection, watch=self._watch)
        return self.stream

    def close(self) -> None:
        """Close what was opened, however far it came."""
        if self.stream is not None:
            self.stream.close()

    def connect_unix_socket(self, path: str, *unused: object, **unneeded: object) -> httpcore2.NetworkStream:
        """Refused: no URL leads to a socket of this machine."""
        del path, unused, unneeded
        raise AddressRefused("sockets of this machine are not fetched from")

    def _checked(self, host: str, port: int) -> list[Address]:
        answers: list[Address | None] = [self._address]
        if self._address is None:
            answers = look_up(host, port=port, resolve=self._resolve, watch=self._watch)
        plain = [each for each in answers if each is not None]
        if len(plain) < len(answers):
            raise AddressRefused("the host has an address that names a link of this machine, or none at all")
        if self._admittance is not None:
            self._admittance.check(plain, host=host)
        return plain


class WatchedStream(httpcore2.NetworkStream):
    """A connection whose every wait is one of the watch; timeouts that it is given are not used.

    `read_bytes` counts what was read of the headers, then of the body with its framing. `has_ended` once the other
    side closed.
    """

    def __init__(self, connection: socket.socket, *, watch: Watch) -> None:
        self._socket = connection
        self._watch = watch
        self._is_header = True
        self.read_bytes = 0
        self.has_ended = False
        self._held()

    def end_headers(self) -> None:
        """From now on the bytes of the body come, and are counted anew."""
        self._is_header = False
        self.read_bytes = 0

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What is there, up to `max_bytes`; empty at the end."""
        del timeout
        while True:
            try:
                got = self._socket.recv(max_bytes)
            except (BlockingIOError, ssl.SSLWantReadError):
                self._watch.wait([self._socket], select.POLLIN)
            except ssl.SSLWantWriteError:
                self._watch.wait([self._socket], select.POLLOUT)
            except OSError as exc:
                self._watch.check()
                raise broken_off() from exc
            else:
                # bytes that a cancelled token cut off are not an end
                self._watch.check()
                return self._counted(got)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of `buffer`."""
        del timeout
        view = memoryview(buffer)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except (BlockingIOError, ssl.SSLWantWriteError):
                self._watch.wait([self._socket], select.POLLOUT)
            except ssl.SSLWantReadError:
                self._watch.wait([self._socket], select.POLLIN)
            except OSError as exc:
                self._watch.check()
                # the library then still reads what the other side may have said before it closed
                raise httpcore2.WriteError from exc

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, *unused: object, **unneeded: object
    ) -> httpcore2.NetworkStream:
        """Go on encrypted, with a certificate for `server_hostname`."""
        del unused, unneeded
        try:
            self._shake_hands(self._wrapped(ssl_context, server_hostname))
        except ssl.SSLCertVerificationError as exc:
            raise failed(
                WhyFailed.CERTIFICATE,
                "the certificate of the host does not hold",
                hint=_fault(exc),
            ) from exc
        except ssl.SSLEOFError as exc:
            raise broken_off() from exc
        except ssl.SSLError as exc:
            raise failed(WhyFailed.TLS, "the host and Eyeline agree on no encryption") from exc
        except OSError as exc:
            self._watch.check()
            raise broken_off() from exc
        return self

    def close(self) -> None:
        """Close the connection."""
        self._watch.let_go()
        self._socket.close()

    def get_extra_info(self, info: str) -> Any:
        """Only what the HTTP library asks for: the negotiated encryption."""
        return self._socket if info == "ssl_object" and isinstance(self._socket, ssl.SSLSocket) else None

    def _held(self) -> None:
        try:
            self._watch.hold(self._socket)
        except BaseException:
            self._socket.close()
            raise

    def _wrapped(self, ssl_context: ssl.SSLContext, server_hostname: str | None) -> ssl.SSLSocket:
        # the descriptor moves from one object to the other, and a token must not fire at neither
        self._watch.let_go()
        wrapped = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname, do_handshake_on_connect=False)
        self._socket = wrapped
        self._held()
        return wrapped

    def _shake_hands(self, connection: ssl.SSLSocket) -> None:
        while True:
            try:
                return connection.do_handshake()
            except ssl.SSLWantReadError:
                self._watch.wait([connection], select.POLLIN)
            except ssl.SSLWantWriteError:
                self._watch.wait([connection], select.POLLOUT)

    def _counted(self, got: bytes) -> bytes:
        self.has_ended = not got
        self.read_bytes += len(got)
        if self._is_header and self.read_bytes > MAX_HEADER_BYTES:
            raise failed(
                WhyFailed.HEADERS,
                f"the headers have more than {MAX_HEADER_BYTES} bytes",
                allowed=MAX_HEADER_BYTES,
            )
        return got


def _fault(exc: ssl.SSLCertVerificationError) -> str:
    """What is wrong with a certificate, without the names in it."""
    return _FAULTS.get(exc.verify_code, "nobody who is trusted here signed it")
