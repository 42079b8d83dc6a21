"""COLLECTION.json: what makes a folder of skills a collection (rules.md 2)."""

import json
import re
from dataclasses import dataclass

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.parsing.document import decode
from skillsvc.parsing.text import one_line

_ID_BYTES = caps.CAPS["Skill.collection"].max_bytes
_LINE_BYTES = caps.CAPS["Collection.line"].max_bytes
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A collection's label.

    `id` is "" where the folder's name is to be used; `prompt_line` is the template of its line in a catalog text, in
    which `{count}` stands for the number of visible members, cut to what a line may have; "" where the default is to
    be used.
    """

    id: str = ""
    prompt_line: str = ""


def read_collection(data: bytes) -> Collection | Diagnostic:
    """Return a collection, or the diagnostic that says why the file makes none."""
    try:
        declared: object = json.loads(decode(data))
    except (ValueError, RecursionError):
        return _malformed("it is not valid JSON")
    if not isinstance(declared, dict):
        return _malformed("it must hold a JSON object")
    identity, prompt_line = (_text(declared.get(key, "")) for key in ("id", "prompt_line"))
    if identity is None or prompt_line is None:
        return _malformed("id and prompt_line must be texts")
    if len(identity.encode()) > _ID_BYTES:
        return _malformed(f"its id has {len(identity.encode())} bytes; at most {_ID_BYTES} are possible")
    return Collection(id=identity, prompt_line=caps.cut_text(prompt_line, _LINE_BYTES))


def _text(value: object) -> str | None:
    """Return a text on one line, None for what is none: JSON can escape half a character, which no answer can hold."""
    if not isinstance(value, str) or _HALF.search(value):
        return None
    return one_line(value)


def _malformed(fault: str) -> Diagnostic:
    return Diagnostic(
        severity=Severity.WARNING,
        code=DiagnosticCode.COLLECTION_MALFORMED,
        message=f"COLLECTION.json makes no collection: {fault}",
    )
