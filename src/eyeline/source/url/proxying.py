"""The proxy that an operator set, if any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote

from eyeline.errors import ConfigError, UrlRefused
from eyeline.source.url.target import Target

if TYPE_CHECKING:
    import ssl

    import httpcore2

    from eyeline.source.url.special import Address


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy, with what it wants to know of us. It is connected to wherever it is."""

    target: Target
    user: str | None
    password: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """`http://host:port`, with `user:password@` before the host where it asks for that; else `ConfigError`."""
        scheme, mark, rest = text.partition("://")
        authority = rest.removesuffix("/")
        credentials, _, place = authority.rpartition("@")
        try:
            target = Target.parse(f"{scheme}{mark}{place}")
        except UrlRefused as exc:
            raise _unusable() from exc
        if target.scheme != "http" or target.request != "/":
            raise _unusable()
        user, _, password = credentials.partition(":")
        return cls(target, unquote(user) if credentials else None, unquote(password))

    @property
    def address(self) -> Address | None:
        """Of the proxy itself, where it is set as one."""
        return self.target.address

    def connection(
        self, origin: httpcore2.Origin, *, trust: ssl.SSLContext | None, backend: httpcore2.NetworkBackend
    ) -> httpcore2.ConnectionInterface:
        """A connection to `origin` through the proxy: a tunnel for https."""
        import httpcore2

        pool = httpcore2.HTTPProxy(
            httpcore2.URL(scheme="http", host=self.target.bracketed, port=self.target.port, target="/"),
            proxy_auth=None if self.user is None else (self.user, self.password),
            ssl_context=trust,
            network_backend=backend,
        )
        return pool.create_connection(origin)


def _unusable() -> ConfigError:
    """Without the value: it may hold a password."""
    return ConfigError(
        "the proxy in [urls] cannot be used",
        hint="write http://host:port or http://user:password@host:port",
        setting="proxy",
    )
