"""The host of a URL in the one spelling that everything after agrees on."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

from eyeline.errors import UrlRefused
from eyeline.model.display import shown
from eyeline.source.url.reasons import WhyRefused, refused

if TYPE_CHECKING:
    from eyeline.source.url.special import Address

MAX_NAME_CHARS = 253

_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9_-]+|0x[0-9a-f]*")
"""A last label without a letter, or one that some resolver takes for a number and the whole for an IPv4 address."""


def parse_host(text: str) -> tuple[str, Address | None]:
    """A name in lower-case ASCII without a last dot, or an address in its canonical form, and that address.

    Raises `UrlRefused`: zone identifiers, numbers that are not four plain decimal ones, percent signs, characters
    that IDNA 2008 does not let stand (full-width digits and dots among them), empty and too long labels.
    """
    if text.startswith("[") or text.endswith("]"):
        address = _ipv6(text)
        return address.compressed, address
    name = _ascii(text).lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > MAX_NAME_CHARS or not all(map(_LABEL.fullmatch, labels)):
        raise _misspelled(text, "a host name is letters, digits, hyphens and dots")
    if not _NUMBER.fullmatch(labels[-1]):
        return name, None
    try:
        address = IPv4Address(name)
    except ValueError as exc:
        raise _misspelled(text, "an IPv4 address is four decimal numbers without leading zeros") from exc
    return str(address), address


def _ipv6(text: str) -> IPv6Address:
    if "%" in text:
        raise refused(
            WhyRefused.ZONE,
            "the host has a zone identifier, which names a link of this machine",
            hint="leave out the percent sign and what follows it",
        )
    try:
        return IPv6Address(text[1:-1] if text.startswith("[") and text.endswith("]") else text)
    except ValueError as exc:
        raise _misspelled(text, "an IPv6 address stands in brackets: [2001:db8::1]") from exc


def _ascii(text: str) -> str:
    """An international name as the DNS knows it; nothing is mapped but capitals and composed letters."""
    if text.isascii():
        return text
    if len(text) > MAX_NAME_CHARS:
        raise _misspelled(text, f"a host name has up to {MAX_NAME_CHARS} characters")
    if any(_turns_ascii(each) for each in text):
        raise _misspelled(text, "write letters, digits and dots that ASCII has as ASCII")
    import idna

    plain = unicodedata.normalize("NFC", text.lower())
    labels = plain.split(".")
    try:
        return ".".join(label if label.isascii() else idna.alabel(label).decode("ascii") for label in labels)
    except (idna.IDNAError, UnicodeError) as exc:
        raise _misspelled(text, "it is no international name as IDNA 2008 allows them") from exc


def _turns_ascii(character: str) -> bool:
    """Whether some way of writing names alike would make an ASCII character of another one."""
    return not character.isascii() and unicodedata.normalize("NFKC", character.lower()).isascii()


def _misspelled(text: str, hint: str) -> UrlRefused:
    # an @ that is written %40 may have a password before it
    host = text.rpartition("%40")[2]
    return refused(WhyRefused.HOST, f"the host {shown(host, max_chars=80)!r} cannot be used", hint=hint)
