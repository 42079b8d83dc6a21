"""Looks at repositories on real git servers, for tests."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from skillsvc.content.stopping import never
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.sources.discovery import Layout
from skillsvc.sources.git.source import GitSettings, GitSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.git_repository import GitRepository

READING = ReadingSettings(label="harbor", layout=Layout.NESTED, tier=Tier.REGISTERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class GitServer:
    """A server of the bare repositories below `root`."""

    root: Path
    origin: str


@contextmanager
def repository_on(root: Path, folder: Path) -> Iterator[GitRepository]:
    """Make a repository on a server, under the name of `folder`, where its work tree is."""
    made = GitRepository(root / f"{folder.name}.git", folder / "work")
    try:
        yield made
    finally:
        shutil.rmtree(made.bare, ignore_errors=True)


def source_of(
    url: str,
    folder: Path,
    *,
    stopped: Callable[[], bool] = never,
    blobs: MemoryBlobStore | None = None,
    **settings: Any,  # noqa: ANN401 - as GitSettings takes them
) -> GitSource:
    """Return a source of a repository, with its cache below `folder`."""
    given: dict[str, Any] = {"url": url, "reading": READING, "plain_http": True, "timeout_s": 30.0, **settings}
    return GitSource(
        GitSettings(**given),
        limits=Limits(),
        blobs=blobs or MemoryBlobStore(),
        folder=folder / "cache",
        stopped=stopped,
    )


def server_of(url: str) -> str:
    """Return the host and port of a URL, as people are told."""
    return urlsplit(url).netloc.rpartition("@")[2]


def fails(seen: Observation) -> str:
    """Return what a look that failed says of it."""
    [said] = seen.diagnostics
    assert (seen.outcome, said.code, seen.found) == (Outcome.FAILED, DiagnosticCode.SOURCE_UNREACHABLE, ())
    return said.message
