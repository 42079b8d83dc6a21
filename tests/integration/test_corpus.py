"""Five hundred real skills from fourteen repositories: every SKILL.md is accounted for, and the odd ones by name."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest
from skillsource.v1 import skill_pb2

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.skill import Found
from skillsvc.sources.discovery import Layout
from skillsvc.sources.merge import Merged, merge
from skillsvc.sources.source import Outcome
from tests.integration.calls import Caller
from tests.integration.conftest import Serve
from tests.integration.corpus import Account, copy_with_links, documents
from tests.unit.sources.trees import asset_names, codes, source_of

LINKS_AMONG_DOCUMENTS = 22
"""SKILL.md files of a folder with a hidden name that are links, or their texts where links were checked out so."""


def account(root: Path, layout: Layout) -> tuple[Account, Merged]:
    """Look at a folder as a server does, and see what became of its SKILL.md files."""
    seen = source_of(root, layout=layout).observe()
    assert seen.outcome is Outcome.WHOLE
    merged = merge([seen])
    return Account(documents(root), merged), merged


def test_every_skill_md_of_the_corpus_is_accounted_for(corpus: Path) -> None:
    accounted, merged = account(corpus, Layout.NESTED)
    assert accounted.sum == {
        "listed": 400,
        "shadowed": 55,
        "folded": 19,
        "skill-inside-skill": 15,
        "folder-ignored": 11 + LINKS_AMONG_DOCUMENTS,
    }
    assert len(documents(corpus)) == 500 + LINKS_AMONG_DOCUMENTS
    # Each name that its author wrote is listed once: by a look at the files that trusts no reader of YAML.
    visible = [path for fate in ("listed", "shadowed", "folded") for path in accounted.of(fate)]
    assert {row.name for row in merged.rows} == {written_name(corpus / path) for path in visible}


def written_name(document: Path) -> str:
    lines = document.read_text(encoding="utf-8").splitlines()
    names = [line.removeprefix("name:").strip(" \"'") for line in lines[:10] if line.startswith("name:")]
    return names[0] if names else document.parent.name


FLAT, SKIPPED = Layout.FLAT, "folder-without-skill"
REPOSITORIES: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    "anthropics__skills": ({"listed": 12}, {"listed": 12}),
    "openai__skills": ({"listed": 10}, {"listed": 10}),
    "obra__superpowers": ({"listed": 14}, {"listed": 14}),
    "supabase__agent-skills": ({"listed": 1}, {"listed": 1}),
    "expo__skills": ({"listed": 26}, {"listed": 26}),
    "getsentry__skills": ({"listed": 26}, {"listed": 26}),
    "dotnet__skills": ({"listed": 35}, {"listed": 35}),
    "wshobson__agents": ({"listed": 60}, {"listed": 60}),
    "K-Dense-AI__claude-scientific-skills": ({"listed": 40}, {"listed": 40}),
    "github__awesome-copilot": (
        {"listed": 55, "skill-inside-skill": 15},
        {"listed": 55, "skill-inside-skill": 15},
    ),
    "google__skills": ({SKIPPED: 60}, {"listed": 41, "folded": 19}),
    "alirezarezvani__claude-skills": (
        {SKIPPED: 45, "folder-ignored": LINKS_AMONG_DOCUMENTS},
        {"listed": 41, "shadowed": 4, "folder-ignored": LINKS_AMONG_DOCUMENTS},
    ),
    "affaan-m__everything-claude-code": (
        {SKIPPED: 55, "folder-ignored": 11},
        {"listed": 24, "shadowed": 31, "folder-ignored": 11},
    ),
    "terrylica__cc-skills": ({SKIPPED: 35}, {"listed": 18, "shadowed": 17}),
}


@pytest.mark.parametrize("name", REPOSITORIES)
def test_every_skill_md_of_each_repository_is_accounted_for_in_both_layouts(corpus: Path, name: str) -> None:
    flat, nested = (account(corpus / name, layout)[0].sum for layout in Layout)
    assert (flat, nested) == REPOSITORIES[name]


def test_the_table_of_repositories_is_whole(corpus: Path) -> None:
    assert {path.name for path in corpus.iterdir() if path.is_dir()} == set(REPOSITORIES)
    files = sum((Counter(nested) for _flat, nested in REPOSITORIES.values()), Counter())
    assert files.total() == 500 + LINKS_AMONG_DOCUMENTS


@pytest.fixture(scope="module")
def found(corpus: Path) -> dict[str, Found]:
    """What was found in the whole corpus, by place."""
    return {each.place: each for each in source_of(corpus, layout=Layout.NESTED).observe().found}


def said_of(found: dict[str, Found], *wanted: Code) -> list[tuple[str, str]]:
    """Return the places of which any of the codes is said, and which."""
    return [(place, code) for place, each in found.items() for code, _ in codes(each.diagnostics) if code in wanted]


AFFAAN, ALIREZA = "affaan-m__everything-claude-code", "alirezarezvani__claude-skills"


def test_line_ends_of_windows_are_kept_in_the_document_and_not_in_the_body(
    corpus: Path, found: dict[str, Found]
) -> None:
    for place, line_ends in {
        f"{AFFAAN}/skills/repo-scan": 63,
        "K-Dense-AI__claude-scientific-skills/geomaster": 365,
    }.items():
        data = (corpus / place / "SKILL.md").read_bytes()
        assert data.count(b"\r\n") == line_ends
        bundle = found[place].bundle
        assert bundle.document is not None
        assert bundle.document.digest == hashlib.sha256(data).hexdigest()
        body = data.replace(b"\r\n", b"\n").split(b"\n---\n", 1)[1].strip(b"\n \t")
        assert bundle.body is not None
        assert bundle.body.digest == hashlib.sha256(body).hexdigest()
        assert "\r" not in bundle.skill.description


def test_descriptions_that_are_no_yaml_are_repaired(corpus: Path, found: dict[str, Found]) -> None:
    repaired = said_of(found, Code.YAML_REPAIRED)
    assert len(repaired) == 17
    assert all(place.startswith(f"{AFFAAN}/docs/") for place, _ in repaired)
    for place, _ in repaired:
        # Each has its description on one line, with a colon and a blank in it, or an @ before it.
        [line] = [
            line
            for line in (corpus / place / "SKILL.md").read_text().splitlines()[:6]
            if line.startswith("description:")
        ]
        written = line.removeprefix("description:").strip()
        assert ": " in written or written.startswith("@")
        skill = found[place].bundle.skill
        assert skill.description == written or (
            skill.description_truncated and written.startswith(skill.description[:-1])
        )


def test_skills_without_frontmatter_have_the_name_of_their_folder_and_a_first_paragraph(
    found: dict[str, Found],
) -> None:
    without = [place for place, _ in said_of(found, Code.FRONTMATTER_MISSING)]
    assert without == [
        f"{AFFAAN}/docs/ja-JP/skills/project-guidelines-example",
        f"{AFFAAN}/docs/ja-JP/skills/verification-loop",
        f"{AFFAAN}/docs/zh-CN/skills/browser-qa",
        f"{AFFAAN}/docs/zh-TW/skills/project-guidelines-example",
        f"{AFFAAN}/docs/zh-TW/skills/verification-loop",
        f"{ALIREZA}/engineering/skills/skill-tester/assets/sample-skill",
    ]
    assert [found[place].bundle.skill.name for place in without] == [place.rpartition("/")[2] for place in without]
    assert found[without[1]].bundle.skill.description == "Claude Codeセッション向けの包括的な検証システム。"


def test_a_name_that_is_not_the_folders_is_said_and_counts(found: dict[str, Found]) -> None:
    assert said_of(found, Code.NAME_DIFFERS) == [("wshobson__agents/postgresql", Code.NAME_DIFFERS)]
    assert found["wshobson__agents/postgresql"].bundle.skill.name == "postgresql-table-design"


def test_skills_inside_skills_are_assets_of_the_outer_one(found: dict[str, Found]) -> None:
    scaling = found["github__awesome-copilot/qdrant-scaling"].bundle
    inner = [name for name in asset_names(scaling) if name.endswith("SKILL.md")]
    assert inner == [
        "minimize-latency/SKILL.md",
        "scaling-data-volume/SKILL.md",
        "scaling-data-volume/horizontal-scaling/SKILL.md",
        "scaling-data-volume/sliding-time-window/SKILL.md",
        "scaling-data-volume/tenant-scaling/SKILL.md",
        "scaling-data-volume/vertical-scaling/SKILL.md",
        "scaling-qps/SKILL.md",
        "scaling-query-volume/SKILL.md",
    ]


def test_of_one_name_in_eight_languages_the_shallowest_is_listed(corpus: Path) -> None:
    accounted, merged = account(corpus / AFFAAN, Layout.NESTED)
    [row] = [row for row in merged.rows if row.name == "coding-standards"]
    assert row.found.place == "skills/coding-standards"
    assert [path for path in accounted.of("shadowed") if "/coding-standards/" in path] == [
        f"docs/{language}/skills/coding-standards/SKILL.md" for language in ("ja-JP", "ko-KR", "tr", "zh-CN", "zh-TW")
    ]


def test_a_file_name_with_a_space_is_an_asset_like_any_other(found: dict[str, Found]) -> None:
    converter = found["terrylica__cc-skills/plugins/asciinema-tools/skills/asciinema-converter"].bundle
    assert "tests/fixtures/with spaces.cast" in asset_names(converter)


def test_executable_files_are_counted_as_they_are(corpus: Path, found: dict[str, Found]) -> None:
    executable = {
        f"{place}/{asset.name}" for place, each in found.items() for asset in each.bundle.assets if asset.executable
    }
    files = {path for path in corpus.rglob("*") if path.is_file() and path.stat().st_mode & 0o111}
    # A text is served without a mode.
    files -= {corpus / "google__skills/skills/cloud/bigquery-bigframes/SKILL.md"}
    assert {str(path.relative_to(corpus)) for path in files} - executable == set()
    assert len(executable) == len(files) == 99


@pytest.fixture(scope="module")
def linked(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus with its links as links, and the folders that hold them under names that are not hidden."""
    target = tmp_path_factory.mktemp("corpus") / "corpus"
    assert len(copy_with_links(corpus, target)) == 51
    for name in (".codex", ".gemini"):
        (target / ALIREZA / name).rename(target / ALIREZA / name[1:])
    return target


def test_every_link_to_a_skill_is_accounted_for(linked: Path) -> None:
    root = linked / ALIREZA
    folders = [path for path in (root / "codex/skills").iterdir() if path.is_symlink()]
    texts = [path / "SKILL.md" for path in (root / "gemini/skills").iterdir()]
    assert all(path.is_symlink() for path in texts)
    dangling = {str(path.relative_to(root)) for path in texts if not path.exists()}
    assert (len(folders), len(texts), len(dangling)) == (28, 22, 12)
    accounted, merged = account(root, Layout.NESTED)
    assert set(accounted.of("refused: link-dangling")) == dangling
    # Where the link comes first, the folder is listed there, and its own place names the link.
    assert accounted.sum == {
        "listed": 18,
        "linked-twice": 23,
        "shadowed": 8,
        "folded": 6,
        "refused: link-dangling": 12,
    }
    listed_at_links = {row.found.place for row in merged.rows if row.found.place.startswith("codex/")}
    said_at_links = {said.skill for said in merged.diagnostics if said.skill.startswith("codex/")}
    assert listed_at_links | said_at_links == {str(path.relative_to(root)) for path in folders}
    assert (len(listed_at_links), len(said_at_links)) == (23, 5)


def test_links_that_lead_out_of_the_source_are_refused_each(linked: Path) -> None:
    for name, links, code in (("codex", 28, Code.LINK_ESCAPES), ("gemini", 22, Code.LINK_ESCAPES)):
        seen = source_of(linked / ALIREZA / name / "skills").observe()
        assert seen.found == ()
        assert [each for each, _ in codes(seen.diagnostics)] == [code] * links


def test_a_link_among_assets_is_left_out(linked: Path) -> None:
    [found] = source_of(linked / "supabase__agent-skills").observe().found
    assert codes(found.diagnostics) == [(Code.ASSET_LINK_SKIPPED, "supabase-postgres-best-practices")]
    assert "AGENTS.md" in asset_names(found.bundle)
    assert "CLAUDE.md" not in asset_names(found.bundle)


def test_a_real_server_lists_what_was_found_and_serves_every_byte_of_it(corpus: Path, serve: Serve) -> None:
    _accounted, merged = account(corpus, Layout.NESTED)
    server = serve(corpus, layout="nested")
    with Caller(server.address) as caller:
        listed = caller.skills(page_size=150)
        assert [skill.name for skill in listed] == [row.name for row in merged.rows]
        for skill, row in zip(listed, merged.rows, strict=True):
            folder = corpus / row.found.place
            assert (skill.digest, skill.asset_count) == (row.bundle.digest, len(row.bundle.assets))
            assert skill.source == "dir-1"
            assert skill.origin == skill_pb2.TIER_EXPLICIT
            assert caller.document(skill.name) == (folder / "SKILL.md").read_bytes()
            for asset in caller.assets(skill.name):
                assert caller.asset(skill.name, asset.name) == (folder / asset.name).read_bytes()
