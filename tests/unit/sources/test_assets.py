"""Which files of a folder are assets, and by which names they are served (rules.md 1, 3)."""

from pathlib import Path

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.limits import Limits
from skillsvc.sources.assets import SkillUnusable, name_assets
from skillsvc.sources.discovery import Layout
from skillsvc.sources.source import Observation, Outcome
from tests.unit.sources.trees import (
    Fifo,
    Folder,
    Link,
    Tree,
    asset_names,
    bundle_at,
    codes,
    grow,
    places_of,
    skill,
    source_of,
)

TEXT = skill("quay")


def seen_in(root: Path, tree: Tree, limits: Limits | None = None) -> Observation:
    """Look at a skill `quay` with these further files."""
    return source_of(
        grow(root, {"quay/SKILL.md": TEXT, **{f"quay/{path}": tree[path] for path in tree}}), limits=limits
    ).observe()


INVENTORIES: dict[str, tuple[Tree, list[str], list[Code]]] = {
    "none": ({}, [], []),
    "every file at any depth, in byte order of the whole names": (
        {"b": "", "a/b": "", "a-b": "", "é": "", "Z/y/x": ""},
        ["Z/y/x", "a-b", "a/b", "b", "é"],
        [],
    ),
    "dot files and dot folders count": ({".env": "", ".github/ci.yml": ""}, [".env", ".github/ci.yml"], []),
    "the ignored names do not, at any depth": (
        {
            ".git/config": "",
            ".hg/x": "",
            ".svn/x": "",
            "a/__pycache__/x.pyc": "",
            "a/.venv/x": "",
            "a/node_modules/p/index.js": "",
            "a/.DS_Store": "",
            ".DS_Store": "",
            ".gitignore": "",
        },
        [".gitignore"],
        [],
    ),
    "SKILL.md and skill.yaml do not, but below they do": (
        {"skill.yaml": "version: '1'", "a/skill.yaml": "", "a/SKILL.md": ""},
        ["a/SKILL.md", "a/skill.yaml"],
        [Code.SKILL_INSIDE_SKILL],
    ),
    "a skill.yaml alone below is one inside as well": (
        {"a/skill.yaml": ""},
        ["a/skill.yaml"],
        [Code.SKILL_INSIDE_SKILL],
    ),
    "links are left out and not followed": (
        {"x": "", "in": Link("x"), "out": Link("/etc/passwd"), "a/dir": Link(".."), "a/dangling": Link("nowhere")},
        ["x"],
        [Code.ASSET_LINK_SKIPPED] * 4,
    ),
    "what is neither file nor folder is left out": (
        {"a/fifo": Fifo(), "b": ""},
        ["b"],
        [Code.NOT_A_REGULAR_FILE],
    ),
}


@pytest.mark.parametrize(("tree", "names", "said"), INVENTORIES.values(), ids=INVENTORIES)
def test_the_assets_of_a_skill_are_all_its_other_files(
    tmp_path: Path, tree: Tree, names: list[str], said: list[Code]
) -> None:
    seen = seen_in(tmp_path, tree)
    [found] = seen.found
    assert asset_names(found.bundle) == names
    assert [code for code, _ in codes(found.diagnostics)] == said
    assert seen.outcome is Outcome.WHOLE


def test_the_skill_at_the_root_owns_all_but_the_folders_of_skills(tmp_path: Path) -> None:
    grow(
        tmp_path,
        {
            "SKILL.md": skill("repo"),
            "scripts/run": "",
            "skills/a/SKILL.md": skill("a"),
            "skills/a/own": "",
            "skills/b/skill.yaml": "description: Watches.",
            "skills/README.md": "",
            ".claude/skills/c/SKILL.md": skill("c"),
            ".claude/settings.json": "",
        },
    )
    seen = source_of(tmp_path, layout=Layout.NESTED).observe()
    assert places_of(seen) == ["", "skills/a", "skills/b"]
    assert asset_names(bundle_at(seen, "")) == [".claude/settings.json", "scripts/run", "skills/README.md"]
    assert asset_names(bundle_at(seen, "skills/a")) == ["own"]


APART: dict[str, tuple[Layout, Tree, list[str]]] = {
    "flat, below a folder that is no skill": (
        Layout.FLAT,
        {"a/b/SKILL.md": skill("b"), "a/x": "", "c/SKILL.md": skill("c")},
        ["a/b"],
    ),
    "flat, below a collection": (
        Layout.FLAT,
        {"a/COLLECTION.json": '{"id": "maps"}', "a/b/SKILL.md": skill("b"), "a/c/d/skill.yaml": "description: x"},
        ["a/c/d"],
    ),
    "nested, hidden": (
        Layout.NESTED,
        {".claude/skills/c/SKILL.md": skill("c"), "a/.b/SKILL.md": skill("b"), "a/c/SKILL.md": skill("d")},
        [".claude/skills/c"],
    ),
    "nested, told of as too deep": (Layout.NESTED, {"1/2/3/4/5/6/7/SKILL.md": skill("deep")}, []),
    "nested, looked at over a link": (Layout.NESTED, {"a/b/c/SKILL.md": skill("c"), "l": Link("a/b/c")}, []),
}


@pytest.mark.parametrize(("layout", "tree", "apart"), APART.values(), ids=APART)
def test_a_folder_of_a_skill_that_is_neither_looked_at_nor_an_asset_of_the_root_is_told(
    tmp_path: Path, layout: Layout, tree: Tree, apart: list[str]
) -> None:
    source = source_of(grow(tmp_path, {"SKILL.md": skill("repo"), **tree}), layout=layout)
    for _ in range(2):
        said = source.observe().diagnostics
        assert [each.skill for each in said if "no asset of the skill at the root" in each.message] == apart
        assert set(apart) <= {place for code, place in codes(said) if code is Code.FOLDER_IGNORED}
    (tmp_path / "SKILL.md").unlink()
    assert not [each for each in source.observe().diagnostics if "at the root" in each.message]


def test_executable_is_what_anybody_may_execute(tmp_path: Path) -> None:
    modes = {"none": 0o644, "owner": 0o744, "group": 0o654, "others": 0o645, "all": 0o755}
    grow(tmp_path, {"quay/SKILL.md": TEXT, **{f"quay/{name}": "x" for name in modes}})
    for name, mode in modes.items():
        (tmp_path / "quay" / name).chmod(mode)
    [found] = source_of(tmp_path).observe().found
    assert {asset.name: asset.executable for asset in found.bundle.assets} == {
        "none": False,
        "owner": True,
        "group": True,
        "others": True,
        "all": True,
    }


LIMITS = Limits(assets=3, asset_names_bytes=12, asset_name_bytes=8, asset_bytes=10, asset_depth=2)
REFUSED: dict[str, tuple[Tree, Tree, Code]] = {
    "more of them": (dict.fromkeys("abc", ""), dict.fromkeys("abcd", ""), Code.TOO_MANY_ASSETS),
    "more bytes of names": ({"a" * 8: "", "b" * 4: ""}, {"a" * 8: "", "b" * 5: ""}, Code.ASSET_NAMES_TOO_LONG),
    "a longer name, in bytes": ({"éééé": ""}, {"éééé1": ""}, Code.ASSET_NAME_UNFIT),
    "a larger one": ({"a": "x" * 10}, {"a": "x" * 11}, Code.ASSET_TOO_LARGE),
    "a deeper one": ({"a/b/c": ""}, {"a/b/c/d": ""}, Code.TOO_DEEP),
    "a backslash in a name": ({"a_b": ""}, {"a\\b": ""}, Code.ASSET_NAME_UNFIT),
    "a line break in a name": ({"a b": ""}, {"a\nb": ""}, Code.ASSET_NAME_UNFIT),
    "a line separator in a name": ({"a": ""}, {"a\u2028b": ""}, Code.ASSET_NAME_UNFIT),
    "a name that is no text": ({"a": ""}, {"a\udcff": ""}, Code.ASSET_NAME_UNFIT),
    "an unfit name of a folder": ({"a/b": ""}, {"\x7f/b": ""}, Code.ASSET_NAME_UNFIT),
    "two names that differ in case": ({"a": "", "b": ""}, {"a": "", "A": ""}, Code.ASSET_NAME_COLLISION),
    "two folders that differ in case": ({"a/x": "", "A/y": ""}, {"a/x": "", "A/x": ""}, Code.ASSET_NAME_COLLISION),
    "two names of one text": ({"é": ""}, {"\u00e9": "", "e\u0301": ""}, Code.ASSET_NAME_COLLISION),
    "two names equal after folding": ({"ß": ""}, {"ß": "", "SS": ""}, Code.ASSET_NAME_COLLISION),
}


@pytest.mark.parametrize(("kept", "refused", "code"), REFUSED.values(), ids=REFUSED)
def test_a_skill_is_refused_whole_beyond_each_limit_and_kept_at_it(
    tmp_path: Path, kept: Tree, refused: Tree, code: Code
) -> None:
    [found] = seen_in(tmp_path / "kept", kept, LIMITS).found
    assert len(found.bundle.assets) == len(kept)
    seen = seen_in(tmp_path / "refused", refused, LIMITS)
    assert (seen.found, codes(seen.diagnostics)) == ((), [(code, "quay")])
    # What breaks a rule has been seen: the source is wholly observed.
    assert seen.outcome is Outcome.WHOLE


def test_a_skill_with_more_folders_than_the_limit_is_refused(tmp_path: Path) -> None:
    folders = {name: Folder() for name in ("a", "b", "b/c")}
    assert len(seen_in(tmp_path, folders, Limits(source_folders=3)).found) == 1
    seen = seen_in(tmp_path / "more", {**folders, "d": Folder()}, Limits(source_folders=3))
    assert (seen.found, codes(seen.diagnostics)) == ((), [(Code.TOO_MANY_FOLDERS, "quay")])


def test_a_skill_has_no_more_folders_than_it_may_have_assets_and_of_one_that_has_none_is_kept(tmp_path: Path) -> None:
    folders = {name: Folder() for name in ("a", "b", "b/c")}
    source = source_of(grow(tmp_path, {"quay/SKILL.md": TEXT, **{f"quay/{path}": folders[path] for path in folders}}))
    source.observe()
    assert {f"quay/{path}" for path in folders} < source.folders
    source = source_of(tmp_path, limits=Limits(assets=2))
    assert codes(source.observe().diagnostics) == [(Code.TOO_MANY_FOLDERS, "quay")]
    assert source.folders == {"", "quay"}


def test_a_folder_in_which_no_asset_can_be_served_refuses_the_skill(tmp_path: Path) -> None:
    long = "/".join("n" * 127 for _ in range(4))
    assert len(seen_in(tmp_path, {long: Folder()}).found) == 1
    seen = seen_in(tmp_path / "more", {f"{long}/n": Folder()})
    assert (seen.found, codes(seen.diagnostics)) == ((), [(Code.ASSET_NAME_UNFIT, "quay")])


def test_what_is_left_out_is_named_as_far_as_diagnostics_go_and_then_counted(tmp_path: Path) -> None:
    [found] = seen_in(tmp_path, {f"link-{number}": Link("x") for number in range(10)}, Limits(diagnostics=4)).found
    assert [said.message for said in found.diagnostics] == [
        "'link-0' is a link among the assets; left out",
        "'link-1' is a link among the assets; left out",
        "'link-2' is a link among the assets; left out",
        "7 more entries were left out, or hold a SKILL.md",
    ]


def test_names_are_served_in_nfc_with_a_note(tmp_path: Path) -> None:
    [found] = seen_in(tmp_path, {"re\u0301sume\u0301.md": "text"}).found
    assert asset_names(found.bundle) == ["r\u00e9sum\u00e9.md"]
    assert [code for code, _ in codes(found.diagnostics)] == [Code.ASSET_NAME_NORMALISED]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "../a",
        "a/../b",
        "a/./b",
        "a\\b",
        "a\0",
        "\x1f",
        "\x80",
        "\x9f",
        "\u2029",
        "\udcff",
    ],
)
def test_a_path_that_does_not_fit_the_grammar_is_never_a_name(path: str) -> None:
    with pytest.raises(SkillUnusable) as caught:
        name_assets([path], Limits())
    assert (caught.value.code, caught.value.unseen) == (Code.ASSET_NAME_UNFIT, False)


def test_messages_show_names_without_what_cannot_be_shown(tmp_path: Path) -> None:
    seen = seen_in(tmp_path, {"a\n\x1b[31m\udcff": ""})
    [said] = seen.diagnostics
    assert said.message == "the asset 'a\\n\\x1b[31m\ufffd' has a name that cannot be served; rename it"
