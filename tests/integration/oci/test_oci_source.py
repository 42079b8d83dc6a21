"""Artifacts in a real registry: how they are packed, how they change, and which are refused."""

from hashlib import sha256
from pathlib import Path

import pytest

from skillsvc.content.archive_paths import ArchiveLimits
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.discovery import Layout
from skillsvc.sources.source import Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import described
from tests.simulators.oci_registry import (
    MANIFEST,
    TAR,
    Pushed,
    Repository,
    index_of,
    manifest_of,
    serving_registry,
)
from tests.simulators.oci_sources import MakeOci, folder, making_sources, said
from tests.simulators.packing import header, padded, skill_file, tar_gz_of, tar_of, tarred
from tests.simulators.web_server import page

PROGRAM = tarred("review/run.sh", b"x", mode=0o755)


@pytest.mark.parametrize(
    "layers",
    [
        pytest.param([folder("review", "Says so.", PROGRAM)], id="a-folder-in-tar-gzip"),
        pytest.param(
            [Pushed(data=tar_of(tarred("review/SKILL.md", skill_file("review")), PROGRAM), media_type=TAR)],
            id="a-folder-in-tar",
        ),
        pytest.param(
            [
                Pushed(data=skill_file("review"), media_type="text/markdown", title="review/SKILL.md"),
                Pushed(data=b"x", media_type=TAR, title="review/run.sh"),
            ],
            id="files-by-their-titles",
        ),
        pytest.param(
            [
                Pushed(
                    data=tar_gz_of(
                        tarred("review/", kind=b"5"),
                        tarred("review/SKILL.md", skill_file("review")),
                        tarred("review/run.sh", b"x"),
                    ),
                    media_type="application/vnd.oci.image.layer.v1.tar+gzip",
                    title="review",
                    unpack=True,
                )
            ],
            id="a-folder-that-oras-packed",
        ),
        pytest.param(
            [folder("review"), Pushed(data=tar_gz_of(tarred("./review/run.sh", b"x")))], id="a-folder-in-two-layers"
        ),
    ],
)
def test_a_skill_is_found_however_it_is_packed(
    place: Repository, make: MakeOci, blobs: MemoryBlobStore, layers: list[Pushed]
) -> None:
    digest = place.push(*layers)
    seen = make(place.reference).observe()
    assert (seen.outcome, seen.diagnostics, seen.revision) == (Outcome.WHOLE, (), digest)
    assert (seen.tier, seen.trust) == (Tier.REGISTERED, Trust.ASK)
    [found] = seen.found
    assert (found.place, found.bundle.skill.name, found.bundle.skill.description) == ("review", "review", "Says so.")
    assert [(asset.name, blobs.read(asset.digest)) for asset in found.bundle.assets] == [("run.sh", b"x")]


def test_a_skill_at_the_root_is_named_by_itself(place: Repository, make: MakeOci) -> None:
    place.push(Pushed(data=tar_gz_of(tarred("SKILL.md", skill_file("review")))))
    assert [found.bundle.skill.name for found in make(place.reference).observe().found] == ["review"]


def test_many_skills_in_many_layers_are_one_tree(place: Repository, make: MakeOci) -> None:
    place.push(folder("b/deep"), folder("a"), folder("c"))
    seen = make(place.reference, layout=Layout.NESTED).observe()
    assert [found.place for found in seen.found] == ["a", "c", "b/deep"]


def test_links_are_followed_within_the_artifact_alone(place: Repository, make: MakeOci) -> None:
    links = (tarred("alias", kind=b"2", link=b"a"), tarred("out", kind=b"2", link=b"../../etc"))
    place.push(folder("a", "Says so.", *links))
    seen = make(place.reference).observe()
    assert [found.place for found in seen.found] == ["a"]
    assert {each.code for each in seen.diagnostics} == {DiagnosticCode.LINKED_TWICE, DiagnosticCode.LINK_ESCAPES}


def test_what_is_no_file_is_left_out_and_said(place: Repository, make: MakeOci) -> None:
    place.push(folder("a", "Says so.", tarred("a/pipe", kind=b"6")))
    seen = make(place.reference).observe()
    assert (seen.outcome, len(seen.found)) == (Outcome.WHOLE, 1)
    assert [(each.code, each.source) for each in seen.diagnostics] == [(DiagnosticCode.NOT_A_REGULAR_FILE, "harbor")]


def test_an_artifact_without_files_is_empty(place: Repository, make: MakeOci) -> None:
    place.push()
    seen = make(place.reference).observe()
    assert (seen.outcome, seen.found, seen.diagnostics) == (Outcome.WHOLE, (), ())


def test_a_tag_that_stayed_costs_one_question(place: Repository, make: MakeOci) -> None:
    place.push(folder("a"))
    source = make(place.reference)
    seen = source.observe()
    place.relay.asked.clear()
    assert source.observe() is seen
    assert source.observe(["a/SKILL.md"], held=seen.found) is seen
    assert [(asked.method, asked.path) for asked in place.relay.asked] == [("HEAD", place.manifest)] * 2


def test_a_registry_that_says_no_digest_is_asked_for_the_manifest(place: Repository, make: MakeOci) -> None:
    layer = folder("a")
    place.push(layer)
    place.relay.answers[place.manifest] = page(manifest_of([layer]), tagged=False, content_type=MANIFEST)
    source = make(place.reference)
    seen = source.observe()
    assert (seen.outcome, described(seen)) == (Outcome.WHOLE, [("a", "Says so.")])
    place.relay.asked.clear()
    assert source.observe() is seen
    assert {asked.path for asked in place.relay.asked} == {place.manifest}


def test_a_tag_that_moved_brings_only_the_layers_that_are_new(place: Repository, make: MakeOci) -> None:
    file = Pushed(data=skill_file("c"), media_type="text/markdown", title="c/SKILL.md")
    place.push(folder("a"), folder("b", "One."), file)
    source = make(place.reference)
    first = source.observe()
    place.relay.asked.clear()
    changed = folder("b", "Two.")
    digest = place.push(folder("a"), changed, file)
    second = source.observe()
    assert described(second) == [("a", "Says so."), ("b", "Two."), ("c", "Says so.")]
    assert (second.revision, second.found[0] is first.found[0]) == (digest, True)
    fetched = [asked.path for asked in place.relay.asked if "/blobs/" in asked.path]
    assert fetched == [place.blob(changed)]


def test_limits_hold_for_layers_that_are_there(place: Repository, make: MakeOci) -> None:
    noise = [
        Pushed(data=tar_gz_of(tarred(name, name.encode() * 3000)), media_type="application/vnd.acme.tar+gzip")
        for name in "ab"
    ]
    source = make(place.reference, own={"archive_limits": ArchiveLimits(total_bytes=5500)})
    for layer in noise:
        place.push(layer)
        assert source.observe().outcome is Outcome.WHOLE
    place.push(*noise, folder("c"))
    assert said(source.observe())[0] is DiagnosticCode.ARTIFACT_REFUSED
    place.push(noise[1], noise[0])
    code, _ = said(source.observe())
    assert code is DiagnosticCode.ARTIFACT_REFUSED


def test_a_start_brings_no_layer_that_is_there(place: Repository, make: MakeOci, tmp_path: Path) -> None:
    links = (tarred("a/alias", kind=b"2", link=b"SKILL.md"), tarred("a/run.sh", b"x", mode=0o755))
    place.push(folder("a", "One.", *links), folder("b"))
    before = make(place.reference, own={"folder": tmp_path}).observe()
    place.relay.asked.clear()
    after = make(place.reference, own={"folder": tmp_path}).observe()
    assert after == before
    assert {asked.path for asked in place.relay.asked} == {place.manifest}
    new = folder("c")
    place.push(folder("a", "One.", *links), new)
    place.relay.asked.clear()
    assert described(make(place.reference, own={"folder": tmp_path}).observe()) == [("a", "One."), ("c", "Says so.")]
    assert [asked.path for asked in place.relay.asked if "/blobs/" in asked.path] == [place.blob(new)]


def test_after_a_start_a_layer_is_fetched_whose_files_are_not_there(
    place: Repository, make: MakeOci, tmp_path: Path
) -> None:
    layer = folder("a")
    place.push(layer)
    before = make(place.reference, own={"folder": tmp_path}).observe()
    with making_sources(MemoryBlobStore()) as make_elsewhere:
        place.relay.asked.clear()
        assert make_elsewhere(place.reference, own={"folder": tmp_path}).observe() == before
    assert place.blob(layer) in place.relay.paths()


def test_what_another_source_brought_is_nobodys_who_merely_knows_its_digest(
    place: Repository, make: MakeOci, blobs: MemoryBlobStore
) -> None:
    file = Pushed(data=b"Of another tenant.", media_type="a/b", title="a/file")
    place.push(folder("a"), file)
    blobs.put(file.data)
    make(place.reference).observe()
    assert place.blob(file) in {asked.path for asked in place.relay.asked}


def test_an_artifact_by_digest_is_asked_for_once(place: Repository, make: MakeOci) -> None:
    digest = place.push(folder("a", "One."))
    place.push(folder("a", "Two."))
    source = make(place.pinned(digest))
    seen = source.observe()
    assert described(seen) == [("a", "One.")]
    place.relay.asked.clear()
    assert source.observe() is seen
    assert place.relay.asked == []


def test_a_tag_that_is_gone_keeps_what_was_last_found(place: Repository, make: MakeOci) -> None:
    digest = place.push(folder("a"))
    source = make(place.reference)
    before = source.observe()
    place.registry.delete_manifest(place.name, digest)
    code, message = said(source.observe(held=before.found))
    assert code is DiagnosticCode.SOURCE_UNREACHABLE
    assert message.endswith("the status 404: it has no such artifact, or not all of it")
    place.push(folder("a"))
    assert source.observe(held=before.found) == before


def test_a_registry_that_is_down_keeps_what_was_last_found(tmp_path: Path, make: MakeOci) -> None:
    with serving_registry(tmp_path / "registry") as registry:
        registry.push("skills/a", "1", folder("a"))
        source = make(f"{registry.name}/skills/a:1")
        before = source.observe()
        registry.stop()
        for _ in range(2):
            code, message = said(source.observe(held=before.found))
            assert code is DiagnosticCode.SOURCE_UNREACHABLE
            assert "cannot be connected to (ECONNREFUSED)" in message
        with serving_registry(tmp_path / "registry", port=registry.port):
            assert source.observe(held=before.found) == before


def test_an_index_of_one_manifest_stands_for_it(place: Repository, make: MakeOci) -> None:
    layer = folder("a")
    digest = place.push(layer, tag="real")
    size = len(manifest_of([layer]))
    entry = {
        "mediaType": MANIFEST,
        "digest": digest,
        "size": size,
        "platform": {"architecture": "amd64", "os": "linux"},
    }
    index = index_of(entry)
    place.push_index(index)
    seen = make(place.reference).observe()
    assert described(seen) == [("a", "Says so.")]
    assert seen.revision == f"sha256:{sha256(index).hexdigest()}"


def test_an_index_of_two_is_refused_and_not_fetched_again(place: Repository, make: MakeOci) -> None:
    entries = [
        {
            "mediaType": MANIFEST,
            "digest": place.push(folder(name), tag=name),
            "size": len(manifest_of([folder(name)])),
            "platform": {"architecture": name, "os": "linux"},
        }
        for name in "ab"
    ]
    place.push_index(index_of(*entries))
    source = make(place.reference)
    refused = source.observe()
    assert said(refused) == (
        DiagnosticCode.ARTIFACT_REFUSED,
        "is an index of 2 manifests; name one of them by its digest",
    )
    place.relay.asked.clear()
    assert source.observe() is refused
    assert [asked.method for asked in place.relay.asked] == ["HEAD"]
    place.push(folder("a"))
    assert source.observe().outcome is Outcome.WHOLE


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ([folder("a"), folder("a")], "there twice"),
        ([folder("a"), folder("a", "Two.")], "there twice"),
        ([folder("a"), folder("A")], "another spelling"),
        ([folder("a"), Pushed(data=tar_gz_of(tarred("a", b"x")))], "there twice"),
        ([folder("a"), Pushed(data=b"x", media_type="a/b", title="./a/SKILL.md")], "there twice"),
        ([folder("a"), Pushed(data=tar_gz_of(tarred("a/.wh.SKILL.md")))], "takes files of another one back"),
        ([folder("a"), Pushed(data=tar_gz_of(tarred(".wh..wh..opq")))], "takes files of another one back"),
        ([Pushed(data=tar_gz_of(tarred("../a", b"x")))], "leads out"),
        ([Pushed(data=b"x", media_type="a/b", title="../a")], "leads out"),
        ([Pushed(data=b"x", media_type="a/b", title="/etc/passwd")], "absolute"),
        ([Pushed(data=tar_gz_of(tarred("b/SKILL.md", b"x")), title="a", unpack=True)], "files beside it"),
        ([Pushed(data=tar_gz_of(tarred("a", kind=b"1", link=b"/etc/passwd")))], "hard link"),
        ([Pushed(data=tar_gz_of(tarred("a/zeros", bytes(9_000_000))))], "200 times its size"),
        ([Pushed(data=tar_gz_of(tarred("a", b"x"))[:-9])], "cut off"),
        ([Pushed(data=b"<html>")], "cannot be inflated"),
        ([Pushed(data=tar_of(header(b"a", 9, checksum=b"000000\0 ") + padded(b"x")), media_type=TAR)], "damaged"),
        ([Pushed(data=b"x", media_type="text/plain")], "neither an archive nor has a title"),
        ([Pushed(data=b"x", media_type="application/vnd.acme.v1.tar+zstd")], "packed in a way"),
    ],
    ids=range(18),
)
def test_an_artifact_that_breaks_a_rule_is_refused_whole_and_once(
    place: Repository, make: MakeOci, layers: list[Pushed], words: str
) -> None:
    place.push(folder("good"))
    source = make(place.reference)
    before = source.observe()
    place.push(*layers)
    refused = source.observe(held=before.found)
    code, message = said(refused)
    assert code is DiagnosticCode.ARTIFACT_REFUSED
    assert words in message
    place.relay.asked.clear()
    assert source.observe(held=before.found) is refused
    assert [asked.method for asked in place.relay.asked] == ["HEAD"]
    place.push(folder("good"))
    assert source.observe(held=before.found) == before


@pytest.mark.parametrize(
    ("limits", "layers", "words"),
    [
        (ArchiveLimits(total_bytes=200), [folder("a"), folder("b")], "layers of more than 200 bytes"),
        (ArchiveLimits(file_bytes=5), [Pushed(data=b"123456", media_type="a/b", title="a")], "a file of more bytes"),
        (ArchiveLimits(total_bytes=2090), [folder("a"), folder("b")], "unpacks to more than"),
        (ArchiveLimits(entries=1), [folder("a"), folder("b")], "more than 0 members"),
    ],
    ids=range(4),
)
def test_limits_hold_for_the_artifact_however_it_is_cut(
    place: Repository, make: MakeOci, limits: ArchiveLimits, layers: list[Pushed], words: str
) -> None:
    place.push(*layers)
    code, message = said(make(place.reference, own={"archive_limits": limits}).observe())
    assert code is DiagnosticCode.ARTIFACT_REFUSED
    assert words in message
