"""The JSON Schema of a skillsvc.toml, for editors and for whoever writes one by a program."""

import json
from dataclasses import fields
from typing import Any

from skillsvc.domain.limits import Limits
from skillsvc.settings.lowering import OF_A_SOURCE
from skillsvc.settings.settings import Settings
from skillsvc.settings.sources import SOURCE_TABLES

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> str:
    """Return the schema as JSON.

    It says less than `skillsvc config check`: what depends on several keys, or on this machine, is for that one.
    """
    written: dict[str, Any] = {"$schema": _DIALECT, **Settings.model_json_schema()}
    written["title"] = "skillsvc.toml"
    written["properties"]["limits"] = {**written["properties"]["limits"], **_limits(None)}
    for model in SOURCE_TABLES.values():
        properties = written["$defs"][model.__name__]["properties"]
        properties["limits"] = {**properties["limits"], **_limits(OF_A_SOURCE)}
    return json.dumps(_plain(written), indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:  # noqa: ANN401 - a schema is JSON of any kind
    """Return a schema without what TOML cannot say, and without titles that are the names of the keys again."""
    match value:
        case {"anyOf": [meant, {"type": "null"}], **rest}:
            return _plain({**{key: held for key, held in rest.items() if key != "default"}, **meant})
        case {"properties": dict(properties), **rest}:
            return {**_plain(rest), "properties": {key: _plain(_untitled(held)) for key, held in properties.items()}}
        case dict():
            return {key: _plain(held) for key, held in value.items() if held is not None}
        case list():
            return [_plain(held) for held in value]
        case _:
            return value


def _untitled(schema_of_key: dict[str, Any]) -> dict[str, Any]:
    return {key: held for key, held in schema_of_key.items() if key != "title"}


def _limits(names: frozenset[str] | None) -> dict[str, Any]:
    """Return what limits are: all of them, or those of these names."""
    kinds = {int: "integer", float: "number"}
    known = {
        field.name: {"type": kinds[type(field.default)], "exclusiveMinimum": 0}
        for field in fields(Limits)
        if names is None or field.name in names
    }
    return {"additionalProperties": False, "properties": known}
