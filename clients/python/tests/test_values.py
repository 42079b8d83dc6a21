"""The values: frozen, and with every field of the contract."""

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, fields

import pytest
import skillsource
from google.protobuf.message import Message
from skillsource import answers, values, wire
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

DIGEST = "0" * 64

PAIRS: Mapping[type, type[Message]] = {
    values.Skill: skill_pb2.Skill,
    values.Asset: skill_pb2.Asset,
    values.Tool: skill_pb2.Tool,
    values.Diagnostic: skill_pb2.Diagnostic,
    values.Readiness: skill_pb2.Readiness,
    values.Network: skill_pb2.Network,
    values.Invocation: skill_pb2.Invocation,
    values.Generation: pb.Generation,
    values.UnreachableSource: pb.UnreachableSource,
    values.Collection: pb.Collection,
    answers.ServerInfo: pb.GetServerInfoResponse,
    answers.ServerLimits: pb.ServerLimits,
    answers.Retention: pb.Retention,
    answers.CatalogEvent: pb.WatchCatalogResponse,
    answers.Activation: pb.ActivateResponse,
    answers.SearchHit: pb.SearchHit,
    answers.SearchResult: pb.SearchSkillsResponse,
    answers.OmittedSkill: pb.OmittedSkill,
    answers.RenderedCatalog: pb.RenderCatalogResponse,
    answers.BestMatch: pb.BestMatchResponse,
    answers.Capability: pb.Capability,
    answers.Capabilities: pb.SearchCapabilitiesResponse,
    answers.Listing: pb.ListSkillsResponse,
    answers.Inventory: pb.ListAssetsResponse,
    answers.AssetContent: pb.ReadAssetResponse,
}
OF_TRANSFER = {"not_modified", "next_page_token", "next_offset", "total_bytes", "offset"}
"""Fields by which an answer comes, and which say nothing of what came."""

ADDED_HERE = {"dropped", "reference"}


@pytest.mark.parametrize(("value", "message"), PAIRS.items(), ids=lambda one: one.__name__)
def test_a_value_has_every_field_of_its_message(value: type, message: type[Message]) -> None:
    told = {field.name for field in fields(value)} - ADDED_HERE - OF_TRANSFER
    assert told == {field.name for field in message.DESCRIPTOR.fields} - OF_TRANSFER


@pytest.mark.parametrize(
    ("enum", "message", "unknown"),
    [
        (values.Tier, skill_pb2.Tier, None),
        (values.Trust, skill_pb2.Trust, None),
        (values.ToolKind, skill_pb2.ToolKind, "unknown"),
        (values.Severity, skill_pb2.Severity, "unknown"),
        (values.ReadinessState, skill_pb2.ReadinessState, None),
        (values.NetworkMode, skill_pb2.NetworkMode, "unknown"),
        (values.NetworkDeclaration, skill_pb2.NetworkDeclaration, None),
        (values.NetworkSource, skill_pb2.NetworkSource, "unknown"),
        (values.SidecarState, skill_pb2.SidecarState, "unknown"),
        (values.SourceState, pb.SourceState, "unknown"),
        (values.CapabilityKind, pb.CapabilityKind, "unknown"),
        (answers.SkillView, pb.SkillView, None),
        (answers.InvocationFilter, pb.InvocationFilter, None),
        (answers.BodyForm, pb.BodyForm, None),
        (answers.McpMode, pb.McpMode, None),
        (answers.TextForm, pb.TextForm, None),
        (answers.CatalogFormat, pb.CatalogFormat, None),
        (answers.CatalogOrder, pb.CatalogOrder, None),
    ],
)
def test_an_enum_has_every_number_of_the_contract(enum: type, message: object, unknown: str | None) -> None:
    names = message.keys()  # type: ignore[attr-defined] # generated enums have keys
    prefix = names[0].removesuffix("UNSPECIFIED")
    expected = {name.removeprefix(prefix).lower() for name in names[1:]} | ({unknown} if unknown else set())
    assert {str(member).lower() for member in enum} == expected  # type: ignore[attr-defined] # every enum iterates


def test_values_cannot_be_changed() -> None:
    skill = wire.skill({"name": "a", "digest": DIGEST, "metadata": {"k": "v"}})
    with pytest.raises(FrozenInstanceError):
        skill.name = "b"  # type: ignore[misc] # that is the point
    with pytest.raises(TypeError):
        skill.metadata["k"] = "w"  # type: ignore[index] # that is the point
    assert hash(skill) == hash(wire.skill({"name": "a", "digest": DIGEST, "metadata": {"k": "v"}}))


@pytest.mark.parametrize("number", [0, 99, -1])
def test_unknown_numbers_read_as_the_most_careful_value(number: int) -> None:
    skill = wire.skill(
        {"name": "a", "digest": DIGEST, "origin": number, "trust": number, "readiness": {"state": number}}
    )
    assert skill.trust is skillsource.Trust.UNTRUSTED
    assert skill.origin is skillsource.Tier.LEARNED
    assert skill.readiness is not None
    assert skill.readiness.state is skillsource.ReadinessState.UNKNOWN


def test_the_public_names_are_those_of_the_package() -> None:
    assert sorted(skillsource.__all__) == skillsource.__all__
    for name in skillsource.__all__:
        assert getattr(skillsource, name).__module__.startswith("skillsource.")


def test_both_clients_have_the_same_methods() -> None:
    def public(client: type) -> set[str]:
        return {name for name in dir(client) if not name.startswith("_")}

    assert public(skillsource.Client) == public(skillsource.AsyncClient)
    assert public(skillsource.ActiveSkill) == public(skillsource.AsyncActiveSkill)
