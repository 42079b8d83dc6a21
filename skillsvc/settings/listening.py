"""Where a server may listen: what an address is, and which addresses only callers of this machine reach."""

import ipaddress
import re

DEFAULT_LISTEN = "127.0.0.1:50051"

_PLACE = re.compile(r"(?:\[(?P<bracketed>[0-9A-Fa-f:.]+)\]|(?P<plain>[0-9A-Za-z.-]+)):(?P<port>[0-9]{1,5})")
_UNIX = "unix:"
_LONGEST_UNIX_PATH = 107
"""Bytes that the kernel has for the path of a socket."""


def is_of_this_machine(listen: str) -> bool:
    """Tell whether only callers of this machine can reach an address: a unix socket, or a loopback address.

    A name other than `localhost` is not, whatever it stands for at the moment.
    """
    if listen.startswith(_UNIX):
        return True
    place = _PLACE.fullmatch(listen)
    if place is None:
        return False
    host = place["bracketed"] or place["plain"]
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        # Python versions differ in what they say of these.
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def fault_of(listen: str) -> str | None:
    """Return why a text is no address to listen on, None where it is one."""
    if listen.startswith(_UNIX):
        path = listen.removeprefix(_UNIX)
        if not path or "\0" in path or len(path.encode(errors="surrogateescape")) > _LONGEST_UNIX_PATH:
            return f"is {_UNIX} with a path of 1 to {_LONGEST_UNIX_PATH} bytes"
        return None
    place = _PLACE.fullmatch(listen)
    if place is None or int(place["port"]) > 0xFFFF:
        return f"is {listen}; it must be HOST:PORT, [IPV6]:PORT or unix:PATH"
    return None
