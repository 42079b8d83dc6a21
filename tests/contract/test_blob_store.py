"""The blob stores, each under the one contract."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.blobs import BlobStore, FileBlobStore
from tests.contract.blob_store import BlobStoreContract, Damage
from tests.contract.memory_blob_store import MemoryBlobStore


class TestFileBlobStore(BlobStoreContract):
    @pytest.fixture
    @override
    def store(self, tmp_path: Path) -> Iterator[BlobStore]:
        with FileBlobStore(str(tmp_path / "blobs")) as store:
            yield store

    @pytest.fixture
    @override
    def damage(self, store: BlobStore, tmp_path: Path) -> Damage:
        def change(digest: str, data: bytes | None) -> None:
            path = tmp_path / "blobs" / digest[:2] / digest[2:]
            if data is None:
                path.unlink()
            else:
                path.write_bytes(data)

        return change


class TestMemoryBlobStore(BlobStoreContract):
    @pytest.fixture
    @override
    def store(self) -> MemoryBlobStore:
        return MemoryBlobStore()

    @pytest.fixture
    @override
    def damage(self, store: BlobStore) -> Damage:
        def change(digest: str, data: bytes | None) -> None:
            assert isinstance(store, MemoryBlobStore)
            if data is None:
                del store.blobs[digest]
            else:
                store.blobs[digest] = data

        return change
