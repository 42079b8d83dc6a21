"""The keys that SKILL.md and skill.yaml know, and the shape that each value must have (rules.md 2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.fields import truth_of
from skillsvc.parsing.findings import Findings, Profile
from skillsvc.parsing.plain_yaml import Plain, PlainMapping
from skillsvc.parsing.text import listed, shown

DISABLE_MODEL_INVOCATION = "disable-model-invocation"
USER_INVOCABLE = "user-invocable"
WHEN_TO_USE = "when_to_use"

_FLAGS = (DISABLE_MODEL_INVOCATION, USER_INVOCABLE)
_OTHER_SPELLINGS = ("when-to-use", "whenToUse")
_SPECIAL = (*_FLAGS, *_OTHER_SPELLINGS)
# Spellings of a flag, and of its older names, that differ only in case and in what joins the words. Whoever wrote one
# may have meant to withhold the skill; to ignore it would offer the skill.
_FLAG_TWINS = frozenset({"disablemodelinvocation", "modelinvocable", "userinvocable"})


@unique
class Shape(Enum):
    """What a key's value must be, in the words of a message."""

    TEXT = "a text"
    TEXTS = "a text or a list of texts"
    PAIRS = "a mapping of texts"
    CAPABILITIES = "a text, a list of texts or a mapping"
    LIST = "a list"


_TYPES: Mapping[Shape, tuple[type, ...]] = {
    Shape.TEXT: (str,),
    Shape.TEXTS: (str, list),
    Shape.PAIRS: (dict,),
    Shape.CAPABILITIES: (str, list, dict),
    Shape.LIST: (list,),
}
_PORTABLE = {
    "name": Shape.TEXT,
    "description": Shape.TEXT,
    "license": Shape.TEXT,
    "compatibility": Shape.TEXT,
    "metadata": Shape.PAIRS,
    "allowed-tools": Shape.TEXTS,
}
_KNOWN = {
    **_PORTABLE,
    **dict.fromkeys((WHEN_TO_USE, *_OTHER_SPELLINGS), Shape.TEXT),
    "version": Shape.TEXT,
    "keywords": Shape.TEXTS,
    "capabilities": Shape.CAPABILITIES,
    "requirements": Shape.TEXTS,
    DISABLE_MODEL_INVOCATION: Shape.TEXT,
    USER_INVOCABLE: Shape.TEXT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The keys of one kind of file.

    `prefix` begins each place in a message. `own` says that the file is ours: there a value of the wrong shape refuses
    the skill under either profile, and agentskills.io has no say in which keys there are.
    """

    shapes: Mapping[str, Shape]
    prefix: str = ""
    own: bool = False


FRONTMATTER = Vocabulary(shapes=_KNOWN)
MANIFEST = Vocabulary(shapes={**_KNOWN, "id": Shape.TEXT, "tools": Shape.LIST}, prefix="skill.yaml, ", own=True)


def recognise(mapping: PlainMapping, vocabulary: Vocabulary, findings: Findings) -> dict[str, Plain]:
    """Return the known keys that say something, each value in its shape; report what is left out.

    Lists of texts and mappings of texts hold nothing else. A flag that cannot be read refuses the skill, wherever it
    stands and whatever overrides it.
    """
    return _Recognition(mapping, vocabulary, findings).values()


class _Recognition:
    """One look at the keys of one file."""

    __slots__ = ("_findings", "_mapping", "_vocabulary")

    def __init__(self, mapping: PlainMapping, vocabulary: Vocabulary, findings: Findings) -> None:
        self._mapping = mapping
        self._vocabulary = vocabulary
        self._findings = findings

    def values(self) -> dict[str, Plain]:
        values: dict[str, Plain] = {}
        unknown: list[str] = []
        declared = self._mapping.values
        shapes = self._vocabulary.shapes
        for key, value in declared.items():
            shape = shapes.get(key)
            if shape is None:
                unknown.append(key)
            elif shape is Shape.TEXT and isinstance(value, str):
                values[key] = value
            elif value is not None:
                self._keep(key, value, shape, values)
        for key in _SPECIAL:
            if key in declared:
                self._keep_special(key, values)
        if unknown:
            self._report_unknown(unknown)
        if self._mapping.doubled:
            self._report_doubled()
        if self._findings.profile is Profile.STRICT and not self._vocabulary.own:
            self._report_not_portable()
        return values

    def _keep(self, key: str, value: Plain, shape: Shape, values: dict[str, Plain]) -> None:
        """Keep of a value what has the right shape."""
        if not isinstance(value, _TYPES[shape]):
            self._report_misfit(key, shape)
        elif shape is Shape.PAIRS and isinstance(value, dict):
            values[key] = {inner: item for inner, item in value.items() if isinstance(item, str)}
            for inner, item in value.items():
                if isinstance(item, (list, dict)):
                    self._findings.breach(
                        DiagnosticCode.METADATA_NESTED,
                        f"{self._place(key)}: {shown(inner)} in {key} is not a text and is left out; make it one",
                    )
                elif item is None:
                    self._note_empty(key, f"{shown(inner)} in {key}")
        elif isinstance(value, list) and shape is not Shape.LIST:
            values[key] = [item for item in value if isinstance(item, str)]
            if any(isinstance(item, (list, dict)) for item in value):
                self._findings.breach(
                    DiagnosticCode.FIELD_TYPE,
                    f"{self._place(key)}: an item of {key} is not a text and is left out; put it in quotes",
                )
            if None in value:
                self._note_empty(key, f"an item of {key}")
        else:
            values[key] = value

    def _note_empty(self, key: str, what: str) -> None:
        self._findings.note(
            DiagnosticCode.FIELD_DROPPED,
            f"{self._place(key)}: {what} is empty and is left out; give it a text, or none",
        )

    def _keep_special(self, key: str, values: dict[str, Plain]) -> None:
        """Check a flag, and keep what stands under another spelling of `when_to_use`."""
        if key in _FLAGS:
            if truth_of(values.get(key)) is None:
                self._findings.error(DiagnosticCode.FLAG_MALFORMED, f"{self._place(key)}: {key} must be true or false")
        elif WHEN_TO_USE not in values:
            values[WHEN_TO_USE] = values.pop(key, None)
        elif values.pop(key, None) is not None:
            self._findings.warn(
                DiagnosticCode.FIELD_DROPPED,
                f"{self._place(key)}: {key} is left out, because {WHEN_TO_USE} is given too; leave one",
            )

    def _place(self, key: str) -> str:
        return f"{self._vocabulary.prefix}line {self._mapping.lines[key]}"

    def _report_misfit(self, key: str, shape: Shape) -> None:
        message = f"{self._place(key)}: {key} must be {shape.value}"
        if self._vocabulary.own:
            self._findings.error(DiagnosticCode.MANIFEST_MALFORMED, message)
        else:
            self._findings.breach(DiagnosticCode.FIELD_TYPE, f"{message}; it is left out")

    def _report_unknown(self, keys: list[str]) -> None:
        for key in keys:
            if "".join(filter(str.isalpha, key)).lower() in _FLAG_TWINS:
                self._findings.error(
                    DiagnosticCode.FLAG_TWIN,
                    f"{self._place(key)}: {shown(key)} is not read, and to ignore it could offer a skill that is meant "
                    f"to be withheld; write {DISABLE_MODEL_INVOCATION} or {USER_INVOCABLE}",
                )
        if self._vocabulary.own or self._findings.profile is Profile.LENIENT:
            self._findings.note(
                DiagnosticCode.FIELD_UNKNOWN,
                f"{self._vocabulary.prefix}fields not known here are left out: {listed(keys)}",
            )

    def _report_doubled(self) -> None:
        for key, place in self._mapping.doubled:
            where = f"{self._vocabulary.prefix}{place}"
            if key in _FLAGS and place.line == self._mapping.lines.get(key):
                self._findings.error(DiagnosticCode.FLAG_MALFORMED, f"{where}: {key} stands twice; leave one")
            else:
                self._findings.breach(
                    DiagnosticCode.YAML_DUPLICATE_KEY,
                    f"{where}: the key {shown(key)} stands twice, and the last one counts; leave one",
                )

    def _report_not_portable(self) -> None:
        keys = [key for key in self._mapping.values if key not in _PORTABLE]
        if keys:
            self._findings.error(
                DiagnosticCode.FIELD_UNKNOWN,
                f"agentskills.io does not know these fields: {listed(keys)}; move them to metadata, or to skill.yaml "
                "those that are read there",
            )
