"""The table [readiness]: what the deployment vouches for where its agents run."""

from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum, unique
from typing import Annotated, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from skillsvc.domain import caps
from skillsvc.domain.readiness import NetworkInventory, Vouched
from skillsvc.settings.refusal import Faults
from skillsvc.settings.table import File, Flag, Table, Text

_MOST_BYTES = caps.READINESS_MISSING_MAX_ITEM_BYTES


def _requirement(text: str) -> str:
    """Return a requirement as skills have it: in lower case."""
    if text != text.strip() or any(sign in text for sign in "[],\"'") or not text.isprintable():
        raise Faults(["is no word that a skill can require: no brackets, quotes or commas, no blanks at its ends"])
    if not 0 < len(text.encode()) <= _MOST_BYTES:
        raise Faults([f"is no word that a skill can require: 1 to {_MOST_BYTES} bytes"])
    return text.lower()


def _command(text: str) -> str:
    if "/" in text:
        raise Faults(["must be a name that is looked for on the PATH, not a path"])
    return text


def _variable(text: str) -> str:
    if "=" in text:
        raise Faults(["must be the name of a variable, which has no ="])
    return text


Requirement: TypeAlias = Annotated[str, AfterValidator(_requirement)]
Command: TypeAlias = Annotated[Text, AfterValidator(_command)]
Variable: TypeAlias = Annotated[Text, AfterValidator(_variable)]


@unique
class Sandbox(Enum):
    """Whether hosts hold what runs of a skill to what it declared."""

    ENFORCED = "enforced"
    OFF = "off"


class ReadinessTable(Table):
    """What there is where agents run, for telling which skills are ready; nothing is granted by it.

    What is not said is unknown. Commands and variables are looked for at the start and at a reload, in the PATH and the
    environment of the server; no command is run, and no value of a variable told.
    """

    present: tuple[Requirement, ...] = Field(default=(), description="Requirements that are there.")
    missing: tuple[Requirement, ...] = Field(default=(), description="Requirements that are not.")
    commands: Mapping[Requirement, Command] = Field(
        default={}, description="Requirements that are there if this command is on the PATH, else missing."
    )
    environment: Mapping[Requirement, Variable] = Field(
        default={}, description="Requirements that are there if this variable is set and not empty, else missing."
    )
    sandbox: Sandbox | None = Field(
        default=None, description="Whether hosts enforce a sandbox; `off` blocks host_only."
    )
    raw_network: Flag = Field(
        default=False, description="Whether hosts give raw network to whatever asks, which blocks host_only."
    )
    network_inventory: File | None = Field(
        default=None, description="The inventory of network use of pinned collections and of skills: JSON, version 1."
    )

    @model_validator(mode="after")
    def _each_is_said_once(self) -> Self:
        said = Counter((*self.present, *self.missing, *self.commands, *self.environment))
        twice = sorted(word for word, times in said.items() if times > 1)
        if twice:
            raise Faults([f"says of {word} more than once whether it is there" for word in twice])
        return self

    def vouched(
        self, *, has_command: Callable[[str], bool], environment: Mapping[str, str], inventory: NetworkInventory
    ) -> Vouched:
        """Return what is vouched for; `has_command` tells what is on the PATH, `inventory` is the file's."""
        looked_for = {word: has_command(command) for word, command in self.commands.items()}
        looked_for |= {word: bool(environment.get(variable)) for word, variable in self.environment.items()}
        return Vouched(
            present=frozenset(self.present).union(word for word, is_there in looked_for.items() if is_there),
            missing=frozenset(self.missing).union(word for word, is_there in looked_for.items() if not is_there),
            sandbox_off=self.sandbox is Sandbox.OFF,
            raw_network=self.raw_network,
            inventory=inventory,
        )
