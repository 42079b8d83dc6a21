"""A catalog of one tree, put together as the server does it, in this process."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore

LABEL = "tree"


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


@contextmanager
def open_catalog(tree: Path, data: Path) -> Iterator[Refresh]:
    """Open a data folder, empty or not, for a layer that has one directory; nothing is looked at yet."""
    limits = Limits()
    with (
        DataFolder.open(data) as folder,
        FileBlobStore(str(folder.blobs)) as blobs,
        closing(SqliteStore(folder.database, random_bytes=os.urandom)) as store,
    ):
        current = Current(store, limits)
        current.open_layer(DEPLOYMENT, now())
        source = DirectorySource(DirectorySettings(label=LABEL, path=str(tree)), limits=limits, blobs=blobs)
        yield Refresh(current, DEPLOYMENT, [source], blobs=blobs, limits=limits, now=now)
