"""Which addresses a server may be sent to by what it reads: none of its own network, unless an operator names it.

A URL in an index, a redirect or an answer of the name service is a stranger's word. What it must not reach is what
only this machine can reach: itself, its neighbours, and the services that tell a cloud's machine its secrets.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

_Address = IPv4Address | IPv6Address

# Written out, since what the standard library takes for global differs between its versions.
_CLOSED_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network; Linux takes 0.0.0.0 for itself
            "10.0.0.0/8",
            "100.64.0.0/10",  # carriers' own; one cloud's metadata
            "127.0.0.0/8",
            "168.63.129.16/32",  # looks public, and is a cloud's service to each of its machines
            "169.254.0.0/16",  # link-local; the metadata of most clouds
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
_OPEN_6: Final = IPv6Network("2000::/3")
_CLOSED_6: Final = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
_TRANSLATED_6: Final = IPv6Network("64:ff9b::/96")
_LAST_4_BYTES: Final = 0xFFFF_FFFF


class AddressRefused(Exception):
    """A host has an address to which nothing is sent."""


class AddressGuard:
    """Judges addresses; the very one connected to must be given, so that a name cannot change its meaning after."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        """Allow beside the public addresses what `allowed` names: hosts, single addresses or networks (`10.1.0.0/16`).

        Raises:
            ValueError: One of these is a network that is none.
        """
        self._hosts: set[str] = set()
        self._networks: list[IPv4Network | IPv6Network] = []
        for text in allowed:
            try:
                self._networks.append(ip_network(text.strip("[]"), strict=False))
            except ValueError:
                if "/" in text:
                    raise
                self._hosts.add(host_name(text))

    def check(self, host: str, address: str) -> None:
        """Return where `address`, which is one of `host`'s, may be connected to.

        Raises:
            AddressRefused: It is of a private network, of this machine, or of no single machine at all.
        """
        if host_name(host) in self._hosts:
            return
        try:
            found = _plain(ip_address(address))
        except ValueError:
            raise AddressRefused("has an address that is none") from None
        if any(found in network for network in self._networks):
            return
        if not _is_public(found):
            raise AddressRefused("has an address that is not public; name it in allow_addresses if that is meant")


def host_name(host: str) -> str:
    """Return a host's name as it is compared: in lower case, without the dot at its end."""
    return host.lower().removesuffix(".")


def _plain(address: _Address) -> _Address:
    """Return the IPv4 address that an IPv6 address stands for, where it does: it is where packets go in the end."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _TRANSLATED_6:
            return IPv4Address(int(address) & _LAST_4_BYTES)
    return address


def _is_public(address: _Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    return address in _OPEN_6 and not any(address in network for network in _CLOSED_6)
