"""The sources on the web, each under the one contract, over a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.domain.limits import Limits
from skillsvc.sources.remote_blobs import RemoteBlobs
from skillsvc.sources.source import Outcome, Source
from skillsvc.sources.web.http import HttpSettings, HttpSource
from skillsvc.sources.web.well_known import WellKnownSettings, WellKnownSource
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import Place, SourceContract
from tests.simulators.packing import tar_gz_of, tarred
from tests.simulators.web_index import READING, hex_of, manifest, remote, web, well_known
from tests.simulators.web_server import WebServer, page, serving
from tests.unit.sources.trees import skill

INDEX = "/.well-known/agent-skills/index.json"


class _Site:
    """A site that publishes skills; how an index names one is said by a subclass."""

    def __init__(self, server: WebServer) -> None:
        self.server = server
        self._artifacts: dict[str, bytes] = {}
        self._shown: dict[str, bytes] = {}
        self._tell()

    def artifact(self, place: str, document: str) -> bytes:
        del place
        return document.encode()

    def index(self, artifacts: dict[str, bytes]) -> str:
        raise NotImplementedError

    def write(self, place: str, description: str) -> None:
        self._artifacts[place] = self.artifact(place, skill(place, description))
        self._tell()

    def spoil(self, place: str) -> None:
        self._artifacts[place] = self.artifact(place, "---\n")
        self._tell()

    def remove(self, place: str) -> None:
        del self._artifacts[place]
        self._tell()

    def hide(self, place: str) -> None:
        # It has changed, and what it is by now cannot be had.
        self._shown[place] = self._artifacts[place]
        self._artifacts[place] = b"hidden"
        self._tell()
        self.server.answers[f"/{place}"] = page(b"hidden", status=500, tagged=False)

    def show(self, place: str) -> None:
        self._artifacts[place] = self._shown.pop(place)
        self._tell()

    def lose(self) -> None:
        self._artifacts.clear()
        del self.server.answers[INDEX]

    def _tell(self) -> None:
        for place, data in self._artifacts.items():
            self.server.answers[f"/{place}"] = page(data)
        self.server.answers[INDEX] = page(self.index(self._artifacts))


class _SiteOfDocuments(_Site):
    kind = "skill-md"

    @override
    def index(self, artifacts: dict[str, bytes]) -> str:
        return well_known(
            *(
                {
                    "name": name,
                    "type": self.kind,
                    "description": "?",
                    "url": f"/{name}",
                    "digest": f"sha256:{hex_of(data)}",
                }
                for name, data in artifacts.items()
            )
        )


class _SiteOfArchives(_SiteOfDocuments):
    kind = "archive"

    @override
    def artifact(self, place: str, document: str) -> bytes:
        return tar_gz_of(tarred("SKILL.md", document.encode()), tarred("scripts/run.sh", b"#!/bin/sh\n"))


class _Manifest(_Site):
    with_digests = True

    @override
    def index(self, artifacts: dict[str, bytes]) -> str:
        digest = None if self.with_digests else ""
        return manifest(
            *(
                {"id": name, "document": remote(f"../../{name}", data, digest=digest, sized=self.with_digests)}
                for name, data in artifacts.items()
            )
        )


class _ManifestWithoutDigests(_Manifest):
    with_digests = False


class _WebSourceContract(SourceContract):
    gone = Outcome.FAILED
    in_order = ("a", "a-b", "a_b", "b", "c1", "z")
    site: type[_Site]

    @pytest.fixture
    def server(self) -> Iterator[WebServer]:
        with serving() as server:
            yield server

    @pytest.fixture
    @override
    def place(self, server: WebServer) -> Place:
        return self.site(server)


class _WellKnownContract(_WebSourceContract):
    @pytest.fixture
    @override
    def source(self, place: Place, server: WebServer, tmp_path: Path) -> Iterator[Source]:
        del place
        settings = WellKnownSettings(web=web(server.origin), reading=READING)
        source = WellKnownSource(settings, limits=Limits(), blobs=MemoryBlobStore(), folder=tmp_path)
        yield source
        source.close()


class TestWellKnownSource(_WellKnownContract):
    site = _SiteOfDocuments


class TestWellKnownSourceOfArchives(_WellKnownContract):
    site = _SiteOfArchives


class _HttpContract(_WebSourceContract):
    @pytest.fixture
    @override
    def source(self, place: Place, server: WebServer, tmp_path: Path) -> Iterator[Source]:
        del place
        blobs = MemoryBlobStore()
        settings = HttpSettings(web=web(server.url(INDEX)), reading=READING)
        source = HttpSource(
            settings, limits=Limits(), blobs=blobs, folder=tmp_path, remote=RemoteBlobs(blobs), place=""
        )
        yield source
        source.close()


class TestHttpSource(_HttpContract):
    site = _Manifest


class TestHttpSourceWithoutDigests(_HttpContract):
    site = _ManifestWithoutDigests
