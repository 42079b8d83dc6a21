"""A registry, a repository in it, and sources of that."""

from collections.abc import Iterator

import pytest

from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.oci_registry import RegistryServer, Repository, serving_registry
from tests.simulators.oci_sources import MakeOci, making_sources
from tests.simulators.web_server import serving


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryServer]:
    with serving_registry(tmp_path_factory.mktemp("registry")) as registry:
        yield registry


@pytest.fixture
def place(registry: RegistryServer) -> Iterator[Repository]:
    with serving() as relay:
        yield Repository(registry, relay)


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


@pytest.fixture
def make(blobs: MemoryBlobStore) -> Iterator[MakeOci]:
    with making_sources(blobs) as make:
        yield make
