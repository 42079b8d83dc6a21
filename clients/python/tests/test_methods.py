"""The methods: requests that obey their caps, answers that are made to."""

from collections.abc import Mapping
from typing import Any

import pytest
from skillsource import caps, methods
from skillsource.drops import MAX_TOLD, Drops
from skillsource.errors import InvalidArgument, ProtocolError
from skillsource.methods import ACTIVATE, LIST_SKILLS, READ_ASSET, SKILL_BODY, Method
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

DIGEST = "0" * 64


def test_every_rpc_of_the_service_is_a_method_with_its_messages() -> None:
    service = pb.DESCRIPTOR.services_by_name["SkillSourceService"]
    known = {value.name: value for value in vars(methods).values() if isinstance(value, Method)}
    assert set(known) == {rpc.name for rpc in service.methods}
    for rpc in service.methods:
        assert rpc.input_type == known[rpc.name].request.DESCRIPTOR
        assert rpc.output_type == known[rpc.name].response.DESCRIPTOR
        assert known[rpc.name].path == f"/{service.full_name}/{rpc.name}"


@pytest.mark.parametrize(
    ("method", "fields", "reason"),
    [
        (SKILL_BODY, {"name": ""}, "NAME_MALFORMED"),
        (SKILL_BODY, {"name": "First"}, "NAME_MALFORMED"),
        (SKILL_BODY, {"name": "first\n"}, "NAME_MALFORMED"),
        (SKILL_BODY, {"name": "a/b/c"}, "NAME_MALFORMED"),
        (SKILL_BODY, {"name": "a" * 200}, "NAME_MALFORMED"),
        (SKILL_BODY, {"name": "\ud800"}, "NAME_MALFORMED"),
        (READ_ASSET, {"skill": "A", "asset": "a"}, "NAME_MALFORMED"),
        (READ_ASSET, {"skill": "a", "asset": "../a"}, "ASSET_NAME_MALFORMED"),
        (READ_ASSET, {"skill": "a", "asset": "a" * 513}, "ASSET_NAME_MALFORMED"),
        (LIST_SKILLS, {"project": "p" * 257}, "ARGUMENT_OUT_OF_RANGE"),
        (LIST_SKILLS, {"allow": {"names": ("A",)}}, "NAME_MALFORMED"),
        (LIST_SKILLS, {"allow": {"names": ("a",) * 4_097}}, "ARGUMENT_OUT_OF_RANGE"),
        (LIST_SKILLS, {"builtin_tools": ("t" * 129,)}, "ARGUMENT_OUT_OF_RANGE"),
        (LIST_SKILLS, {"page_size": -1}, "ARGUMENT_OUT_OF_RANGE"),
        (LIST_SKILLS, {"page_size": 2**32}, "ARGUMENT_OUT_OF_RANGE"),
        (LIST_SKILLS, {"consistency": {"at_exactly": "t" * 2_049}}, "ARGUMENT_OUT_OF_RANGE"),
        (ACTIVATE, {"name": "a", "task": "t" * 8_193}, "ARGUMENT_OUT_OF_RANGE"),
        (ACTIVATE, {"name": "a", "request_id": "i" * 129}, "ARGUMENT_OUT_OF_RANGE"),
        (ACTIVATE, {"name": "a", "task": "\ud800"}, "ARGUMENT_MALFORMED"),
    ],
)
def test_a_request_beyond_its_caps_is_refused_here(method: Method, fields: Mapping[str, Any], reason: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        method.encode(fields)
    assert refused.value.reason == reason


def test_an_empty_allow_list_is_sent_as_one() -> None:
    request = pb.ListSkillsRequest.FromString(LIST_SKILLS.encode({"allow": {"names": ()}}))
    assert request.HasField("allow")
    assert not pb.ListSkillsRequest.FromString(LIST_SKILLS.encode({})).HasField("allow")


def test_what_an_answer_loses_is_told_with_the_name_it_belongs_to() -> None:
    page = pb.ListSkillsResponse(
        skills=[
            skill_pb2.Skill(name="a", digest=DIGEST, description="d" * 801),
            skill_pb2.Skill(name="\x1b[2J", digest=DIGEST),
            skill_pb2.Skill(name="c", digest=DIGEST, version="1\n"),
        ]
    )
    answer = LIST_SKILLS.decode(page.SerializeToString())
    assert [skill["name"] for skill in answer.values["skills"]] == ["a", "c"]
    assert [(dropped.field, dropped.name, dropped.why) for dropped in answer.drops.told()] == [
        ("skills[0].description", "a", "was cut from 801 to 800 bytes"),
        ("skills[1].name", "", "does not fit its grammar"),
        ("skills[2].version", "c", "had 1 control characters, which are spaces now"),
    ]


def test_an_answer_that_must_be_refused_says_where() -> None:
    inventory = pb.ListAssetsResponse(assets=[skill_pb2.Asset(name="../a", digest=DIGEST)])
    with pytest.raises(ProtocolError, match=r"ListAssets: assets\[0\]\.name does not fit its grammar"):
        methods.LIST_ASSETS.decode(inventory.SerializeToString())


def test_drops_are_told_up_to_a_bound_and_counted_beyond() -> None:
    drops = Drops()
    for number in range(MAX_TOLD + 234):
        drops.add(f"skills[{number}]", "", "does not fit its grammar")
    told = drops.told()
    assert len(told) == MAX_TOLD + 1
    assert told[-1].why == "234 more things were dropped"


def test_no_way_to_change_a_value_is_left_without_words() -> None:
    for what in caps.What:
        assert methods._why(caps.Change(path="p", what=what, size=2, limit=1))
