"""Callers kept apart: what each may ask, what each is shown, and that nothing of another is worth anything to it."""

import copy
from datetime import timedelta
from typing import Any, TypeAlias

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.access import Grant, Refusal, Role
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service.arrivals import Arrivals
from skillsvc.service.audit import Audit
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import Call
from skillsvc.service.roles import AGENTS, NEEDS, OPERATORS
from tests.integration.in_process import InProcess, Watcher, World, in_process, refusal_of
from tests.integration.in_process import Refusal as Refused
from tests.simulators.known_callers import HEADER, KnownCallers, granted
from tests.simulators.skills import skill_row

ALICE = Partition("token:alice", "")
ALICE_P = Partition("token:alice", "p")
BOB = Partition("token:bob", "")
TEAM = Partition("token:team", "")
PARTITIONS = (DEPLOYMENT, ALICE, ALICE_P, BOB, TEAM)
UNARY = [method.name for method in AGENTS.methods if not method.server_streaming]
Request: TypeAlias = (
    pb.ListSkillsRequest | pb.SkillBodyRequest | pb.ListAssetsRequest | pb.ReadAssetRequest | pb.ActivateRequest
)
NAMED: list[type[Any]] = [pb.SkillBodyRequest, pb.ListAssetsRequest, pb.ReadAssetRequest, pb.ActivateRequest]
EACH_NAMED = pytest.mark.parametrize("kind", NAMED, ids=lambda kind: kind.__name__)
EVERY_READ: list[Request] = [
    pb.ListSkillsRequest(),
    pb.SkillBodyRequest(name="shared"),
    pb.ListAssetsRequest(name="shared"),
    pb.ReadAssetRequest(skill="shared", asset="a.txt"),
    pb.ActivateRequest(name="shared"),
]
EACH_READ = pytest.mark.parametrize("request_", EVERY_READ, ids=lambda request: type(request).__name__)


def naming(kind: type[Any], name: str) -> Any:  # noqa: ANN401 - a request of that kind
    """Return a request for a skill, of an asset that each has."""
    return kind(skill=name, asset="a.txt") if kind is pb.ReadAssetRequest else kind(name=name)


def publish(server: InProcess, partition: Partition, *names: str, version: str = "1") -> None:
    blobs = server.world.blobs
    server.publish(
        *(skill_row(blobs, name, description=f"Of {name} {version}.", assets={"a.txt": b"a"}) for name in names),
        partition=partition,
    )


def names_of(answer: pb.ListSkillsResponse) -> list[str]:
    return [skill.name for skill in answer.skills]


def statuses(refusals: list[Refused]) -> set[bytes]:
    return {refusal.status.SerializeToString() for refusal in refusals if refusal.status is not None}


def fill(server: InProcess) -> None:
    """Publish to everybody, and to each of three what is theirs."""
    publish(server, DEPLOYMENT, "shared", "other")
    publish(server, ALICE, "hers", "mine")
    publish(server, ALICE_P, "project")
    publish(server, BOB, "his", "mine")
    publish(server, TEAM, "team", "hers")


@pytest.fixture
def world() -> World:
    return World(limits=Limits(retained_generations=3, retained_at_most=3))


@pytest.fixture
def callers() -> KnownCallers:
    return KnownCallers(
        alice=granted("token:alice"),
        bob=granted("token:bob"),
        member=granted("token:member", further=(TEAM, BOB)),
        narrow=granted("token:narrow", further=(TEAM,), allow=frozenset({"shared", "team", "nowhere"})),
    )


class TestWhoMayCall:
    @pytest.mark.parametrize("rpc", UNARY)
    async def test_without_credentials_no_call_is_answered_and_nothing_of_it_is_read(
        self, callers: KnownCallers, rpc: str
    ) -> None:
        async with in_process(identities=callers) as server:
            for request in (b"", b"\xff"):
                refusal = await server.refused_raw(rpc, request)
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_MISSING")
            refusal = await server.of("nobody").refused_raw(rpc, b"\xff")
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_INVALID")

    async def test_a_watch_without_credentials_is_refused_too(self, callers: KnownCallers) -> None:
        async with in_process(identities=callers) as server:
            refusal = await server.watch().refusal()
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_MISSING")

    @pytest.mark.parametrize("rpc", UNARY)
    async def test_a_caller_without_the_role_is_told_which_one_it_lacks(self, rpc: str) -> None:
        need = NEEDS[AGENTS.full_name][rpc]
        everything_else = [role for role in Role if role is not need]
        callers = KnownCallers(one=granted("token:one", *everything_else))
        async with in_process(identities=callers, serving=False) as server:
            if not isinstance(need, Role):
                await server.of("one").raw(rpc, b"")
                return
            refusal = await server.of("one").refused_raw(rpc, b"\xff")
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING")
            assert refusal.metadata == {"role": need.value}

    @pytest.mark.parametrize("rpc", UNARY)
    async def test_one_for_whom_there_is_no_rule_is_told_no_more_than_that(self, rpc: str) -> None:
        callers = KnownCallers(one=Refusal(why="no access rule matches"))
        async with in_process(identities=callers) as server:
            refusal = await server.of("one").refused_raw(rpc, b"")
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING")
            assert "rule" not in refusal.message

    async def test_health_asks_nobody_who_they_are(self, callers: KnownCallers) -> None:
        async with in_process(identities=callers) as server:
            method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
            method = server.channel.unary_unary("/grpc.health.v1.Health/Check")
            answer = health_pb2.HealthCheckResponse.FromString(await method(b""))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        assert callers.asked == 0

    async def test_what_the_server_is_any_caller_may_know_in_every_phase(self) -> None:
        callers = KnownCallers(one=granted("token:one", Role.REPORTER))
        async with in_process(identities=callers, serving=False) as server:
            answer = await server.of("one").call(pb.GetServerInfoRequest(), pb.GetServerInfoResponse)
            assert answer.contract > 0


class TestProjects:
    @EACH_READ
    async def test_a_project_that_may_not_be_named_is_refused_alike_whether_there_is_anything_of_it(
        self, world: World, request_: Request
    ) -> None:
        callers = KnownCallers(alice=granted("token:alice", projects="q-*"))
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            refusals = []
            for project in ("p", "nowhere", "Q-1"):
                asked = copy.deepcopy(request_)
                asked.project = project
                refusals.append(await server.of("alice").refused(asked))
            assert {(each.code, each.reason) for each in refusals} == {
                (grpc.StatusCode.PERMISSION_DENIED, "PROJECT_NOT_ALLOWED")
            }
            assert len(statuses(refusals)) == 1
            assert names_of(await server.of("alice").list(project="q-1")) == ["hers", "mine", "other", "shared"]

    async def test_a_watch_of_one_is_refused(self, world: World) -> None:
        callers = KnownCallers(alice=granted("token:alice", projects="q"))
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            assert (await server.of("alice").watch(project="p").refusal()).reason == "PROJECT_NOT_ALLOWED"


class TestLayers:
    async def test_each_sees_the_deployment_and_its_own_and_what_its_rule_opens(
        self, world: World, callers: KnownCallers
    ) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            listed = {name: names_of(await server.of(name).list()) for name in ("alice", "bob", "member")}
            assert listed == {
                "alice": ["hers", "mine", "other", "shared"],
                "bob": ["his", "mine", "other", "shared"],
                "member": ["hers", "his", "mine", "other", "shared", "team"],
            }
            assert names_of(await server.of("alice").list(project="p")) == [*listed["alice"][:3], "project", "shared"]

    async def test_the_first_partition_that_a_rule_names_wins_and_ones_own_before_it(self, world: World) -> None:
        callers = KnownCallers(alice=granted("token:alice", further=(TEAM, BOB)))
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            publish(server, ALICE, "all", version="alice")
            publish(server, TEAM, "all", "two", version="team")
            publish(server, BOB, "all", "two", "one", version="bob")
            answer = await server.of("alice").list()
            assert {skill.name: skill.description for skill in answer.skills} == {
                "all": "Of all alice.",
                "one": "Of one bob.",
                "two": "Of two team.",
            }

    async def test_a_partition_that_is_ones_own_and_opened_by_the_rule_as_well_counts_once(self, world: World) -> None:
        callers = KnownCallers(team=granted("token:team", further=(TEAM,)), alone=granted("token:team"))
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            assert await server.of("team").list() == await server.of("alone").list()


class TestAllow:
    """Names that a rule leaves visible; everything else is as if it were nowhere."""

    async def test_lists_counts_and_collections_know_of_nothing_else(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            blobs = world.blobs
            server.publish(
                skill_row(blobs, "shared", collection="lab"),
                skill_row(blobs, "other", collection="lab"),
                skill_row(blobs, "third", collection="art"),
            )
            publish(server, TEAM, "team", "hers")
            narrow = server.of("narrow")
            answer = await narrow.list()
            assert (names_of(answer), answer.total_size) == (["shared", "team"], 2)
            assert [(each.id, each.count) for each in answer.collections] == [("lab", 1)]
            assert names_of(await narrow.list(collection="lab")) == ["shared"]
            refusals = [await narrow.refused(pb.ListSkillsRequest(collection=each)) for each in ("art", "nowhere")]
            assert {refusal.reason for refusal in refusals} == {"COLLECTION_NOT_FOUND"}
            assert len(statuses(refusals)) == 1

    async def test_it_is_intersected_with_what_the_request_allows(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            narrow = server.of("narrow")
            assert names_of(await narrow.list(allow={"names": ["team", "other", "hers"]})) == ["team"]
            assert names_of(await narrow.list(allow={"names": []})) == []

    @EACH_NAMED
    async def test_unknown_hidden_foreign_revoked_and_not_allowed_are_one_answer_to_the_byte(
        self, world: World, callers: KnownCallers, kind: type[Any]
    ) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            publish(server, ALICE, "hers", "mine", "gone")
            server.current.revoke(ALICE, "gone", world.clock())
            refusals = [
                await server.of(caller).refused(naming(kind, name))
                for caller, name in (
                    ("alice", "unknown"),
                    ("alice", "his"),
                    ("alice", "main/his"),
                    ("alice", "team"),
                    ("alice", "project"),
                    ("alice", "gone"),
                    ("alice", "main/gone"),
                    ("bob", "hers"),
                    ("narrow", "other"),
                    ("narrow", "main/other"),
                    ("narrow", "hers"),
                    ("narrow", "nowhere"),
                )
            ]
            with_allow = naming(kind, "shared")
            with_allow.allow.names.append("other")
            refusals.append(await server.of("alice").refused(with_allow))
            assert {(each.code, each.reason) for each in refusals} == {(grpc.StatusCode.NOT_FOUND, "SKILL_NOT_FOUND")}
            assert len(statuses(refusals)) == 1

    @EACH_NAMED
    async def test_an_older_state_shows_no_more_than_the_rules_of_now_leave(
        self, world: World, callers: KnownCallers, kind: type[Any]
    ) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            alice = server.of("alice")
            token = (await alice.list()).generation.token
            publish(server, DEPLOYMENT, "shared", "other", version="2")
            callers.change(alice=granted("token:alice", allow=frozenset({"shared"})))
            for name, found in (("shared", True), ("other", False)):
                request = naming(kind, name)
                request.consistency.at_exactly = token
                if found:
                    await alice.raw(kind.__name__.removesuffix("Request"), request.SerializeToString())
                else:
                    assert (await alice.refused(request)).reason == "SKILL_NOT_FOUND"
            assert names_of(await alice.list(consistency={"at_exactly": token})) == ["shared"]

    async def test_a_page_shows_no_more_than_the_rules_of_now_leave(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            alice = server.of("alice")
            first = await alice.list(page_size=1)
            callers.change(alice=granted("token:alice", allow=frozenset({"hers", "shared"})))
            rest = await alice.list(page_token=first.next_page_token)
            assert (names_of(first), names_of(rest)) == (["hers"], ["shared"])

    async def test_what_was_answered_before_is_not_what_is_answered_under_another_rule(
        self, world: World, callers: KnownCallers
    ) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            alice = server.of("alice")
            before = await alice.list()
            assert names_of(await alice.list()) == names_of(before)
            callers.change(alice=granted("token:alice", allow=frozenset({"hers"})))
            after = await alice.list(if_none_match=before.generation.digest)
            assert (names_of(after), after.not_modified) == (["hers"], False)
            assert after.generation.digest != before.generation.digest
            assert after.generation.token == before.generation.token

    async def test_those_who_see_the_same_have_one_digest_and_one_answer_and_tokens_of_their_own(
        self, world: World, callers: KnownCallers
    ) -> None:
        async with in_process(world=world, identities=callers) as server:
            publish(server, DEPLOYMENT, "shared", "other")
            hers, his = [await server.of(name).list() for name in ("alice", "bob")]
            assert hers.generation.digest == his.generation.digest
            assert hers.generation.token != his.generation.token
            assert hers.skills == his.skills

    async def test_what_is_not_allowed_changes_no_digest(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            narrow = server.of("narrow")
            before = (await narrow.list()).generation.digest
            server.publish(
                *(skill_row(world.blobs, "shared", description="Of shared 1.", assets={"a.txt": b"a"}),),
                skill_row(world.blobs, "other", description="Another."),
            )
            assert (await narrow.list(if_none_match=before)).not_modified


class TestTokens:
    """What is signed for one caller is worth nothing to another."""

    @EACH_READ
    @pytest.mark.parametrize("how", ["at_least", "at_exactly"])
    async def test_a_token_of_one_caller_is_malformed_for_every_other(
        self, world: World, callers: KnownCallers, request_: Request, how: str
    ) -> None:
        async with in_process(world=world, partitions=(DEPLOYMENT,), identities=callers) as server:
            publish(server, DEPLOYMENT, "shared")
            foreign = (await server.of("bob").list()).generation.token
            of_a_project = (await server.of("alice").list(project="p")).generation.token
            refusals = []
            for token in (foreign, of_a_project, "made-up"):
                asked = copy.deepcopy(request_)
                setattr(asked.consistency, how, token)
                refusals.append(await server.of("alice").refused(asked))
            assert {(each.code, each.reason) for each in refusals} == {
                (grpc.StatusCode.INVALID_ARGUMENT, "TOKEN_MALFORMED")
            }
            assert len(statuses(refusals)) == 1

    async def test_a_page_token_of_one_caller_is_malformed_for_every_other(
        self, world: World, callers: KnownCallers
    ) -> None:
        async with in_process(world=world, identities=callers) as server:
            publish(server, DEPLOYMENT, "shared", "other")
            token = (await server.of("bob").list(page_size=1)).next_page_token
            refusals = [
                await server.of("alice").refused(pb.ListSkillsRequest(page_token=each)) for each in (token, "made-up")
            ]
            assert {refusal.reason for refusal in refusals} == {"PAGE_TOKEN_MALFORMED"}
            assert len(statuses(refusals)) == 1

    @pytest.mark.parametrize("further", [(), (BOB,), (TEAM, BOB), (BOB, TEAM)], ids=repr)
    async def test_a_token_is_malformed_once_the_rule_opens_other_layers(
        self, world: World, further: tuple[Partition, ...]
    ) -> None:
        callers = KnownCallers(alice=granted("token:alice", further=(TEAM,)))
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            alice = server.of("alice")
            first = await alice.list(page_size=1)
            callers.change(alice=granted("token:alice", further=further))
            request = pb.ListSkillsRequest(consistency={"at_exactly": first.generation.token})
            assert (await alice.refused(request)).reason == "TOKEN_MALFORMED"
            refusal = await alice.refused(pb.ListSkillsRequest(page_token=first.next_page_token))
            assert refusal.reason == "TOKEN_MALFORMED"

    async def test_a_watch_since_the_state_of_another_begins_anew(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, identities=callers) as server:
            publish(server, DEPLOYMENT, "shared")
            token = (await server.of("bob").list()).generation.token
            event = await server.of("alice").watch(since=token).event()
            assert (event.resync, list(event.added)) == (True, [])

    async def test_request_ids_count_for_one_principal_and_project(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, identities=callers) as server:
            publish(server, DEPLOYMENT, "shared", "other")

            async def activated(caller: str, name: str, project: str = "") -> str:
                request = pb.ActivateRequest(name=name, request_id="one", project=project)
                return (await server.of(caller).call(request, pb.ActivateResponse)).activation_id

            first = await activated("alice", "shared")
            assert await activated("bob", "other") != first
            assert await activated("alice", "other", "p") != first
            assert await activated("alice", "shared") == first


DENIED = grpc.StatusCode.PERMISSION_DENIED
ENDING: dict[str, tuple[Grant | Refusal | None, tuple[grpc.StatusCode, str]]] = {
    "credentials are taken back": (None, (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_INVALID")),
    "no rule is for them any more": (Refusal(why="no access rule matches"), (DENIED, "ROLE_MISSING")),
    "the role is gone": (granted("token:alice", Role.REPORTER), (DENIED, "ROLE_MISSING")),
    "the project is closed": (granted("token:alice", projects="q"), (DENIED, "PROJECT_NOT_ALLOWED")),
}
"""What a caller of the project `p` may get by new rules, and how that ends a watch."""


class TestWatch:
    async def begun(self, server: InProcess, project: str = "") -> Watcher:
        watcher = server.of("alice").watch(project=project)
        await watcher.event()
        return watcher

    async def test_nothing_is_told_of_the_layers_of_others(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            watcher = await self.begun(server)
            for partition in (BOB, TEAM, ALICE_P):
                publish(server, partition, "new", version="2")
            publish(server, ALICE, "hers", "new", "mine")
            event = await watcher.event()
            assert ([skill.name for skill in event.added], [*event.modified], [*event.removed]) == (["new"], [], [])
            assert event.added[0].description == "Of new 1."

    async def test_nothing_is_told_of_names_that_the_rule_hides(self, world: World) -> None:
        callers = KnownCallers(alice=granted("token:alice", allow=frozenset({"hers", "new"})))
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            watcher = await self.begun(server)
            publish(server, DEPLOYMENT, "shared", "hidden", version="2")
            publish(server, ALICE, "hers", "new", "hidden")
            event = await watcher.event()
            assert ([skill.name for skill in event.added], [*event.modified], [*event.removed]) == (["new"], [], [])

    @pytest.mark.parametrize("why", ENDING)
    async def test_it_ends_when_new_rules_do_not_allow_it_any_more(
        self, world: World, callers: KnownCallers, why: str
    ) -> None:
        grant, expected = ENDING[why]
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            watcher = await self.begun(server, project="p")
            callers.change(alice=grant)
            refusal = await watcher.refusal()
            assert (refusal.code, refusal.reason) == expected

    @pytest.mark.parametrize(
        "grant",
        [
            granted("token:alice", allow=frozenset({"hers"})),
            granted("token:alice", further=(TEAM,)),
            granted("token:other"),
        ],
        ids=["fewer names", "more layers", "another principal"],
    )
    async def test_it_lists_anew_where_new_rules_show_something_else(
        self, world: World, callers: KnownCallers, grant: Grant
    ) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            watcher = await self.begun(server)
            callers.change(alice=grant)
            event = await watcher.event()
            assert event == pb.WatchCatalogResponse(
                generation=(await server.of("alice").list()).generation, resync=True, heartbeat_interval_ms=30_000
            )

    async def test_rules_that_change_nothing_for_it_are_not_told(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            watcher = await self.begun(server)
            callers.change(alice=granted("token:alice", Role.READER, Role.REPORTER), bob=None)
            publish(server, ALICE, "hers", "mine", "new")
            assert [skill.name for skill in (await watcher.event()).added] == ["new"]

    async def test_it_ends_when_the_credentials_expire(self, world: World) -> None:
        callers = KnownCallers(alice=granted("token:alice", expires_at=world.clock() + timedelta(seconds=60)))
        async with in_process(world=world, identities=callers) as server:
            watcher = await self.begun(server)
            world.clock.advance(59)
            publish(server, DEPLOYMENT, "shared")
            assert [skill.name for skill in (await watcher.event()).added] == ["shared"]
            world.clock.advance(1)
            publish(server, DEPLOYMENT, "other")
            refusal = await watcher.refusal()
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_INVALID")

    async def test_it_ends_when_the_credentials_expire_though_nothing_happens(self, world: World) -> None:
        callers = KnownCallers(alice=granted("token:alice", expires_at=world.clock() + timedelta(seconds=0.02)))
        async with in_process(world=world, identities=callers) as server:
            watcher = await self.begun(server)
            world.clock.advance(1)
            assert (await watcher.refusal()).reason == "CREDENTIALS_INVALID"

    async def test_new_credentials_of_the_same_caller_do_not_end_it(self, world: World, callers: KnownCallers) -> None:
        async with in_process(world=world, partitions=PARTITIONS, identities=callers) as server:
            fill(server)
            watcher = await self.begun(server)
            callers.change(alice=granted("token:alice", expires_at=world.clock() + timedelta(seconds=60)))
            publish(server, ALICE, "hers", "mine", "new")
            assert [skill.name for skill in (await watcher.event()).added] == ["new"]


class TestOperators:
    async def test_every_call_of_operators_is_refused_to_whoever_is_no_admin(self) -> None:
        async def answer(_ask: None, _call: Call) -> bytes:
            return b""

        callers = KnownCallers(
            admin=granted("token:admin", Role.ADMIN),
            one=granted("token:one", *(role for role in Role if role is not Role.ADMIN)),
        )
        boundary = Boundary(limits=Limits(), new_incident=lambda: "", identities=callers, audit=Audit(lambda: 0.0))
        handlers = {
            method.name: boundary.unary(GetMessageClass(method.input_type), lambda _request, _limits: None, answer)
            for method in OPERATORS.methods
        }
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((Arrivals({OPERATORS.full_name: handlers}),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            for rpc in handlers:
                method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
                method = channel.unary_unary(f"/{OPERATORS.full_name}/{rpc}")
                assert await method(b"", metadata=((HEADER, "admin"),)) == b""
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await method(b"\xff", metadata=((HEADER, "one"),))
                refusal = refusal_of(caught.value)
                assert (refusal.reason, refusal.metadata) == ("ROLE_MISSING", {"role": "admin"})
        await server.stop(0)
