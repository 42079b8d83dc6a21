"""Reading a tree that no disk holds, by the same rules; what one source alone may settle; when nothing is new."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from typing_extensions import override

from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.content.tree import NotBrought, StoreFailed
from skillsvc.domain.diagnostics import Diagnostic, Severity
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier, Trust, trust_of
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.source import Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.tree import Files
from tests.unit.sources.trees import LABEL, Link, Program, asset_names, bundle_at, codes, places_of, skill, stored_tree

NESTED = ReadingSettings(label=LABEL, layout=Layout.NESTED)


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


def reading_of(blobs: MemoryBlobStore, settings: ReadingSettings = NESTED) -> TreeReading:
    return TreeReading(settings, limits=Limits(), blobs=blobs)


def test_links_and_modes_of_a_tree_that_no_disk_holds_are_as_a_disk_s(blobs: MemoryBlobStore) -> None:
    files: Files = {
        "a/SKILL.md": skill("a"),
        "a/run": Program(b"x"),
        "a/link": Link("run"),
        "b": Link("a"),
        "c/SKILL.md": Link("../a/SKILL.md"),
        "d": Link("../outside"),
        "e/SKILL.md": Link("/etc/passwd"),
    }
    seen = reading_of(blobs).read(stored_tree(files, blobs))
    assert places_of(seen) == ["a", "c"]
    assert codes(seen.diagnostics) == [(Code.LINKED_TWICE, "b"), (Code.LINK_ESCAPES, "d"), (Code.LINK_ESCAPES, "e")]
    assert [asset.executable for asset in bundle_at(seen, "a").assets] == [True]
    assert codes(seen.found[0].diagnostics) == [(Code.ASSET_LINK_SKIPPED, "a")]


def test_folders_of_equal_content_are_two_skills(blobs: MemoryBlobStore) -> None:
    seen = reading_of(blobs).read(stored_tree({"a/SKILL.md": skill("same"), "b/SKILL.md": skill("same")}, blobs))
    assert (places_of(seen), seen.diagnostics) == (["a", "b"], tuple(seen.diagnostics))
    assert Code.LINKED_TWICE not in dict(codes(seen.diagnostics))


def test_the_next_tree_is_read_only_where_it_is_another() -> None:
    class Counting(MemoryBlobStore):
        def __init__(self) -> None:
            super().__init__()
            self.readings = 0

        @override
        def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
            self.readings += 1
            return super().read(digest, offset, length)

    counting = Counting()
    files: dict[str, str] = {f"{name}/SKILL.md": skill(name) for name in "abc"}
    reading = reading_of(counting)
    first = reading.read(stored_tree(files, counting), revision="1")
    counting.readings = 0
    assert reading.read(stored_tree(files, counting), revision="1") is first
    assert counting.readings == 0
    second = reading.read(stored_tree({**files, "b/SKILL.md": skill("b", "Another.")}, counting), revision="2")
    assert counting.readings == 1
    assert (first.revision, second.revision) == ("1", "2")
    assert [found.bundle.skill.description for found in second.found][1] == "Another."
    assert second.found[0] is first.found[0]


def test_a_change_of_mode_alone_is_noticed_in_a_tree_by_digests(blobs: MemoryBlobStore) -> None:
    reading = reading_of(blobs)
    plain: Mapping[str, str | Program] = {"a/SKILL.md": skill("a"), "a/run": "x"}
    [found] = reading.read(stored_tree(plain, blobs)).found
    assert not found.bundle.assets[0].executable
    [found] = reading.read(stored_tree({**plain, "a/run": Program(b"x")}, blobs)).found
    assert found.bundle.assets[0].executable


def test_what_lies_in_folders_that_could_not_be_had_stands_as_it_is_held(blobs: MemoryBlobStore) -> None:
    files: Files = {f"{name}/SKILL.md": skill(name) for name in "abc"}
    first = reading_of(blobs).read(stored_tree(files, blobs))
    # As after a restart: nothing is known but what is held.
    tree = StoredTree(
        {"b/SKILL.md": StoredFile(blobs.put(skill("b", "Another.").encode()), len(skill("b", "Another.")))},
        blobs=blobs,
        unreadable={"a": NotBrought("timed out")},
    )
    reading = reading_of(blobs)
    seen = reading.read(tree, held=first.found)
    assert (seen.outcome, places_of(seen)) == (Outcome.PARTIAL, ["a", "b"])
    assert seen.found[0] == first.found[0]
    assert seen.found[1].bundle.skill.description == "Another."
    assert codes(seen.diagnostics) == [(Code.ENTRY_UNREACHABLE, "a")]
    assert reading.read(tree, held=first.found) is seen
    # What is held no more stands for nothing, though nothing of the tree is different.
    assert places_of(reading.read(tree, held=first.found[1:])) == ["b"]


def test_where_nothing_could_be_had_all_stands(blobs: MemoryBlobStore) -> None:
    first = reading_of(blobs).read(stored_tree({"a/SKILL.md": skill("a")}, blobs))
    seen = reading_of(blobs).read(StoredTree({}, blobs=blobs, unreadable={"": StoreFailed("full")}), held=first.found)
    assert (seen.outcome, seen.found) == (Outcome.PARTIAL, first.found)
    assert codes(seen.diagnostics) == [(Code.STORE_UNREACHABLE, "")]


def test_the_same_observation_is_returned_until_something_is_different(blobs: MemoryBlobStore) -> None:
    reading = reading_of(blobs)
    tree = stored_tree({"a/SKILL.md": skill("a"), "b/SKILL.md": "---\n"}, blobs)
    first = reading.read(tree)
    assert reading.read(tree, ["a/SKILL.md"]) is first
    note = Diagnostic(severity=Severity.NOTE, code=Code.FOLDER_IGNORED, message="said", source=LABEL)
    noted = reading.read(tree, notes=[note])
    assert (noted.found, noted.diagnostics) == (first.found, (note, *first.diagnostics))
    failed = reading.failed(Code.SOURCE_UNREACHABLE, "away")
    assert Diagnostic(severity=Severity.ERROR, code=Code.SOURCE_UNREACHABLE, message="away", source=LABEL) in (
        failed.diagnostics
    )
    assert (failed.outcome, failed.found) == (Outcome.FAILED, ())
    assert reading.failed(Code.SOURCE_UNREACHABLE, "away") is failed
    assert reading.read(tree) == first
    absent = reading.absent()
    assert (absent.outcome, absent.found, absent.diagnostics) == (Outcome.ABSENT, (), ())
    assert reading.absent() is absent


def test_each_source_may_look_as_deep_as_it_says(blobs: MemoryBlobStore) -> None:
    tree = stored_tree({"a/SKILL.md": skill("a"), "b/c/SKILL.md": skill("c"), "d/e/f/SKILL.md": skill("f")}, blobs)
    for depth, places in ((1, ["a"]), (2, ["a", "b/c"]), (3, ["a", "b/c", "d/e/f"])):
        assert places_of(reading_of(blobs, replace(NESTED, max_depth=depth)).read(tree)) == places


def test_each_source_may_ignore_other_names(blobs: MemoryBlobStore) -> None:
    tree = stored_tree(
        {"a/SKILL.md": skill("a"), "a/build/x": "x", "a/.git/x": "x", "build/b/SKILL.md": skill("b")}, blobs
    )
    seen = reading_of(blobs, replace(NESTED, ignored=frozenset({"build"}))).read(tree)
    assert places_of(seen) == ["a"]
    assert asset_names(bundle_at(seen, "a")) == [".git/x"]
    assert codes(seen.diagnostics) == [(Code.FOLDER_IGNORED, "build")]


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize("trust", Trust)
def test_a_trust_may_be_lower_than_the_tier_s_and_never_higher(
    blobs: MemoryBlobStore, tier: Tier, trust: Trust
) -> None:
    order = (Trust.UNTRUSTED, Trust.ASK, Trust.ALLOWED)
    if order.index(trust) > order.index(trust_of(tier)):
        with pytest.raises(ValueError, match="at most"):
            replace(NESTED, tier=tier, trust=trust)
        return
    seen = reading_of(blobs, replace(NESTED, tier=tier, trust=trust)).read(stored_tree({}, blobs))
    assert (seen.tier, seen.trust) == (tier, trust)


def test_without_a_trust_of_its_own_a_source_has_its_tier_s(blobs: MemoryBlobStore) -> None:
    seen = reading_of(blobs, replace(NESTED, tier=Tier.REGISTERED)).read(stored_tree({}, blobs))
    assert seen.trust is Trust.ASK


def test_a_depth_at_which_nothing_lies_is_refused() -> None:
    with pytest.raises(ValueError, match="depth"):
        replace(NESTED, max_depth=0)


def with_assets(**counts: int) -> dict[str, str]:
    """Return skills that have so many assets each."""
    files = {f"{name}/SKILL.md": skill(name) for name in counts}
    return files | {f"{name}/{number}": name for name, count in counts.items() for number in range(count)}


class TestAssetsOfASource:
    """All skills of a source together have a limit: one look must not take hours for a commit of a few objects."""

    @pytest.fixture
    def reading(self, blobs: MemoryBlobStore) -> TreeReading:
        return TreeReading(NESTED, limits=Limits(source_assets=5), blobs=blobs)

    def test_skills_are_taken_in_order_as_far_as_they_have_room_and_those_beyond_are_refused_by_name(
        self, reading: TreeReading, blobs: MemoryBlobStore
    ) -> None:
        exact = reading.read(stored_tree(with_assets(a=2, b=3, c=0), blobs))
        assert (places_of(exact), exact.diagnostics) == (["a", "b", "c"], ())
        over = reading.read(stored_tree(with_assets(a=2, b=4, c=0, d=1, e=0), blobs))
        # What has no assets is never beyond; and nothing that is refused makes room for what comes after it.
        assert (places_of(over), over.outcome) == (["a", "c", "e"], Outcome.WHOLE)
        assert codes(over.diagnostics) == [(Code.TOO_MANY_ASSETS, "b"), (Code.TOO_MANY_ASSETS, "d")]
        assert "more than 5 assets" in over.diagnostics[0].message
        assert reading.read(stored_tree(with_assets(a=2, b=4, c=0, d=1, e=0), blobs)) is over

    def test_folders_and_what_is_left_out_count_too(self, reading: TreeReading, blobs: MemoryBlobStore) -> None:
        links: Files = {f"a/{number}": Link("SKILL.md") for number in range(3)}
        files: Files = {"a/SKILL.md": skill("a"), **links, "b/SKILL.md": skill("b"), "b/x/y/z": ""}
        assert places_of(reading.read(stored_tree(files, blobs))) == ["a"]

    def test_nothing_of_the_refused_is_read_or_kept(self, reading: TreeReading, blobs: MemoryBlobStore) -> None:
        elsewhere = MemoryBlobStore()
        assert places_of(reading.read(stored_tree(with_assets(a=6), elsewhere))) == []
        assert blobs.blobs == {}

    @pytest.mark.parametrize(
        ("before", "after", "changed"),
        [
            ({"a": 1, "b": 3}, {"a": 3, "b": 3}, ["a/1", "a/2"]),
            ({"a": 2, "b": 3}, {"a": 2, "b": 4}, ["b/3"]),
            ({"a": 2, "b": 4}, {"a": 1, "b": 4}, ["a/1"]),
            ({"a": 2, "b": 4, "c": 1}, {"a": 2, "b": 3, "c": 1}, ["b/3"]),
            ({"a": 2, "b": 2}, {"a": 3, "b": 2}, ["a/2"]),
        ],
    )
    def test_of_changes_alone_comes_what_comes_of_a_whole_reading(
        self,
        reading: TreeReading,
        blobs: MemoryBlobStore,
        before: dict[str, int],
        after: dict[str, int],
        changed: list[str],
    ) -> None:
        reading.read(stored_tree(with_assets(**before), blobs))
        tree = stored_tree(with_assets(**after), blobs)
        seen = reading.read(tree, changed)
        whole = TreeReading(NESTED, limits=Limits(source_assets=5), blobs=blobs).read(tree)
        assert (places_of(seen), seen.diagnostics) == (places_of(whole), whole.diagnostics)
        # And so it goes on: what was counted of changes is what a whole reading counts.
        tree = stored_tree(with_assets(**before), blobs)
        assert places_of(reading.read(tree, changed)) == places_of(reading.read(tree))
