"""Collections that cannot be read, or whose marks are more than they may be; the rest is in `test_discovery`."""

from typing_extensions import override

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.errors import DataLoss, ErrorReason
from skillsvc.domain.limits import Limits
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import LABEL, Tree, codes, skill, stored_tree

MARK = '{"id": "maps", "prompt_line": "{count} maps"}'


class Store(MemoryBlobStore):
    """A store whose disk gives some blobs back no more."""

    def __init__(self) -> None:
        super().__init__()
        self.damaged: set[str] = set()

    @override
    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        if digest in self.damaged:
            raise DataLoss(ErrorReason.DIGEST_MISMATCH, "damaged")
        return super().read(digest, offset, length)


def members(seen: Observation) -> list[tuple[str, str, str]]:
    """Return where skills were found, what they are members of and what stands for them."""
    return [(found.place, found.collection, found.collection_line) for found in seen.found]


def read(tree: Tree, layout: Layout = Layout.FLAT) -> Observation:
    """Return what a first reading of a tree finds."""
    store = Store()
    reading = TreeReading(ReadingSettings(label=LABEL, layout=layout), limits=Limits(), blobs=store)
    return reading.read(stored_tree(tree, store))


def test_while_a_mark_cannot_be_read_its_members_stand_as_they_were() -> None:
    store = Store()
    reading = TreeReading(ReadingSettings(label=LABEL), limits=Limits(), blobs=store)
    tree: dict[str, str] = {"c/COLLECTION.json": MARK, "c/a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")}
    seen = reading.read(stored_tree(tree, store))
    assert members(seen) == [("b", "", ""), ("c/a", "maps", "{count} maps")]
    store.damaged.add(store.put(MARK.encode()))
    for _ in range(2):
        seen = reading.read(stored_tree(tree, store), held=seen.found)
        assert (seen.outcome, members(seen)) == (
            Outcome.PARTIAL,
            [("b", "", ""), ("c/a", "maps", "{count} maps")],
        )
        assert codes(seen.diagnostics) == [(Code.STORE_UNREACHABLE, "c")]
    store.damaged.clear()
    seen = reading.read(stored_tree(tree, store), held=seen.found)
    assert (seen.outcome, seen.diagnostics) == (Outcome.WHOLE, ())
    assert members(seen) == [("b", "", ""), ("c/a", "maps", "{count} maps")]


def test_a_mark_is_as_large_as_frontmatter_may_be_and_no_larger() -> None:
    most = Limits().frontmatter_bytes
    for size, collection, said in ((most, "maps", []), (most + 1, "", [(Code.COLLECTION_MALFORMED, "c")])):
        seen = read({"c/COLLECTION.json": MARK.ljust(size), "c/a/SKILL.md": skill("a")})
        assert [(found.place, found.collection) for found in seen.found] == [("c/a", collection)]
        assert codes(seen.diagnostics) == said


def test_a_folder_whose_name_stands_in_gives_as_much_of_it_as_an_id_may_have() -> None:
    folder = "c" * 400
    [found] = read({f"{folder}/COLLECTION.json": "{}", f"{folder}/a/SKILL.md": skill("a")}).found
    assert found.collection == "c" * 253 + "…"


def test_a_line_that_is_cut_is_told_where_it_stands() -> None:
    long = '{"id": "maps", "prompt_line": "' + "m" * 801 + '"}'
    seen = read({"x/c/COLLECTION.json": long, "x/c/a/SKILL.md": skill("a")}, Layout.NESTED)
    assert members(seen) == [("x/c/a", "maps", "m" * 797 + "…")]
    assert codes(seen.diagnostics) == [(Code.FIELD_CUT, "x/c")]
    assert {said.source for said in seen.diagnostics} == {LABEL}


def test_what_breaks_in_a_mark_takes_its_members_out_of_the_collection_alone() -> None:
    store = Store()
    reading = TreeReading(ReadingSettings(label=LABEL), limits=Limits(), blobs=store)
    tree: dict[str, str] = {"c/COLLECTION.json": MARK, "c/a/SKILL.md": skill("a")}
    before = reading.read(stored_tree(tree, store))
    after = reading.read(stored_tree({**tree, "c/COLLECTION.json": "{"}, store), held=before.found)
    assert (after.outcome, members(after)) == (Outcome.WHOLE, [("c/a", "", "")])
    assert [found.bundle for found in after.found] == [found.bundle for found in before.found]
