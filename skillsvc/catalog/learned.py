"""Learned skills: what another log holds of a partition, published as its layer (rules.md 2, 6).

A skill comes as a name, a description and a body. It is read as the SKILL.md that these make, by the strict profile: so
it is parsed, capped and served as any file is.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from skillsvc.catalog.contents import Content, Replaced
from skillsvc.catalog.current import Current
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import Found, TextRef, make_bundle
from skillsvc.domain.trust import Tier, Trust
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.skill import read_skill

SOURCE: Final = "learned"
"""The name of the source that callers are told of these skills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSkill:
    """A skill as another log holds it. `name` fits its grammar."""

    name: str
    description: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a partition is to hold: skills whose names differ, and the number that the other log gave them, if any.

    `field` is what errors call its skills.
    """

    partition: Partition
    skills: tuple[LearnedSkill, ...] = ()
    log_generation: int | None = None
    field: str = "skills"


class LearnedLayers:
    """Publishes learned skills. For any thread."""

    def __init__(self, current: Current, *, blobs: BlobStore, limits: Limits, now: Callable[[], datetime]) -> None:
        """Publish to `current` what is put into `blobs`."""
        self._current = current
        self._blobs = blobs
        self._limits = limits
        self._now = now

    def replace(self, learned: Sequence[Learned]) -> tuple[Replaced, ...]:
        """Let partitions hold these skills and no others, all in one step; each partition is named once.

        Raises:
            InvalidInput: ARGUMENT_MALFORMED for a skill that cannot be read; nothing is published.
            Exhausted: LIMIT_EXCEEDED; as before.
            Unavailable: STORE_UNREACHABLE; as before.
            DataLoss: The log is damaged; as before.
        """
        read = [[self._read(skill, each.field) for skill in each.skills] for each in learned]
        # What is put from here on must not be swept before a layer names it.
        with self._current.counting_since(self._blobs.mark()):
            contents = []
            for each, skills in zip(learned, read, strict=True):
                for skill in skills:
                    self._blobs.put(skill.document, skill.digest)
                rows = tuple(sorted((skill.row for skill in skills), key=lambda row: row.name))
                contents.append(Content(partition=each.partition, rows=rows, log_generation=each.log_generation))
            # The log must never name a blob that a crash could lose.
            self._blobs.sync()
            return self._current.replace(contents, self._now())

    def clear(self, learned: Sequence[Learned]) -> tuple[Replaced, ...]:
        """Let partitions hold nothing, all in one step; each partition is named once, and no skills.

        Raises:
            Unavailable: STORE_UNREACHABLE; nothing of them is served all the same.
            DataLoss: The log is damaged; as before.
        """
        contents = [Content(partition=each.partition, rows=(), log_generation=each.log_generation) for each in learned]
        return self._current.replace(contents, self._now(), fail_closed=True)

    def _read(self, skill: LearnedSkill, field: str) -> "_Read":
        document = document_of(skill)
        reading = read_skill(
            document=document, manifest=None, folder=skill.name, profile=Profile.STRICT, limits=self._limits
        )
        if reading.skill is None or reading.body is None:
            why = next((said.message for said in reading.diagnostics if said.severity is Severity.ERROR), "unreadable")
            raise InvalidInput(
                ErrorReason.ARGUMENT_MALFORMED,
                f"the skill {skill.name} of {field} cannot be published: {why}",
                metadata={"field": field},
            )
        digest = hashlib.sha256(document).hexdigest()
        body = reading.body.encode()
        bundle = make_bundle(
            reading.skill,
            document=TextRef(digest=digest, size=len(document)),
            body=TextRef(digest=hashlib.sha256(body).hexdigest(), size=len(body)),
            assets=(),
        )
        said = tuple(replace(each, skill=skill.name, source=SOURCE) for each in reading.diagnostics)
        row = make_row(
            source=SOURCE,
            shadowed=False,
            found=Found(bundle=bundle, place=skill.name, diagnostics=said),
            tier=Tier.LEARNED,
            trust=Trust.UNTRUSTED,
        )
        return _Read(document=document, digest=digest, row=row)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A skill that was read: its row, and the bytes that it was read from."""

    document: bytes
    digest: str
    row: Row


def document_of(skill: LearnedSkill) -> bytes:
    """Return the SKILL.md of a skill: equal skills, equal bytes."""
    description = "".join(map(_quoted, skill.description))
    return f'---\nname: {skill.name}\ndescription: "{description}"\n---\n\n{skill.body}\n'.encode()


def _quoted(character: str) -> str:
    """Return a character as it stands between double quotes in YAML, where what cannot be seen is written by number."""
    if character in {'"', "\\"}:
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
