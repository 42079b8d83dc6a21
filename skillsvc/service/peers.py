"""Peers: from which address a call comes, as far as it is of use to count by. It never says who calls."""

import ipaddress
from typing import Final
from urllib.parse import unquote

_HOME_BITS: Final = 64
"""Whoever has one address of IPv6 has all that share its first half."""


def address_of(peer: str) -> str:
    """Return the address in a peer as gRPC tells it, without the port: `192.0.2.1`, `2001:db8::/64`, `::1`, `unix`."""
    kind, _, place = peer.partition(":")
    if kind not in {"ipv4", "ipv6"}:
        return kind
    host = unquote(place).rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return kind
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    if address.is_loopback:
        # No network has it, and `::/64` would read as nobody's.
        return str(address)
    return str(ipaddress.IPv6Network((address, _HOME_BITS), strict=False))
