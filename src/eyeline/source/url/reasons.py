"""Why a URL brought nothing: the detail `reason` of the errors, which is part of the contract as their codes are."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from eyeline.errors import FetchFailed, Unreachable, UrlRefused

if TYPE_CHECKING:
    from eyeline.errors import DetailValue


class WhyRefused(StrEnum):
    """The detail `reason` of `url_refused`."""

    SCHEME = "scheme"
    """It is neither `http` nor `https`."""

    SPELLING = "spelling"
    """It holds a control character or a backslash, begins or ends with a space, has no `//`, or is too long."""

    CREDENTIALS = "credentials"
    """It holds a user name or a password."""

    HOST = "host"
    """Its host can be read in more than one way, or in none."""

    ZONE = "zone"
    """Its address has a zone identifier."""

    PORT = "port"
    """Its port is none of those in `ports`."""

    DOWNGRADE = "downgrade"
    """A redirect leads from `https` to `http`."""

    CIRCLE = "circle"
    """A redirect leads to where one has led before."""

    REDIRECTS = "redirects"
    """There are more redirects than `max_redirects`."""


class WhyFailed(StrEnum):
    """The detail `reason` of `fetch_failed`."""

    STATUS = "status"
    """The status is none that brings a body; it is the detail `status`."""

    CERTIFICATE = "certificate"
    """The certificate does not hold for the host: its names, its dates, or who signed it."""

    TLS = "tls"
    """No encryption came about."""

    PROTOCOL = "protocol"
    """What was said is not HTTP, or hardly anything but framing."""

    HEADERS = "headers"
    """The headers have more than 256 KiB, interim answers included."""

    ENCODING = "encoding"
    """The body is packed in a way that is not unpacked here, or cannot be unpacked."""

    PROXY = "proxy"
    """The proxy refuses the host, or wants a password; its answer is the detail `status`."""


class WhyUnreachable(StrEnum):
    """The detail `reason` of `unreachable`."""

    NAME = "name"
    """The name has no address, or nobody could say."""

    CONNECT = "connect"
    """No address takes a connection."""

    TIMEOUT = "timeout"
    """`header_timeout_ms` or `body_timeout_ms` are over; which of them is the detail `phase`."""

    BROKEN_OFF = "broken_off"
    """The host closed before it had said everything."""

    STATUS = "status"
    """The host is busy or failing: 408, 425, 429 or 5xx, in the detail `status`."""

    PROXY = "proxy"
    """The proxy is failing: 5xx, in the detail `status`."""


def refused(reason: WhyRefused, message: str, *, hint: str | None = None, **detail: DetailValue) -> UrlRefused:
    """A URL that is never fetched."""
    return UrlRefused(message, hint=hint, reason=reason.value, **detail)


def failed(reason: WhyFailed, message: str, *, hint: str | None = None, **detail: DetailValue) -> FetchFailed:
    """An answer that brings nothing."""
    return FetchFailed(message, hint=hint, reason=reason.value, **detail)


def unreachable(
    reason: WhyUnreachable, message: str, *, hint: str = "try again later", **detail: DetailValue
) -> Unreachable:
    """An answer that may come another time."""
    return Unreachable(message, hint=hint, reason=reason.value, **detail)


def broken_off() -> Unreachable:
    """The host closed before it had said everything."""
    return unreachable(WhyUnreachable.BROKEN_OFF, "the host broke the connection off")
