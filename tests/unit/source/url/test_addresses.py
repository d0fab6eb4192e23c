"""Which addresses are public: every special range, every form that stands for an IPv4 address, every exception."""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import AddressRefused, ConfigError
from eyeline.source.url.admitting import Admittance, parse_address
from eyeline.source.url.embedded import embedded
from eyeline.source.url.special import METADATA_ADDRESSES, METADATA_NAMES, SPECIAL_IPV4, SPECIAL_IPV6, Network

PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "93.184.215.14", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"),
    *("192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"),
    *("2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111"),
    *("2620:4f:7fff::1", "2620:4f:8001::1", "2a00:1450:4001::1", "3ffe::1", "3fff:1000::1"),
]
"""Addresses of the public Internet, most of them the last before a special range or the first after one."""

PASSED_BY_THE_STANDARD_LIBRARY = [
    *("64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "192.88.99.1", "224.0.0.1", "ff02::1", "fec0::1", "3fff::1"),
    *("5f00::1", "64:ff9b:1::1", "::127.0.0.1", "::ffff:0:7f00:1", "4000::1", "2620:4f:8000::1", "192.31.196.1"),
]

MARK = 0xA9FE_A9FE
"""169.254.169.254, where each form below carries it."""

FORMS = {
    "mapped": "::ffff:169.254.169.254",
    "compatible": "::169.254.169.254",
    "translated": "::ffff:0:169.254.169.254",
    "6to4": "2002:a9fe:a9fe::1",
    "teredo, server": "2001:0:a9fe:a9fe::1",
    "teredo, client": "2001:0:808:808::5601:5601",
    "isatap": "2a00:1450::5efe:169.254.169.254",
    "isatap, global": "2a00:1450::200:5efe:169.254.169.254",
    "nat64, 96": "64:ff9b::169.254.169.254",
    "nat64, 32": "64:ff9b:a9fe:a9fe::",
    "nat64, 40": "64:ff9b:a9:fea9:fe::",
    "local nat64, 48": "64:ff9b:1:a9fe:a9:fe00::",
    "local nat64, 56": "64:ff9b:1:a9:fe:a9fe::",
    "local nat64, 64": "64:ff9b:1:0:a9:fea9:fe00:0",
    "local nat64, 96": "64:ff9b:1::169.254.169.254",
}

NOBODY = Admittance.parse(())


def admits(admittance: Admittance, address: str, *, host: str = "name.example") -> bool:
    parsed = parse_address(address)
    assert parsed is not None
    try:
        admittance.check([parsed], host=host)
    except AddressRefused:
        return False
    return True


def _inside(network: Network) -> list[str]:
    size = network.num_addresses
    return [str(network[place]) for place in sorted({0, min(1, size - 1), size // 2, size - 1})]


@pytest.mark.parametrize("network", [*SPECIAL_IPV4, *SPECIAL_IPV6], ids=str)
def test_no_address_of_a_special_range_is_admitted(network: Network) -> None:
    assert [address for address in _inside(network) if admits(NOBODY, address)] == []


@pytest.mark.parametrize("address", PUBLIC)
def test_the_addresses_around_the_special_ranges_are_public(address: str) -> None:
    assert admits(NOBODY, address)


@pytest.mark.parametrize("address", PASSED_BY_THE_STANDARD_LIBRARY)
def test_what_others_take_for_public_is_refused(address: str) -> None:
    assert not admits(NOBODY, address)


@given(st.ip_addresses())
def test_nothing_is_admitted_that_the_standard_library_calls_private(address: IPv4Address | IPv6Address) -> None:
    assert ipaddress.ip_address(str(address)).is_global or not admits(NOBODY, str(address))


@given(st.ip_addresses(v=6).filter(lambda address: address not in IPv6Network("2000::/3")))
def test_only_the_space_that_is_given_out_is_admitted(address: IPv6Address) -> None:
    assert not admits(NOBODY, str(address))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_ipv4_address_is_read_and_refused(form: str) -> None:
    assert IPv4Address(MARK) in embedded(IPv6Address(FORMS[form]))
    assert not admits(NOBODY, FORMS[form])


@pytest.mark.parametrize("form", FORMS)
def test_a_metadata_service_inside_another_address_is_not_opened_by_allowing_everything_around_it(form: str) -> None:
    everything = Admittance.parse(("::/0", "0.0.0.0/0", "name.example"))
    assert not admits(everything, FORMS[form])


@pytest.mark.parametrize(
    ("length", "address"),
    [
        (32, "64:ff9b:c000:221::"),
        (40, "64:ff9b:1c0:2:21::"),
        (48, "64:ff9b:122:c000:2:2100::"),
        (56, "64:ff9b:122:3c0:0:221::"),
        (64, "64:ff9b:122:344:c0:2:2100::"),
        (96, "64:ff9b:122:344::192.0.2.33"),
    ],
)
def test_an_address_behind_a_translator_is_read_by_the_length_of_its_prefix(length: int, address: str) -> None:
    assert embedded(IPv6Address(address), nat64_length=length) == {IPv4Address("192.0.2.33")}


@given(st.ip_addresses(v=6, network="2a00::/16"))
def test_an_ordinary_address_stands_for_no_other(address: IPv6Address) -> None:
    marks = (0x0000_5EFE, 0x0200_5EFE)
    assert (embedded(address) == frozenset()) == (int(address) >> 32 & 0xFFFF_FFFF not in marks)


@pytest.mark.parametrize(
    ("allowed", "address", "is_admitted"),
    [
        # an address and a network open themselves
        ("10.1.2.3", "10.1.2.3", True),
        ("10.1.2.3", "10.1.2.4", False),
        ("10.1.0.0/16", "10.1.255.255", True),
        ("10.1.0.0/16", "10.2.0.0", False),
        ("fd00:1::/64", "fd00:1::5", True),
        ("fd00:1::/64", "fd00:2::5", False),
        # not the other forms of them
        ("127.0.0.1", "::ffff:127.0.0.1", False),
        ("10.1.0.0/16", "64:ff9b::10.1.0.1", False),
        # the network of a translator opens what is public behind it
        ("64:ff9b::/96", "64:ff9b::8.8.8.8", True),
        ("64:ff9b::/96", "64:ff9b::10.1.0.1", False),
        ("64:ff9b:1::/48", "64:ff9b:1:808:8:800::", True),
        ("64:ff9b:1::/48", "64:ff9b:1:7f00:0:100:dead:beef", False),
        ("64:ff9b:1:ffff::/96", "64:ff9b:1:ffff::8.8.8.8", True),
        # any of the readings may be the translator's where the prefix is not said
        ("64:ff9b::/33", "64:ff9b::8.8.8.8", False),
        # a host name opens what it leads to
        ("name.example", "10.1.2.3", True),
        ("NAME.example.", "::1", True),
        ("other.example", "10.1.2.3", False),
        # but no metadata service
        ("name.example", "169.254.169.254", False),
        ("169.254.0.0/16", "169.254.169.254", False),
        ("169.254.0.0/16", "169.254.1.1", True),
        ("fd00::/8", "fd00:ec2::254", False),
        ("100.64.0.0/10", "100.100.100.200", False),
        ("169.254.169.254", "169.254.169.254", True),
        ("169.254.169.254/32", "169.254.169.254", True),
        ("fd00:ec2::254", "fd00:ec2::254", True),
    ],
)
def test_what_is_allowed_opens_exactly_that(allowed: str, address: str, *, is_admitted: bool) -> None:
    assert admits(Admittance.parse((allowed,)), address) == is_admitted


def test_two_entries_open_what_neither_does_alone() -> None:
    both = Admittance.parse(("64:ff9b::/96", "10.1.0.0/16"))
    assert admits(both, "64:ff9b::10.1.0.1")
    assert not admits(both, "64:ff9b::10.2.0.1")


@pytest.mark.parametrize("address", sorted(map(str, METADATA_ADDRESSES)))
def test_no_metadata_service_is_admitted_unless_it_is_named(address: str) -> None:
    assert not admits(NOBODY, address)
    assert not admits(Admittance.parse(("0.0.0.0/0", "::/0", "name.example")), address)
    assert admits(Admittance.parse((address,)), address)


@pytest.mark.parametrize("name", sorted(METADATA_NAMES))
def test_no_name_of_a_metadata_service_is_admitted_unless_it_is_named(name: str) -> None:
    with pytest.raises(AddressRefused):
        Admittance.parse(("169.254.169.254",)).check_host(name, None, is_looked_up=True)
    Admittance.parse((name,)).check_host(name, None, is_looked_up=True)


@pytest.mark.parametrize("name", ["localhost", "some.localhost"])
def test_this_machine_is_not_asked_for_through_a_proxy(name: str) -> None:
    with pytest.raises(AddressRefused):
        NOBODY.check_host(name, None, is_looked_up=False)
    Admittance.parse((name,)).check_host(name, None, is_looked_up=False)


@pytest.mark.parametrize(
    "entry", ["", "10.1.2.3/8", "10.1.2", "http://x", "a b", "[::1]", "*.example", "fe80::1%2", "x:1"]
)
def test_an_entry_that_says_nothing_is_a_setting_that_cannot_be_used(entry: str) -> None:
    with pytest.raises(ConfigError):
        Admittance.parse((entry,))


@pytest.mark.parametrize("text", ["fe80::1%eth0", "2a00::1%1", "", "name", "127.1"])
def test_an_answer_with_a_zone_or_none_at_all_is_no_address(text: str) -> None:
    assert parse_address(text) is None


def test_every_metadata_address_is_written_once_and_canonically() -> None:
    assert all(ip_address(str(address)) == address for address in METADATA_ADDRESSES)
