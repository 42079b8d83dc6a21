"""The examples: each is what examples/README.md says."""

from pathlib import Path

import pytest

from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.skill import Reading, read_skill

EXAMPLES = Path(__file__).parents[3] / "examples"
FOLDERS = sorted(path.parent for path in (EXAMPLES / "skills").rglob("SKILL.md"))
BROKEN = sorted(path.parent for path in (EXAMPLES / "broken").rglob("SKILL.md"))
# These show what agentskills.io does not know, or a name that it refuses.
NOT_STRICT = {"api-probe", "commit-message", "incident-report", "log-triage", "sitzungsprotokoll"}


def name_of(folder: Path) -> str:
    return folder.name


def read(folder: Path, profile: Profile) -> Reading:
    document, manifest = folder / "SKILL.md", folder / "skill.yaml"
    return read_skill(
        document=document.read_bytes() if document.exists() else None,
        manifest=manifest.read_bytes() if manifest.exists() else None,
        folder=folder.name,
        profile=profile,
        limits=Limits(),
    )


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_an_example_is_read_without_a_word_by_the_profile_it_is_for(folder: Path) -> None:
    strict = read(folder, Profile.STRICT)
    lenient = read(folder, Profile.LENIENT)
    assert lenient.skill is not None
    assert lenient.skill.name == folder.name
    assert (strict.skill is None) == (folder.name in NOT_STRICT)
    worst = Severity.WARNING if folder.name == "sitzungsprotokoll" else Severity.NOTE
    assert all(said.severity.value <= worst.value for said in lenient.diagnostics)


@pytest.mark.parametrize("folder", BROKEN, ids=name_of)
def test_a_broken_example_is_refused_by_both_profiles_for_the_reason_on_its_page(folder: Path) -> None:
    lenient = read(folder, Profile.LENIENT)
    errors = [said.code for said in lenient.diagnostics if said.severity is Severity.ERROR]
    assert lenient.skill is None
    assert len(errors) == 1
    assert f"| `{folder.name}` | `{errors[0]}` |" in (EXAMPLES / "broken" / "README.md").read_text()
    strict = read(folder, Profile.STRICT)
    assert strict.skill is None
    assert errors[0] in {said.code for said in strict.diagnostics}


def test_every_example_and_collection_has_a_row_on_the_page() -> None:
    page = (EXAMPLES / "README.md").read_text()
    shown = {
        path.parent.name for path in (EXAMPLES / "skills").rglob("*") if path.name in {"SKILL.md", "COLLECTION.json"}
    }
    members = {path.name for path in (EXAMPLES / "skills" / "release").iterdir() if path.is_dir()}
    assert not [name for name in sorted(shown - members) if f"| `{name}" not in page]
