"""Links to folders and files: followed where the kernel says that they stay beneath the root (rules.md 1)."""

from pathlib import Path

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.sources.discovery import Layout
from tests.unit.sources.trees import Fifo, Link, Tree, codes, grow, skill, source_of, walk

TEXT = skill("any")
A_CHAIN_OF: dict[int, Tree] = {
    length: {"store/SKILL.md": TEXT, **{f"{n}": Link(f"{n - 1}" if n else "store") for n in range(length)}}
    for length in (40, 41)
}
FOLDERS: dict[str, tuple[Layout, Tree, list[str], list[tuple[Code, str]]]] = {
    "within the root, listed once (G16)": (
        Layout.NESTED,
        {"src/quay/SKILL.md": TEXT, "skills/quay": Link("../src/quay")},
        ["skills/quay"],
        [(Code.LINKED_TWICE, "src/quay")],
    ),
    "to a folder that is looked at before": (
        Layout.FLAT,
        {"a/SKILL.md": TEXT, "b": Link("a")},
        ["a"],
        [(Code.LINKED_TWICE, "b")],
    ),
    "to a folder on the way, which is searched": (
        Layout.NESTED,
        {"real/deep/a/SKILL.md": TEXT, "link": Link("real/deep")},
        ["link/a"],
        [(Code.LINKED_TWICE, "real/deep")],
    ),
    "through a folder that is no skill's": (
        Layout.FLAT,
        {"_store/quay/SKILL.md": TEXT, "quay": Link("_store/quay")},
        ["quay"],
        [(Code.FOLDER_WITHOUT_SKILL, "_store")],
    ),
    "back into the root from below": (
        Layout.FLAT,
        {"a/SKILL.md": TEXT, "b": Link("a/../a")},
        ["a"],
        [(Code.LINKED_TWICE, "b")],
    ),
    "to the root": (Layout.NESTED, {"a/SKILL.md": TEXT, "b": Link(".")}, ["a"], [(Code.LINKED_TWICE, "b")]),
    "round in a circle": (
        Layout.NESTED,
        {"a/b/up": Link(".."), "a/b/c/SKILL.md": TEXT},
        ["a/b/c"],
        [(Code.LINKED_TWICE, "a/b/up")],
    ),
    "out by its text": (Layout.FLAT, {"a": Link("../outside"), "b/SKILL.md": TEXT}, ["b"], [(Code.LINK_ESCAPES, "a")]),
    "out to everything (G17)": (
        Layout.NESTED,
        {"trap": Link("/"), "ok/SKILL.md": TEXT},
        ["ok"],
        [(Code.LINK_ESCAPES, "trap")],
    ),
    "out and back in": (
        Layout.FLAT,
        {"a": Link("../root/b"), "b/SKILL.md": TEXT},
        ["b"],
        [(Code.LINK_ESCAPES, "a")],
    ),
    "out by a link on the way": (
        Layout.FLAT,
        {"x": Link("../outside"), "a": Link("x/quay"), "b/SKILL.md": TEXT},
        ["b"],
        [(Code.LINK_ESCAPES, "a"), (Code.LINK_ESCAPES, "x")],
    ),
    "dangling": (Layout.FLAT, {"a": Link("nowhere"), "b/SKILL.md": TEXT}, ["b"], [(Code.LINK_DANGLING, "a")]),
    "one that leads to itself": (Layout.FLAT, {"a": Link("a"), "b/SKILL.md": TEXT}, ["b"], [(Code.LINK_ESCAPES, "a")]),
    "two that lead to each other": (
        Layout.FLAT,
        {"a": Link("b"), "b": Link("a")},
        [],
        [(Code.LINK_ESCAPES, "a"), (Code.LINK_ESCAPES, "b")],
    ),
    "to a file, which is no folder of a skill": (Layout.FLAT, {"a/SKILL.md": TEXT, "b": Link("a/SKILL.md")}, ["a"], []),
    "to a file outside": (Layout.FLAT, {"b": Link("../secret")}, [], [(Code.LINK_ESCAPES, "b")]),
    "to a FIFO": (Layout.FLAT, {"fifo": Fifo(), "b": Link("fifo")}, [], [(Code.LINK_DANGLING, "b")]),
    "with a hidden name": (Layout.FLAT, {"a/SKILL.md": TEXT, ".b": Link("a")}, ["a"], [(Code.FOLDER_IGNORED, ".b")]),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root beside a skill and a file that are not to be reached."""
    grow(tmp_path / "outside", {"SKILL.md": TEXT, "quay/SKILL.md": TEXT})
    grow(tmp_path, {"secret": "secret"})
    return tmp_path / "root"


@pytest.mark.parametrize(("layout", "tree", "places", "said"), FOLDERS.values(), ids=FOLDERS)
def test_a_link_to_a_folder_is_followed_beneath_the_root_alone(
    root: Path, layout: Layout, tree: Tree, places: list[str], said: list[tuple[Code, str]]
) -> None:
    walked = walk(grow(root, tree), layout)
    assert (walked.places, sorted(walked.said), walked.unseen) == (places, sorted(said), [])


def test_a_link_that_cannot_be_followed_leaves_its_siblings_in_sight(root: Path) -> None:
    # No system can name what it leads to, and says so by an error of its own.
    walked = walk(grow(root, {"a": Link("x" * 300), "b/SKILL.md": TEXT}), single_files=True)
    assert (walked.places, walked.said, walked.unseen) == (["b"], [(Code.FOLDER_UNREADABLE, "a")], ["a"])


def test_an_absolute_link_is_refused_even_into_the_root(root: Path) -> None:
    walked = walk(grow(root, {"a/SKILL.md": TEXT, "b": Link(f"{root}/a")}))
    assert (walked.places, walked.said) == (["a"], [(Code.LINK_ESCAPES, "b")])


@pytest.mark.parametrize(("length", "last"), [(40, [Code.LINKED_TWICE]), (41, [Code.LINK_ESCAPES])])
def test_a_chain_has_at_most_forty_links(root: Path, length: int, last: list[Code]) -> None:
    walked = walk(grow(root, A_CHAIN_OF[length]))
    assert walked.places == ["0"]
    assert [code for code, place in walked.said if place == f"{length - 1}"] == last


def test_a_folder_reached_twice_is_said_with_both_its_places(root: Path) -> None:
    seen = source_of(grow(root, {"a/SKILL.md": TEXT, "b": Link("a")})).observe()
    [said] = seen.diagnostics
    assert (said.skill, said.message) == ("b", "the same folder as a, which is looked at")


DOCUMENTS: dict[str, tuple[Tree, list[str], list[tuple[Code, str]]]] = {
    "within the root": ({"a/SKILL.md": Link("../texts/quay.md"), "texts/quay.md": skill("quay")}, ["quay"], []),
    "to another skill's": ({"a/SKILL.md": skill("quay"), "b/SKILL.md": Link("../a/SKILL.md")}, ["quay", "quay"], []),
    "out": ({"a/SKILL.md": Link("../../outside/SKILL.md")}, [], [(Code.LINK_ESCAPES, "a")]),
    "out, absolutely": ({"a/SKILL.md": Link("/etc/passwd")}, [], [(Code.LINK_ESCAPES, "a")]),
    "nowhere": ({"a/SKILL.md": Link("nowhere.md")}, [], [(Code.LINK_DANGLING, "a")]),
    "to itself": ({"a/SKILL.md": Link("SKILL.md")}, [], [(Code.LINK_ESCAPES, "a")]),
    "to a folder": ({"a/SKILL.md": Link("docs"), "a/docs/x": "x"}, [], [(Code.NOT_A_REGULAR_FILE, "a")]),
    "to a FIFO": ({"a/SKILL.md": Link("fifo"), "a/fifo": Fifo()}, [], [(Code.NOT_A_REGULAR_FILE, "a")]),
    "of a skill.yaml, within": (
        {"a/skill.yaml": Link("../m.yaml"), "m.yaml": "name: quay\ndescription: Watches."},
        ["quay"],
        [],
    ),
    "of a skill.yaml, out": (
        {"a/SKILL.md": TEXT, "a/skill.yaml": Link("../../secret")},
        [],
        [(Code.LINK_ESCAPES, "a")],
    ),
    "of a linked folder": (
        {"_x/quay/SKILL.md": Link("../t.md"), "_x/t.md": skill("quay"), "quay": Link("_x/quay")},
        ["quay"],
        [],
    ),
}


@pytest.mark.parametrize(("tree", "names", "said"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_skill_md_that_is_a_link_is_followed_beneath_the_root_alone(
    root: Path, tree: Tree, names: list[str], said: list[tuple[Code, str]]
) -> None:
    seen = source_of(grow(root, tree)).observe()
    assert [found.bundle.skill.name for found in seen.found] == names
    assert [each for each in codes(seen.diagnostics) if each[0] is not Code.FOLDER_WITHOUT_SKILL] == said


SINGLE: dict[str, tuple[Tree, list[str], list[tuple[Code, str]]]] = {
    "within the root": ({"a.md": Link("texts/a.txt"), "texts/a.txt": TEXT}, ["a.md"], []),
    "to a folder, which is one": ({"a.md": Link("b"), "b/SKILL.md": TEXT}, ["a.md"], [(Code.LINKED_TWICE, "b")]),
    "out": ({"a.md": Link("../secret")}, [], [(Code.LINK_ESCAPES, "a.md")]),
    "nowhere": ({"a.md": Link("nowhere")}, [], [(Code.LINK_DANGLING, "a.md")]),
}


@pytest.mark.parametrize(("tree", "places", "said"), SINGLE.values(), ids=SINGLE)
def test_a_single_file_that_is_a_link_is_followed_to_a_file_beneath_the_root_alone(
    root: Path, tree: Tree, places: list[str], said: list[tuple[Code, str]]
) -> None:
    walked = walk(grow(root, tree), single_files=True)
    assert walked.places == places
    assert [each for each in walked.said if each[0] is not Code.FOLDER_WITHOUT_SKILL] == said


def test_a_collection_file_that_is_a_link_makes_no_collection(root: Path) -> None:
    grow(root, {"c/COLLECTION.json": Link("a/ids.json"), "c/a/SKILL.md": TEXT, "c/a/ids.json": '{"id": "maps"}'})
    seen = source_of(root, layout=Layout.NESTED).observe()
    assert [(found.place, found.collection) for found in seen.found] == [("c/a", "")]
    assert codes(seen.diagnostics) == [(Code.COLLECTION_MALFORMED, "c")]
