"""Misplaced folders of tenants: what lies beneath a template where nobody asks for it, as far as one look tells."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import Final

from skillsvc.domain.folder_template import PRINCIPAL, PROJECT, FolderTemplate, is_name_at, name_of

LOOKED_AT: Final = 10_000
"""Names beneath a template: whoever asks for a word about a configuration does not want to wait for a look at all."""
TOLD: Final = 5
"""Sentences of a template; they are likely of one mistake."""
_DOCUMENT: Final = "SKILL.md"


def misplaced(template: FolderTemplate) -> Iterator[str]:
    """Yield what nobody asks for, in sentences that go on from the path of the template.

    Names that begin with a dot are left out: they are of tools, such as `.git`.
    """
    told = 0
    looked_at = 0
    levels: list[tuple[str, tuple[str, ...]]] = [("", template.segments)]
    while levels and told < TOLD:
        beneath, (place, *rest) = levels.pop()
        for name in _folders_in(PurePath(template.root, beneath), place, LOOKED_AT - looked_at):
            looked_at += 1
            at = f"{beneath}/{name}" if beneath else name
            if place in (PRINCIPAL, PROJECT) and not is_name_at(place, name):
                sentence = _of_nobody(place, name, at)
            elif rest:
                levels.append((at, tuple(rest)))
                continue
            elif os.path.lexists(PurePath(template.root, at, _DOCUMENT)):
                sentence = f"has {_DOCUMENT} straight in {at!r}, where the folders of the skills of a partition lie"
            else:
                continue
            told += 1
            yield sentence
            if told == TOLD:
                break


def _of_nobody(place: str, name: str, at: str) -> str:
    meant = name_of(name)
    hint = f"; is {meant} meant?" if is_name_at(place, meant) else ""
    return f"has the folder {at!r}, which is of no {place.strip('{}')}{hint}"


def _folders_in(folder: PurePath, place: str, at_most: int) -> list[str]:
    """Return the names of what may be folders for a place, in order; what cannot be looked at has none."""
    if place not in (PRINCIPAL, PROJECT):
        return [place]
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if len(names) >= at_most:
                break
            if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                names.append(entry.name)
    return sorted(names)
