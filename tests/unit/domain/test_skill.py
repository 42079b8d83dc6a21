"""What the digest of a bundle covers: all that comes from the skill's own files, and nothing else."""

from dataclasses import fields, replace
from typing import Any

import pytest
from skillsource.v1 import skill_pb2

from skillsvc.domain.skill import (
    Asset,
    Bundle,
    Found,
    Network,
    NetworkMode,
    Skill,
    TextRef,
    ToolDeclaration,
    ToolKind,
    bundle_digest,
    make_bundle,
)

SKILL = Skill(name="pdf", description="Reads PDF.", description_bytes=10)
DOCUMENT = TextRef(digest="d" * 64, size=30)
BODY = TextRef(digest="b" * 64, size=20)
ASSET = Asset(name="a.txt", size=1, digest="a" * 64)
BUNDLE = make_bundle(SKILL, document=DOCUMENT, body=BODY, assets=(ASSET,))
TOOL = ToolDeclaration(id="t", kind=ToolKind.BUILTIN)

OTHER_SKILLS: dict[str, Any] = {
    "name": "pdfs",
    "description": "Reads PDFs.",
    "description_truncated": True,
    "description_bytes": 11,
    "model_invocable": False,
    "user_invocable": False,
    "display_name": "PDF",
    "license": "MIT",
    "compatibility": "Linux",
    "metadata": (("a", "b"),),
    "allowed_tools": ("Read",),
    "when_to_use": "always",
    "version": "1",
    "keywords": ("pdf",),
    "capabilities": ("pdf",),
    "tools": (TOOL,),
    "network": Network(mode=NetworkMode.NONE, domains=(), digest="e" * 64),
    "requirements": ("git",),
}


def digest_with(bundle: Bundle = BUNDLE, **changes: Any) -> str:  # noqa: ANN401 - a value of any field
    parts = {
        "skill": bundle.skill,
        "document": bundle.document,
        "body": bundle.body,
        "assets": bundle.assets,
        **changes,
    }
    return bundle_digest(parts.pop("skill"), **parts)


def test_the_table_of_changes_names_every_field_of_a_skill() -> None:
    assert set(OTHER_SKILLS) == {field.name for field in fields(Skill)}


@pytest.mark.parametrize("field", sorted(OTHER_SKILLS))
def test_a_change_of_any_field_of_the_skill_is_another_bundle(field: str) -> None:
    changed: Skill = replace(SKILL, **{field: OTHER_SKILLS[field]})
    assert digest_with(skill=changed) != BUNDLE.digest


@pytest.mark.parametrize(
    "change",
    [
        {"document": None},
        {"document": replace(DOCUMENT, digest="c" * 64)},
        {"document": replace(DOCUMENT, size=31)},
        {"body": None},
        {"body": replace(BODY, digest="c" * 64)},
        {"body": replace(BODY, size=21)},
        {"assets": ()},
        {"assets": (replace(ASSET, name="b.txt"),)},
        {"assets": (replace(ASSET, size=2),)},
        {"assets": (replace(ASSET, digest="c" * 64),)},
        {"assets": (replace(ASSET, executable=True),)},
        {"assets": (ASSET, replace(ASSET, name="b.txt"))},
    ],
)
def test_a_change_of_a_file_is_another_bundle(change: dict[str, Any]) -> None:
    assert digest_with(**change) != BUNDLE.digest


@pytest.mark.parametrize(
    "changed",
    [
        replace(TOOL, id="u"),
        replace(TOOL, kind=ToolKind.MCP),
        replace(TOOL, name="read"),
        replace(TOOL, server="docs"),
        replace(TOOL, command="run"),
        replace(TOOL, args=("-v",)),
    ],
)
def test_a_change_of_a_tool_is_another_bundle(changed: ToolDeclaration) -> None:
    before, after = (digest_with(skill=replace(SKILL, tools=(tool,))) for tool in (TOOL, changed))
    assert before != after


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"license": "ab"}, {"license": "a", "compatibility": "b"}),
        ({"keywords": ("a", "b")}, {"keywords": ("ab",)}),
        ({"keywords": ("a",)}, {"capabilities": ("a",)}),
        ({"metadata": (("a", "bc"),)}, {"metadata": (("ab", "c"),)}),
        ({"requirements": ("",)}, {"requirements": ()}),
    ],
)
def test_neighbouring_fields_do_not_run_into_each_other(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert digest_with(skill=replace(SKILL, **one)) != digest_with(skill=replace(SKILL, **other))


def test_every_field_of_the_wire_is_covered_or_known_not_to_come_from_the_skill_itself() -> None:
    """A field added to the message must be thought of here."""
    covered = {
        "invocation",
        "has_assets",
        "tool_kinds",
        "body_bytes",
        "document_digest",
        "document_bytes",
        "asset_count",
    }
    covered |= set(OTHER_SKILLS) - {"model_invocable", "user_invocable", "tools", "requirements"}
    of_the_row = {"origin", "trust", "collection", "source"}
    never = {"digest", "readiness", "diagnostics", "diagnostics_omitted"}
    assert set(skill_pb2.Skill.DESCRIPTOR.fields_by_name) == covered | of_the_row | never


def test_where_a_bundle_is_found_is_no_part_of_it() -> None:
    one, other = Found(bundle=BUNDLE, place="a"), Found(bundle=BUNDLE, place="b/c", collection="greek")
    assert one.bundle.digest == other.bundle.digest


def test_the_kinds_of_tools_are_ascending_and_each_once() -> None:
    kinds = (ToolKind.EXECUTABLE, ToolKind.BUILTIN, ToolKind.EXECUTABLE)
    skill = replace(SKILL, tools=tuple(ToolDeclaration(id=str(at), kind=kind) for at, kind in enumerate(kinds)))
    assert skill.tool_kinds == (ToolKind.BUILTIN, ToolKind.EXECUTABLE)
    assert SKILL.tool_kinds == ()


def test_the_blobs_of_a_bundle_are_its_document_and_its_assets() -> None:
    assert list(BUNDLE.blobs) == [DOCUMENT.digest, ASSET.digest]
    without = make_bundle(SKILL, document=None, body=None, assets=(ASSET,))
    assert list(without.blobs) == [ASSET.digest]
