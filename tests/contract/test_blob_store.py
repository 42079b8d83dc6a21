"""The blob stores, each under the one contract."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.blobs import BlobStore, FileBlobStore
from tests.contract.blob_store import BlobStoreContract
from tests.contract.memory_blob_store import MemoryBlobStore


class TestFileBlobStore(BlobStoreContract):
    @pytest.fixture
    @override
    def store(self, tmp_path: Path) -> Iterator[BlobStore]:
        with FileBlobStore(str(tmp_path / "blobs")) as store:
            yield store

    @pytest.fixture
    @override
    def damage(self, store: BlobStore, tmp_path: Path) -> Callable[[str, bytes], None]:
        def change(digest: str, data: bytes) -> None:
            (tmp_path / "blobs" / digest[:2] / digest[2:]).write_bytes(data)

        return change


class TestMemoryBlobStore(BlobStoreContract):
    @pytest.fixture
    @override
    def store(self) -> MemoryBlobStore:
        return MemoryBlobStore()

    @pytest.fixture
    @override
    def damage(self, store: BlobStore) -> Callable[[str, bytes], None]:
        def change(digest: str, data: bytes) -> None:
            assert isinstance(store, MemoryBlobStore)
            store.blobs[digest] = data

        return change
