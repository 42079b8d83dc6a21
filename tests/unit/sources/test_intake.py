"""What becomes of the files of one skill: bytes, digests, and what is said where a file cannot be taken."""

import errno
import hashlib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.blobs import BlobWriter
from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import TextRef
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import (
    LABEL,
    Fifo,
    Folder,
    Link,
    Node,
    Program,
    asset_names,
    bundle_at,
    codes,
    grow,
    places_of,
    skill,
    source_of,
)

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


ASSETS: dict[str, bytes] = {
    "empty": b"",
    "image": PNG,
    "every byte there is": bytes(range(256)),
    "line ends of Windows": b"one\r\ntwo\r\n",
    "no text": b"caf\xe9 \xff\xfe",
    "a BOM": b"\xef\xbb\xbftext",
    "larger than one piece": bytes(range(256)) * 2_000,
}


@pytest.mark.parametrize("data", ASSETS.values(), ids=ASSETS)
def test_the_bytes_of_an_asset_are_kept_as_they_are(tmp_path: Path, data: bytes) -> None:
    blobs = MemoryBlobStore()
    [found] = source_of(grow(tmp_path, {"quay/SKILL.md": skill("quay"), "quay/a": data}), blobs=blobs).observe().found
    [asset] = found.bundle.assets
    assert (asset.name, asset.size, asset.digest) == ("a", len(data), sha256(data))
    assert blobs.read(asset.digest) == data


def test_a_document_is_kept_as_read_and_its_body_counted_as_served(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf---\r\nname: quay\r\ndescription: Watches.\r\n---\r\n\r\nOne\r\nTwo  \r\n\r\n"
    blobs = MemoryBlobStore()
    [found] = source_of(grow(tmp_path, {"quay/SKILL.md": data}), blobs=blobs).observe().found
    body = b"One\nTwo"
    assert found.bundle.document == TextRef(digest=sha256(data), size=len(data))
    assert found.bundle.body == TextRef(digest=sha256(body), size=len(body))
    assert blobs.blobs == {sha256(data): data}


def test_a_hard_link_is_served_as_the_file_that_it_is(tmp_path: Path) -> None:
    # Its two names are equal: nothing tells that a file has one elsewhere, but for a number that backups raise, too.
    outside, root = tmp_path / "outside", grow(tmp_path / "skills", {"quay/SKILL.md": skill("quay")})
    grow(outside, {"secret": "one", "document": skill("pier")})
    (root / "quay/asset").hardlink_to(outside / "secret")
    (root / "pier").mkdir()
    (root / "pier/SKILL.md").hardlink_to(outside / "document")
    blobs = MemoryBlobStore()
    source = source_of(root, blobs=blobs)
    seen = source.observe()
    assert (seen.outcome, seen.diagnostics) == (Outcome.WHOLE, ())
    assert places_of(seen) == ["pier", "quay"]
    assert [blobs.read(asset.digest) for asset in bundle_at(seen, "quay").assets] == [b"one"]
    (outside / "secret").write_bytes(b"two")
    assert [blobs.read(asset.digest) for asset in bundle_at(source.observe(), "quay").assets] == [b"two"]


def test_a_skill_of_skill_yaml_alone_has_neither_document_nor_body(tmp_path: Path) -> None:
    blobs = MemoryBlobStore()
    tree: dict[str, Node] = {"quay/skill.yaml": "description: Watches.", "quay/run": Program(b"x")}
    [found] = source_of(grow(tmp_path, tree), blobs=blobs).observe().found
    assert (found.bundle.skill.name, found.bundle.document, found.bundle.body) == ("quay", None, None)
    assert asset_names(found.bundle) == ["run"]
    assert blobs.blobs == {sha256(b"x"): b"x"}


def test_an_empty_body_is_a_body(tmp_path: Path) -> None:
    [found] = source_of(grow(tmp_path, {"quay/SKILL.md": skill("quay", body="")})).observe().found
    assert found.bundle.body == TextRef(digest=sha256(b""), size=0)


def test_equal_files_make_equal_bundles_wherever_and_whenever_they_lie(tmp_path: Path) -> None:
    tree: dict[str, Node] = {"quay/SKILL.md": skill("quay"), "quay/x/y": "x", "quay/a": Program(b"x")}
    one = source_of(grow(tmp_path / "one", tree)).observe()
    two = source_of(grow(tmp_path / "two", dict(reversed(tree.items())))).observe()
    assert one == two


REFUSED: dict[str, tuple[Node, Code]] = {
    "has too many bytes": (skill("quay", body="x" * 200), Code.FILE_TOO_LARGE),
    "has too long a body": (skill("quay", body="x" * 101), Code.BODY_TOO_LARGE),
    "is a FIFO": (Fifo(), Code.NOT_A_REGULAR_FILE),
    "is a folder": (Folder(), Code.NOT_A_REGULAR_FILE),
    "is never closed": ("---\nname: quay\n", Code.FRONTMATTER_UNCLOSED),
    "holds a NUL": (b"---\nname: quay\ndescription: a\0b\n---\n", Code.NUL_BYTE),
    "is empty": ("", Code.DESCRIPTION_MISSING),
}


@pytest.mark.parametrize(("document", "code"), REFUSED.values(), ids=REFUSED)
def test_a_skill_is_refused_and_nothing_of_it_kept_where_its_skill_md(
    tmp_path: Path, document: Node, code: Code
) -> None:
    blobs = MemoryBlobStore()
    limits = Limits(body_bytes=100, frontmatter_bytes=100)
    tree: dict[str, Node] = {"quay/SKILL.md": document, "quay/a": "asset", "sound/SKILL.md": skill("sound")}
    seen = source_of(grow(tmp_path, tree), blobs=blobs, limits=limits).observe()
    assert [found.place for found in seen.found] == ["sound"]
    errors = [said for said in seen.diagnostics if said.severity is Severity.ERROR]
    assert codes(errors) == [(code, "quay")]
    assert seen.outcome is Outcome.WHOLE
    assert blobs.blobs == {sha256(skill("sound").encode()): skill("sound").encode()}


def test_a_skill_yaml_with_too_many_bytes_refuses_the_skill(tmp_path: Path) -> None:
    limits = Limits(frontmatter_bytes=100)
    tree = {"quay/SKILL.md": skill("quay"), "quay/skill.yaml": "x" * 101}
    seen = source_of(grow(tmp_path, tree), limits=limits).observe()
    assert (seen.found, codes(seen.diagnostics)) == ((), [(Code.FILE_TOO_LARGE, "quay")])


def test_every_diagnostic_names_its_skill_and_its_source(tmp_path: Path) -> None:
    tree: dict[str, Node] = {
        "quay/SKILL.md": skill("other-name"),
        "quay/pipe": Fifo(),
        "deep/broken/SKILL.md": "---\n",
        "deep/COLLECTION.json": "[]",
    }
    seen = source_of(grow(tmp_path, tree)).observe()
    kept = [said for found in seen.found for said in found.diagnostics]
    assert {(said.skill, said.source) for said in kept} == {("other-name", LABEL)}
    assert {(said.skill, said.source) for said in seen.diagnostics} == {("deep", LABEL), ("deep/broken", LABEL)}


class _Counting(MemoryBlobStore):
    """Counts the files whose bytes come in."""

    taken = 0

    @override
    def put(self, data: bytes, digest: str | None = None) -> str:
        self.taken += 1
        return super().put(data, digest)


class _Meddling(MemoryBlobStore):
    """Changes a file whenever a piece of it comes in, so many times."""

    def __init__(self, meddle: Callable[[], object], times: int) -> None:
        super().__init__()
        self._meddle = meddle
        self._times = times

    @override
    def writer(self) -> BlobWriter:
        if self._times:
            self._times -= 1
            self._meddle()
        return super().writer()


LARGE = b"x" * 300_000


def test_an_asset_that_changes_twice_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    root = grow(tmp_path, {"quay/SKILL.md": skill("quay"), "quay/a": LARGE})
    path = root / "quay/a"
    blobs = _Meddling(lambda: path.write_bytes(path.read_bytes() + b"y"), times=2)
    seen = source_of(root, blobs=blobs).observe()
    [asset] = seen.found[0].bundle.assets
    assert blobs.read(asset.digest) == LARGE + b"yy"
    assert seen.outcome is Outcome.WHOLE


def test_an_asset_that_changes_three_times_while_it_is_read_keeps_the_last_good(tmp_path: Path) -> None:
    root = grow(tmp_path, {"quay/SKILL.md": skill("quay"), "quay/a": LARGE, "sound/SKILL.md": skill("sound")})
    path = root / "quay/a"
    blobs = _Meddling(lambda: path.write_bytes(path.read_bytes() + b"y"), times=0)
    source = source_of(root, blobs=blobs)
    before = source.observe()
    blobs._times = 3
    seen = source.observe(held=before.found)
    assert (seen.outcome, seen.found, codes(seen.diagnostics)) == (
        Outcome.PARTIAL,
        before.found,
        [(Code.FILE_CHANGED, "quay")],
    )
    # The store holds whole files only, and at the next look the file stands still.
    assert all(sha256(data) == digest for digest, data in blobs.blobs.items())
    after = source.observe()
    assert after.outcome is Outcome.WHOLE
    assert blobs.read(after.found[0].bundle.assets[0].digest) == LARGE + b"yyy"


def go(path: Path) -> None:
    path.unlink()


def become_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("change", [go, become_a_link, become_a_folder])
def test_an_asset_that_goes_while_its_skill_is_read_keeps_the_last_good(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    root = grow(tmp_path, {"quay/SKILL.md": skill("quay"), "quay/a": LARGE, "quay/b": "b"})
    source = source_of(root, blobs=(blobs := _Meddling(lambda: change(root / "quay/b"), times=0)))
    before = source.observe()
    grow(root, {"quay/a": LARGE + b"y"})
    blobs._times = 1
    seen = source.observe(held=before.found)
    assert (seen.outcome, seen.found, codes(seen.diagnostics)) == (
        Outcome.PARTIAL,
        before.found,
        [(Code.FILE_CHANGED, "quay")],
    )
    assert source.observe().outcome is Outcome.WHOLE


class _Full(MemoryBlobStore):
    """Takes no piece of more than so many bytes, as a disk that is full takes none."""

    def __init__(self, at_most: int, cause: Exception | None = None) -> None:
        super().__init__()
        self.at_most = at_most
        self._cause = cause

    @override
    def put(self, data: bytes, digest: str | None = None) -> str:
        if len(data) > self.at_most:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the store is away") from self._cause
        return super().put(data, digest)


@pytest.mark.parametrize(
    ("cause", "why"),
    [
        (OSError(errno.ENOSPC, "no space left on device", "/secret"), "the store is away (ENOSPC)"),
        (None, "the store is away"),
    ],
)
@pytest.mark.parametrize("size", [1_000, 500_000])
def test_a_skill_that_the_store_cannot_take_keeps_its_last_good_and_hides_no_sibling(
    tmp_path: Path, size: int, cause: Exception | None, why: str
) -> None:
    root = grow(tmp_path, {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b"), "b/x": "x", "c/SKILL.md": skill("c")})
    source = source_of(root, blobs=(blobs := _Full(500, cause)))
    before = source.observe()
    grow(root, {"b/x": b"x" * size, "c/SKILL.md": skill("c", "Another."), "d/SKILL.md": skill("d")})
    seen = source.observe(held=before.found)
    assert (seen.outcome, [found.place for found in seen.found]) == (Outcome.PARTIAL, ["a", "b", "c", "d"])
    assert seen.found[1] == before.found[1]
    assert seen.found[2].bundle.skill.description == "Another."
    [said] = seen.diagnostics
    assert (said.code, said.skill, said.severity) == (Code.STORE_UNREACHABLE, "b", Severity.ERROR)
    assert said.message == f"could not be taken in: {why}"
    blobs.at_most = size
    # Nothing of its files changes when the disk has room again, and another skill may change meanwhile.
    grow(root, {"a/SKILL.md": skill("a", "Another.")})
    after = source.observe(["a/SKILL.md"])
    assert after.outcome is Outcome.WHOLE
    assert [asset.size for asset in after.found[1].bundle.assets] == [size]


def test_a_skill_that_the_store_never_took_is_not_found_and_not_forgotten(tmp_path: Path) -> None:
    source = source_of(grow(tmp_path, {"a/SKILL.md": skill("a")}), blobs=(blobs := _Full(0)))
    for _ in range(2):
        seen = source.observe(["a/SKILL.md"])
        assert (seen.outcome, seen.found, codes(seen.diagnostics)) == (
            Outcome.PARTIAL,
            (),
            [(Code.STORE_UNREACHABLE, "a")],
        )
    blobs.at_most = 500
    assert source.observe(["a/SKILL.md"]).outcome is Outcome.WHOLE


def test_what_a_walk_leaves_out_is_told_as_it_is_now_though_no_file_changed(tmp_path: Path) -> None:
    tree: dict[str, Node] = {"quay/SKILL.md": skill("quay"), "quay/x": "x", "bad/SKILL.md": "---\n", "bad/x": "x"}
    root = grow(tmp_path, tree)
    blobs = _Counting()
    source = DirectorySource(
        DirectorySettings(path=str(root), reading=ReadingSettings(label=LABEL)),
        limits=Limits(),
        blobs=blobs,
        open_root=partial(ConfinedRoot.open, now_ns=lambda: time.time_ns() + 10**9),
    )
    first = source.observe()
    for name in ("quay", "bad"):
        grow(root, {f"{name}/link": Link("x"), f"{name}/pipe": Fifo(), f"{name}/deep": Folder()})
    blobs.taken = 0
    for changed in (None, ["quay/link"]):
        seen = source.observe(changed)
        left_out = [(Code.ASSET_LINK_SKIPPED, "quay"), (Code.NOT_A_REGULAR_FILE, "quay")]
        assert codes(seen.found[0].diagnostics) == left_out
        assert codes(seen.diagnostics)[-2:] == [(code, "bad") for code, _ in left_out]
        assert {said.source for said in (*seen.diagnostics, *seen.found[0].diagnostics)} == {LABEL}
        assert seen == source_of(root).observe()
    for name in ("quay", "bad"):
        (root / name / "link").unlink()
        (root / name / "pipe").unlink()
    assert source.observe() == first
    assert blobs.taken == 0
