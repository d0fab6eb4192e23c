"""Which hosts and addresses may be connected to, with what an operator allows beyond the public ones."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Self

from eyeline.errors import AddressRefused, ConfigError, UrlRefused
from eyeline.source.url.embedded import NAT64_LENGTHS, embedded, is_isatap
from eyeline.source.url.hostname import parse_host
from eyeline.source.url.special import METADATA_ADDRESSES, METADATA_NAMES, is_special

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyeline.source.url.special import Address, Network


@dataclass(frozen=True, slots=True)
class Admittance:
    """Hosts and networks that may be private. Everything else must be public."""

    names: frozenset[str]
    networks: tuple[Network, ...]

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Self:
        """From names, addresses and networks; `ConfigError` for what is none of them."""
        names: set[str] = set()
        networks: list[Network] = []
        for entry in entries:
            try:
                # a zone, which the standard library would drop, makes it none
                networks.append(ip_network("" if "%" in entry else entry))
            except ValueError:
                names.add(_name(entry))
        return cls(frozenset(names), tuple(networks))

    def check_host(self, host: str, address: Address | None, *, is_looked_up: bool) -> None:
        """What can be said without a look-up, which a proxy does out of our sight: addresses, and names that say it."""
        if address is not None:
            self.check([address], host=host)
        elif host not in self.names:
            is_local = not is_looked_up and host.rpartition(".")[2] == "localhost"
            if is_local or host in METADATA_NAMES:
                raise _refused()

    def check(self, addresses: Iterable[Address], *, host: str) -> None:
        """`AddressRefused` unless every one of the addresses of `host` may be connected to."""
        if not all(self._admits(address, host=host) for address in addresses):
            raise _refused()

    def _admits(self, address: Address, *, host: str) -> bool:
        """Whether an address and each IPv4 address that it stands for may be connected to.

        A metadata service must be named itself: no wider network and no host name opens it.
        """
        faces = {address, *embedded(address)} if isinstance(address, IPv6Address) else {address}
        if not all(self._names(each) for each in faces & METADATA_ADDRESSES):
            return False
        if host in self.names:
            return True
        covering = [network for network in self.networks if address in network]
        if not covering:
            return not is_special(address) and not (isinstance(address, IPv6Address) and is_isatap(address))
        return any(self._inside_admitted(address, network) for network in covering)

    def _inside_admitted(self, address: Address, network: Network) -> bool:
        """Whether the IPv4 addresses inside are public or allowed themselves; the network says where they stand."""
        if not isinstance(address, IPv6Address):
            return True
        length = network.prefixlen if network.prefixlen in NAT64_LENGTHS else None
        return all(
            not is_special(each) or any(each in allowed for allowed in self.networks)
            for each in embedded(address, nat64_length=length)
        )

    def _names(self, address: Address) -> bool:
        return any(
            network.prefixlen == network.max_prefixlen and network.network_address == address
            for network in self.networks
        )


def parse_address(text: str) -> Address | None:
    """An address of a look-up; None for one with a zone, which names a link of this machine, and for anything else."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def _name(entry: str) -> str:
    try:
        host, address = parse_host(entry)
    except UrlRefused as exc:
        raise _unusable(entry) from exc
    if address is not None:
        raise _unusable(entry)
    return host


def _unusable(entry: str) -> ConfigError:
    return ConfigError(
        f"{entry!r} in allow_private_hosts is neither a host name, nor an address, nor a network",
        hint="write intranet.example, 10.1.2.3, 10.1.0.0/16 or fd00:1::/64",
        setting="allow_private_hosts",
    )


def _refused() -> AddressRefused:
    return AddressRefused(
        "the URL leads to an address that is never fetched: private, local, special or of a metadata service",
        hint="whoever runs Eyeline can name the host in `allow_private_hosts`",
    )
