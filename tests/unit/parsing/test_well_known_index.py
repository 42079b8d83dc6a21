"""The well-known index: agent skills discovery, version 0.2.0."""

import json
from typing import Any

import pytest

from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.index_json import IndexMalformed
from skillsvc.parsing.well_known_index import SCHEMA, ArtifactKind, IndexEntry, WellKnownIndex, read_well_known_index

DIGEST = "0123456789abcdef" * 4


def entry(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of JSON
    return {
        "name": "code-review",
        "type": "skill-md",
        "description": "Review code.",
        "url": "/.well-known/agent-skills/code-review/SKILL.md",
        "digest": f"sha256:{DIGEST}",
        **fields,
    }


def read(*entries: object, schema: object = SCHEMA) -> WellKnownIndex:
    return read_well_known_index(json.dumps({"$schema": schema, "skills": entries}).encode(), Limits())


def test_entries_of_both_types_are_read() -> None:
    index = read(entry(), entry(name="wrangler", type="archive", url="wrangler.tar.gz", later="field"))
    assert index.diagnostics == ()
    assert index.entries == (
        IndexEntry(
            name="code-review",
            kind=ArtifactKind.SKILL_MD,
            url="/.well-known/agent-skills/code-review/SKILL.md",
            digest=DIGEST,
        ),
        IndexEntry(name="wrangler", kind=ArtifactKind.ARCHIVE, url="wrangler.tar.gz", digest=DIGEST),
    )


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"name": "../../x"}, "its name is not"),
        ({"name": "Code"}, "its name is not"),
        ({"name": None}, "its name is not"),
        ({"name": 7.5}, "its name is not"),
        ({"name": ["a"]}, "name is no text"),
        ({"name": "x" * 65}, "its name is not"),
        ({"url": ""}, "it has no url"),
        ({"url": {}}, "url is no text"),
        ({"digest": None}, "it has no digest"),
        ({"digest": DIGEST[1:]}, "digest is not `sha256:`"),
        ({"digest": f"sha512:{DIGEST}"}, "digest is not `sha256:`"),
        ({"type": "skill-zip"}, 'the type "skill-zip" is not known here'),
        ({"type": None}, 'the type "" is not known here'),
        ({"files": ["\ud800"]}, "half a character"),
    ],
)
def test_an_entry_that_breaks_a_rule_is_left_out_alone(fields: dict[str, Any], why: str) -> None:
    index = read(entry(**fields), entry(name="sound"))
    assert [each.name for each in index.entries] == ["sound"]
    [said] = index.diagnostics
    assert why in said.message


def test_a_type_that_is_not_known_is_a_warning() -> None:
    [said] = read(entry(type="bundle")).diagnostics
    assert (said.severity, said.skill) == (Severity.WARNING, "code-review")


def test_the_first_of_a_name_is_kept() -> None:
    index = read(entry(url="one"), entry(url="two"))
    assert [each.url for each in index.entries] == ["one"]
    assert len(index.diagnostics) == 1


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (None, "it is of version 0.1.0"),
        ("https://schemas.agentskills.io/discovery/0.3.0/schema.json", "its $schema is not known here"),
        (f"{SCHEMA}/", "its $schema is not known here"),
        (7, "its $schema is not known here"),
        ([SCHEMA], "its $schema is not known here"),
    ],
)
def test_another_version_is_not_read(schema: object, why: str) -> None:
    with pytest.raises(IndexMalformed) as malformed:
        read(entry(), schema=schema)
    assert why in str(malformed.value)
