"""The blob stores, each under the contract of what goes in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.cli.hashing import HashingBlobStore
from skillsvc.content.blobs import BlobStore, FileBlobStore
from skillsvc.domain.errors import DataLoss
from tests.contract.blob_intake import BlobIntakeContract
from tests.contract.memory_blob_store import MemoryBlobStore


class TestFileBlobStore(BlobIntakeContract):
    @pytest.fixture
    @override
    def store(self, tmp_path: Path) -> Iterator[BlobStore]:
        with FileBlobStore(str(tmp_path / "blobs")) as store:
            yield store


class TestMemoryBlobStore(BlobIntakeContract):
    @pytest.fixture
    @override
    def store(self) -> BlobStore:
        return MemoryBlobStore()


class TestHashingBlobStore(BlobIntakeContract):
    @pytest.fixture
    @override
    def store(self) -> BlobStore:
        return HashingBlobStore()

    def test_no_bytes_come_out_again(self, store: BlobStore) -> None:
        digest = store.put(b"abc")
        with pytest.raises(DataLoss):
            store.read(digest)
