"""JSON that says one thing to every reader: no key twice, no number that is none, no half characters."""

import json
from typing import NoReturn


class JsonRefused(ValueError):
    """It is no JSON object, or one that readers understand differently."""


def read_object(data: bytes) -> dict[str, object]:
    """Return the JSON object that bytes are.

    Raises:
        JsonRefused: It is something else.
    """
    try:
        value: object = json.loads(data.decode(), object_pairs_hook=_object, parse_constant=_refuse)
        # What JSON escapes may be half a character, which can be neither compared with a text nor logged.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise JsonRefused("it is no JSON, or not for every reader the same") from error
    if not isinstance(value, dict):
        raise JsonRefused("it is no JSON object")
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise JsonRefused("a key stands twice in it")
    return values


def _refuse(_text: str) -> NoReturn:
    raise JsonRefused("it holds a number that is none")
