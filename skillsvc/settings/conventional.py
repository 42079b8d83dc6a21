"""Conventional locations: where people keep skills by custom, each of them a source only where that is said.

They rank after all declared sources: those of the project first, then those of the user (`rules.md` 4).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import Field

from skillsvc.settings.sources import DirectoryTable
from skillsvc.settings.table import File, Flag, Table

_PROJECT: Final = {
    "project-skillsvc": ".skillsvc/skills",
    "project-agents": ".agents/skills",
    "project-claude": ".claude/skills",
}
_USER: Final = {"user-agents": ".agents/skills", "user-claude": ".claude/skills"}
_USER_OWN: Final = "user-skillsvc"


class ConventionalTable(Table):
    """Places looked at by custom. They rank after all sources, those of the project before those of the user."""

    project: Flag = Field(
        default=False,
        description="Look at `.skillsvc/skills`, `.agents/skills` and `.claude/skills` of the workspace.",
    )
    user: Flag = Field(
        default=False,
        description="Look at `skillsvc/skills` of `$XDG_CONFIG_HOME` (else `~/.config`), `~/.agents/skills` and "
        "`~/.claude/skills`.",
    )
    workspace: File = Field(default=Path(), description="The workspace, relative to the file that names it.")
    trusted: Flag = Field(
        default=False, description="Whether the workspace is trusted; one that is not has its skills withheld."
    )

    def labels(self) -> tuple[str, ...]:
        """Return the labels that are taken by what is looked at."""
        return (*(_PROJECT if self.project else ()), *((_USER_OWN, *_USER) if self.user else ()))

    def of_project(self) -> tuple[DirectoryTable, ...]:
        """Return the places of the workspace, strongest first, whether they may be served or not."""
        if not self.project:
            return ()
        return tuple(
            DirectoryTable(name=label, path=self.workspace / path, tier="project") for label, path in _PROJECT.items()
        )

    def of_user(self, environment: Mapping[str, str]) -> tuple[DirectoryTable, ...]:
        """Return the places of the user, strongest first; none where the environment does not say where they are."""
        if not self.user:
            return ()
        home, own = environment.get("HOME", ""), environment.get("XDG_CONFIG_HOME", "")
        # A relative one is to be ignored, as the XDG specification says; so is a home that is none.
        config = Path(own) if own.startswith("/") else Path(home) / ".config" if home.startswith("/") else None
        found = {} if config is None else {_USER_OWN: config / "skillsvc" / "skills"}
        if home.startswith("/"):
            found.update({label: Path(home) / path for label, path in _USER.items()})
        return tuple(DirectoryTable(name=label, path=path, tier="user") for label, path in found.items())
