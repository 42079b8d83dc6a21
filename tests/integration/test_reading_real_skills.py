"""Real skills, read by both profiles: the folder that SKILLSVC_CORPUS names, else `shared/corpus` by the checkout."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.parsing.document import body_of, decode, split
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.plain_lines import read_lines
from skillsvc.parsing.plain_yaml import read_mapping
from skillsvc.parsing.skill import Reading, read_skill

FALLBACK = Path(__file__).parents[3] / "shared" / "corpus"
# Of the files that are no links, checked out as such or as text.
REAL_SKILLS = 500


@pytest.fixture
def documents(capsys: pytest.CaptureFixture[str]) -> dict[Path, bytes]:
    """Return every SKILL.md that is no link, by its path; none where there are no real skills at hand."""
    corpus = Path(os.environ.get("SKILLSVC_CORPUS") or FALLBACK)
    found = {path: path.read_bytes() for path in sorted(corpus.rglob("SKILL.md")) if not path.is_symlink()}
    if not found:
        message = f"no real skills at {corpus}; name a folder of them in SKILLSVC_CORPUS"
        if os.environ.get("CI"):
            pytest.fail(message)
        with capsys.disabled():
            sys.stderr.write(f"{message}\n")
    return found


def read_all(documents: dict[Path, bytes], profile: Profile) -> dict[Path, Reading]:
    return {
        path: read_skill(document=data, manifest=None, folder=path.parent.name, profile=profile, limits=Limits())
        for path, data in documents.items()
    }


def reasons(readings: dict[Path, Reading]) -> Counter[DiagnosticCode]:
    """Count the skills that each code is said of."""
    return Counter(code for reading in readings.values() for code in {it.code for it in reading.diagnostics})


def test_every_real_skill_is_kept_and_what_is_none_is_refused(documents: dict[Path, bytes]) -> None:
    readings = read_all(documents, Profile.LENIENT)
    refused = {path: reading for path, reading in readings.items() if reading.skill is None}
    assert set(reasons(refused)) <= {DiagnosticCode.LINK_AS_TEXT}
    assert len(readings) - len(refused) == (REAL_SKILLS if documents else 0)
    assert all(reading.body == body_of(documents[path]) for path, reading in readings.items() if reading.skill)


def test_the_odd_ones_among_real_skills_are_told_of(documents: dict[Path, bytes]) -> None:
    found = reasons(read_all(documents, Profile.LENIENT))
    expected = {
        DiagnosticCode.YAML_REPAIRED: 17,
        DiagnosticCode.FRONTMATTER_MISSING: 6,
        DiagnosticCode.DESCRIPTION_FROM_BODY: 6,
        DiagnosticCode.METADATA_NESTED: 11,
        DiagnosticCode.NAME_DIFFERS: 16,
        DiagnosticCode.DESCRIPTION_CUT: 18,
    }
    assert {code: found[code] for code in expected} == (expected if documents else dict.fromkeys(expected, 0))


def test_most_real_frontmatter_is_read_without_yaml_and_as_yaml_reads_it(documents: dict[Path, bytes]) -> None:
    texts = [text for data in documents.values() if (text := split(decode(data)).frontmatter) is not None]
    plain = [text for text in texts if read_lines(text, first_line=2, max_depth=16) is not None]
    assert len(plain) * 3 >= len(texts) * 2
    for text in plain:
        assert read_lines(text, first_line=2, max_depth=16) == read_mapping(text, first_line=2, max_depth=16)


def test_strict_refuses_no_real_skill_but_for_a_rule_of_agentskills_io(documents: dict[Path, bytes]) -> None:
    readings = read_all(documents, Profile.STRICT)
    refused = reasons({path: reading for path, reading in readings.items() if reading.skill is None})
    assert set(refused) - {DiagnosticCode.DESCRIPTION_CUT, DiagnosticCode.LINK_AS_TEXT} <= {
        DiagnosticCode.FIELD_UNKNOWN,
        DiagnosticCode.FIELD_TOO_LONG,
        DiagnosticCode.METADATA_NESTED,
        DiagnosticCode.YAML_MALFORMED,
        DiagnosticCode.FRONTMATTER_MISSING,
        DiagnosticCode.NAME_MISSING,
        DiagnosticCode.DESCRIPTION_MISSING,
        DiagnosticCode.NAME_DIFFERS,
    }
