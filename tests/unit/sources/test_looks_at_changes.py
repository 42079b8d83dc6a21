"""Looks at what is said to have changed, and where a change matters."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.sources.discovery import Layout
from tests.unit.sources.looks import CountingBlobStore
from tests.unit.sources.trees import Folder, Link, Tree, codes, grow, skill, source_of

EDITS: dict[str, tuple[Callable[[Path], object], list[str], list[tuple[Code, str]]]] = {
    "its SKILL.md": (lambda root: grow(root, {"a/SKILL.md": skill("a", "Edited.")}), ["a/SKILL.md"], []),
    "an asset": (lambda root: grow(root, {"a/x/y": "edited"}), ["a/x/y"], []),
    "a new asset": (lambda root: grow(root, {"a/new/z": "new"}), ["a/new", "a/new/z"], []),
    "an asset that goes": (lambda root: (root / "a/x/y").unlink(), ["a/x/y"], []),
    "a SKILL.md that goes": (
        lambda root: (root / "a/SKILL.md").unlink(),
        ["a/SKILL.md"],
        [(Code.FOLDER_WITHOUT_SKILL, "a")],
    ),
    "a SKILL.md in another case": (
        lambda root: (root / "a/SKILL.md").rename(root / "a/skill.md"),
        ["a/SKILL.md", "a/skill.md"],
        [],
    ),
    "a skill.yaml": (lambda root: grow(root, {"a/skill.yaml": "version: '2'"}), ["a/skill.yaml"], []),
    "a skill that goes": (lambda root: shutil.rmtree(root / "a"), ["a", "a/SKILL.md", "a/x", "a/x/y"], []),
    "a new skill": (lambda root: grow(root, {"c/SKILL.md": skill("c")}), ["c", "c/SKILL.md"], []),
    "a skill that breaks": (
        lambda root: grow(root, {"a/SKILL.md": "---\nname: a\n"}),
        ["a/SKILL.md"],
        [(Code.FRONTMATTER_UNCLOSED, "a")],
    ),
    "a file beside the skills": (lambda root: grow(root, {"README.md": "text"}), ["README.md"], []),
    "the text that a link of another skill leads to": (
        lambda root: grow(root, {"b/text": skill("linked", "Edited.")}),
        ["b/text"],
        [],
    ),
}


@pytest.mark.parametrize(("edit", "changed", "said"), EDITS.values(), ids=EDITS)
def test_a_look_at_the_changed_paths_finds_what_a_whole_look_finds(
    tmp_path: Path, edit: Callable[[Path], object], changed: list[str], said: list[tuple[Code, str]]
) -> None:
    tree: Tree = {
        "a/SKILL.md": skill("a"),
        "a/x/y": "asset",
        "b/SKILL.md": skill("b"),
        "b/text": skill("linked"),
        "linked/SKILL.md": Link("../b/text"),
    }
    source = source_of(grow(tmp_path, tree))
    source.observe()
    edit(tmp_path)
    seen = source.observe(changed)
    assert seen == source_of(tmp_path).observe()
    assert codes(seen.diagnostics) == said


@pytest.mark.parametrize("linked", ["", "linked/"], ids=["of the root", "of a folder"])
def test_a_look_goes_to_a_linked_text_however_many_came_before(tmp_path: Path, linked: str) -> None:
    source = source_of(grow(tmp_path, {"b/SKILL.md": skill("b"), "b/text": skill("linked"), "linked/x": ""}))
    (tmp_path / linked / "SKILL.md").symlink_to("../b/text" if linked else "b/text")
    source.observe()
    for edit in ("First.", "Second.", "Third."):
        grow(tmp_path, {"b/text": skill("linked", edit)})
        seen = source.observe(["b/text"])
        assert edit in [found.bundle.skill.description for found in seen.found]


@pytest.mark.parametrize(
    ("link", "came"), [("late", {"a/x/SKILL.md": skill("late")}), ("late.md", {"a/x": skill("late")})]
)
def test_a_look_at_changed_paths_goes_where_a_link_that_led_nowhere_leads_now(
    tmp_path: Path, link: str, came: Tree
) -> None:
    source = source_of(grow(tmp_path, {"a/SKILL.md": skill("a"), link: Link("a/x")}), single_files=True)
    assert codes(source.observe().diagnostics) == [(Code.LINK_DANGLING, link)]
    grow(tmp_path, came)
    seen = source.observe(list(came))
    assert {found.bundle.skill.name for found in seen.found} == {"a", "late"}
    assert seen == source_of(tmp_path, single_files=True).observe()


def test_a_look_at_a_changed_path_reads_no_other_skill(tmp_path: Path) -> None:
    blobs = CountingBlobStore()
    source = source_of(grow(tmp_path, {f"{name}/SKILL.md": skill(name) for name in "abc"}), blobs=blobs)
    source.observe()
    before = blobs.taken
    grow(tmp_path, {"b/SKILL.md": skill("b", "Edited.")})
    assert [found.bundle.skill.description for found in source.observe(["b/SKILL.md"]).found][1] == "Edited."
    assert blobs.taken == before + 1


def test_the_folders_in_which_a_change_matters_are_those_that_were_looked_at(tmp_path: Path) -> None:
    tree: Tree = {
        "a/SKILL.md": skill("a"),
        "a/scripts/lib/x": "x",
        "a/node_modules/p/x": "x",
        "a/.git/x": "x",
        "a/out": Link("/"),
        "broken/SKILL.md": "no frontmatter",
        "broken/x/y\\": "an unfit name",
        "empty": Folder(),
        "group/b/SKILL.md": skill("b"),
        ".hidden/x/SKILL.md": skill("c"),
        "trap": Link("/"),
        "link": Link("group/b"),
    }
    source = source_of(tmp_path, layout=Layout.NESTED)
    assert source.folders == frozenset()
    grow(tmp_path, tree)
    source.observe()
    assert source.folders == {"", "a", "a/scripts", "a/scripts/lib", "broken", "broken/x", "empty", "group", "link"}
    grow(tmp_path, {"a/empty": Folder()})
    source.observe(["a/empty"])
    assert "a/empty" in source.folders
    shutil.rmtree(tmp_path)
    source.observe()
    assert source.folders == frozenset()
