"""Names that a command is given: what fits no grammar is told at once, with the rule, before any server is asked."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from skillsvc.cli.output import USAGE, fail
from skillsvc.domain.caps import CAPS, fits_asset_name, fits_skill_reference

_SKILL_NAME = "a lower-case letter or digit, then up to 63 of those, `_` or `-`"
_REFERENCE = f"{_SKILL_NAME}; or two such, a source's and a skill's, joined by `/`"
_ASSET_BYTES = CAPS["Asset.name"].max_bytes
_ASSET_NAME = (
    "segments joined by `/`, none of them empty, `.` or `..`, without backslash and control characters, "
    f"{_ASSET_BYTES} bytes at most"
)
_SUGGESTED = 3
_ALIKE = 0.7
"""How alike a name must be to be told, from 0 to 1."""
_HOST = r"(?:\[[^\[\]]*\]|[^:/\[\]]+)"
_ADDRESS = re.compile(rf"(?:unix|unix-abstract|dns|ipv4|ipv6):.+|{_HOST}:[0-9]{{1,5}}", re.DOTALL)
"""What begins with a scheme is left to gRPC."""


def check_reference(name: str) -> None:
    """End the command where a text is no name of a skill, and no `SOURCE/NAME`."""
    if not fits_skill_reference(name):
        fail(f"{name!r} is no name of a skill: {_REFERENCE} (NAME_MALFORMED)", USAGE)


def check_asset_name(name: str) -> None:
    """End the command where a text is no name of an asset."""
    if not fits_asset_name(name) or len(name.encode(errors="surrogateescape")) > _ASSET_BYTES:
        fail(f"{name!r} is no name of an asset: {_ASSET_NAME} (ASSET_NAME_MALFORMED)", USAGE)


def check_address(address: str) -> None:
    """End the command where an address cannot be one."""
    if _ADDRESS.fullmatch(address) is None:
        lacks = "has no port" if re.fullmatch(_HOST, address) else "is no address"
        fail(f"{address} {lacks}: say HOST:PORT, [IPV6]:PORT or unix:PATH", USAGE)


def near(name: str, listed: Iterable[str]) -> list[str]:
    """Return the names that somebody may have meant, the nearest first."""
    return get_close_matches(name.rpartition("/")[2], listed, _SUGGESTED, _ALIKE)
