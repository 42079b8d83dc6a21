"""How the faults that pydantic finds in tables are told: in the words of the file."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from json import dumps
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from skillsvc.domain.caps import fits_skill_name
from skillsvc.settings.lowering import not_known
from skillsvc.settings.refusal import Fault, Faults, Place
from skillsvc.settings.sources import SOURCE_TABLES

_SHOWN = 64
"""Characters up to which a wrong text is told."""
_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "bool_type": "must be true or false",
        "dict_type": "must be a table",
        "enum": "must be {expected}",
        "finite_number": "must be finite",
        "float_type": "must be a number",
        "greater_than": "must be more than {gt:g}",
        "greater_than_equal": "must be at least {ge:g}",
        "less_than_equal": "must be at most {le:g}",
        "int_type": "must be a whole number",
        "literal_error": "must be {expected}",
        "mapping_type": "must be a table",
        "missing": "is missing",
        "model_attributes_type": "must be a table",
        "model_type": "must be a table",
        "path_type": "must be text",
        "string_pattern_mismatch": "must be the name of a variable",
        "string_type": "must be text",
        "string_unicode": "must be text",
        "tuple_type": "must be a list",
    }
)
"""By the stable types of pydantic."""


def faults_of(error: ValidationError, model: type[BaseModel]) -> Iterator[Fault]:
    """Yield each fault of a whole file, of which `model` is the model, with its place in the file."""
    for detail in error.errors():
        place = _place_of(detail["loc"])
        wrong = detail.get("ctx", {}).get("error")
        if isinstance(wrong, Faults):
            for sentence, within in wrong.faults:
                yield Fault(sentence, place + within)
        elif detail["type"] == "extra_forbidden":
            yield Fault(_not_known(detail["loc"], model), place)
        elif detail["type"] == "union_tag_invalid":
            kinds = ", ".join(map(repr, SOURCE_TABLES))
            yield Fault(f"must be one of {kinds}", (*place, "kind"))
        else:
            yield Fault(_sentence(detail, place), place)


def name_of(place: Place, tables: Mapping[str, object]) -> str:
    """Return what a fault is about, as the file spells it: `[server] listen`, `[[source]] 2 tools: layout`.

    What is in a list is counted from 1.
    """
    match place:
        case ("source" | "access" as name, int() as index, *rest):
            table = f"[[{name}]] {index + 1}{_label_of(index, tables.get(name))}"
        case ("source" | "access" as name, *rest):
            table = f"[[{name}]]"
        case ("identity", "issuer", int() as index, *rest):
            issuers = identity.get("issuer") if isinstance(identity := tables.get("identity"), dict) else None
            table = f"[[identity.issuer]] {index + 1}{_label_of(index, issuers)}"
        case ("identity", "issuer", *rest):
            table = "[[identity.issuer]]"
        case ("identity", "tokens" | "proxy" as name, *rest):
            table = f"[identity.{name}]"
        case (
            "server"
            | "limits"
            | "conventional"
            | "tls"
            | "admin"
            | "health"
            | "connections"
            | "fairness"
            | "experience"
            | "readiness"
            | "identity" as name,
            *rest,
        ):
            table = f"[{name}]"
        case _:
            table, rest = "", list(place)
    keys = ".".join(str(step + 1) if isinstance(step, int) else step for step in rest)
    return " ".join(filter(None, (table, keys)))


def _label_of(index: int, listed: object) -> str:
    """Return the label of a table in a list after its number, where it has one."""
    table = listed[index] if isinstance(listed, list) else None
    name = table.get("name") if isinstance(table, dict) else None
    return f" {name}:" if isinstance(name, str) and fits_skill_name(name) else ""


def _place_of(place: Place) -> Place:
    """Return a place without the kind that pydantic puts after the number of a source."""
    match place:
        case ("source", int() as index, str() as kind, *rest) if kind in SOURCE_TABLES:
            return ("source", index, *rest)
        case _:
            return place


def _sentence(detail: ErrorDetails, place: Place) -> str:
    if place in {("source",), ("access",), ("identity", "issuer")}:
        return f"must be tables, each begun by [[{'.'.join(map(str, place))}]]"
    sentence = _SENTENCES.get(detail["type"], detail["msg"]).format_map(detail.get("ctx", {}))
    return f"{sentence}{_as_meant(detail)}"


def _as_meant(detail: ErrorDetails) -> str:
    """Return what goes behind a sentence: what may have been meant by the text that stands there."""
    value = detail["input"]
    if not isinstance(value, str) or len(value) > _SHOWN:
        return ""
    if detail["type"] == "tuple_type":
        return f", such as [{dumps(value, ensure_ascii=False)}]"
    if detail["type"] not in {"enum", "literal_error"}:
        return ""
    possible = re.findall("'([^']*)'", detail.get("ctx", {}).get("expected", ""))
    near = get_close_matches(value, possible, n=1)
    return f"; is {near[0]!r} meant?" if near else ""


def _not_known(place: Place, model: type[BaseModel]) -> str:
    match place:
        case ("source", int(), str() as kind, str() as name) if any(
            name in other.model_fields for other in SOURCE_TABLES.values()
        ):
            return f"is no key of the kind {kind}"
        case _:
            return not_known(str(place[-1]), _known_at(place[:-1], model))


def _known_at(place: Place, model: type[BaseModel]) -> Mapping[str, Any]:
    """Return the keys that are known at a place."""
    at = model
    for step in place:
        if isinstance(step, str) and step in at.model_fields:
            annotation = at.model_fields[step].annotation
            tables = [kind for kind in (annotation, *get_args(annotation)) if _is_table(kind)]
            at = tables[0] if tables else at
        elif isinstance(step, str):
            at = SOURCE_TABLES.get(step, at)
    return at.model_fields


def _is_table(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
