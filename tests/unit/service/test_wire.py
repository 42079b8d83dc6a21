"""Values to messages: nothing is lost on the way, and what the caps bound is bounded."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.catalog.layer import SourceState
from skillsvc.catalog.told import told_of
from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.limits import Limits
from skillsvc.domain.readiness import Vouched
from skillsvc.domain.skill import (
    Asset,
    Found,
    Network,
    NetworkMode,
    Skill,
    TextRef,
    ToolDeclaration,
    ToolKind,
    make_bundle,
)
from skillsvc.domain.trust import Tier, Trust
from skillsvc.parsing.network import UNKNOWN_NETWORK
from skillsvc.service import wire

FULL = Skill(
    name="pdf",
    description="Reads PDF.",
    description_truncated=True,
    description_bytes=900,
    model_invocable=False,
    user_invocable=True,
    display_name="PDF",
    license="MIT",
    compatibility="Linux",
    metadata=(("a", "1"),),
    allowed_tools=("Read",),
    when_to_use="for PDF",
    version="1.10",
    keywords=("pdf",),
    capabilities=("read",),
    tools=(ToolDeclaration(id="t", kind=ToolKind.EXECUTABLE), ToolDeclaration(id="u", kind=ToolKind.BUILTIN)),
    network=Network(mode=NetworkMode.HOST_ONLY, domains=("a.example",), digest="9" * 64),
    requirements=("git",),
)
ODD = Diagnostic(severity=Severity.WARNING, code=DiagnosticCode.NAME_DIFFERS, message="differs")
ASSETS = (Asset(name="a.md", size=1, digest="a" * 64), Asset(name="run.sh", size=2, digest="b" * 64, executable=True))


def row_of(
    skill: Skill = FULL, *diagnostics: Diagnostic, tier: Tier = Tier.EXPLICIT, trust: Trust = Trust.ALLOWED
) -> Row:
    bundle = make_bundle(
        skill,
        document=TextRef(digest="d" * 64, size=30),
        body=TextRef(digest="b" * 64, size=20),
        assets=ASSETS,
    )
    found = Found(bundle=bundle, place="pdf", collection="office", diagnostics=diagnostics)
    return make_row(source="dir-1", shadowed=False, found=found, tier=tier, trust=trust)


def test_basic_is_the_fields_up_to_the_digest() -> None:
    row = row_of()
    assert wire.basic_skill(row) == skill_pb2.Skill(
        name="pdf",
        description="Reads PDF.",
        description_truncated=True,
        description_bytes=900,
        has_assets=True,
        origin=skill_pb2.TIER_EXPLICIT,
        trust=skill_pb2.TRUST_ALLOWED,
        invocation=skill_pb2.Invocation(model=False, user=True),
        digest=row.bundle.digest,
    )


def full_of(row: Row) -> skill_pb2.Skill:
    return wire.full_skill(row, Limits(), told_of(row, Vouched(), of_deployment=True))


def test_full_is_all_fields() -> None:
    row = row_of(FULL, *[ODD] * 40)
    full = full_of(row)
    given = {field.name for field, _value in full.ListFields()}
    assert given == set(skill_pb2.Skill.DESCRIPTOR.fields_by_name)
    assert dict(full.metadata) == {"a": "1"}
    assert list(full.tool_kinds) == [skill_pb2.TOOL_KIND_BUILTIN, skill_pb2.TOOL_KIND_EXECUTABLE]
    assert (full.collection, full.source, full.body_bytes) == ("office", "dir-1", 20)
    assert (full.document_digest, full.document_bytes, full.asset_count) == ("d" * 64, 30, 2)
    # Of a member of a collection nobody's word counts.
    assert full.network == skill_pb2.Network(
        digest=UNKNOWN_NETWORK.digest,
        declaration=skill_pb2.NETWORK_DECLARATION_LEGACY,
        source=skill_pb2.NETWORK_SOURCE_COLLECTION_DEFAULT,
    )
    assert full.readiness == skill_pb2.Readiness(
        state=skill_pb2.READINESS_STATE_UNKNOWN if FULL.requirements else skill_pb2.READINESS_STATE_READY,
        unverifiable=FULL.requirements,
    )
    assert (len(full.diagnostics), full.diagnostics_omitted) == (32, 8)
    assert full.diagnostics[0] == skill_pb2.Diagnostic(
        severity=skill_pb2.SEVERITY_WARNING, code="name-differs", skill="pdf", source="dir-1", message="differs"
    )


def test_invocation_is_set_also_where_nobody_may_begin() -> None:
    row = row_of(replace(FULL, model_invocable=False, user_invocable=False))
    assert wire.basic_skill(row).HasField("invocation")


def in_no_collection(skill: Skill) -> Row:
    bundle = make_bundle(skill, document=None, body=None, assets=())
    found = Found(bundle=bundle, place="a")
    return make_row(source="s", shadowed=False, found=found, tier=Tier.USER, trust=Trust.ASK)


def test_what_a_skill_does_not_declare_of_the_network_is_unset() -> None:
    assert not full_of(in_no_collection(replace(FULL, network=None))).HasField("network")


def test_what_a_skill_declares_of_the_network_is_told_with_whose_word_it_is() -> None:
    assert full_of(in_no_collection(FULL)).network == skill_pb2.Network(
        mode=skill_pb2.NETWORK_MODE_HOST_ONLY,
        domains=["a.example"],
        declared=True,
        digest="9" * 64,
        declaration=skill_pb2.NETWORK_DECLARATION_DECLARED,
        source=skill_pb2.NETWORK_SOURCE_FRONTMATTER,
    )


def test_a_skill_without_files_has_no_digests_of_them() -> None:
    bundle = make_bundle(FULL, document=None, body=None, assets=())
    row = make_row(source="s", shadowed=False, found=Found(bundle=bundle, place=""), tier=Tier.USER, trust=Trust.ASK)
    full = full_of(row)
    assert (full.document_digest, full.document_bytes, full.body_bytes) == ("", 0, 0)
    assert (full.has_assets, full.asset_count) == (False, 0)


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize("trust", Trust)
def test_tiers_and_trusts_keep_their_names(tier: Tier, trust: Trust) -> None:
    skill = wire.basic_skill(row_of(FULL, tier=tier, trust=trust))
    assert skill_pb2.Tier.Name(skill.origin) == f"TIER_{tier.name}"
    assert skill_pb2.Trust.Name(skill.trust) == f"TRUST_{trust.name}"


@pytest.mark.parametrize(
    ("values", "prefix", "enum"),
    [
        (wire._TOOL_KINDS, "TOOL_KIND_", skill_pb2.ToolKind),
        (wire.SEVERITIES, "SEVERITY_", skill_pb2.Severity),
        (wire._SOURCE_STATES, "SOURCE_STATE_", pb.SourceState),
    ],
)
def test_values_of_enums_keep_their_names(values: dict[SourceState, int], prefix: str, enum: type) -> None:
    names = {number: name for name, number in enum.items()}  # type: ignore[attr-defined] # of an enum of protobuf
    assert {value.name for value in values} == {
        name.removeprefix(prefix) for name in names.values() if not name.endswith("UNSPECIFIED")
    }
    assert all(names[number] == prefix + value.name for value, number in values.items())


@given(st.lists(st.builds(row_of, st.just(FULL), tier=st.sampled_from(Tier)), max_size=5))
def test_skills_encoded_one_by_one_are_those_of_a_page(rows: list[Row]) -> None:
    skills = [full_of(row) for row in rows]
    encoded = b"".join(wire.encode_listed(skill) for skill in skills)
    assert pb.ListSkillsResponse.FromString(encoded) == pb.ListSkillsResponse(skills=skills)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16_383, 16_384, 300_000])
def test_a_skill_of_any_size_is_one_item(size: int) -> None:
    skill = skill_pb2.Skill(name="a", description="d" * size)
    assert list(pb.ListSkillsResponse.FromString(wire.encode_listed(skill)).skills) == [skill]


@given(st.text(max_size=40).map(lambda text: text * 40))
def test_a_diagnostic_keeps_its_caps_whatever_was_found(message: str) -> None:
    full = full_of(row_of(FULL, replace(ODD, message=message)))
    (diagnostic,) = full.diagnostics
    values = {"code": diagnostic.code, "skill": diagnostic.skill, "message": diagnostic.message}
    clamped = caps.clamp_diagnostic(values)
    assert (clamped.values, clamped.changes, clamped.refusals) == (values, (), ())


def test_an_aware_moment_of_any_zone_is_a_timestamp() -> None:
    moment = datetime(2026, 3, 29, 0, 59, 59, 999_999, tzinfo=UTC)
    assert wire.timestamp(moment).ToDatetime(UTC) == moment


@pytest.mark.parametrize(
    ("version", "document", "label"),
    [
        ("1.10", "d" * 64, "1.10"),
        ("", "0123456789abcdef" * 4, "0123456789ab"),
        ("", None, ""),
        ("2", None, "2"),
    ],
    ids=["declared", "of its document", "nothing to tell it from", "of skill.yaml alone"],
)
def test_a_version_that_is_not_declared_is_the_beginning_of_the_documents_digest(
    version: str, document: str | None, label: str
) -> None:
    text = None if document is None else TextRef(digest=document, size=1)
    bundle = make_bundle(replace(FULL, version=version), document=text, body=text, assets=())
    row = make_row(source="s", shadowed=False, found=Found(bundle=bundle, place=""), tier=Tier.USER, trust=Trust.ASK)
    assert full_of(row).version == label
