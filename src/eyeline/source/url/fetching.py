"""Asking for a URL: redirects are followed one by one, each of them checked like the first."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING

from eyeline.errors import AddressRefused, ConfigError, Unreachable, UrlRefused
from eyeline.model.display import shown
from eyeline.source.url.admitting import Admittance
from eyeline.source.url.arriving import ArrivingUrl, PlainBody
from eyeline.source.url.decoding import Unpacker, coding
from eyeline.source.url.failures import (
    REDIRECT_STATUS,
    TAKEN_STATUS,
    in_a_redirect,
    library_errors,
    no_socket,
    of_status,
    told_of_proxies,
)
from eyeline.source.url.proxying import Proxy
from eyeline.source.url.reasons import WhyFailed, WhyRefused, failed, refused
from eyeline.source.url.resolving import system_resolve
from eyeline.source.url.target import DEFAULT_PORTS, Target
from eyeline.source.url.watching import Watch

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    import httpcore2

    from eyeline.model.viewing import UrlPolicy
    from eyeline.source.url.dialing import Dialer
    from eyeline.source.url.resolving import Resolve
    from eyeline.toolkit.cancel import CancelToken

MAX_FRAMING_BYTES = 1 << 20
MAX_FRAMING_FACTOR = 16
"""A body that comes byte by byte has six bytes of framing for each of its own."""


class UrlSource:
    """What a policy lets be fetched. May be used by several threads; each fetch has a connection of its own.

    `resolve` and `trust` (whose certificates hold) are those of this machine unless given. `ConfigError` for a policy
    that cannot be read.
    """

    def __init__(
        self, policy: UrlPolicy, *, resolve: Resolve = system_resolve, trust: ssl.SSLContext | None = None
    ) -> None:
        self._policy = policy
        self._admittance = Admittance.parse(policy.allow_private_hosts)
        self._proxy = None if policy.proxy is None else Proxy.parse(policy.proxy)
        self._resolve = resolve
        self._trust = trust
        self._lock = Lock()

    def open(self, url: str, *, cancel: CancelToken) -> ArrivingUrl:
        """Connect, follow redirects, and return when the last headers are in.

        Raises `UrlRefused` for what is never fetched, `AddressRefused` for where it leads, `FetchFailed` for an answer
        that brings nothing, `Unreachable` for one that may come another time, `Cancelled`. The connection is closed
        then. A cancelled token also closes it later.
        """
        cancel.raise_if_cancelled()
        target = Target.parse(url)
        self._check(target)
        try:
            watch = Watch(cancel, header_ms=self._policy.header_timeout_ms)
            try:
                return self._followed(target, watch)
            except BaseException:
                watch.close()
                raise
        except Unreachable as exc:
            raise told_of_proxies(exc, has_proxy=self._proxy is not None) from exc.__cause__
        except OSError as exc:
            raise no_socket(exc) from exc

    def _followed(self, target: Target, watch: Watch) -> ArrivingUrl:
        seen = {target}
        while True:
            exchange = self._asked(target, watch)
            try:
                location = exchange.redirect()
                if location is None:
                    return exchange.arriving(self._policy.body_timeout_ms, is_redirected=len(seen) > 1)
            except BaseException:
                exchange.close()
                raise
            exchange.close()
            try:
                target = self._next(target, location, seen=seen)
            except (UrlRefused, AddressRefused) as exc:
                raise in_a_redirect(exc, redirects=len(seen)) from exc

    def _next(self, before: Target, location: str, *, seen: set[Target]) -> Target:
        """The target of a redirect, if it may be followed."""
        target = before.follow(location)
        self._check(target)
        if before.scheme == "https" and target.scheme == "http":
            raise refused(WhyRefused.DOWNGRADE, "a redirect leads from https to http")
        if target in seen:
            raise refused(WhyRefused.CIRCLE, "the redirects lead in a circle")
        if len(seen) > self._policy.max_redirects:
            raise refused(WhyRefused.REDIRECTS, f"there are more than {self._policy.max_redirects} redirects")
        seen.add(target)
        return target

    def _check(self, target: Target) -> None:
        """What can be told before a look-up."""
        if target.port not in self._policy.ports:
            allowed = ", ".join(map(str, self._policy.ports))
            raise refused(
                WhyRefused.PORT,
                f"port {target.port} is not spoken to; {allowed} are",
                hint="whoever runs Eyeline can add it to `ports` in [urls]",
                port=target.port,
            )
        self._admittance.check_host(target.host, target.address, is_looked_up=self._proxy is None)

    def _asked(self, target: Target, watch: Watch) -> Exchange:
        """Send the request of one hop and take its headers."""
        import httpcore2

        from eyeline.source.url.dialing import Dialer

        trust = self._trusted() if target.scheme == "https" else None
        origin = httpcore2.Origin(target.scheme.encode(), target.bracketed.encode(), target.port)
        if self._proxy is None:
            dialer = Dialer(address=target.address, admittance=self._admittance, resolve=self._resolve, watch=watch)
            connection = httpcore2.HTTPConnection(origin=origin, ssl_context=trust, network_backend=dialer)
        else:
            dialer = Dialer(address=self._proxy.address, admittance=None, resolve=self._resolve, watch=watch)
            connection = self._proxy.connection(origin, trust=trust, backend=dialer)
        try:
            with library_errors(has_ended=lambda: _has_ended(dialer)):
                response = connection.handle_request(_request(target))
        except BaseException:
            # the library knows no connection yet whose encryption did not come about
            dialer.close()
            raise
        return Exchange(target, response, dialer, watch)

    def _trusted(self) -> ssl.SSLContext:
        """Read once: the certificates of a machine take some time."""
        import httpcore2

        with self._lock:
            if self._trust is None:
                try:
                    self._trust = httpcore2.default_ssl_context()
                except OSError as exc:
                    raise ConfigError(
                        "the certificates of this machine cannot be read", hint="look at SSL_CERT_FILE and SSL_CERT_DIR"
                    ) from exc
            return self._trust


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request with the headers of its answer."""

    target: Target
    response: httpcore2.Response
    dialer: Dialer
    watch: Watch

    def redirect(self) -> str | None:
        """Where the answer leads instead; None where it is the answer. `FetchFailed` where it is neither."""
        status = self.response.status
        if status in TAKEN_STATUS:
            return None
        if status not in REDIRECT_STATUS:
            raise of_status(status)
        location = self._header(b"location")
        if location is None:
            raise failed(WhyFailed.STATUS, f"the host answers {status} without saying where to", status=status)
        return location

    def arriving(self, body_ms: int, *, is_redirected: bool) -> ArrivingUrl:
        """The body of the answer, which may take `body_ms` of waiting."""
        packed = coding(",".join(self._headers(b"content-encoding")))
        length = self._header(b"content-length")
        has_length = packed is None and length is not None and self._header(b"transfer-encoding") is None
        pieces = self._pieces()
        url = self.target.url.partition("?")[0] if is_redirected else self.target.url
        self.watch.begin_body(body_ms)
        if self.dialer.stream is not None:
            self.dialer.stream.end_headers()
        return ArrivingUrl(
            name=shown(url),
            leaf=self.target.leaf,
            declared=self._declared(),
            byte_count=int(length) if has_length and length is not None else None,
            _body=PlainBody(pieces) if packed is None else Unpacker(packed, pieces),
            _has_ended=lambda: _has_ended(self.dialer),
            _close=self._cut,
        )

    def _pieces(self) -> Iterator[bytes]:
        """The body without its framing, which may not be most of what comes."""
        byte_count = 0
        for piece in self.response.iter_stream():
            byte_count += len(piece)
            yield piece
            if self._read_bytes() > MAX_FRAMING_BYTES + MAX_FRAMING_FACTOR * byte_count:
                raise failed(WhyFailed.PROTOCOL, "the body is hardly anything but framing")

    def close(self) -> None:
        """Close the connection; the next hop has one of its own."""
        self.dialer.close()

    def _cut(self) -> None:
        self.close()
        self.watch.close()

    def _read_bytes(self) -> int:
        return 0 if self.dialer.stream is None else self.dialer.stream.read_bytes

    def _declared(self) -> str | None:
        declared = self._header(b"content-type")
        return None if declared is None else shown(declared)

    def _header(self, name: bytes) -> str | None:
        return next(iter(self._headers(name)), None)

    def _headers(self, name: bytes) -> list[str]:
        return [value.decode("utf-8", "surrogateescape") for key, value in self.response.headers if key.lower() == name]


def _has_ended(dialer: Dialer) -> bool:
    return dialer.stream is not None and dialer.stream.has_ended


def _request(target: Target) -> httpcore2.Request:
    import httpcore2

    headers = {
        "Host": target.authority,
        "User-Agent": f"eyeline/{version('eyeline')}",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    # a port that goes without saying is not said to a proxy either
    port = None if target.port == DEFAULT_PORTS[target.scheme] else target.port
    return httpcore2.Request(
        "GET",
        httpcore2.URL(scheme=target.scheme, host=target.bracketed, port=port, target=target.request),
        headers=list(headers.items()),
        extensions={"sni_hostname": target.host},
    )
