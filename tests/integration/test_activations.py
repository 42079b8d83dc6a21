"""Activate: who may begin, what is answered, and that a repetition is the same activation."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import TokenKeys
from skillsvc.store.sqlite import SqliteStore
from tests.integration.conftest import Serve
from tests.integration.in_process import InProcess, World, in_process
from tests.patience import PATIENCE_S
from tests.simulators.skills import sha256, skill_row

FEW = Limits(retained_generations=2, retained_at_most=2)
ANY, MODEL, USER = pb.INVOCATION_FILTER_ANY, pb.INVOCATION_FILTER_MODEL, pb.INVOCATION_FILTER_USER
UNSET = pb.INVOCATION_FILTER_UNSPECIFIED


@pytest.fixture
def world() -> World:
    return World(limits=FEW)


def publish(server: InProcess, version: str, **fields: Any) -> None:  # noqa: ANN401 - any field of a row
    server.publish(skill_row(server.world.blobs, "a", body=f"Version {version}.", **fields))


async def activate(server: InProcess, name: str = "a", **fields: Any) -> pb.ActivateResponse:  # noqa: ANN401 - any field
    return await server.call(pb.ActivateRequest(name=name, **fields), pb.ActivateResponse)


class TestAnswer:
    async def test_it_holds_all_that_an_agent_needs_to_begin(self, world: World) -> None:
        row = skill_row(world.blobs, "a", body="Do it.", assets={"b.md": b"b", "a.sh": b"a"}, compatibility="Linux")
        async with in_process(row, world=world) as server:
            answer = await activate(server)
            inventory = await server.call(pb.ListAssetsRequest(name="a"), pb.ListAssetsResponse)
            assert answer.generation == (await server.list()).generation
        assert answer.text == (
            "Skill: a\nCompatibility: Linux\nAssets (read them by name; they are not part of this text):\n"
            "- a.sh (1 bytes)\n- b.md (1 bytes)\n\nDo it."
        )
        assert (answer.name, answer.body_digest) == ("a", sha256(b"Do it."))
        assert (answer.truncated, answer.next_offset, list(answer.tools)) == (False, 0, [])
        assert list(answer.assets) == list(inventory.assets)
        assert answer.activation_id

    async def test_each_activation_has_an_id_of_its_own(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            assert len({(await activate(server)).activation_id for _ in range(5)}) == 5

    @pytest.mark.parametrize("letter", ["a", "é", "世", "😀"])
    async def test_what_is_cut_is_read_on_where_the_answer_says(self, world: World, letter: str) -> None:
        body = "x" + letter * 30_000
        async with in_process(skill_row(world.blobs, "a", body=body), world=world) as server:
            answer = await activate(server)
            assert answer.truncated
            assert len(answer.text.encode()) <= 25_000
            rest = await server.call(pb.SkillBodyRequest(name="a", offset=answer.next_offset), pb.SkillBodyResponse)
            assert rest.digest == answer.body_digest
            shown = body.encode()[: answer.next_offset].decode()
            assert answer.text.startswith(f"Skill: a\n\n{shown}\n[cut: {answer.next_offset} of ")
            assert shown + rest.body == body

    async def test_all_reads_of_an_activation_use_its_generation(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, "1")
            answer = await activate(server)
            publish(server, "2")
            request = pb.SkillBodyRequest(name="a", consistency={"at_exactly": answer.generation.token})
            body = await server.call(request, pb.SkillBodyResponse)
            assert (body.body, body.digest) == ("Version 1.", answer.body_digest)


class TestInvocation:
    @pytest.mark.parametrize("model", [True, False])
    @pytest.mark.parametrize("user", [True, False])
    @pytest.mark.parametrize("invocation", [UNSET, ANY, MODEL, USER])
    async def test_the_flags_decide_who_may_begin(
        self, world: World, *, model: bool, user: bool, invocation: pb.InvocationFilter
    ) -> None:
        allowed = {UNSET: model, ANY: model or user, MODEL: model, USER: user}[invocation]
        async with in_process(skill_row(world.blobs, "a", model=model, user=user), world=world) as server:
            if allowed:
                assert (await activate(server, invocation=invocation)).name == "a"
                return
            refusal = await server.refused(pb.ActivateRequest(name="a", invocation=invocation))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "INVOCATION_NOT_ALLOWED")
        names = {UNSET: "MODEL", ANY: "ANY", MODEL: "MODEL", USER: "USER"}
        assert refusal.metadata == {"invocation": names[invocation]}

    @pytest.mark.parametrize(
        ("invocation", "names"),
        [
            (UNSET, ["both", "model", "neither", "user"]),
            (ANY, ["both", "model", "neither", "user"]),
            (MODEL, ["both", "model"]),
            (USER, ["both", "user"]),
        ],
    )
    async def test_a_listing_is_narrowed_to_who_would_begin(
        self, world: World, invocation: pb.InvocationFilter, names: list[str]
    ) -> None:
        flags = {"both": (True, True), "model": (True, False), "user": (False, True), "neither": (False, False)}
        rows = [skill_row(world.blobs, name, model=model, user=user) for name, (model, user) in flags.items()]
        async with in_process(*rows, world=world) as server:
            answer = await server.list(invocation=invocation)
            assert ([skill.name for skill in answer.skills], answer.total_size) == (names, len(names))

    async def test_flags_are_of_activate_alone(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a", model=False, user=False), world=world) as server:
            body = await server.call(pb.SkillBodyRequest(name="a"), pb.SkillBodyResponse)
            assert body.body == "Do it."


class TestRequestIds:
    async def test_a_repetition_is_answered_as_the_first_time(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, "1")
            first = await activate(server, request_id="r")
            publish(server, "2")
            assert await activate(server, request_id="r") == first
            assert (await activate(server, request_id="s")).text.endswith("Version 2.")

    async def test_an_empty_id_is_none(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            first, second = await activate(server, request_id=""), await activate(server, request_id="")
            assert first.activation_id != second.activation_id

    @pytest.mark.parametrize(
        "changed",
        [
            {"name": "b"},
            {"name": "main/a"},
            {"invocation": USER},
            {"invocation": MODEL},
            {"allow": {"names": ["a"]}},
            {"mcp": pb.MCP_MODE_DESCRIBE_ONLY},
            {"text_form": pb.TEXT_FORM_PLAIN},
        ],
        ids=repr,
    )
    async def test_an_id_with_other_arguments_is_refused(self, world: World, changed: dict[str, Any]) -> None:
        async with in_process(skill_row(world.blobs, "a"), skill_row(world.blobs, "b"), world=world) as server:
            first = await activate(server, request_id="r")
            refusal = await server.refused(pb.ActivateRequest(**{"name": "a", "request_id": "r", **changed}))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
            assert await activate(server, request_id="r") == first

    async def test_ids_count_for_one_caller(self, world: World) -> None:
        project = Partition(principal="local", project="p")
        async with in_process(skill_row(world.blobs, "a"), world=world, partitions=(DEPLOYMENT, project)) as server:
            first = await activate(server, request_id="r")
            other = await activate(server, request_id="r", project="p")
            assert first.activation_id != other.activation_id
            assert await activate(server, request_id="r", project="p") == other

    async def test_an_id_is_forgotten_after_a_day(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            first = await activate(server, request_id="r")
            world.clock.advance(24 * 3600)
            assert await activate(server, request_id="r") == first
            world.clock.advance(1)
            assert (await activate(server, request_id="r")).activation_id != first.activation_id

    async def test_an_id_whose_skill_is_gone_is_answered_as_if_new(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, "1")
            first = await activate(server, request_id="r")
            server.publish()
            assert (await server.refused(pb.ActivateRequest(name="a", request_id="r"))).reason == "SKILL_NOT_FOUND"
            publish(server, "2")
            again = await activate(server, request_id="r")
            assert again.text.endswith("Version 2.")
            assert again.activation_id != first.activation_id
            assert await activate(server, request_id="r") == again

    async def test_an_id_whose_state_has_expired_is_answered_as_if_new_and_that_stands(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, "1")
            first = await activate(server, request_id="r")
            for version in "23":
                publish(server, version)
            again = await activate(server, request_id="r")
            assert again.text.endswith("Version 3.")
            assert again.activation_id != first.activation_id
            publish(server, "4")
            assert await activate(server, request_id="r") == again

    async def test_an_id_from_before_the_keys_were_lost_is_answered_as_if_new(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            first = await activate(server, request_id="r")
        world.keys = TokenKeys((b"n" * 32,))
        async with in_process(world=world) as server:
            again = await activate(server, request_id="r")
            assert again.generation.token != first.generation.token
            assert await activate(server, request_id="r") == again

    async def test_a_flag_that_was_set_meanwhile_refuses_the_repetition_too(self, world: World) -> None:
        async with in_process(world=world) as server:
            publish(server, "1")
            await activate(server, request_id="r")
            publish(server, "1", model=False)
            refusal = await server.refused(pb.ActivateRequest(name="a", request_id="r"))
            assert refusal.reason == "INVOCATION_NOT_ALLOWED"

    async def test_a_refused_request_uses_up_no_id(self, world: World) -> None:
        async with in_process(world=world) as server:
            assert (await server.refused(pb.ActivateRequest(name="a", request_id="r"))).reason == "SKILL_NOT_FOUND"
            publish(server, "1")
            assert (await activate(server, request_id="r")).text.endswith("Version 1.")

    async def test_an_id_longer_than_its_cap_is_refused(self, world: World) -> None:
        async with in_process(skill_row(world.blobs, "a"), world=world) as server:
            assert (await activate(server, request_id="r" * 128)).name == "a"
            for request_id in ("r" * 129, "é" * 65):
                refusal = await server.refused(pb.ActivateRequest(name="a", request_id=request_id))
                assert (refusal.reason, refusal.metadata) == (
                    "ARGUMENT_OUT_OF_RANGE",
                    {"field": "request_id", "limit": "128"},
                )


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[World]:
    """A world whose state is on the disk."""
    with (
        FileBlobStore(str(tmp_path / "blobs")) as blobs,
        closing(SqliteStore(tmp_path / "db", random_bytes=os.urandom)) as store,
    ):
        yield World(limits=FEW, blobs=blobs, log=store, requests=store)


async def test_a_repetition_after_a_restart_is_the_same_activation(stored: World) -> None:
    async with in_process(skill_row(stored.blobs, "a", body="Version 1."), world=stored) as server:
        first = await activate(server, request_id="r")
    async with in_process(skill_row(stored.blobs, "a", body="Version 2."), world=stored) as server:
        assert await activate(server, request_id="r") == first


def test_a_repetition_is_the_same_activation_in_the_next_process(serve: Serve, tmp_path: Path) -> None:
    skills = tmp_path / "skills"
    (skills / "a").mkdir(parents=True)
    (skills / "a" / "SKILL.md").write_text("---\nname: a\ndescription: Does.\n---\nVersion 1.\n")
    request = pb.ActivateRequest(name="a", request_id="r").SerializeToString()

    def ask(address: str) -> bytes:
        with grpc.insecure_channel(address) as channel:
            method: grpc.UnaryUnaryMultiCallable[bytes, bytes]
            method = channel.unary_unary("/skillsource.v1.SkillSourceService/Activate")
            return method(request, timeout=PATIENCE_S)

    first = serve(skills)
    before = ask(first.address)
    assert first.stop() == 0
    (skills / "a" / "SKILL.md").write_text("---\nname: a\ndescription: Does.\n---\nVersion 2.\n")
    second = serve(skills, data_dir=first.data_dir)
    assert ask(second.address) == before
