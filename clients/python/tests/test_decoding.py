"""From bytes to plain values: no bytes do anything but give values or a ProtocolError."""

import random

import pytest
from skillsource.decoding import MAX_EMBEDDED_MESSAGES, decode
from skillsource.errors import ProtocolError
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

PADDING = "x" * 70_000
"""Makes an answer large enough to be counted."""


def test_fields_come_by_name_and_embedded_messages_too() -> None:
    answer = pb.ListSkillsResponse(
        generation=pb.Generation(sequence=7, digest="d", complete=True),
        skills=[
            skill_pb2.Skill(
                name="a", metadata={"k": "v"}, tool_kinds=["TOOL_KIND_BUILTIN", "TOOL_KIND_MCP"], allowed_tools=["Read"]
            )
        ],
        total_size=1,
    )
    assert decode(pb.ListSkillsResponse, answer.SerializeToString()) == {
        "generation": {"sequence": 7, "digest": "d", "complete": True},
        "skills": [
            {"name": "a", "digest": "", "metadata": {"k": "v"}, "tool_kinds": [1, 2], "allowed_tools": ["Read"]}
        ],
        "total_size": 1,
    }


def test_a_name_that_is_not_set_is_an_empty_name_which_fits_no_grammar() -> None:
    assert decode(pb.ListAssetsResponse, b"\x12\x00") == {"assets": [{"name": "", "digest": ""}]}


def test_an_honest_page_of_all_fields_is_not_too_much() -> None:
    skill = skill_pb2.Skill(
        name="a" * 64,
        metadata={f"key-{number}": "value" for number in range(32)},
        diagnostics=[skill_pb2.Diagnostic(code="c", message="m")] * 20,
        readiness=skill_pb2.Readiness(state=skill_pb2.READINESS_STATE_READY),
        network=skill_pb2.Network(mode=skill_pb2.NETWORK_MODE_NONE),
    )
    answer = pb.ListSkillsResponse(skills=[skill] * 1_000)
    assert len(decode(pb.ListSkillsResponse, answer.SerializeToString())["skills"]) == 1_000  # type: ignore[arg-type] # a list


@pytest.mark.parametrize("number", [MAX_EMBEDDED_MESSAGES, MAX_EMBEDDED_MESSAGES + 1])
def test_embedded_messages_are_counted_up_to_a_bound(number: int) -> None:
    data = b"\x1a\x00" * number
    if number > MAX_EMBEDDED_MESSAGES:
        with pytest.raises(ProtocolError):
            decode(pb.ListSkillsResponse, data)
    else:
        assert decode(pb.ListSkillsResponse, data)


def test_messages_within_messages_are_counted_together() -> None:
    skill = skill_pb2.Skill(name="a", diagnostics=[skill_pb2.Diagnostic()] * 70)
    with pytest.raises(ProtocolError):
        decode(pb.ListSkillsResponse, pb.ListSkillsResponse(skills=[skill] * 1_000).SerializeToString())


def test_a_large_answer_is_the_same_whether_counted_or_not() -> None:
    answer = pb.SkillBodyResponse(body=PADDING, digest="d", total_bytes=2**32 - 1, next_offset=300)
    answer.generation.sequence = 2**64 - 1
    answer.generation.published_at.nanos = -1
    assert decode(pb.SkillBodyResponse, answer.SerializeToString())["generation"] == {
        "digest": "",
        "sequence": 2**64 - 1,
        "published_at": {"nanos": -1},
    }


def test_fields_of_a_later_contract_are_skipped() -> None:
    later = b"\xf8\x07\x01" + b"\xf9\x07" + bytes(8) + b"\xfd\x07" + bytes(4) + b"\xfa\x07\x03abc"
    answer = pb.SkillBodyResponse(body=PADDING, digest="d").SerializeToString() + later
    assert set(decode(pb.SkillBodyResponse, answer)) == {"body", "digest"}


@pytest.mark.parametrize(
    "tail", [b"\x12", b"\x12\x05abc", b"\x1b\x1c", b"\x08" + b"\xff" * 10, b"\x19\x00", b"\x1d\x00"]
)
def test_a_large_answer_that_is_cut_off_or_malformed_is_refused(tail: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(pb.SkillBodyResponse, pb.SkillBodyResponse(body=PADDING).SerializeToString() + tail)


@pytest.mark.parametrize("seed", range(40))
def test_no_bytes_do_anything_else(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same each time
    honest = pb.ListSkillsResponse(
        generation=pb.Generation(digest="d" * 64),
        skills=[
            skill_pb2.Skill(name=f"s-{number}", metadata={"k": "v"}) for number in range(chance.choice([3, 3_000]))
        ],
    ).SerializeToString()
    for _ in range(20):
        data = bytearray(honest)
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        cut = bytes(data[: chance.randrange(len(data) + 1)])
        try:
            values = decode(pb.ListSkillsResponse, cut)
        except ProtocolError:
            continue
        assert isinstance(values, dict)
