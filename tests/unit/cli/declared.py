"""Declarations for tests: tables to sources that look at nothing yet."""

from collections.abc import Callable, Collection
from pathlib import Path

from skillsvc.catalog.reports import SourceKey
from skillsvc.cli.declaring import Declaration, Declaring
from skillsvc.cli.making import Surroundings
from skillsvc.content.stopping import never
from skillsvc.content.transport import Authorities
from skillsvc.domain.limits import Limits
from skillsvc.settings.settings import Settings, make_settings
from skillsvc.settings.sought import seek
from skillsvc.sources.remote_blobs import RemoteBlobs
from tests.contract.memory_blob_store import MemoryBlobStore


def untold(key: SourceKey, paths: Collection[str]) -> None:
    """Hear nothing."""


def declaring_in(folder: Path, tell: Callable[[SourceKey, Collection[str]], None] = untold) -> Declaring:
    blobs = MemoryBlobStore()
    surroundings = Surroundings(
        blobs=blobs,
        remote=RemoteBlobs(blobs),
        authorities=Authorities(),
        limits=Limits(),
        environment={"SECRET": "hush"},
        version="1",
        stopped=never,
        clock=lambda: 0.0,
        tell=tell,
    )
    return Declaring(surroundings, folder)


def settings_of(*sources: dict[str, object], **conventional: object) -> Settings:
    return make_settings({"source": list(sources), "conventional": conventional})


def declare(declaring: Declaring, *sources: dict[str, object], **conventional: object) -> Declaration:
    return declaring.declare(seek(settings_of(*sources, **conventional), {}), 60.0)


def directory(name: str, path: str = "/srv", **said: object) -> dict[str, object]:
    return {"name": name, "path": f"{path}/{name}", **said}
