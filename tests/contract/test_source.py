"""The sources, each under the one contract."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.skill import Found
from skillsvc.sources.discovery import Layout
from skillsvc.sources.source import Outcome, Source
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import CollectionsContract, Place, SourceContract
from tests.simulators.scripted_source import ScriptedSource
from tests.simulators.skills import skill_row
from tests.unit.sources.trees import grow, skill, source_of


class _Folder:
    """A folder of this machine."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def write(self, place: str, description: str) -> None:
        grow(self._root, {f"{place}/SKILL.md": skill(Path(place).name, description)})

    def spoil(self, place: str) -> None:
        (self._root / place / "SKILL.md").write_text("---\n")

    def remove(self, place: str) -> None:
        path = self._root / place
        path.unlink() if path.is_file() else shutil.rmtree(path)

    def mark(self, folder: str, text: str) -> None:
        grow(self._root, {f"{folder}/COLLECTION.json": text})

    def hide(self, place: str) -> None:
        # A name longer than a system can hold cannot be looked up, whoever asks: modes do not bind a superuser.
        (self._root / place).rename(self._root.parent / "hidden")
        (self._root / place).symlink_to("x" * 300)

    def show(self, place: str) -> None:
        (self._root / place).unlink()
        (self._root.parent / "hidden").rename(self._root / place)

    def lose(self) -> None:
        shutil.rmtree(self._root)


class TestDirectorySource(SourceContract, CollectionsContract):
    @pytest.fixture
    @override
    def place(self, tmp_path: Path) -> _Folder:
        (tmp_path / "skills").mkdir()
        return _Folder(tmp_path / "skills")

    @pytest.fixture
    @override
    def source(self, place: Place, tmp_path: Path) -> Source:
        return source_of(tmp_path / "skills", layout=Layout.NESTED)


class _Script:
    """What a scripted source tells: a test says what stands where, and this is what a look at it would find."""

    def __init__(self) -> None:
        self.source = ScriptedSource("harbor")
        self._found: dict[str, Found] = {}
        self._said: dict[str, Diagnostic] = {}
        self._hidden: dict[str, Found] = {}

    def write(self, place: str, description: str) -> None:
        row = skill_row(MemoryBlobStore(), place.rpartition("/")[2], description=description)
        self._found[place] = replace(row.found, place=place)
        self._tell()

    def spoil(self, place: str) -> None:
        del self._found[place]
        self._say(place, DiagnosticCode.FRONTMATTER_UNCLOSED)

    def remove(self, place: str) -> None:
        del self._found[place]
        self._tell()

    def hide(self, place: str) -> None:
        self._hidden[place] = self._found[place]
        self._say(place, DiagnosticCode.FOLDER_UNREADABLE)

    def show(self, place: str) -> None:
        del self._hidden[place], self._said[place]
        self._tell()

    def lose(self) -> None:
        self._found.clear()
        self._tell()
        self.source.outcome = Outcome.ABSENT

    def _say(self, place: str, code: DiagnosticCode) -> None:
        self._said[place] = Diagnostic(
            severity=Severity.ERROR, code=code, message="said by a test", skill=place, source=self.source.label
        )
        self._tell()

    def _tell(self) -> None:
        found = {**self._found, **self._hidden}
        order = sorted(found, key=lambda place: (place.count("/"), [name.encode() for name in place.split("/")]))
        self.source.found = tuple(found[place] for place in order)
        self.source.diagnostics = tuple(self._said.values())
        self.source.outcome = Outcome.PARTIAL if self._hidden else Outcome.WHOLE


class TestScriptedSource(SourceContract):
    @pytest.fixture
    @override
    def place(self) -> Place:
        return _Script()

    @pytest.fixture
    @override
    def source(self, place: Place) -> Source:
        assert isinstance(place, _Script)
        return place.source
