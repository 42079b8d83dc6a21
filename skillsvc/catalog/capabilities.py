"""Capabilities: the tools, skills and commands that have a text in their names or descriptions. Pure.

One answer to "what can I do about this?": the tools that a caller says it has, then the skills whose use its model may
begin, then the commands, which are the skills whose use its user may begin. A skill that both may begin is both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from itertools import islice

from skillsvc.catalog.listing import Invoker, may_begin
from skillsvc.domain.folding import folded
from skillsvc.domain.generation import Row


@unique
class CapabilityKind(Enum):
    """What a capability is."""

    TOOL = "tool"
    SKILL = "skill"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that a caller says it has: known for one request, and to nobody else."""

    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """A tool, a skill or a command that was found."""

    kind: CapabilityKind
    name: str
    description: str


def find_capabilities(
    query: str, *, tools: Iterable[Tool], skills: Sequence[Row], limit: int
) -> tuple[Capability, ...]:
    """Return what has the text of a query in its name or its description, whatever the case, `limit` at most.

    Tools come first, then skills, then commands, each in byte order of their names. Of tools of one name the first
    counts. `skills` are those that the caller sees, in byte order of their names. A blank query finds nothing.
    """
    sought = folded(query.strip())
    if not sought:
        return ()
    return tuple(islice(_having(sought, tools, skills), limit))


def _having(sought: str, tools: Iterable[Tool], skills: Sequence[Row]) -> Iterator[Capability]:
    """Yield all in their order, so that no more is looked through than the limit asks for."""
    first: dict[str, Tool] = {}
    for tool in tools:
        first.setdefault(tool.name, tool)
    for name in sorted(first):
        if _has(sought, name, first[name].description):
            yield Capability(kind=CapabilityKind.TOOL, name=name, description=first[name].description)
    for kind, invoker in ((CapabilityKind.SKILL, Invoker.MODEL), (CapabilityKind.COMMAND, Invoker.USER)):
        for row in skills:
            description = row.bundle.skill.description
            if may_begin(row, invoker) and _has(sought, row.name, description):
                yield Capability(kind=kind, name=row.name, description=description)


def _has(sought: str, *texts: str) -> bool:
    return any(sought in folded(text) for text in texts)
