"""Which folders and files of a tree are skills (rules.md 1), links apart."""

from pathlib import Path

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.findings import Profile
from skillsvc.sources.discovery import PASSED_OVER, Layout
from skillsvc.sources.source import Outcome
from tests.unit.sources.trees import LABEL, Fifo, Folder, Tree, codes, grow, places_of, skill, source_of, walk

TEXT = skill("any")
FLAT: dict[str, tuple[Tree, list[str], list[tuple[Code, str]]]] = {
    "nothing": ({}, [], []),
    "files at the root are no skills": ({"README.md": "text", "quay.md": TEXT}, [], []),
    "folders come in byte order": (
        {"é/SKILL.md": TEXT, "b/SKILL.md": TEXT, "B/SKILL.md": TEXT, "a-b/SKILL.md": TEXT, "a/SKILL.md": TEXT},
        ["B", "a", "a-b", "b", "é"],
        [],
    ),
    "by bytes, not by code units": (
        {"\U00010000/SKILL.md": TEXT, "\ufffd/SKILL.md": TEXT},
        ["\ufffd", "\U00010000"],
        [],
    ),
    "a folder without a skill is said": (
        {"a/SKILL.md": TEXT, "b/README.md": "text", "c": Folder()},
        ["a"],
        [(Code.FOLDER_WITHOUT_SKILL, "b"), (Code.FOLDER_WITHOUT_SKILL, "c")],
    ),
    "one level and no more": ({"a/b/SKILL.md": TEXT}, [], [(Code.FOLDER_WITHOUT_SKILL, "a")]),
    "a skill at the root hides none below it": ({"SKILL.md": TEXT, "a/SKILL.md": TEXT}, ["", "a"], []),
    "skill.yaml alone makes a skill": ({"a/skill.yaml": "name: a"}, ["a"], []),
    "another case of skill.yaml makes none": ({"a/Skill.yaml": "x"}, [], [(Code.FOLDER_WITHOUT_SKILL, "a")]),
    "a SKILL.md in any one case": ({"a/skill.md": TEXT, "b/Skill.MD": TEXT}, ["a", "b"], []),
    "a skill whose SKILL.md is a FIFO or a folder is one to be refused": (
        {"a/SKILL.md": Fifo(), "b/SKILL.md": Folder()},
        ["a", "b"],
        [],
    ),
    "hidden and ignored names": (
        {
            ".claude/SKILL.md": TEXT,
            ".git/SKILL.md": TEXT,
            ".hg/SKILL.md": TEXT,
            ".svn/SKILL.md": TEXT,
            "__pycache__/SKILL.md": TEXT,
            ".venv/SKILL.md": TEXT,
            "node_modules/SKILL.md": TEXT,
            ".DS_Store/SKILL.md": TEXT,
            "node_modules.bak/SKILL.md": TEXT,
        },
        ["node_modules.bak"],
        [
            (Code.FOLDER_IGNORED, name)
            for name in (".DS_Store", ".claude", ".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules")
        ],
    ),
    "a name that is no text": (
        {"caf\udce9/SKILL.md": TEXT, "ok/SKILL.md": TEXT},
        ["ok"],
        [(Code.FOLDER_NAME_NOT_TEXT, "caf\ufffd")],
    ),
    "a hidden name that is no text": ({".\udce9/SKILL.md": TEXT}, [], [(Code.FOLDER_IGNORED, ".\ufffd")]),
}
NESTED: dict[str, tuple[Tree, list[str], list[tuple[Code, str]]]] = {
    "any depth, shallower ones first": (
        {"z/SKILL.md": TEXT, "a/b/c/SKILL.md": TEXT, "a/x/SKILL.md": TEXT, "b/a/SKILL.md": TEXT},
        ["z", "a/x", "b/a", "a/b/c"],
        [],
    ),
    "six levels": (
        {"a/b/c/d/e/f/SKILL.md": TEXT, "1/2/3/4/5/6/7/SKILL.md": TEXT},
        ["a/b/c/d/e/f"],
        [(Code.TOO_DEEP, "1/2/3/4/5/6/7")],
    ),
    "a skill's own folder is not searched further": (
        {"a/SKILL.md": TEXT, "a/examples/b/SKILL.md": TEXT},
        ["a"],
        [],
    ),
    "a folder with skill.yaml alone neither": ({"a/skill.yaml": "x", "a/b/SKILL.md": TEXT}, ["a"], []),
    "but the root is": (
        {"SKILL.md": TEXT, "skills/a/SKILL.md": TEXT, "skills/b/SKILL.md": TEXT},
        ["", "skills/a", "skills/b"],
        [],
    ),
    "a folder without a skill is only on the way": ({"docs/img/a.png": "x", "docs/a/SKILL.md": TEXT}, ["docs/a"], []),
    "hidden and ignored names at any level": (
        {"a/.b/c/SKILL.md": TEXT, "a/node_modules/p/SKILL.md": TEXT},
        [],
        [(Code.FOLDER_IGNORED, "a/.b"), (Code.FOLDER_IGNORED, "a/node_modules")],
    ),
    "a name that is no text at any level": (
        {"a/\udcff/b/SKILL.md": TEXT},
        [],
        [(Code.FOLDER_NAME_NOT_TEXT, "a/\ufffd")],
    ),
}


@pytest.mark.parametrize(("tree", "places", "said"), FLAT.values(), ids=FLAT)
def test_the_flat_layout_finds_one_level_of_folders(
    tmp_path: Path, tree: Tree, places: list[str], said: list[tuple[Code, str]]
) -> None:
    walked = walk(grow(tmp_path, tree), Layout.FLAT)
    assert (walked.places, walked.said, walked.unseen) == (places, said, [])


@pytest.mark.parametrize(("tree", "places", "said"), NESTED.values(), ids=NESTED)
def test_the_nested_layout_finds_skills_at_any_depth(
    tmp_path: Path, tree: Tree, places: list[str], said: list[tuple[Code, str]]
) -> None:
    walked = walk(grow(tmp_path, tree), Layout.NESTED)
    assert (walked.places, walked.said, walked.unseen) == (places, said, [])


def test_a_lower_depth_is_kept(tmp_path: Path) -> None:
    walked = walk(
        grow(tmp_path, {"a/SKILL.md": TEXT, "b/c/SKILL.md": TEXT}), Layout.NESTED, limits=Limits(source_depth=1)
    )
    assert (walked.places, walked.said) == (["a"], [(Code.TOO_DEEP, "b/c")])


@pytest.mark.parametrize("layout", Layout)
def test_no_more_folders_are_looked_at_than_the_limit_and_the_rest_counts_as_unseen(
    tmp_path: Path, layout: Layout
) -> None:
    grow(tmp_path, {f"{name}/SKILL.md": TEXT for name in "abcd"})
    exact = walk(tmp_path, layout, limits=Limits(source_folders=4))
    assert (exact.places, exact.said, exact.unseen) == (list("abcd"), [], [])
    over = walk(tmp_path, layout, limits=Limits(source_folders=3))
    assert (over.places, over.said, over.unseen) == (list("abc"), [(Code.TOO_MANY_FOLDERS, "")], [""])


def test_folders_without_number_that_are_passed_over_are_told_in_a_bounded_number(tmp_path: Path) -> None:
    grow(tmp_path, {"a/SKILL.md": TEXT, **{f".hidden-{number}": Folder() for number in range(PASSED_OVER + 5)}})
    walked = walk(tmp_path, Layout.FLAT)
    assert (walked.places, walked.unseen, len(walked.said)) == (["a"], [], PASSED_OVER + 1)
    assert walked.said[-1] == (Code.FOLDER_IGNORED, "")


def test_the_exact_name_wins_and_the_other_one_is_an_asset(tmp_path: Path) -> None:
    grow(tmp_path, {"a/SKILL.md": skill("exact"), "a/skill.md": skill("odd")})
    [exact] = source_of(tmp_path).observe().found
    assert (exact.bundle.skill.name, [asset.name for asset in exact.bundle.assets]) == ("exact", ["skill.md"])
    assert Code.FILE_NAME_CASE not in [code for code, _ in codes(exact.diagnostics)]


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("place", ["b/", ""])
def test_of_two_odd_names_neither_is_taken_and_both_are_named(tmp_path: Path, profile: Profile, place: str) -> None:
    grow(tmp_path, {f"{place}Skill.md": TEXT, f"{place}skill.md": TEXT, "a/SKILL.md": skill("a")})
    source = source_of(tmp_path, profile=profile, single_files=True)
    seen = source.observe()
    assert (seen.outcome, places_of(seen)) == (Outcome.WHOLE, ["a"])
    [said] = seen.diagnostics
    assert (said.code, said.severity, said.skill) == (Code.FILE_NAME_CASE, Severity.ERROR, place.removesuffix("/"))
    assert said.message.startswith("Skill.md and skill.md stand side by side, and no SKILL.md")
    (tmp_path / place / "Skill.md").rename(tmp_path / place / "SKILL.md")
    seen = source.observe([f"{place}Skill.md", f"{place}SKILL.md"])
    assert Code.FILE_NAME_CASE not in [code for code, _ in codes(seen.diagnostics)]


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_a_skill_md_in_another_case_is_kept_with_a_warning_and_refused_by_the_letter(tmp_path: Path, name: str) -> None:
    grow(tmp_path, {f"quay/{name}": skill("quay")})
    [found] = source_of(tmp_path).observe().found
    [said] = found.diagnostics
    assert (said.severity, said.code, said.skill) == (Severity.WARNING, Code.FILE_NAME_CASE, "quay")
    strict = source_of(tmp_path, profile=Profile.STRICT).observe()
    assert strict.found == ()
    assert codes(strict.diagnostics) == [(Code.FILE_NAME_CASE, "quay")]


SINGLE: dict[str, tuple[Tree, list[str], list[tuple[Code, str]]]] = {
    "files and folders, files first": ({"quay.md": TEXT, "a/SKILL.md": TEXT}, ["quay.md", "a"], []),
    "a SKILL.md at the root is its own skill, and no single file": (
        {"SKILL.md": TEXT, "quay.md": TEXT},
        ["", "quay.md"],
        [],
    ),
    "SKILL.md in another case neither": ({"skill.md": TEXT}, [""], []),
    "only .md, and not hidden": ({"a.txt": TEXT, "b.MD": TEXT, ".c.md": TEXT, ".md": TEXT, "d.md": TEXT}, ["d.md"], []),
    "only at the root": ({"a/b.md": TEXT}, [], [(Code.FOLDER_WITHOUT_SKILL, "a")]),
    "a folder of such a name is a folder": ({"a.md/SKILL.md": TEXT}, ["a.md"], []),
    "a name that is no text": ({"caf\udce9.md": TEXT}, [], [(Code.FOLDER_NAME_NOT_TEXT, "caf\ufffd.md")]),
    "a FIFO is one to be refused": ({"a.md": Fifo()}, ["a.md"], []),
}


@pytest.mark.parametrize(("tree", "places", "said"), SINGLE.values(), ids=SINGLE)
def test_single_files_are_skills_where_the_source_accepts_them(
    tmp_path: Path, tree: Tree, places: list[str], said: list[tuple[Code, str]]
) -> None:
    walked = walk(grow(tmp_path, tree), single_files=True)
    assert (walked.places, walked.said, walked.unseen) == (places, said, [])


def test_single_files_are_read_with_their_stem_as_folder_name_and_without_assets(tmp_path: Path) -> None:
    grow(tmp_path, {"quay.md": "---\ndescription: Watches a quay.\n---\nBody\n", "notes.md": "No frontmatter.\n"})
    seen = source_of(tmp_path, single_files=True).observe()
    [found] = seen.found
    assert (found.place, found.bundle.skill.name, found.bundle.assets) == ("quay.md", "quay", ())
    assert codes(seen.diagnostics) == [(Code.FRONTMATTER_MISSING, "notes.md")]


ONE = '{"id": "maps"}'
COLLECTIONS: dict[str, tuple[Layout, Tree, list[tuple[str, str]], list[tuple[Code, str]]]] = {
    "two of one id but for case": (
        Layout.FLAT,
        {
            "c/COLLECTION.json": ONE,
            "c/a/SKILL.md": TEXT,
            "d/COLLECTION.json": '{"id": "\uff2d\uff21\uff30\uff33"}',
            "d/b/SKILL.md": TEXT,
        },
        [("c/a", "maps"), ("d/b", "maps")],
        [(Code.COLLECTION_CLASH, "d")],
    ),
    "flat: the folder of a collection is no level": (
        Layout.FLAT,
        {"c/COLLECTION.json": ONE, "c/a/SKILL.md": TEXT, "c/b/x": "", "d/SKILL.md": TEXT},
        [("d", ""), ("c/a", "maps")],
        [(Code.FOLDER_WITHOUT_SKILL, "c/b")],
    ),
    "flat: one level below a collection and no more": (
        Layout.FLAT,
        {"c/COLLECTION.json": ONE, "c/d/COLLECTION.json": ONE, "c/d/a/SKILL.md": TEXT},
        [],
        [(Code.COLLECTION_CLASH, "c/d"), (Code.TOO_DEEP, "c/d/a")],
    ),
    "flat: a folder without an id has its name": (
        Layout.FLAT,
        {"c/COLLECTION.json": "{}", "c/a/SKILL.md": TEXT},
        [("c/a", "c")],
        [],
    ),
    "flat: the root may be one": (
        Layout.FLAT,
        {"COLLECTION.json": "{}", "a/SKILL.md": TEXT, "a/b/SKILL.md": TEXT},
        [("a", LABEL)],
        [],
    ),
    "flat: a malformed file makes none, and hides nothing": (
        Layout.FLAT,
        {"c/COLLECTION.json": "[", "c/a/SKILL.md": TEXT, "d/COLLECTION.json": Fifo(), "d/a/SKILL.md": TEXT},
        [("c/a", ""), ("d/a", "")],
        [(Code.COLLECTION_MALFORMED, "c"), (Code.COLLECTION_MALFORMED, "d")],
    ),
    "nested: all below it belong to it, but those of a nearer one": (
        Layout.NESTED,
        {
            "c/COLLECTION.json": ONE,
            "c/a/SKILL.md": TEXT,
            "c/x/b/SKILL.md": TEXT,
            "c/y/COLLECTION.json": '{"id": "charts"}',
            "c/y/b/SKILL.md": TEXT,
            "d/SKILL.md": TEXT,
        },
        [("d", ""), ("c/a", "maps"), ("c/x/b", "maps"), ("c/y/b", "charts")],
        [],
    ),
    "nested: a malformed file makes none, and hides nothing": (
        Layout.NESTED,
        {"c/COLLECTION.json": "[]", "c/a/SKILL.md": TEXT},
        [("c/a", "")],
        [(Code.COLLECTION_MALFORMED, "c")],
    ),
    "nested: a folder or FIFO of that name makes none": (
        Layout.NESTED,
        {"c/COLLECTION.json": Folder(), "c/a/SKILL.md": TEXT, "d/COLLECTION.json": Fifo(), "d/a/SKILL.md": TEXT},
        [("c/a", ""), ("d/a", "")],
        [(Code.COLLECTION_MALFORMED, "d")],
    ),
    "a skill's own folder is no collection": (
        Layout.NESTED,
        {"a/SKILL.md": TEXT, "a/COLLECTION.json": ONE},
        [("a", "")],
        [],
    ),
    "the name that stands in is on one line": (
        Layout.NESTED,
        {"a\nb/COLLECTION.json": "{}", "a\nb/c/SKILL.md": TEXT},
        [("a\nb/c", "a b")],
        [],
    ),
}


def test_of_two_collections_of_one_id_the_first_has_the_line(tmp_path: Path) -> None:
    """`rules.md` 4: within one source the shallower comes first, then byte order."""
    tree = {
        "c/COLLECTION.json": '{"id": "maps", "prompt_line": "{count} maps"}',
        "c/a/SKILL.md": TEXT,
        "d/COLLECTION.json": '{"id": "MAPS", "prompt_line": "Others: {count}"}',
        "d/b/SKILL.md": TEXT,
    }
    seen = source_of(grow(tmp_path, tree)).observe()
    assert [(found.place, found.collection_line) for found in seen.found] == [
        ("c/a", "{count} maps"),
        ("d/b", "{count} maps"),
    ]
    [said] = seen.diagnostics
    assert "MAPS" in said.message
    assert "at c;" in said.message


@pytest.mark.parametrize(("layout", "tree", "collections", "said"), COLLECTIONS.values(), ids=COLLECTIONS)
def test_collections_label_the_skills_below_them(
    tmp_path: Path,
    layout: Layout,
    tree: Tree,
    collections: list[tuple[str, str]],
    said: list[tuple[Code, str]],
) -> None:
    seen = source_of(grow(tmp_path, tree), layout=layout).observe()
    assert [(found.place, found.collection) for found in seen.found] == collections
    assert codes(seen.diagnostics) == said
