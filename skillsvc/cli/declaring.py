"""Declaring: the sources of a configuration, each made once, and kept as long as it is declared like that.

What is declared as before is the same object as before: whatever it knows, and however it stands, stays.
"""

import logging
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skillsvc.catalog.in_use import Templated
from skillsvc.catalog.reports import Declared, SourceKey
from skillsvc.cli.making import Made, MadeTemplate, Surroundings, make, make_template
from skillsvc.domain.partition import DEPLOYMENT, Partition, layer_id
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.sought import Sought
from skillsvc.settings.sources import DirectoryTable, SourceTable
from skillsvc.sources.directory import DirectorySource

_FOLDER_NAME: Final = re.compile(r"(?:[0-9a-f]{16}\.)?[a-z0-9][a-z0-9_-]{0,63}")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The sources of each layer, the strongest first. There is a deployment layer, even where it has none.

    `templates` feed the partitions that no other source is declared for; `made_templates` is what makes their sources,
    by their labels.
    """

    declared: Mapping[Partition, tuple[Declared, ...]]
    made: Mapping[SourceKey, Made]
    templates: tuple[Templated, ...] = ()
    made_templates: Mapping[str, MadeTemplate] = field(default_factory=dict)

    def directories(self) -> Mapping[Partition, tuple[DirectorySource, ...]]:
        """Return the directories to be watched, of each layer."""
        return {
            partition: tuple(
                each.source for each in declared if isinstance(each.source, DirectorySource) and each.source.is_watched
            )
            for partition, declared in self.declared.items()
        }


class Declaring:
    """Makes the sources of a server, and knows which are in force. One thread at a time."""

    def __init__(self, surroundings: Surroundings, folder: Path) -> None:
        """Prepare; nothing is made yet. Each source has its state in a folder of its own below `folder`."""
        self._surroundings = surroundings
        self._folder = folder
        self._in_force: Mapping[SourceKey, Made] = {}
        self._templates: Mapping[str, MadeTemplate] = {}
        self._retired: list[Made] = []

    @property
    def in_force(self) -> Mapping[SourceKey, Made]:
        """What was put in force last."""
        return self._in_force

    @property
    def templates(self) -> Mapping[str, MadeTemplate]:
        """What makes the sources of the templates that were put in force last, by their labels."""
        return self._templates

    def declare(self, sought: Sought, poll_s: float) -> Declaration:
        """Return what is to be looked at. Nothing changes before `put_in_force`.

        Args:
            sought: The tables, strongest first.
            poll_s: The time between two looks at a source that says nothing else, in seconds.

        Raises:
            SettingsRefused: Sources cannot be made: no package brings a provider, say. All are told.
        """
        declared: dict[Partition, list[Declared]] = {DEPLOYMENT: []}
        made: dict[SourceKey, Made] = {}
        templates: list[Templated] = []
        made_templates: dict[str, MadeTemplate] = {}
        faults: list[str] = []
        named = dict.fromkeys(table.feeds() for table in sought.tables if table.template is None)
        for table in sought.tables:
            pause = table.poll_s or poll_s
            maker = self._maker_of(table)
            if maker is not None:
                made_templates[table.name] = maker
                templates.append(maker.templated(pause))
            # What somebody has named is looked at all the time, by all that feeds it and in the order of all.
            for partition in filter(maker.feeds, named) if maker is not None else (table.feeds(),):
                key = SourceKey(partition=partition, label=table.name)
                try:
                    made[key] = self._made(key, table, maker, is_withheld=table.name in sought.withheld)
                except ValueError as error:
                    faults.append(f"the source {table.name} cannot be: {error}")
                    continue
                declared.setdefault(partition, []).append(
                    Declared(source=made[key].source, kind=table.kind, poll_s=pause)
                )
        declaration = Declaration(
            declared={partition: tuple(of_layer) for partition, of_layer in declared.items()},
            made=made,
            templates=tuple(templates),
            made_templates=made_templates,
        )
        if faults:
            self.discard(declaration)
            raise SettingsRefused(faults)
        return declaration

    def discard(self, declaration: Declaration) -> None:
        """Let go of what a declaration has that is not in force: it is not looked at after all."""
        for each in _without(declaration.made, self._in_force):
            each.let_go()

    def put_in_force(self, declaration: Declaration) -> None:
        """Take a declaration for what is looked at from now on.

        What is declared no more may be looked at for a moment yet: it is let go at the next change, or at the end.
        """
        self._let_go()
        self._retired = _without(self._in_force, declaration.made)
        self._in_force = declaration.made
        self._templates = declaration.made_templates

    def remove_left_behind(self) -> None:
        """Remove the state of sources that are not in force, and nothing else; for a start, when nobody looks yet."""
        kept = {_folder_name(key) for key in self._in_force}
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                is_state = _FOLDER_NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
                if is_state and entry.name not in kept:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    _log.info("removed the state of a source that is declared no more", extra={"folder": entry.name})

    def close(self) -> None:
        """Write down what is to be known after a restart, and let go of all, when nobody looks any more."""
        self._let_go()
        for each in self._in_force.values():
            each.keep()
            each.let_go()
        self._in_force = {}

    def _maker_of(self, table: SourceTable) -> MadeTemplate | None:
        """Return what makes the sources of a template, as before where it is the same; None where it is none."""
        if not isinstance(table, DirectoryTable) or table.template is None:
            return None
        before = self._templates.get(table.name)
        if before is not None and before.is_of(table):
            return before
        return make_template(self._surroundings, table, table.template)

    def _made(self, key: SourceKey, table: SourceTable, maker: MadeTemplate | None, *, is_withheld: bool) -> Made:
        """Return a source, as before where it is the same; raises as `make`."""
        before = self._in_force.get(key)
        if before is not None and before.is_of(table, is_withheld=is_withheld):
            return before
        if maker is not None:
            return Made(table=table, is_withheld=is_withheld, source=maker.source_of(key.partition))
        return make(self._surroundings, key, table, self._folder / _folder_name(key), is_withheld=is_withheld)

    def _let_go(self) -> None:
        for each in self._retired:
            each.let_go()
        self._retired = []


def _without(some: Mapping[SourceKey, Made], others: Mapping[SourceKey, Made]) -> list[Made]:
    """Return those of the first that are not, the very same, among the second."""
    staying = {id(each) for each in others.values()}
    return [each for each in some.values() if id(each) not in staying]


def _folder_name(key: SourceKey) -> str:
    """Return the name of a source's folder: its label, after the id of its layer where that is not the deployment's.

    No label holds a dot.
    """
    return key.label if key.partition == DEPLOYMENT else f"{layer_id(key.partition).hex()}.{key.label}"
