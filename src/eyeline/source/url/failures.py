"""What the HTTP library raises, in the errors of Eyeline; and what a status means."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from eyeline.errors import AddressRefused, FetchFailed, Unreachable, UrlRefused
from eyeline.source.url.reasons import WhyFailed, WhyUnreachable, broken_off, failed, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
"""Where other programs look for a proxy; Eyeline does not."""

TAKEN_STATUS: Final = frozenset({200, 203})
REDIRECT_STATUS: Final = frozenset({301, 302, 303, 307, 308})
LATER_STATUS: Final = frozenset({408, 425, 429})
"""Beside 5xx: worth another try."""


@contextmanager
def library_errors(*, has_ended: Callable[[], bool]) -> Generator[None]:
    """Turn every error of the HTTP library into one of ours; `has_ended` says whether the host closed."""
    import httpcore2

    try:
        yield
    except httpcore2.ProxyError as exc:
        raise _proxy(str(exc)) from exc
    except httpcore2.ProtocolError as exc:
        if has_ended():
            raise broken_off() from exc
        raise failed(WhyFailed.PROTOCOL, "the host does not speak HTTP as it should") from exc
    except (httpcore2.NetworkError, httpcore2.TimeoutException) as exc:
        raise broken_off() from exc
    except (httpcore2.UnsupportedProtocol, httpcore2.ConnectionNotAvailable) as exc:
        raise failed(WhyFailed.PROTOCOL, "the URL cannot be fetched") from exc


def no_socket(error: OSError) -> Unreachable:
    """This machine has no socket to give: too many are open, or its memory is used up."""
    cause = errno.errorcode.get(error.errno or 0, "unknown")
    return unreachable(WhyUnreachable.CONNECT, "this machine gives no further connection", cause=cause)


def of_status(status: int) -> FetchFailed:
    """What a status means that brings nothing."""
    if status >= 500 or status in LATER_STATUS:
        return unreachable(WhyUnreachable.STATUS, f"the host answers {status}", status=status)
    hint = "no user name, cookie or key is ever sent" if status in {401, 403} else None
    return failed(WhyFailed.STATUS, f"the host answers {status}", hint=hint, status=status)


def told_of_proxies(error: Unreachable, *, has_proxy: bool) -> Unreachable:
    """The same error; where no connection came about, its hint says what proxy was used, or not used."""
    if error.detail.get("reason") in {WhyUnreachable.NAME, WhyUnreachable.CONNECT}:
        if has_proxy:
            error.hint = "this is the proxy that is set in [urls]; try again later"
            error.detail["proxy"] = "set"
        elif any(os.environ.get(name) for name in PROXY_VARIABLES):
            error.hint = "proxies of the environment are not used; whoever runs Eyeline can set `proxy` in [urls]"
            error.detail["proxy"] = "ignored"
    return error


def in_a_redirect(error: UrlRefused | AddressRefused, *, redirects: int) -> UrlRefused | AddressRefused:
    """The error of a URL that a server named; no word of that URL is in it."""
    if isinstance(error, AddressRefused):
        return AddressRefused(f"a redirect: {error.message}", hint=error.hint, redirects=redirects)
    reason = error.detail["reason"]
    return UrlRefused(f"a redirect leads to a URL that is refused: {reason}", reason=reason, redirects=redirects)


def _proxy(said: str) -> FetchFailed:
    """What a proxy answered to being asked for a tunnel; its reason phrase is not repeated."""
    status = int(said[:3]) if said[:3].isdecimal() else 0
    if status >= 500:
        return unreachable(WhyUnreachable.PROXY, f"the proxy answers {status}", status=status)
    hint = "put user name and password into the `proxy` setting" if status == 407 else "its own rules refuse the host"
    return failed(WhyFailed.PROXY, f"the proxy answers {status}", hint=hint, status=status)
