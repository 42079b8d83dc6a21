"""COLLECTION.json: what makes a folder of skills a collection (rules.md 2)."""

import json
import re
from dataclasses import dataclass

from skillsvc.domain import caps
from skillsvc.domain.collection import CollectionLabel
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.parsing.text import one_line, shown

FILE_NAME = "COLLECTION.json"
_ID_BYTES = caps.CAPS["Skill.collection"].max_bytes
_LINE_BYTES = caps.CAPS["Collection.line"].max_bytes
_HALF = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionReading:
    """What reading a COLLECTION.json came to: `label` is None where it makes none, and `diagnostics` say why."""

    label: CollectionLabel | None
    diagnostics: tuple[Diagnostic, ...] = ()


class _Unfit(Exception):
    """The file makes no collection. The message says why."""


def read_collection(data: bytes) -> CollectionReading:
    """Read a COLLECTION.json: a JSON object whose `id` and `prompt_line` are texts; what else is in it is its author's.

    Texts that are too long are cut, and that is told.
    """
    try:
        declared = _parse(data)
        said: list[Diagnostic] = []
        label = CollectionLabel(
            id=_text(declared, "id", _ID_BYTES, said),
            prompt_line=_text(declared, "prompt_line", _LINE_BYTES, said),
        )
    except _Unfit as fault:
        malformed = _warning(DiagnosticCode.COLLECTION_MALFORMED, f"{FILE_NAME} makes no collection: {fault}")
        return CollectionReading(label=None, diagnostics=(malformed,))
    return CollectionReading(label=label, diagnostics=tuple(said))


def _parse(data: bytes) -> dict[str, object]:
    try:
        # Numbers are nothing here, and one of 5,000 digits is no fault of the file's.
        declared: object = json.loads(
            data.decode().removeprefix("\ufeff"),
            object_pairs_hook=_object,
            parse_int=float,
        )
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _Unfit(f"it is not UTF-8 at line {line}") from None
    except json.JSONDecodeError as error:
        raise _Unfit(f"it is no JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise _Unfit("it is nested too deeply") from None
    if not isinstance(declared, dict):
        raise _Unfit("it must hold a JSON object")
    return declared


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object; of a key that stands in it twice nobody can tell which is meant."""
    values: dict[str, object] = {}
    for key, value in pairs:
        if key in values:
            raise _Unfit(f"the key {shown(_HALF.sub(_REPLACEMENT, key))} stands twice in one object")
        values[key] = value
    return values


def _text(declared: dict[str, object], key: str, max_bytes: int, said: list[Diagnostic]) -> str:
    """Return a text on one line, "" where there is none: JSON can escape half a character, which no answer can hold."""
    value = declared.get(key, "")
    if not isinstance(value, str):
        raise _Unfit(f"{key} must be a text")
    if _HALF.search(value):
        raise _Unfit(f"{key} holds half a character")
    text = one_line(value)
    cut = caps.cut_text(text, max_bytes)
    if cut != text:
        message = f"{key} of {FILE_NAME} has {len(text.encode())} bytes and is cut to {max_bytes}"
        said.append(_warning(DiagnosticCode.FIELD_CUT, message))
    return cut


def _warning(code: DiagnosticCode, message: str) -> Diagnostic:
    return Diagnostic(severity=Severity.WARNING, code=code, message=message)
