"""A catalog of one tree, put together as the server does it, in this process."""

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from skillsvc.catalog.current import Current
from skillsvc.catalog.enablements import Enablements
from skillsvc.catalog.refresh import Refresh
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.service.server import Parts
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore

LABEL = "tree"


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """What refreshes a catalog, and what a server serves it from."""

    refresh: Refresh
    parts: Parts


@contextmanager
def open_catalog(tree: Path, data: Path) -> Iterator[Catalog]:
    """Open a data folder, empty or not, for a layer that has one directory; nothing is looked at yet."""
    limits = Limits()
    with (
        DataFolder.open(data) as folder,
        FileBlobStore(str(folder.blobs)) as blobs,
        closing(SqliteStore(folder.database, random_bytes=os.urandom)) as store,
    ):
        current = Current(store, limits)
        current.open_layer(DEPLOYMENT, now())
        source = DirectorySource(
            DirectorySettings(path=str(tree), reading=ReadingSettings(label=LABEL)), limits=limits, blobs=blobs
        )
        yield Catalog(
            refresh=Refresh(current, DEPLOYMENT, [source], blobs=blobs, limits=limits, now=now, clock=time.monotonic),
            parts=Parts(
                current=current,
                enablements=Enablements(store, limits),
                blobs=blobs,
                requests=store,
                experience=store,
                keys=folder.token_keys(os.urandom),
                limits=limits,
                version=version("skillsvc"),
                now=now,
                new_id=lambda: str(uuid.uuid4()),
            ),
        )
