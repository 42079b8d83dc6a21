"""SPIFFE ids, as the SPIFFE specification writes them: nothing in them is encoded, so each has one spelling."""

import re
from typing import Final

_MAX_BYTES: Final = 2048
_MAX_TRUST_DOMAIN: Final = 255
_ID: Final = re.compile(r"spiffe://(?P<domain>[a-z0-9._-]+)(?P<path>(?:/[A-Za-z0-9._-]+)+)")
_DOTS: Final = frozenset({".", ".."})


def is_spiffe_id(text: str) -> bool:
    """Tell whether a text is the id of a workload: a trust domain and a path."""
    found = _ID.fullmatch(text) if len(text) <= _MAX_BYTES else None
    if found is None or len(found["domain"]) > _MAX_TRUST_DOMAIN:
        return False
    return _DOTS.isdisjoint(found["path"].split("/"))
