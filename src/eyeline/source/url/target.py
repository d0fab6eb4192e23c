"""A URL taken apart once, strictly: what cannot be read in one way only is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import quote, unquote, urljoin

from eyeline.errors import UrlRefused
from eyeline.model.display import shown
from eyeline.source.url.hostname import parse_host
from eyeline.source.url.reasons import WhyRefused, refused

if TYPE_CHECKING:
    from eyeline.source.url.special import Address

MAX_URL_CHARS = 8192
DEFAULT_PORTS = {"http": 80, "https": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_PARTS = re.compile(r"//(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]{0,5}))?", re.ASCII)
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\\\u2028\u2029\ud800-\udfff]")
_NOT_A_HOST = re.compile(
    r"(\s*(?:(?:https?|ftps?|wss?):[/\\]*|[A-Za-z][A-Za-z0-9+.-]+:[/\\]+|[/\\]{2,}))(.*(?:@|%40))",
    re.DOTALL | re.IGNORECASE,
)
_KEPT = "!$%&'()*+,-./:;=?@_~[]"


@dataclass(frozen=True, slots=True)
class Target:
    """Where one request goes. `host` is canonical; `request` is path and query, in ASCII."""

    scheme: str
    host: str
    address: Address | None
    port: int
    request: str

    @classmethod
    def parse(cls, url: str) -> Self:
        """`UrlRefused` with the detail `reason`: `scheme`, `spelling`, `credentials`, `host`, `zone`, `port`."""
        _check_characters(url)
        scheme = _scheme(url)
        parts = _PARTS.fullmatch(url, len(scheme) + 1)
        if parts is None:
            raise refused(WhyRefused.SPELLING, "the URL has no host", hint=f"write {scheme}://host/path")
        host, port = _authority(parts["authority"])
        name, address = parse_host(host)
        request = quote(parts["path"] or "/", safe=_KEPT)
        if parts["query"] is not None:
            request += "?" + quote(parts["query"], safe=_KEPT)
        return cls(scheme, name, address, DEFAULT_PORTS[scheme] if port is None else port, request)

    def follow(self, location: str) -> Target:
        """Where a redirect from here leads; `UrlRefused` as for any URL."""
        _check_characters(location)
        if _SCHEME.match(location):
            return Target.parse(location)
        if location.startswith("//"):
            return Target.parse(f"{self.scheme}:{location}")
        return Target.parse(urljoin(self.url, location))

    @property
    def bracketed(self) -> str:
        """The host as it stands in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def authority(self) -> str:
        """Host, and port where it is not that of the scheme: the `Host` of the request."""
        return self.bracketed if self.port == DEFAULT_PORTS[self.scheme] else f"{self.bracketed}:{self.port}"

    @property
    def url(self) -> str:
        """The whole, without a fragment; credentials it never had."""
        return f"{self.scheme}://{self.authority}{self.request}"

    @property
    def leaf(self) -> str:
        """The last part of the path, decoded and neutralised; empty where there is none."""
        return shown(unquote(self.request.partition("?")[0].rpartition("/")[2]))


def without_credentials(text: str) -> str:
    """A text that may be meant as a URL, fit to be shown: without all that could be a user name or a password.

    Of a URL that cannot be read it is not known where its host begins, so everything up to the last `@` goes, however
    the slashes before it are written.
    """
    try:
        Target.parse(text)
    except UrlRefused:
        return _NOT_A_HOST.sub(r"\1", text, count=1)
    return text


def _check_characters(url: str) -> None:
    if len(url) > MAX_URL_CHARS:
        raise refused(
            WhyRefused.SPELLING,
            f"the URL has {len(url)} characters; up to {MAX_URL_CHARS} are taken",
            asked=len(url),
        )
    found = _FORBIDDEN.search(url)
    if found is not None:
        raise refused(
            WhyRefused.SPELLING,
            f"the URL holds the character U+{ord(found[0]):04X}",
            hint="control characters and backslashes are written as %XX",
        )
    if url != url.strip():
        raise refused(WhyRefused.SPELLING, "the URL begins or ends with a space", hint="leave it out")


def _scheme(url: str) -> str:
    found = _SCHEME.match(url)
    if found is None:
        raise refused(WhyRefused.SCHEME, "the URL has no scheme", hint="write https://host/path")
    scheme = found[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise refused(
            WhyRefused.SCHEME,
            f"the scheme {scheme[:32]!r} is not fetched",
            hint="http and https are",
            scheme=scheme[:32],
        )
    return scheme


def _authority(text: str) -> tuple[str, int | None]:
    """Host and port; the text is never repeated, for it may hold a password."""
    if "@" in text:
        raise refused(
            WhyRefused.CREDENTIALS,
            "the URL holds a user name or a password, and those are never sent",
            hint="leave out what stands before the @",
        )
    found = _AUTHORITY.fullmatch(text)
    if found is None or not found["host"]:
        raise refused(WhyRefused.HOST, "the URL has no host that can be read", hint="write https://host/path")
    if not found["port"]:
        return found["host"], None
    port = int(found["port"])
    if not 0 < port < 65536:
        raise refused(WhyRefused.PORT, f"there is no port {port}", port=port)
    return found["host"], port
