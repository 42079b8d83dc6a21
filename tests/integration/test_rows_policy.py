"""Rows 26, 27, 37, 45 to 47 and 76 to 79 of the merged list: who may begin what, and what is off for whom.

A docstring says what is decided otherwise, and why.
"""

import logging
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from skillsource.v1 import admin_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.access import Role
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.service.audit import LOGGER
from tests.integration.admin_in_process import Operator, operated
from tests.integration.in_process import InProcess, Refusal, World
from tests.simulators.known_callers import KnownCallers, granted
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import skill_row

pytestmark = pytest.mark.integration

ALL = admin_pb2.Partition(deployment=True)
ALICE = admin_pb2.Partition(principal="token:alice")
SHOP = admin_pb2.Partition(principal="token:alice", project="shop")
ON, OFF, INHERITED = (
    admin_pb2.ENABLEMENT_STATE_ENABLED,
    admin_pb2.ENABLEMENT_STATE_DISABLED,
    admin_pb2.ENABLEMENT_STATE_INHERITED,
)


@pytest.fixture
def world() -> World:
    return World()


def serving(
    folder: Path, world: World, *names: str, **callers: frozenset[str]
) -> AbstractAsyncContextManager[Operator]:
    """Run a server with skills of names; of its callers alice and bob may see all, the further ones what is said."""
    looks = ScriptedLooks()
    looks.feed(DEPLOYMENT, report("main"))
    known = {name: granted(f"token:{name}", allow=allow) for name, allow in callers.items()}
    identities = KnownCallers(
        alice=granted("token:alice", Role.READER, Role.REPORTER, projects="*"), bob=granted("token:bob"), **known
    )
    rows = [skill_row(world.blobs, name, assets={"notes.txt": b"Notes."}) for name in names]
    return operated(looks, folder, *rows, world=world, identities=identities)


async def say(
    operator: Operator,
    partition: admin_pb2.Partition,
    state: "admin_pb2.EnablementState",
    *names: str,
    session: str = "",
) -> list[str]:
    """Say something of names; return those of which something else was said before."""
    request = admin_pb2.SetEnablementRequest(partition=partition, session=session, names=names, state=state)
    return list((await operator.call(request, admin_pb2.SetEnablementResponse)).changed)


async def names(server: InProcess, caller: str = "alice", **fields: object) -> list[str]:
    return [skill.name for skill in (await server.of(caller).list(**fields)).skills]


def reads_of(name: str, **scope: object) -> Iterator[Message]:
    """Yield each way to read one skill."""
    for reference in (name, f"main/{name}"):
        yield pb.SkillBodyRequest(name=reference, **scope)  # type: ignore[arg-type] # of any field
        yield pb.ListAssetsRequest(name=reference, **scope)  # type: ignore[arg-type] # as above
        yield pb.ReadAssetRequest(skill=reference, asset="notes.txt", **scope)  # type: ignore[arg-type] # as above
        yield pb.ActivateRequest(name=reference, **scope)  # type: ignore[arg-type] # as above


async def told_apart(server: InProcess, name: str, other: str, **scope: object) -> list[str]:
    """Return which reads of two names are refused in ways that differ, or not as what is nowhere."""
    apart = []
    for hidden, unknown in zip(reads_of(name, **scope), reads_of(other, **scope), strict=True):
        one, two = await server.refused(hidden), await server.refused(unknown)
        if one != two or one.reason != "SKILL_NOT_FOUND":
            apart.append(hidden.DESCRIPTOR.name)
    return apart


async def test_row_37_what_is_disabled_changes_no_other_score(tmp_path: Path, world: World) -> None:
    async with serving(tmp_path, world, "rust-review", "rust-build", "web") as operator:
        server = operator.server.of("alice")

        async def scores(consistency: pb.Consistency | None = None) -> dict[str, float]:
            request = pb.SearchSkillsRequest(query="rust", limit=50, consistency=consistency)
            hits = (await server.call(request, pb.SearchSkillsResponse)).hits
            return {hit.skill.name: hit.score for hit in hits}

        before = await scores()
        assert set(before) == {"rust-review", "rust-build"}
        await say(operator, ALL, OFF, "rust-review")
        assert await scores() == {"rust-build": before["rust-build"]}


async def test_row_45_policy_is_checked_before_a_body_is_read_and_after(tmp_path: Path, world: World) -> None:
    """`rules.md` 5: what is loaded is the very bundle that was listed; what is in force by then is checked again."""
    async with serving(tmp_path, world, "a") as operator:
        server = operator.server.of("alice")
        await say(operator, ALL, OFF, "a")
        # Nothing is loaded of what is off: a body that cannot be read is not missed.
        assert (await server.refused(pb.ActivateRequest(name="a"))).reason == "SKILL_NOT_FOUND"
        await say(operator, ALL, ON, "a")
        row = operator.server.current.layers[DEPLOYMENT].present.find("a")
        assert row is not None
        first = await server.call(pb.ActivateRequest(name="a", request_id="x"), pb.ActivateResponse)
        operator.server.publish(skill_row(world.blobs, "a", model=False))
        refused = await server.refused(pb.ActivateRequest(name="a", request_id="x"))
        assert refused.reason == "INVOCATION_NOT_ALLOWED"
        assert first.name == "a"


async def test_row_46_unknown_invalid_and_not_to_be_begun_are_three_answers(tmp_path: Path, world: World) -> None:
    """`rules.md` 7: what is hidden is answered as what is unknown; the flags alone have an answer of their own."""
    async with serving(tmp_path, world, "a") as operator:
        operator.server.publish(skill_row(world.blobs, "a", model=False))
        server = operator.server.of("alice")
        told = [await server.refused(pb.ActivateRequest(name=name)) for name in ("nowhere", "No Name", "a")]
        assert [(each.code, each.reason) for each in told] == [
            (grpc.StatusCode.NOT_FOUND, "SKILL_NOT_FOUND"),
            (grpc.StatusCode.INVALID_ARGUMENT, "NAME_MALFORMED"),
            (grpc.StatusCode.PERMISSION_DENIED, "INVOCATION_NOT_ALLOWED"),
        ]


async def test_row_47_what_is_denied_looks_as_what_is_missing(tmp_path: Path, world: World) -> None:
    async with serving(tmp_path, world, "a", "b", "c", carol=frozenset({"a"})) as operator:
        await say(operator, ALL, OFF, "c")
        server = operator.server
        assert await told_apart(server.of("carol"), "b", "x") == []
        assert await told_apart(server.of("alice"), "c", "x") == []
        assert await told_apart(server.of("alice"), "b", "x", allow=pb.AllowList(names=["a"])) == []


async def test_row_76_the_nearest_word_decides_between_deployment_project_and_session(
    tmp_path: Path, world: World
) -> None:
    async with serving(tmp_path, world, "a", "b") as operator:
        server = operator.server
        assert await say(operator, ALL, OFF, "a") == ["a"]
        assert await say(operator, SHOP, ON, "a") == ["a"]
        assert await names(server, project="shop") == ["a", "b"]
        assert await names(server) == await names(server, project="other") == await names(server, "bob") == ["b"]
        await say(operator, SHOP, OFF, "a", session="nightly")
        await say(operator, ALICE, ON, "a", session="try")
        assert await names(server, project="shop", session="nightly") == ["b"]
        assert await names(server, project="shop", session="another") == ["a", "b"]
        assert await names(server, session="try") == ["a", "b"]
        assert await told_apart(server.of("alice"), "a", "x", project="shop", session="nightly") == []
        assert await say(operator, ALL, INHERITED, "a") == ["a"]
        assert await names(server, "bob") == ["a", "b"]


async def test_row_76_what_is_off_is_off_after_a_restart_and_by_tokens_of_before(tmp_path: Path, world: World) -> None:
    async with serving(tmp_path, world, "a", "b") as operator:
        token = (await operator.server.of("alice").list()).generation.token
        await say(operator, ALL, OFF, "a")
        before = pb.Consistency(at_exactly=token)
        assert await names(operator.server, consistency=before) == ["b"]
        assert await told_apart(operator.server.of("alice"), "a", "x", consistency=before) == []
    async with serving(tmp_path, world) as operator:
        assert await names(operator.server) == ["b"]
        assert await names(operator.server, consistency=before) == ["b"]


async def test_row_76_a_watch_hears_what_goes_off_as_removed_and_what_comes_on_as_added(
    tmp_path: Path, world: World
) -> None:
    async with serving(tmp_path, world, "a", "b") as operator:
        server = operator.server.of("alice")
        watcher = server.watch(session="s")
        first = await watcher.event()
        await say(operator, ALL, OFF, "a")
        gone = await watcher.event()
        assert (list(gone.removed), gone.resync, gone.generation.sequence) == (["a"], False, first.generation.sequence)
        assert gone.generation.digest == (await server.list()).generation.digest != first.generation.digest
        await say(operator, ALICE, ON, "a", session="s")
        assert [skill.name for skill in (await watcher.event()).added] == ["a"]
        # Whoever was away is told to list anew: no token holds names.
        again = await server.watch(since=first.generation.token).event()
        assert again.resync
        known = await server.watch(since=gone.generation.token).event()
        assert (known.resync, list(known.removed), list(known.added)) == (False, [], [])


async def test_row_76_pages_of_one_listing_never_mix(tmp_path: Path, world: World) -> None:
    async with serving(tmp_path, world, "a", "b", "c") as operator:
        page = await operator.server.of("alice").list(page_size=1)
        await say(operator, ALL, OFF, "b")
        refused = await operator.server.of("alice").refused(
            pb.ListSkillsRequest(page_size=1, page_token=page.next_page_token)
        )
        assert refused.reason == "GENERATION_EXPIRED"
        begun = await operator.server.of("alice").list(page_size=1)
        assert (begun.total_size, [skill.name for skill in begun.skills]) == (2, ["a"])
        assert await names(operator.server, page_size=1, page_token=begun.next_page_token) == ["c"]


async def test_row_76_each_change_is_a_line_of_the_audit(
    tmp_path: Path, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=LOGGER)
    async with serving(tmp_path, world, "a") as operator:
        await say(operator, SHOP, OFF, "a", "b", session="nightly")
        await say(operator, SHOP, OFF, "b", session="nightly")
    lines = [
        (record.partition, record.what)  # type: ignore[attr-defined] # as the audit writes them
        for record in caplog.records
        if record.name == LOGGER and record.act == "SetEnablement"  # type: ignore[attr-defined] # as above
    ]
    assert lines == [("token:alice/shop", "a disabled for nightly"), ("token:alice/shop", "b disabled for nightly")]


async def test_row_76_operators_are_told_what_is_said_and_what_decides(tmp_path: Path, world: World) -> None:
    async with serving(tmp_path, world, "a") as operator:
        await say(operator, ALL, OFF, "a", "b")
        await say(operator, SHOP, ON, "a")
        await say(operator, SHOP, OFF, "c", session="s")

        async def told(partition: admin_pb2.Partition, session: str = "", *, deciding: bool = False) -> list[object]:
            request = admin_pb2.ListEnablementRequest(
                partition=partition, session=session, deciding=deciding, page_size=1
            )
            pages = await operator.pages(request, admin_pb2.ListEnablementResponse)
            assert {page.total_size for page in pages} == {sum(len(page.words) for page in pages)}
            return [(word.name, word.state, word.session, word.partition) for page in pages for word in page.words]

        assert await told(ALL) == [("a", OFF, "", ALL), ("b", OFF, "", ALL)]
        assert await told(SHOP) == [("a", ON, "", SHOP), ("c", OFF, "s", SHOP)]
        assert await told(SHOP, "s") == [("c", OFF, "s", SHOP)]
        assert await told(SHOP, "s", deciding=True) == [
            ("a", ON, "", SHOP),
            ("b", OFF, "", ALL),
            ("c", OFF, "s", SHOP),
        ]


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (admin_pb2.SetEnablementRequest(names=["a"], state=OFF), "ARGUMENT_MALFORMED"),
        (admin_pb2.SetEnablementRequest(partition=ALL, state=OFF), "ARGUMENT_MALFORMED"),
        (admin_pb2.SetEnablementRequest(partition=ALL, names=["a"]), "ARGUMENT_MALFORMED"),
        (admin_pb2.SetEnablementRequest(partition=ALL, names=["a"], state=9), "ARGUMENT_OUT_OF_RANGE"),  # type: ignore[arg-type] # unknown
        (admin_pb2.SetEnablementRequest(partition=ALL, names=["a", "No"], state=OFF), "NAME_MALFORMED"),
        (admin_pb2.SetEnablementRequest(partition=ALL, names=["a"] * 1001, state=OFF), "ARGUMENT_OUT_OF_RANGE"),
        (admin_pb2.SetEnablementRequest(partition=ALL, session="\n", names=["a"], state=OFF), "ARGUMENT_MALFORMED"),
        (admin_pb2.ListEnablementRequest(partition=ALL, session="s" * 129), "ARGUMENT_OUT_OF_RANGE"),
    ],
)
async def test_row_76_what_says_nothing_that_can_be_meant_is_refused_and_changes_nothing(
    tmp_path: Path, world: World, request_: Message, reason: str
) -> None:
    async with serving(tmp_path, world, "a") as operator:
        assert (await operator.refused(request_)).reason == reason
        assert await names(operator.server) == ["a"]


async def test_row_77_an_allow_list_has_three_states_and_only_narrows(tmp_path: Path, world: World) -> None:
    """A bare text where the list should be is no message of the contract: all is refused, nothing is listed."""
    async with serving(tmp_path, world, "a", "b", carol=frozenset({"a"})) as operator:
        server = operator.server
        assert await names(server) == ["a", "b"]
        assert await names(server, allow=pb.AllowList()) == []
        assert await names(server, "carol", allow=pb.AllowList(names=["a", "b"])) == ["a"]
        assert await names(server, "carol") == ["a"]
        refused: Refusal = await server.of("alice").refused_raw("ListSkills", b"\x22\x03abc")
        assert refused.reason == "REQUEST_MALFORMED"


async def test_row_77_the_allow_list_holds_for_each_call_that_tells_of_skills(tmp_path: Path, world: World) -> None:
    async with serving(tmp_path, world, "a", "b") as operator:
        server = operator.server.of("alice")
        for allow, seen in ((pb.AllowList(names=["a"]), ["a"]), (pb.AllowList(), []), (None, ["a", "b"])):
            assert await names(operator.server, allow=allow) == seen
            search = pb.SearchSkillsRequest(query="a b", allow=allow)
            hits = (await server.call(search, pb.SearchSkillsResponse)).hits
            assert {hit.skill.name for hit in hits} <= set(seen)
            render = await server.call(pb.RenderCatalogRequest(allow=allow), pb.RenderCatalogResponse)
            assert render.total == len(seen)
            for name in ("a", "b"):
                for request in reads_of(name, allow=allow):
                    if name in seen:
                        await server.raw(request.DESCRIPTOR.name.removesuffix("Request"), request.SerializeToString())
                    else:
                        assert (await server.refused(request)).reason == "SKILL_NOT_FOUND"
        watcher = server.watch(allow=pb.AllowList(names=["a"]))
        await watcher.event()
        operator.server.publish(skill_row(world.blobs, "a", body="Else."), skill_row(world.blobs, "c"))
        event = await watcher.event()
        assert ([skill.name for skill in event.modified], list(event.added), list(event.removed)) == (["a"], [], [])


async def test_row_78_an_allow_list_covers_what_callers_write(tmp_path: Path, world: World) -> None:
    """Callers write reports of outcomes alone so far; none can be written of what the list leaves out."""
    async with serving(tmp_path, world, "a", "b") as operator:
        server = operator.server.of("alice")
        allow = pb.AllowList(names=["a"])
        report_of_b = pb.ReportOutcomeRequest(skill="b", task="t", success_rate=1.0, allow=allow)
        assert (await server.refused(report_of_b)).reason == "SKILL_NOT_FOUND"
        await say(operator, ALL, OFF, "a")
        report_of_a = pb.ReportOutcomeRequest(skill="a", task="t", success_rate=1.0)
        assert (await server.refused(report_of_a)).reason == "SKILL_NOT_FOUND"


async def test_row_79_what_is_disabled_is_as_ready_as_before_where_it_is_on(tmp_path: Path, world: World) -> None:
    async with serving(tmp_path, world, "a") as operator:
        server = operator.server.of("bob")
        before = (await server.list(view=pb.SKILL_VIEW_FULL)).skills[0].readiness
        await say(operator, ALICE, OFF, "a")
        assert await names(operator.server) == []
        assert (await server.list(view=pb.SKILL_VIEW_FULL)).skills[0].readiness == before
