"""Bodies and assets that are fetched on need, over gRPC: what a caller gets of them, and what where that fails."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import grpc
import pytest
import skillsource
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.reports import SourceKey
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.remote_blobs import RemoteBlobs
from skillsvc.sources.web.http import HttpSettings, HttpSource
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.in_process import InProcess, World, in_process
from tests.patience import PATIENCE_S
from tests.simulators.web_index import READING, hex_of, manifest, remote, web
from tests.simulators.web_server import Answer, WebServer, page, reset, serving, silent, truncated

INDEX = "/manifest.json"
BODY = "# Tides\r\nRead the table. é\n"
TABLE = bytes(range(256)) * 40


@pytest.fixture
def site() -> Iterator[WebServer]:
    with serving() as site:
        yield site


@asynccontextmanager
async def serving_manifest(
    site: WebServer, *entries: dict[str, Any], timeout_s: float = PATIENCE_S
) -> AsyncIterator[InProcess]:
    """Serve what a look at a manifest finds."""
    site.answers[INDEX] = page(manifest(*entries))
    blobs = MemoryBlobStore()
    offered = RemoteBlobs(blobs)
    source = _source(site, INDEX, blobs, offered, READING, timeout_s=timeout_s)
    try:
        async with in_process(*_rows(source), world=World(blobs=blobs), remote=offered) as server:
            yield server
    finally:
        source.close()


def _source(
    site: WebServer,
    index: str,
    blobs: BlobStore,
    offered: RemoteBlobs,
    reading: ReadingSettings,
    *,
    timeout_s: float = PATIENCE_S,
) -> HttpSource:
    return HttpSource(
        HttpSettings(web=web(site.url(index), timeout_s=timeout_s), reading=reading),
        limits=Limits(),
        blobs=blobs,
        folder=None,
        remote=offered,
        place=SourceKey(DEPLOYMENT, reading.label),
    )


def _rows(source: HttpSource, *, shadowed: bool = False) -> list[Row]:
    seen = source.observe()
    return [
        make_row(source=seen.source, shadowed=shadowed, found=found, tier=seen.tier, trust=seen.trust)
        for found in seen.found
    ]


TIDES = {
    "id": "tides",
    "description": "Reads tide tables.",
    "body": remote("/tides.txt", BODY),
    "assets": [{"name": "table.bin", **remote("/table.bin", TABLE)}],
}


@pytest.fixture(autouse=True)
def pages(site: WebServer) -> None:
    site.answers["/tides.txt"] = page(BODY)
    site.answers["/table.bin"] = page(TABLE)


def until(told: threading.Event) -> Answer:
    """Say nothing until that is told, and hang up then."""

    def answer(_: object, __: object, ending: threading.Event) -> bool:
        while not ending.is_set() and not told.wait(0.01):
            pass
        return False

    return answer


def blobs_of(server: InProcess) -> BlobStore:
    return server.world.blobs


async def test_a_body_is_fetched_when_it_is_first_read_and_served_as_it_is(site: WebServer) -> None:
    async with serving_manifest(site, TIDES) as server:
        [listed] = (await server.list(view=pb.SKILL_VIEW_FULL)).skills
        assert (listed.body_bytes, listed.document_bytes, listed.document_digest) == (len(BODY.encode()), 0, "")
        assert site.paths() == [INDEX]
        for _ in range(2):
            answer = await server.call(pb.SkillBodyRequest(name="tides"), pb.SkillBodyResponse)
            assert (answer.body, answer.digest, answer.total_bytes) == (BODY, hex_of(BODY), len(BODY.encode()))
        assert site.paths() == [INDEX, "/tides.txt"]
        unchanged = await server.call(
            pb.SkillBodyRequest(name="tides", if_none_match=hex_of(BODY)), pb.SkillBodyResponse
        )
        assert unchanged.not_modified


async def test_it_has_no_document(site: WebServer) -> None:
    async with serving_manifest(site, TIDES) as server:
        refusal = await server.refused(pb.SkillBodyRequest(name="tides", form=pb.BODY_FORM_DOCUMENT))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "BODY_NOT_FOUND")


async def test_a_skill_without_any_url_has_no_body_and_nothing_is_read_for_it(site: WebServer) -> None:
    """Row 12 of the merged list."""
    async with serving_manifest(site, {"id": "bare"}) as server:
        for request in (pb.SkillBodyRequest(name="bare"), pb.ActivateRequest(name="bare")):
            refusal = await server.refused(request)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "BODY_NOT_FOUND")
        assert site.paths() == [INDEX]


async def test_it_is_activated(site: WebServer) -> None:
    async with serving_manifest(site, TIDES) as server:
        answer = await server.call(pb.ActivateRequest(name="tides"), pb.ActivateResponse)
        assert BODY in answer.text
        assert answer.body_digest == hex_of(BODY)
        assert [asset.name for asset in answer.assets] == ["table.bin"]


async def test_ranges_of_an_asset_are_served_from_the_whole(site: WebServer) -> None:
    async with serving_manifest(site, TIDES) as server:
        data = b""
        while True:
            request = pb.ReadAssetRequest(skill="tides", asset="table.bin", offset=len(data), max_bytes=3000)
            answer = await server.call(request, pb.ReadAssetResponse)
            data += answer.data
            if not answer.next_offset:
                break
        assert data == TABLE
        assert site.paths() == [INDEX, "/table.bin"]
        refusal = await server.refused(pb.ReadAssetRequest(skill="tides", asset="table.bin", as_text=True))
        assert refusal.reason == "ARGUMENT_MALFORMED"


async def test_clients_read_it_like_any_other(site: WebServer) -> None:
    async with serving_manifest(site, TIDES) as server, skillsource.connect_async(server.address) as client:
        body = await client.skill_body("tides")
        assert (body.text, body.digest) == (BODY, hex_of(BODY))
        assert (await client.read_asset("tides", "table.bin")).data == TABLE


@pytest.mark.parametrize(
    "failing",
    [page(b"no", status=500), page(b"other bytes"), page(b"x" * 1000), reset, silent, truncated(BODY.encode())],
)
async def test_what_cannot_be_had_is_out_of_reach_and_comes_when_it_can(site: WebServer, failing: Answer) -> None:
    # Whoever says nothing is waited for far longer than all else takes, and no longer.
    async with serving_manifest(site, TIDES, timeout_s=3.0 if failing is silent else PATIENCE_S) as server:
        site.answers["/tides.txt"] = failing
        refusal = await server.refused(pb.SkillBodyRequest(name="tides"))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SOURCE_UNREACHABLE")
        assert not any(place in refusal.message for place in ("tides.txt", "127.0.0.1", str(site.port)))
        assert blobs_of(server).lost() == frozenset()
        assert not blobs_of(server).has(hex_of(b"other bytes"))
        site.answers["/tides.txt"] = page(BODY)
        answer = await server.call(pb.SkillBodyRequest(name="tides"), pb.SkillBodyResponse)
        assert answer.body == BODY


async def test_a_body_that_is_no_text_is_never_served(site: WebServer) -> None:
    site.answers["/tides.txt"] = page(TABLE)
    async with serving_manifest(site, {"id": "tides", "body": remote("/tides.txt", TABLE)}) as server:
        refusal = await server.refused(pb.SkillBodyRequest(name="tides"))
        assert refusal.reason == "SOURCE_UNREACHABLE"


async def test_of_two_sizes_of_one_digest_the_wrong_one_is_never_served(site: WebServer) -> None:
    liar = {"id": "liar", "assets": [{"name": "table.bin", **remote("/table.bin", TABLE), "size": len(TABLE) + 7}]}
    async with serving_manifest(site, TIDES, liar) as server:
        whole = await server.call(pb.ReadAssetRequest(skill="tides", asset="table.bin"), pb.ReadAssetResponse)
        assert (whole.data, whole.total_bytes) == (TABLE, len(TABLE))
        refusal = await server.refused(pb.ReadAssetRequest(skill="liar", asset="table.bin"))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SOURCE_UNREACHABLE")


async def test_who_waits_for_one_source_keeps_nobody_from_reading(site: WebServer) -> None:
    sound = {"id": "sound", "body": {"url": "/sound.txt"}}
    site.answers["/sound.txt"] = page("Here.")
    async with serving_manifest(site, TIDES, sound) as server:
        told = threading.Event()
        site.answers["/tides.txt"] = until(told)
        waiting = [asyncio.ensure_future(server.refused(pb.SkillBodyRequest(name="tides"))) for _ in range(20)]
        await asyncio.to_thread(site.wait_for, "/tides.txt")
        answer = await server.call(pb.SkillBodyRequest(name="sound"), pb.SkillBodyResponse)
        assert answer.body == "Here."
        assert not any(each.done() for each in waiting)
        told.set()
        assert {refusal.reason for refusal in await asyncio.gather(*waiting)} == {"SOURCE_UNREACHABLE"}


async def test_who_waits_for_one_source_keeps_nobody_from_what_another_one_has(site: WebServer) -> None:
    far = {"id": "far", "body": remote("/far.txt", "Far.")}
    site.answers["/far.txt"] = page("Far.")
    async with serving_manifest(site, TIDES, far) as server:
        told = threading.Event()
        site.answers["/tides.txt"] = until(told)
        waiting = [asyncio.ensure_future(server.refused(pb.SkillBodyRequest(name="tides"))) for _ in range(60)]
        await asyncio.to_thread(site.wait_for, "/tides.txt")
        answer = await server.call(pb.SkillBodyRequest(name="far"), pb.SkillBodyResponse)
        assert answer.body == "Far."
        assert not any(each.done() for each in waiting)
        told.set()
        assert {refusal.reason for refusal in await asyncio.gather(*waiting)} == {"SOURCE_UNREACHABLE"}


async def test_what_one_source_has_is_not_served_of_another_that_names_its_digest(site: WebServer) -> None:
    site.answers[INDEX] = page(manifest(TIDES))
    # Another manifest says the very same, and has none of it.
    table = {"name": "table.bin", **remote("/gone.bin", TABLE)}
    site.answers["/liar.json"] = page(manifest({**TIDES, "body": remote("/gone.txt", BODY), "assets": [table]}))
    blobs = MemoryBlobStore()
    offered = RemoteBlobs(blobs)
    owner = _source(site, INDEX, blobs, offered, READING)
    liar = _source(site, "/liar.json", blobs, offered, replace(READING, label="liar"))
    rows = [*_rows(owner), *_rows(liar, shadowed=True)]
    body = pb.SkillBodyRequest(name="tides"), pb.SkillBodyRequest(name="liar/tides")
    began = pb.ActivateRequest(name="tides"), pb.ActivateRequest(name="liar/tides")
    read = (
        pb.ReadAssetRequest(skill="tides", asset="table.bin"),
        pb.ReadAssetRequest(skill="liar/tides", asset="table.bin"),
    )
    text = pb.ReadAssetRequest(skill="liar/tides", asset="table.bin", as_text=True)
    try:
        async with in_process(*rows, world=World(blobs=blobs), remote=offered) as server:
            for _ in range(2):
                for named in (body[1], began[1], read[1], text):
                    refusal = await server.refused(named)
                    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SOURCE_UNREACHABLE")
                # Now it is in the store, and kept as answers.
                assert (await server.call(body[0], pb.SkillBodyResponse)).body == BODY
                assert BODY in (await server.call(began[0], pb.ActivateResponse)).text
                assert (await server.call(read[0], pb.ReadAssetResponse)).data == TABLE
            site.answers["/gone.txt"] = page(BODY)
            assert (await server.call(body[1], pb.SkillBodyResponse)).body == BODY
            assert site.paths().count("/tides.txt") == 1
    finally:
        owner.close()
        liar.close()


async def test_a_search_finds_what_a_body_says_once_it_has_come_and_says_so_before(site: WebServer) -> None:
    async with serving_manifest(site, TIDES) as server:

        async def search(query: str) -> tuple[str, list[str]]:
            answer = await server.call(pb.SearchSkillsRequest(query=query), pb.SearchSkillsResponse)
            return answer.engine, [hit.skill.name for hit in answer.hits]

        assert await search("tide") == ("bm25-partial", ["tides"])
        assert await search("read the table") == ("bm25-partial", ["tides"])
        assert await search("\u00e9") == ("bm25-partial", [])
        assert site.paths() == [INDEX]
        await server.call(pb.SkillBodyRequest(name="tides"), pb.SkillBodyResponse)
        async with asyncio.timeout(PATIENCE_S):
            while (await search("\u00e9"))[0] != "bm25":
                pass
        assert await search("\u00e9") == ("bm25", ["tides"])
        assert await search("tide") == ("bm25", ["tides"])
