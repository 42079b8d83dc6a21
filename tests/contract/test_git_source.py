"""A git repository under the contract of sources, without a network: each change is a commit."""

from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.sources.discovery import Layout
from skillsvc.sources.git.exchange import FetchAnswer, FetchStatus
from skillsvc.sources.git.source import GitSettings, GitSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Outcome, Source
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import CollectionsContract, Place, SourceContract
from tests.simulators.git_objects import FOLDER, NOWHERE, LocalRemote, Placed
from tests.unit.sources.trees import skill


class _Commits:
    """A remote to which a test commits."""

    def __init__(self, folder: Path) -> None:
        self.remote = LocalRemote(folder)
        self._hidden: Placed | None = None

    def write(self, place: str, description: str) -> None:
        self.remote.answers.clear()
        self.remote.commit({f"{place}/SKILL.md": skill(Path(place).name, description)})

    def spoil(self, place: str) -> None:
        self.remote.commit({f"{place}/SKILL.md": "---\n"})

    def remove(self, place: str) -> None:
        self.remote.commit({place: None})

    def mark(self, folder: str, text: str) -> None:
        self.remote.commit({f"{folder}/COLLECTION.json": text})

    def hide(self, place: str) -> None:
        self._hidden = self.remote.files[f"{place}/SKILL.md"]
        self.remote.commit({place: None})
        # A commit of which the remote has not all.
        self.remote.commit({place: Placed(FOLDER, NOWHERE)})

    def show(self, place: str) -> None:
        assert self._hidden is not None
        self.remote.commit({place: None})
        self.remote.commit({f"{place}/SKILL.md": self._hidden})

    def lose(self) -> None:
        self.remote.files.clear()
        self.remote.answers = [FetchAnswer(status=FetchStatus.UNREACHABLE)] * 2


class TestGitSource(SourceContract, CollectionsContract):
    gone = Outcome.FAILED

    @pytest.fixture
    @override
    def place(self, tmp_path: Path) -> _Commits:
        return _Commits(tmp_path / "remote")

    @pytest.fixture
    @override
    def source(self, place: Place, tmp_path: Path) -> Source:
        assert isinstance(place, _Commits)
        reading = ReadingSettings(label="harbor", layout=Layout.NESTED, tier=Tier.REGISTERED)
        settings = GitSettings(url="https://git.example/harbor.git", reading=reading)
        folder = tmp_path / "cache"
        return GitSource(settings, limits=Limits(), blobs=MemoryBlobStore(), folder=folder, fetching=place.remote)
