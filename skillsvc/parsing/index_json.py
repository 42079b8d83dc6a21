"""The JSON of an index from outside: its entries, in the values of plain YAML, each text as its author spelt it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.plain_yaml import Plain
from skillsvc.parsing.text import one_line, shown

_DIGEST_PREFIX = "sha256:"
_SAID = 100
_TRUTHS = {True: "true", False: "false"}


class IndexMalformed(Exception):
    """An index is none, as a whole. The message says why, and where that is known the line."""


class EntryRefused(Exception):
    """One entry of an index is left out, for one reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawIndex:
    """The fields of an index beside its entries, and the entries, which may be anything."""

    fields: Mapping[str, object]
    entries: Sequence[object]


class _Doubled(dict[str, object]):
    """An object in which the key `doubled` stands twice."""

    doubled = ""


def read_index(data: bytes, limits: Limits) -> RawIndex:
    """Read an index: a JSON object whose `skills` is a list.

    Raises:
        IndexMalformed: It is something else, or has more entries than a layer may have skills.
    """
    try:
        # Numbers stay as they are spelt: a version of 1.10 is not one of 1.1.
        index: object = json.loads(
            data.decode().removeprefix("\ufeff"),
            object_pairs_hook=_object,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
        )
    except UnicodeDecodeError:
        raise IndexMalformed("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        page = ", but looks like a web page" if data.lstrip()[:1] == b"<" else ""
        raise IndexMalformed(f"it is no JSON at line {error.lineno}{page}") from None
    except RecursionError:
        raise IndexMalformed("it is nested too deeply") from None
    if not isinstance(index, dict):
        raise IndexMalformed("it is no JSON object")
    if isinstance(index, _Doubled):
        raise IndexMalformed(f"the key {shown(index.doubled)} stands twice in it")
    entries = index.get("skills")
    if not isinstance(entries, list):
        raise IndexMalformed("`skills` is no list")
    if len(entries) > limits.layer_skills:
        raise IndexMalformed(f"it has {len(entries)} entries; at most {limits.layer_skills} are possible")
    return RawIndex(fields={key: value for key, value in index.items() if key != "skills"}, entries=entries)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) == len(pairs):
        return values
    doubled = _Doubled(values)
    seen: set[str] = set()
    doubled.doubled = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value] # it adds
    return doubled


def entry_of(value: object, limits: Limits) -> Mapping[str, Plain]:
    """Return an entry's fields.

    Raises:
        EntryRefused: It is no object, or holds what no text can be made of.
    """
    if not isinstance(value, dict):
        raise EntryRefused("it is no JSON object")
    plain = _plain(value, limits.yaml_depth)
    assert isinstance(plain, dict)  # it was one
    return plain


def _plain(value: object, depth: int) -> Plain:
    if depth == 0:
        raise EntryRefused("it is nested too deeply")
    if isinstance(value, _Doubled):
        raise EntryRefused(f"the key {shown(_whole(value.doubled))} stands twice in it")
    if isinstance(value, dict):
        return {_whole(key): _plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth - 1) for item in value]
    if isinstance(value, bool):
        return _TRUTHS[value]
    return _whole(value) if isinstance(value, str) else None


def _whole(text: str) -> str:
    """Return a text that can be sent: JSON can escape half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise EntryRefused("it holds half a character") from None
    return text


def line_of(entry: Mapping[str, Plain], key: str) -> str:
    """Return the text of a field on one line, "" where there is none.

    Raises:
        EntryRefused: It is something else than a text.
    """
    value = entry.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        _refuse(f"{key} is no text")
    return one_line(value)


def digest_of(entry: Mapping[str, Plain]) -> str:
    """Return the digest of a field `digest`, in hex, with or without `sha256:` before it; "" where there is none.

    Raises:
        EntryRefused: It is something else.
    """
    text = line_of(entry, "digest")
    digest = text.removeprefix(_DIGEST_PREFIX)
    if text and not (len(digest) == 64 and set(digest) <= set("0123456789abcdef")):
        _refuse("digest is not `sha256:` and 64 lower-case hexadecimal digits")
    return digest


def _refuse(message: str) -> NoReturn:
    raise EntryRefused(message)


class LeftOut:
    """What is told of entries that are left out: the first hundred, and how many more there are."""

    def __init__(self) -> None:
        """Begin with nothing left out."""
        self._said: list[Diagnostic] = []
        self._unsaid = 0

    def add(self, number: int, name: str, message: str, severity: Severity = Severity.ERROR) -> None:
        """Tell of the entry of a number, counted from 1, and of a name, which may be ""."""
        if len(self._said) == _SAID:
            self._unsaid += 1
            return
        self._said.append(
            Diagnostic(
                severity=severity,
                code=DiagnosticCode.ENTRY_LEFT_OUT,
                message=f"entry {number} of the index is left out: {message}",
                skill=name,
            )
        )

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what is told; the caller names the source."""
        if not self._unsaid:
            return tuple(self._said)
        more = Diagnostic(
            severity=Severity.ERROR,
            code=DiagnosticCode.ENTRY_LEFT_OUT,
            message=f"{self._unsaid} more entries of the index are left out",
        )
        return (*self._said, more)


def shown_name(value: object) -> str:
    """Return an entry's name as a diagnostic shows it, whatever it is."""
    text = value if isinstance(value, str) else ""
    return one_line(text[:64].encode(errors="replace").decode())
