"""Regions of docs/urls.md: which addresses are special, and why a URL brought nothing."""

from __future__ import annotations

from collections.abc import Iterator

from markdown import code, sentences, table

from eyeline.errors import EyelineError, FetchFailed, Unreachable, UrlRefused
from eyeline.source.url.reasons import WhyFailed, WhyRefused, WhyUnreachable
from eyeline.source.url.special import METADATA_ADDRESSES, METADATA_NAMES, SPECIAL_IPV4, SPECIAL_IPV6


def special_addresses() -> str:
    """Every special range with what it is."""
    ranges = {**SPECIAL_IPV4, **SPECIAL_IPV6}
    return table("range | is", ((code(network), what) for network, what in ranges.items()))


def metadata_services() -> str:
    """Their addresses and names, in one line each."""
    addresses = sorted(METADATA_ADDRESSES, key=lambda address: (address.version, int(address)))
    lines = (", ".join(map(code, addresses)), ", ".join(map(code, sorted(METADATA_NAMES))))
    return f"Addresses: {lines[0]}.\n\nNames: {lines[1]}.\n"


def url_reasons() -> str:
    """Every code of a URL with its reasons."""
    return table("code | `reason` | when", _reasons())


def _reasons() -> Iterator[tuple[str, str, str]]:
    kinds: tuple[tuple[type[EyelineError], type[WhyRefused | WhyFailed | WhyUnreachable]], ...] = (
        (UrlRefused, WhyRefused),
        (FetchFailed, WhyFailed),
        (Unreachable, WhyUnreachable),
    )
    for error, why in kinds:
        said = sentences(why)
        for reason in why:
            yield code(error.code), code(reason.value), said[reason.name]


REGIONS = {each.__name__: each for each in (special_addresses, metadata_services, url_reasons)}
