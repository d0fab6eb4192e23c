"""Addresses that are not somebody's place on the public Internet.

From the special-purpose registries of IANA for IPv4 and IPv6, and what they leave out: multicast, reserved and
unallocated space, and the forms in which an IPv6 address stands for an IPv4 one. Kept here because the standard
library calls several of them global.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

SPECIAL_IPV4 = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("10.0.0.0/8"): "private use",
    IPv4Network("100.64.0.0/10"): "shared by the customers of a carrier",
    IPv4Network("127.0.0.0/8"): "loopback",
    IPv4Network("169.254.0.0/16"): "link-local, metadata services among them",
    IPv4Network("172.16.0.0/12"): "private use",
    IPv4Network("192.0.0.0/24"): "protocol assignments",
    IPv4Network("192.0.2.0/24"): "documentation",
    IPv4Network("192.31.196.0/24"): "sink for reverse look-ups",
    IPv4Network("192.52.193.0/24"): "multicast tunnelling",
    IPv4Network("192.88.99.0/24"): "relays of 6to4",
    IPv4Network("192.168.0.0/16"): "private use",
    IPv4Network("192.175.48.0/24"): "sink for reverse look-ups",
    IPv4Network("198.18.0.0/15"): "benchmarks",
    IPv4Network("198.51.100.0/24"): "documentation",
    IPv4Network("203.0.113.0/24"): "documentation",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved, broadcast among them",
}

SPECIAL_IPV6 = {
    IPv6Network("::/128"): "unspecified",
    IPv6Network("::1/128"): "loopback",
    IPv6Network("::/96"): "IPv4-compatible",
    IPv6Network("::ffff:0:0/96"): "IPv4-mapped",
    IPv6Network("::ffff:0:0:0/96"): "IPv4-translated",
    IPv6Network("64:ff9b::/96"): "NAT64",
    IPv6Network("64:ff9b:1::/48"): "NAT64 of a local network",
    IPv6Network("100::/64"): "discard only",
    IPv6Network("100:0:0:1::/64"): "dummy",
    IPv6Network("2001::/23"): "protocol assignments, Teredo among them",
    IPv6Network("2001:db8::/32"): "documentation",
    IPv6Network("2002::/16"): "6to4",
    IPv6Network("2620:4f:8000::/48"): "sink for reverse look-ups",
    IPv6Network("3fff::/20"): "documentation",
    IPv6Network("5f00::/16"): "segment routing",
    IPv6Network("fc00::/7"): "unique local",
    IPv6Network("fe80::/10"): "link-local",
    IPv6Network("fec0::/10"): "site-local",
    IPv6Network("ff00::/8"): "multicast",
}

GLOBAL_UNICAST = IPv6Network("2000::/3")
"""The only IPv6 space that is given out; whatever lies outside is special, listed or not."""

METADATA_ADDRESSES = frozenset(
    {
        IPv4Address("100.100.100.200"),  # Alibaba Cloud
        IPv4Address("168.63.129.16"),  # Azure; a public address that leads to the host of the machine
        IPv4Address("169.254.0.23"),  # Tencent Cloud
        IPv4Address("169.254.169.123"),  # Amazon, time
        IPv4Address("169.254.169.249"),  # Amazon, software licences
        IPv4Address("169.254.169.250"),  # Amazon, software licences
        IPv4Address("169.254.169.253"),  # Amazon, names
        IPv4Address("169.254.169.254"),  # nearly every cloud
        IPv4Address("169.254.170.2"),  # Amazon, containers
        IPv4Address("169.254.170.23"),  # Amazon, pods
        IPv4Address("192.0.0.192"),  # Oracle Cloud
        IPv6Address("fd00:42::42"),  # Scaleway
        IPv6Address("fd00:ec2::23"),  # Amazon, pods
        IPv6Address("fd00:ec2::123"),  # Amazon, time
        IPv6Address("fd00:ec2::250"),  # Amazon, software licences
        IPv6Address("fd00:ec2::253"),  # Amazon, names
        IPv6Address("fd00:ec2::254"),  # Amazon
        IPv6Address("fd20:ce::254"),  # Google Cloud
        IPv6Address("fe80::a9fe:a9fe"),  # OpenStack
    }
)
"""Where a cloud hands out what its machines are and may do."""

METADATA_NAMES = frozenset(
    {
        "instance-data",
        "instance-data.ec2.internal",
        "metadata",
        "metadata.azure.internal",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.oraclecloud.com",
        "metadata.platformequinix.com",
        "metadata.tencentyun.com",
    }
)
"""Names of the same services. Through a proxy they are all there is to go by."""


def is_special(address: Address) -> bool:
    """Whether an address is none of the public Internet."""
    if isinstance(address, IPv4Address):
        return any(address in network for network in SPECIAL_IPV4)
    return address not in GLOBAL_UNICAST or any(address in network for network in SPECIAL_IPV6)
