"""The documents say what is there: links lead somewhere, named tests exist, every code and reason has its row."""

import re
from pathlib import Path

import pytest

from docs.generate import configuration
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.errors import ErrorReason

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PYTHON_CLIENT = ROOT / "clients" / "python" / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").glob("**/README.md"), PYTHON_CLIENT])
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(FENCED.sub("", page.read_text())):
        if not target.startswith("https://"):
            there = (page.parent / target).resolve() if target else page
            assert there.exists(), target
            assert there.is_relative_to(ROOT), target
            assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.is_relative_to(DOCS)], ids=relative)
def test_every_page_can_be_found_from_the_readme(page: Path) -> None:
    reached = {ROOT / "README.md"}
    while True:
        targets = {
            (source.parent / target).resolve()
            for source in reached
            for target, _ in LINK.findall(source.read_text())
            if target.endswith(".md") and not target.startswith("https:")
        }
        if targets <= reached:
            break
        reached |= targets
    assert page in reached


def test_every_diagnostic_code_is_explained_once_and_no_other() -> None:
    explained = re.findall(r"^\| `([a-z0-9-]+)` \|", (DOCS / "diagnostics.md").read_text(), re.MULTILINE)
    assert sorted(explained) == sorted(DiagnosticCode)


def test_every_error_reason_is_explained() -> None:
    page = (DOCS / "errors.md").read_text()
    assert not [reason for reason in ErrorReason if f"`{reason}`" not in page]


def test_the_page_of_the_configuration_is_what_the_settings_say() -> None:
    assert (DOCS / "configuration.md").read_text() == configuration()


def test_every_decision_is_in_the_index_by_its_title() -> None:
    index = (DOCS / "adr" / "README.md").read_text()
    records = sorted(path for path in (DOCS / "adr").glob("*.md") if path.name != "README.md")
    assert [path.name[:4] for path in records] == [f"{number:04}" for number in range(1, len(records) + 1)]
    for path in records:
        number, title = path.read_text().splitlines()[0].removeprefix("# ").split(": ", 1)
        assert f"| [{number}]({path.name}) | {title} |" in index


def test_the_words_of_the_glossary_are_in_order_and_unique() -> None:
    words = re.findall(r"^\| ([a-z][^|]*) \|", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    assert words == sorted(set(words))


def test_the_guide_for_contributors_stays_short() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 100


@pytest.mark.parametrize("line", re.findall(r"^\| .* \|$", (DOCS / "threat-model.md").read_text(), re.MULTILINE))
def test_every_threat_names_tests_that_exist(line: str) -> None:
    held_by = line.rsplit(" | ", maxsplit=1)[-1]
    tests = re.findall(r"`([^`]+\.py)::(\w+)`", held_by)
    assert tests or held_by == "Held by |"
    for path, name in tests:
        assert re.search(rf"^\s*(?:async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE), name
