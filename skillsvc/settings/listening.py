"""Where a server may listen: what an address is, and which addresses only callers of this machine reach."""

import ipaddress
import re
from collections.abc import Iterator, Mapping

from skillsvc.settings.refusal import Fault

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


def is_of_both_families(listen: str) -> bool:
    """Tell whether callers reach an address by IPv4 and by IPv6: gRPC takes the one of all interfaces for both."""
    place = _PLACE.fullmatch(listen)
    if place is None:
        return False
    try:
        return ipaddress.ip_address(place["bracketed"] or place["plain"]).is_unspecified
    except ValueError:
        return False


def fault_of(listen: str) -> str | None:
    """Return why a text is no address to listen on, None where it is one."""
    if listen.startswith(_UNIX):
        path = listen.removeprefix(_UNIX)
        if not path or "\0" in path or len(path.encode(errors="surrogateescape")) > _LONGEST_UNIX_PATH:
            return f"is {_UNIX} with a path of 1 to {_LONGEST_UNIX_PATH} bytes"
        return None
    return None if _is_place(listen) else f"is {listen}; it must be HOST:PORT, [IPV6]:PORT or unix:PATH"


def fault_of_place(listen: str) -> str | None:
    """Return why a text is no port to listen on, None where it is one."""
    return None if _is_place(listen) else f"is {listen}; it must be HOST:PORT or [IPV6]:PORT"


def exposure_of(tables: Mapping[str, object]) -> Iterator[Fault]:
    """Yield where tables would have anybody reach the server in plaintext, or without being asked who they are."""
    is_judged = bool(tables.get("access"))
    server, admin = _table(tables.get("server")), _table(tables.get("admin"))
    listen = server.get("listen")
    # Where something else is wrong with a key of these, that is told first.
    if (
        isinstance(listen, str)
        and fault_of(listen) is None
        and server.get("insecure", False) is False
        and not is_of_this_machine(listen)
        and not (is_judged and "tls" in tables)
    ):
        yield Fault(
            f"is {listen}; without TLS and access rules the server listens on loopback or a unix socket only: "
            "use 127.0.0.1:PORT or unix:PATH, give [tls] and an [[access]], or say --insecure",
            ("server", "listen"),
        )
    if admin.get("listen") is not None and not (is_judged and ("tls" in tables or "tls" in admin)):
        yield Fault(
            "is for operators of other machines, which needs TLS and access rules: give [tls] and an [[access]]; "
            "the socket admin.sock in the data folder needs neither",
            ("admin", "listen"),
        )
    identity = _table(tables.get("identity"))
    if admin.get("socket") == "identified" and not (is_judged and ("tokens" in identity or identity.get("issuer"))):
        yield Fault(
            "is identified, which lets nobody in: give an [[access]], and [identity.tokens] or an [[identity.issuer]], "
            "since no certificate comes by a socket",
            ("admin", "socket"),
        )


def faults_of_places(tables: Mapping[str, object]) -> Iterator[Fault]:
    """Yield where two listeners would be at one address."""
    said = {
        "server": _table(tables.get("server")).get("listen", DEFAULT_LISTEN),
        "admin": _table(tables.get("admin")).get("listen"),
        "health": _table(tables.get("health")).get("listen"),
    }
    seen: list[tuple[str, str]] = []
    for table, listen in said.items():
        if not isinstance(listen, str):
            continue
        if other := next((name for name, there in seen if _are_one(there, listen)), None):
            yield Fault(f"is {listen}, where [{other}] listens; give it another port", (table, "listen"))
        seen.append((table, listen))


def _are_one(one: str, other: str) -> bool:
    first, second = _PLACE.fullmatch(one), _PLACE.fullmatch(other)
    if first is None or second is None:
        return False
    hosts = {(each["bracketed"] or each["plain"]).lower() for each in (first, second)}
    # Port 0 is any that is free.
    is_one_port = int(first["port"]) == int(second["port"]) != 0
    return is_one_port and (len(hosts) == 1 or is_of_both_families(one) or is_of_both_families(other))


def _is_place(listen: str) -> bool:
    place = _PLACE.fullmatch(listen)
    return place is not None and int(place["port"]) <= 0xFFFF


def _table(value: object) -> Mapping[str, object]:
    """Return a table; what is none is told elsewhere."""
    return value if isinstance(value, dict) else {}
