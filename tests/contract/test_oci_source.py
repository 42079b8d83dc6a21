"""An artifact in a registry, under the contract of sources: each change is a push."""

from collections.abc import Iterator

import pytest
from typing_extensions import override

from skillsvc.domain.errors import DataLoss, ErrorReason
from skillsvc.sources.discovery import Layout
from skillsvc.sources.source import Outcome, Source
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import CollectionsContract, SourceContract
from tests.simulators.oci_registry import Pushed, RegistryServer, Repository, serving_registry
from tests.simulators.oci_sources import making_sources
from tests.simulators.packing import skill_file, tar_gz_of, tarred
from tests.simulators.web_server import serving


class _FailingStore(MemoryBlobStore):
    """A store whose disk gives some blobs back no more."""

    def __init__(self) -> None:
        super().__init__()
        self.damaged: set[str] = set()

    @override
    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        if digest in self.damaged:
            raise DataLoss(ErrorReason.DIGEST_MISMATCH, "damaged")
        return super().read(digest, offset, length)


class _Pushes:
    """A repository to which all skills are pushed in one layer, whenever one changes."""

    def __init__(self, repository: Repository, blobs: _FailingStore) -> None:
        self.repository = repository
        self.blobs = blobs
        self._files: dict[str, bytes] = {}
        self._digest = ""
        self._push()

    def write(self, place: str, description: str) -> None:
        self._files[f"{place}/SKILL.md"] = skill_file(place.rpartition("/")[2], description)
        self._push()

    def spoil(self, place: str) -> None:
        self._files[f"{place}/SKILL.md"] = b"---\n"
        self._push()

    def remove(self, place: str) -> None:
        for path in [path for path in self._files if path == place or path.startswith(f"{place}/")]:
            del self._files[path]
        self._push()

    def mark(self, folder: str, text: str) -> None:
        self._files[f"{folder}/COLLECTION.json"] = text.encode()
        self._push()

    def hide(self, place: str) -> None:
        # Nothing in an artifact can be hidden alone: the store's own disk fails at bytes that were fetched.
        self._files[f"{place}/SKILL.md"] += b"\n"
        self.blobs.damaged.add(MemoryBlobStore().put(self._files[f"{place}/SKILL.md"]))
        self._push()

    def show(self, place: str) -> None:
        del place
        self.blobs.damaged.clear()

    def lose(self) -> None:
        self.repository.registry.delete_manifest(self.repository.name, self._digest)

    def _push(self) -> None:
        members = (tarred(path, data) for path, data in self._files.items())
        self._digest = self.repository.push(Pushed(data=tar_gz_of(*members)))


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryServer]:
    with serving_registry(tmp_path_factory.mktemp("registry")) as registry:
        yield registry


@pytest.mark.integration
class TestOciSource(SourceContract, CollectionsContract):
    gone = Outcome.FAILED
    # Not "A" beside "a": an archive in which two names differ by case alone is refused.
    in_order = ("B", "z", "é", "a/x-y", "a/x/deep")

    @pytest.fixture
    @override
    def place(self, registry: RegistryServer) -> Iterator[_Pushes]:
        with serving() as relay:
            yield _Pushes(Repository(registry, relay), _FailingStore())

    @pytest.fixture
    @override
    def source(self, place: _Pushes) -> Iterator[Source]:
        with making_sources(place.blobs) as make:
            yield make(place.repository.reference, layout=Layout.NESTED)
