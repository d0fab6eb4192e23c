"""The IPv4 addresses that an IPv6 address stands for, in each form that some network turns back."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network

_LAST_32_BITS = (
    IPv6Network("::/96"),  # compatible; `::` and `::1` read as 0.0.0.0 and 0.0.0.1
    IPv6Network("::ffff:0:0/96"),  # mapped
    IPv6Network("::ffff:0:0:0/96"),  # translated
)
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_NAT64 = IPv6Network("64:ff9b::/32")
"""Both prefixes that are set aside for it, and what lies between."""

NAT64_LENGTHS = (32, 40, 48, 56, 64, 96)
"""How long the prefix of a translator may be (RFC 6052)."""

_ISATAP_MARKS = (0x0000_5EFE, 0x0200_5EFE)
"""How an ISATAP interface identifier begins; its second half is the IPv4 address (RFC 5214)."""


def embedded(address: IPv6Address, *, nat64_length: int | None = None) -> frozenset[IPv4Address]:
    """Every IPv4 address that `address` may lead to; empty where it has no such form.

    An address does not say how long the prefix of its NAT64 is, so it is read with each length that there is, and one
    of them is what a translator would take. With `nat64_length` known, only that reading counts.
    """
    bits = int(address)
    found: set[int] = set()
    if any(address in network for network in _LAST_32_BITS):
        found.add(bits & 0xFFFF_FFFF)
    if address in _SIX_TO_FOUR:
        found.add(bits >> 80 & 0xFFFF_FFFF)
    if address in _TEREDO:
        # the server in the clear, the client with every bit turned over
        found |= {bits >> 64 & 0xFFFF_FFFF, ~bits & 0xFFFF_FFFF}
    if is_isatap(address):
        found.add(bits & 0xFFFF_FFFF)
    if address in _NAT64:
        found |= {_nat64(bits, length) for length in NAT64_LENGTHS if nat64_length in {None, length}}
    return frozenset(map(IPv4Address, found))


def is_isatap(address: IPv6Address) -> bool:
    """Whether the interface identifier is one of ISATAP; it may stand behind any prefix."""
    return int(address) >> 32 & 0xFFFF_FFFF in _ISATAP_MARKS


def _nat64(bits: int, length: int) -> int:
    """The IPv4 address behind a prefix of `length` bits; bits 64 to 71 belong to none (RFC 6052, 2.2)."""
    if length == 96:
        return bits & 0xFFFF_FFFF
    without_gap = (bits >> 64) << 56 | bits & ((1 << 56) - 1)
    return without_gap >> (120 - length - 32) & 0xFFFF_FFFF
