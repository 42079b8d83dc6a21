"""What is sought: the sources of a configuration and of conventional locations, each directory once."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from skillsvc.domain.partition import Partition
from skillsvc.settings.conventional import ConventionalTable
from skillsvc.settings.mingling import identities_of, mingled
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings
from skillsvc.settings.sources import DirectoryTable, SourceTable


class Folded(NamedTuple):
    """A source that is left out: its directory is that of `into`, a stronger one of the same layer."""

    label: str
    into: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What is looked at, strongest first; what of it is withheld, and what is left out."""

    tables: tuple[SourceTable, ...]
    withheld: frozenset[str] = frozenset()
    """The labels of those of the tables whose workspace is not trusted: nothing of them is served."""
    folded: tuple[Folded, ...] = ()


def seek(settings: Settings, environment: Mapping[str, str]) -> Sought:
    """Return what is to be looked at as things stand on this machine; `environment` says where the user's home is.

    Two directories are one where their paths lead to one place, by links too, whether something is there or not.

    Raises:
        SettingsRefused: A directory lies with the folders of others (see `mingled`).
    """
    conventional: ConventionalTable = settings.conventional
    project = conventional.of_project()
    withheld = frozenset() if conventional.trusted else frozenset(table.name for table in project)
    tables: list[SourceTable] = []
    folded: list[Folded] = []
    known: dict[tuple[Partition, Hashable], str] = {}
    for table in (*settings.source, *project, *conventional.of_user(environment)):
        if isinstance(table, DirectoryTable) and isinstance(table.path, Path) and table.name not in withheld:
            identities = [(table.feeds(), identity) for identity in identities_of(table.path)]
            into = next((known[identity] for identity in identities if identity in known), None)
            for identity in identities:
                known.setdefault(identity, into or table.name)
            if into is not None:
                folded.append(Folded(label=table.name, into=into))
                continue
        tables.append(table)
    served = [table for table in tables if table.name not in withheld]
    if faults := [f"the path of {served[index].name} {sentence}" for index, sentence in mingled(served)]:
        raise SettingsRefused(faults)
    return Sought(tables=tuple(tables), withheld=withheld, folded=tuple(folded))
