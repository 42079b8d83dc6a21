"""The canonical encoding v1, written from rules.md 5 alone, for the vectors of digests.

The vectors spell out what a digest covers in JSON: a string is a text, a number an integer, true and false a boolean,
`{"list": [...]}` a list, `{"map": {...}}` a map, and an array of these is one after the other.
"""

import hashlib
from collections.abc import Sequence


def encode(value: object) -> bytes:
    """Return the encoding of a value as a vector spells it."""
    match value:
        case bool():
            return b"\x01" if value else b"\x00"
        case int():
            return value.to_bytes(8, "big")
        case str():
            text = value.encode("utf-8")
            return len(text).to_bytes(8, "big") + text
        case [*parts]:
            return b"".join(encode(part) for part in parts)
        case {"list": [*items]}:
            return encode(len(items)) + b"".join(encode(item) for item in items)
        case {"map": dict() as pairs}:
            in_order = sorted(pairs.items(), key=lambda pair: pair[0].encode("utf-8"))
            return encode({"list": [[key, text] for key, text in in_order]})
        case _:
            raise ValueError(f"a vector cannot hold {value!r}")


def digest(domain: str, covered: Sequence[object]) -> str:
    """Return the digest of what a vector spells, under its domain."""
    return hashlib.sha256(encode(domain) + encode(list(covered))).hexdigest()
