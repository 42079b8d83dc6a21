"""What a site publishes as a source, over a real server: artifacts are verified, unpacked under guard, fetched once."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.source import Observation, Outcome
from skillsvc.sources.web.well_known import WellKnownSettings, WellKnownSource
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.packing import LINK, Zipped, skill_file, tar_gz_of, tarred, zip_of
from tests.simulators.web_index import READING, hex_of, web, well_known
from tests.simulators.web_server import WebServer, page, redirect, serving, silent

INDEX = "/.well-known/agent-skills/index.json"


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


Make = Callable[..., WellKnownSource]


@pytest.fixture
def make(server: WebServer, blobs: MemoryBlobStore, tmp_path: Path) -> Iterator[Make]:
    made: list[WellKnownSource] = []

    def make(
        *,
        stopped: Callable[[], bool] = lambda: False,
        most_paths: int = 100,
        **settings: Any,  # noqa: ANN401 - of WebSettings
    ) -> WellKnownSource:
        source = WellKnownSource(
            WellKnownSettings(web=web(**{"url": server.origin, **settings}), reading=READING),
            limits=Limits(),
            blobs=blobs,
            folder=tmp_path,
            stopped=stopped,
            most_paths=most_paths,
        )
        made.append(source)
        return source

    yield make
    for source in made:
        source.close()


def publish(server: WebServer, artifacts: Mapping[str, bytes], **fields: str) -> None:
    """Publish artifacts: a document where it begins as one, else an archive."""
    entries = []
    for name, data in artifacts.items():
        server.answers[f"/{name}"] = page(data)
        kind = "skill-md" if data.startswith(b"---") else "archive"
        entries.append({"name": name, "type": kind, "url": f"/{name}", "digest": f"sha256:{hex_of(data)}", **fields})
    server.answers[INDEX] = page(well_known(*entries))


def said(seen: Observation) -> list[tuple[DiagnosticCode, str]]:
    return [(each.code, each.skill) for each in seen.diagnostics]


def assets(seen: Observation) -> dict[str, list[tuple[str, bool]]]:
    return {found.place: [(asset.name, asset.executable) for asset in found.bundle.assets] for found in seen.found}


def test_documents_and_archives_become_skills(server: WebServer, make: Make) -> None:
    publish(
        server,
        {
            "plain": skill_file("plain"),
            "tarred": tar_gz_of(
                tarred("SKILL.md", skill_file("tarred")),
                tarred("run.sh", b"#!/bin/sh\n", mode=0o755),
                tarred("docs/a.md"),
            ),
            "zipped": zip_of(Zipped(name="SKILL.md", data=skill_file("zipped")), Zipped(name="a.txt", data=b"a")),
            "wrapped": tar_gz_of(tarred("wrapped/SKILL.md", skill_file("wrapped")), tarred("wrapped/a.txt", b"a")),
        },
    )
    seen = make().observe()
    assert (seen.outcome, seen.tier, seen.trust) == (Outcome.WHOLE, Tier.REGISTERED, Trust.ASK)
    assert assets(seen) == {
        "plain": [],
        "tarred": [("docs/a.md", False), ("run.sh", True)],
        "wrapped": [("a.txt", False)],
        "zipped": [("a.txt", False)],
    }
    assert seen.diagnostics == ()


@pytest.mark.parametrize("path", ["", "/", INDEX])
def test_its_url_is_the_site_or_the_index(server: WebServer, make: Make, path: str) -> None:
    publish(server, {"plain": skill_file("plain")})
    assert len(make(url=server.url(path)).observe().found) == 1


def test_an_index_of_a_site_below_a_path_and_behind_a_redirect_names_what_is_beside_it(
    server: WebServer, make: Make
) -> None:
    document = skill_file("plain")
    entry = {"name": "plain", "type": "skill-md", "url": "plain/SKILL.md", "digest": f"sha256:{hex_of(document)}"}
    server.answers[f"/docs{INDEX}"] = redirect("/published/index.json", 301)
    server.answers["/published/index.json"] = page(well_known(entry))
    server.answers["/published/plain/SKILL.md"] = page(document)
    assert len(make(url=server.url("/docs/")).observe().found) == 1


def test_an_artifact_is_fetched_once_as_long_as_its_digest_stands(server: WebServer, make: Make) -> None:
    archive = tar_gz_of(tarred("SKILL.md", skill_file("packed")))
    publish(server, {"packed": archive, "plain": skill_file("plain")})
    source = make()
    seen = source.observe()
    assert source.observe() is seen
    server.asked.clear()
    publish(server, {"packed": archive, "plain": skill_file("plain", "Anew.")})
    after = source.observe()
    assert server.paths() == [INDEX, "/plain"]
    assert after.found[0] is seen.found[0]


def test_links_of_an_archive_lead_nowhere_else(server: WebServer, make: Make) -> None:
    publish(
        server,
        {
            "inside": tar_gz_of(
                tarred("SKILL.md", kind=b"2", link=b"docs/SKILL.txt"), tarred("docs/SKILL.txt", skill_file("inside"))
            ),
            "to-another": tar_gz_of(tarred("SKILL.md", kind=b"2", link=b"../inside/docs/SKILL.txt")),
            "to-a-disk": tar_gz_of(tarred("SKILL.md", kind=b"2", link=b"/etc/passwd")),
            "by-the-way": tar_gz_of(
                tarred("a/b/up", kind=b"2", link=b"../.."),
                tarred("a/b/file"),
                tarred("SKILL.md", kind=b"2", link=b"a/b/up/../inside/docs/SKILL.txt"),
            ),
            "zipped": zip_of(
                Zipped(name="SKILL.md", data=skill_file("zipped")), Zipped(name="a", data=b"/etc/passwd", mode=LINK)
            ),
        },
    )
    seen = make().observe()
    assert assets(seen) == {"inside": [("docs/SKILL.txt", False)], "zipped": []}
    left_out = {skill for code, skill in said(seen) if code is DiagnosticCode.ENTRY_LEFT_OUT}
    assert left_out == {"to-another", "to-a-disk", "by-the-way"}


HOSTILE = {
    "climbs": tar_gz_of(tarred("SKILL.md", skill_file("climbs")), tarred("../../x", b"x")),
    "is-absolute": tar_gz_of(tarred("SKILL.md", skill_file("is-absolute")), tarred("/etc/x", b"x")),
    "doubled": tar_gz_of(tarred("SKILL.md", skill_file("doubled")), tarred("a"), tarred("a")),
    "case-collides": zip_of(
        Zipped(name="SKILL.md", data=skill_file("case-collides")), Zipped(name="a"), Zipped(name="A")
    ),
    "bomb": zip_of(
        Zipped(name="SKILL.md", data=skill_file("bomb")), Zipped(name="zeros", data=bytes(65 * 1024 * 1024))
    ),
    "no-archive": b"Not an archive at all",
    "cut": tar_gz_of(tarred("SKILL.md", skill_file("cut")))[:-20],
    "without-skill": tar_gz_of(tarred("README.md", b"x")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_archive_that_is_hostile_or_damaged_is_left_out_and_the_others_are_served(
    server: WebServer, make: Make, name: str
) -> None:
    publish(server, {name: HOSTILE[name], "sound": skill_file("sound")})
    seen = make().observe()
    assert [found.place for found in seen.found] == ["sound"]
    assert (DiagnosticCode.ENTRY_LEFT_OUT, name) in said(seen)
    assert seen.outcome is Outcome.WHOLE


def test_archives_hold_no_more_files_together_than_are_kept(server: WebServer, make: Make) -> None:
    source = make(most_paths=4)
    archives = {name: tar_gz_of(tarred("SKILL.md", skill_file(name)), tarred("x", b"")) for name in "abc"}
    publish(server, archives)
    seen = source.observe()
    assert [found.place for found in seen.found] == ["a", "b"]
    assert said(seen) == [(DiagnosticCode.ENTRY_LEFT_OUT, "c")]
    # What the index names no more counts no more.
    publish(server, {name: archives[name] for name in "bc"})
    assert list(assets(source.observe())) == ["b", "c"]


def test_a_wrong_digest_is_never_served_nor_kept(server: WebServer, make: Make, blobs: MemoryBlobStore) -> None:
    source = make()
    publish(
        server, {"plain": skill_file("plain", "One."), "packed": tar_gz_of(tarred("SKILL.md", skill_file("packed")))}
    )
    before = source.observe()
    forged = skill_file("plain", "Forged.")
    forged_archive = tar_gz_of(tarred("SKILL.md", forged))
    publish(server, {"plain": skill_file("plain", "Two."), "packed": tar_gz_of(tarred("SKILL.md", b"---\n"))})
    server.answers["/plain"] = page(forged)
    server.answers["/packed"] = page(forged_archive)
    seen = source.observe(held=before.found)
    assert (seen.outcome, seen.found) == (Outcome.PARTIAL, before.found)
    assert {code for code, _ in said(seen)} == {DiagnosticCode.ENTRY_UNREACHABLE}
    assert all("not those of the digest" in each.message for each in seen.diagnostics)
    assert forged not in blobs.blobs.values()
    assert forged_archive not in blobs.blobs.values()


def test_entries_that_lead_elsewhere_are_left_out_before_anything_is_fetched(server: WebServer, make: Make) -> None:
    sound = skill_file("sound")
    digest = f"sha256:{hex_of(sound)}"
    server.answers["/sound"] = page(sound)
    entries = [
        {"name": name, "type": "skill-md", "url": url, "digest": digest}
        for name, url in (
            ("../../x", "/sound"),
            ("elsewhere", "https://else.example/z"),
            ("meta", "http://169.254.169.254/latest"),
            ("local", "file:///etc/passwd"),
            ("sound", "/sound"),
        )
    ]
    server.answers[INDEX] = page(well_known(*entries, {"name": "later", "type": "bundle"}))
    seen = make().observe()
    assert [found.place for found in seen.found] == ["sound"]
    assert {skill for code, skill in said(seen) if code is DiagnosticCode.ENTRY_LEFT_OUT} == {
        "../../x",
        "elsewhere",
        "meta",
        "local",
        "later",
    }
    assert server.paths() == [INDEX, "/sound"]


@pytest.mark.parametrize(
    "index",
    [
        b'{"skills": []}',
        b'{"$schema": "https://schemas.agentskills.io/discovery/9/schema.json", "skills": []}',
        b"<html></html>",
    ],
)
def test_an_index_of_another_version_leaves_what_was_last_found(server: WebServer, make: Make, index: bytes) -> None:
    server.answers[INDEX] = page(index)
    seen = make().observe()
    assert (seen.outcome, said(seen)) == (Outcome.FAILED, [(DiagnosticCode.INDEX_MALFORMED, "")])


def test_a_download_that_is_told_to_stop_is_abandoned(server: WebServer, make: Make) -> None:
    publish(server, {"packed": tar_gz_of(tarred("SKILL.md", skill_file("packed")))})
    server.answers["/packed"] = silent
    source = make(timeout_s=60.0, stopped=lambda: "/packed" in server.paths())
    with pytest.raises(Abandoned):
        source.observe()


def test_what_was_served_of_another_site_is_nobodys_who_merely_knows_its_digest(server: WebServer, make: Make) -> None:
    publish(server, {"a": skill_file("a")})
    before = make().observe()
    with serving() as other:
        publish(other, {"a": skill_file("a")})
        del other.answers["/a"]
        seen = make(url=other.origin).observe(held=before.found)
    assert (seen.outcome, said(seen)) == (Outcome.PARTIAL, [(DiagnosticCode.ENTRY_UNREACHABLE, "a")])
    assert make().observe(held=before.found).outcome is Outcome.WHOLE
