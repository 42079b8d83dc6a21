"""Five hundred real skills: where they lie, their links as links, and what became of each of their SKILL.md files."""

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from skillsvc.domain.diagnostics import Diagnostic, Severity
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.sources.merge import Merged

_BESIDE_THE_PROJECT = Path(__file__).parents[3] / "shared" / "corpus"
_LONGEST_LINK = 200
_LINK_TEXT = re.compile(rb"[\w./-]+")


def corpus_folder() -> Path | None:
    """Return the folder that SKILLSVC_CORPUS names, else the one beside the project; None where that is not there."""
    named = os.environ.get("SKILLSVC_CORPUS")
    if named:
        return Path(named)
    return _BESIDE_THE_PROJECT if _BESIDE_THE_PROJECT.is_dir() else None


def documents(root: Path) -> list[str]:
    """Return the path of every SKILL.md below a root, in whatever case, links among them; links are not followed."""
    return sorted(
        os.path.relpath(Path(folder, name), root)
        for folder, _folders, files in os.walk(root)
        for name in files
        if name.upper() == "SKILL.MD"
    )


def copy_with_links(corpus: Path, target: Path) -> list[str]:
    """Copy a corpus, each link a link: some checkouts have files with the texts of links in their place.

    Returns the paths of the links.
    """
    shutil.copytree(corpus, target, symlinks=True)
    for path in [target, *target.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o200)
    links = [path for path in target.rglob("*") if path.is_symlink() or _is_link_as_text(path)]
    for path in links:
        if not path.is_symlink():
            text = path.read_text()
            path.unlink()
            path.symlink_to(text)
    return sorted(str(path.relative_to(target)) for path in links)


def _is_link_as_text(path: Path) -> bool:
    if not path.is_file() or path.stat().st_size > _LONGEST_LINK:
        return False
    text = path.read_bytes()
    leads_up = text.startswith(b"../")
    return bool(_LINK_TEXT.fullmatch(text)) and (leads_up or (path.parent / os.fsdecode(text)).is_file())


class Account:
    """What became of each SKILL.md below a root, told by what the source and the merge said, and by nothing else."""

    def __init__(self, paths: list[str], merged: Merged) -> None:
        """Take the files to account for, and what came of the source."""
        self._listed = {row.found.place: row.name for row in merged.rows if not row.shadowed}
        self._merged = merged
        self.fates = {path: tuple(self._fates_of(path)) for path in paths}

    @property
    def sum(self) -> Counter[str]:
        """How many files had each fate; a file without one, or with several, counts as those."""
        return Counter(" and ".join(fates) or "unaccounted" for fates in self.fates.values())

    def of(self, fate: str) -> list[str]:
        """Return the files of a fate."""
        return [path for path, fates in self.fates.items() if fates == (fate,)]

    def _fates_of(self, path: str) -> Iterator[str]:
        folder = path.rpartition("/")[0]
        if folder in self._listed:
            yield "listed"
        for said in self._merged.diagnostics:
            match said.code:
                case Code.SHADOWED | Code.FOLDED if said.message.endswith(f"; the one at {folder} is not listed"):
                    yield said.code.value
                case Code.SKILL_INSIDE_SKILL if path == self._inside(said):
                    yield said.code.value
                case Code.FOLDER_IGNORED | Code.FOLDER_WITHOUT_SKILL | Code.TOO_DEEP | Code.LINKED_TWICE if (
                    f"{folder}/".startswith(f"{said.skill}/")
                ):
                    yield said.code.value
                case _ if said.severity is Severity.ERROR and said.skill == folder:
                    yield f"refused: {said.code.value}"

    def _inside(self, said: Diagnostic) -> str | None:
        """Return which file a note on a skill inside a skill is about; only a listed skill is asked for here."""
        places = [place for place, name in self._listed.items() if name == said.skill]
        inside = said.message.removesuffix(" is an asset of the skill around it")
        return "/".join((*places, inside)) if places else None
