"""Lies to a client that holds what it read before, or an activation that it means to go on with."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import skillsource
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.faces import Connect
from tests.hostile.honest import FakeSkill, Honest, sha256, unary
from tests.hostile.lie import CATALOG, FIRST, streaming
from tests.hostile.lies_of_events import event
from tests.hostile.playing import Script, Server
from tests.hostile.waiting import wait_until

Play = Callable[[Script], Server]


class Turning:
    """An honest catalog that begins to say `not modified` of anything, under a digest of its own."""

    def __init__(self) -> None:
        self.honest = Honest(*CATALOG)
        self.digest = ""

    def script(self) -> Script:
        return {
            **self.honest.script(),
            "SkillBody": unary(pb.SkillBodyRequest, self._body),
            "ReadAsset": unary(pb.ReadAssetRequest, self._asset),
            "ListSkills": unary(pb.ListSkillsRequest, self._list),
        }

    def _body(self, request: pb.SkillBodyRequest) -> pb.SkillBodyResponse:
        answer = self.honest.skill_body(request)
        if not self.digest:
            return answer
        return pb.SkillBodyResponse(generation=answer.generation, digest=self.digest, not_modified=True)

    def _asset(self, request: pb.ReadAssetRequest) -> pb.ReadAssetResponse:
        answer = self.honest.read_asset(request)
        if not self.digest:
            return answer
        return pb.ReadAssetResponse(generation=answer.generation, digest=self.digest, not_modified=True)

    def _list(self, request: pb.ListSkillsRequest) -> pb.ListSkillsResponse:
        answer = self.honest.list_skills(request)
        if not self.digest:
            return answer
        answer.generation.digest = self.digest
        return pb.ListSkillsResponse(generation=answer.generation, not_modified=True)


@pytest.mark.parametrize("digest", [sha256(b"other"), "0" * 63, "x" * 64])
def test_not_modified_is_believed_only_of_the_digest_that_was_asked(connect: Connect, play: Play, digest: str) -> None:
    turning = Turning()
    client = connect(play(turning.script()).address)
    for _ in range(2):
        client.skill_body("first")
        client.read_asset("first", "a.txt")
        client.list_skills()
    turning.digest = digest
    with pytest.raises(skillsource.ProtocolError):
        client.skill_body("first")
    with pytest.raises(skillsource.ProtocolError):
        client.read_asset("first", "a.txt")
    with pytest.raises(skillsource.ProtocolError):
        client.list_skills()
    turning.digest = ""
    assert client.skill_body("first").text == FIRST.body


def test_a_new_executable_bit_of_the_same_bytes_is_told(connect: Connect, play: Play) -> None:
    honest = Honest(FIRST)
    client = connect(play(honest.script()).address)
    assert not client.read_asset("first", "a.txt").executable
    honest.publish(replace(FIRST, assets=(replace(FIRST.assets[0], executable=True),)))
    assert client.read_asset("first", "a.txt").executable


def test_who_follows_a_liar_asks_each_time(connect: Connect, play: Play) -> None:
    server = play(streaming(event(1), b"\xff"))
    client = connect(server.address, follow=True)
    wait_until(lambda: isinstance(client.follow_error, skillsource.ProtocolError))
    for _ in range(2):
        assert client.skill_body("first").text == FIRST.body
    assert server.count("SkillBody") == 2


def long_activation(change: Callable[[pb.ActivateResponse], None]) -> Script:
    honest = Honest(FakeSkill(name="long", body="é" * 1_000, assets=FIRST.assets))

    def activate(request: pb.ActivateRequest) -> pb.ActivateResponse:
        answer = honest.activate(request)
        change(answer)
        return answer

    return {**honest.script(), "Activate": unary(pb.ActivateRequest, activate)}


@pytest.mark.parametrize(
    ("field", "value"), [("next_offset", 1_001), ("next_offset", 2**32 - 1), ("body_digest", sha256(b"other"))]
)
def test_the_rest_of_a_body_is_the_rest_of_that_body(connect: Connect, play: Play, field: str, value: object) -> None:
    script = long_activation(lambda answer: setattr(answer, field, value))
    activation = connect(play(script).address).activate("long")
    with pytest.raises(skillsource.ProtocolError):
        activation.rest_of_body()


def test_an_asset_of_an_activation_is_the_one_of_its_inventory(connect: Connect, play: Play) -> None:
    def change(answer: pb.ActivateResponse) -> None:
        answer.assets[0].digest = sha256(b"other")

    activation = connect(play(long_activation(change)).address).activate("long")
    with pytest.raises(skillsource.ProtocolError):
        activation.read_asset("a.txt")
    assert activation.read_asset("b.bin").data == b"\xff\x00"
