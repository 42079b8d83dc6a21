"""What operators are told, and a look at once: over real gRPC, of a catalog and of looks that the test makes."""

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from skillsource.v1 import admin_pb2 as pb
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as agents_pb

from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.reports import Looked, ReportedState
from skillsvc.domain.access import LOCAL, Access, AccessRule, IdentityKind, Match, access_of_this_machine
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.domain.trust import Tier, Trust
from skillsvc.service.identities.identities import Identities, Ways
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.admin_in_process import ALICE, GARDEN, HERE, SERVICE, operated, request_of
from tests.integration.in_process import World
from tests.patience import PATIENCE_S
from tests.simulators.clock import START
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import skill_row

RPCS = [method.name for method in SERVICE.methods]
PAGED = [method.name for method in SERVICE.methods if "page_token" in method.input_type.fields_by_name]
OF_CALLERS = {"SetEnablement", "ListEnablement"}
OF_ONE = [method.name for method in SERVICE.methods if "partition" in method.input_type.fields_by_name]
OF_ALICE = pb.Partition(principal="oidc:alice")
OF_NOBODY = pb.Partition(principal="oidc:nobody")


@pytest.fixture
def looks() -> ScriptedLooks:
    made = ScriptedLooks()
    made.feed(DEPLOYMENT, report("house"), report("vendor"))
    return made


def row(name: str, **fields: object) -> Row:
    return skill_row(MemoryBlobStore(), name, **fields)  # type: ignore[arg-type] # of any field


def say(skill: str, source: str, severity: Severity = Severity.NOTE, message: str = "Said.") -> Diagnostic:
    return Diagnostic(severity=severity, code=DiagnosticCode.FIELD_UNKNOWN, message=message, skill=skill, source=source)


async def under_way(looks: ScriptedLooks, count: int = 1) -> None:
    """Wait until so many looks were asked for."""
    async with asyncio.timeout(PATIENCE_S):
        while len(looks.looks) < count:  # noqa: ASYNC110 - asked for on this loop, by what tells nobody
            await asyncio.sleep(0)


async def given_up(looks: ScriptedLooks) -> None:
    """Wait until nobody waits for the first look that was asked for."""
    async with asyncio.timeout(PATIENCE_S):
        while not looks.looks[0].cancelled():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)


class TestRequests:
    @pytest.mark.parametrize("rpc", RPCS)
    async def test_bytes_that_are_no_message_are_an_invalid_argument(
        self, looks: ScriptedLooks, tmp_path: Path, rpc: str
    ) -> None:
        async with operated(looks, tmp_path) as operator:
            for garbage in (b"\xff", b"\x0a", b"\x0a\xff", b"\x0b" * 200, b"\x0a" + b"\xff" * 9 + b"\x01"):
                refusal = await operator.refused_raw(rpc, garbage)
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_MALFORMED")
                assert refusal.message == f"the request is no skillsource.v1.{rpc}Request"
            await operator.call(request_of("ListSources"), pb.ListSourcesResponse)

    @pytest.mark.parametrize("rpc", RPCS)
    async def test_a_request_larger_than_1_mib_is_out_of_range(
        self, looks: ScriptedLooks, tmp_path: Path, rpc: str
    ) -> None:
        size = 1024 * 1024 + 1
        request = b"\xfa\x3f" + bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14]) + b"x" * size
        async with operated(looks, tmp_path) as operator:
            refusal = await operator.refused_raw(rpc, request)
            assert (refusal.reason, refusal.metadata["limit"]) == ("ARGUMENT_OUT_OF_RANGE", "1048576")
            larger = await operator.refused_raw(rpc, b"x" * (2 * 1024 * 1024))
            assert (larger.code, larger.info) == (grpc.StatusCode.RESOURCE_EXHAUSTED, None)

    @pytest.mark.parametrize("rpc", OF_ONE)
    async def test_a_partition_must_be_said_and_have_a_layer(
        self, looks: ScriptedLooks, tmp_path: Path, rpc: str
    ) -> None:
        malformed = "ARGUMENT_MALFORMED"
        cases: list[tuple[pb.Partition | None, str, str | None]] = [
            (None, malformed, "partition"),
            (pb.Partition(), malformed, "partition"),
            (pb.Partition(project="garden"), malformed, "partition"),
            (pb.Partition(deployment=True, principal="local"), malformed, "partition"),
            (pb.Partition(deployment=True, project="garden"), malformed, "partition"),
            (pb.Partition(principal="alice"), malformed, "partition.principal"),
            (pb.Partition(principal="local", project="a\nb"), malformed, "partition.project"),
            (pb.Partition(principal="local", project="x" * 257), "ARGUMENT_OUT_OF_RANGE", "partition.project"),
            (OF_NOBODY, "PARTITION_NOT_FOUND", None),
        ]
        async with operated(looks, tmp_path) as operator:
            # What is said to callers needs no layer.
            for partition, reason, field in cases[:-1] if rpc in OF_CALLERS else cases:
                request = request_of(rpc)
                request.ClearField("partition")
                if partition is not None:
                    request.partition.CopyFrom(partition)  # type: ignore[attr-defined] # these requests have it
                refusal = await operator.refused(request)
                assert (refusal.reason, refusal.metadata.get("field")) == (reason, field)

    @pytest.mark.parametrize(
        ("request_", "reason", "field"),
        [
            (pb.RefreshRequest(partition=HERE, sources=["No Source"]), "ARGUMENT_MALFORMED", "sources"),
            (pb.RefreshRequest(partition=HERE, paths=["a/SKILL.md"]), "ARGUMENT_MALFORMED", "paths"),
            (
                pb.RefreshRequest(partition=HERE, sources=["house", "vendor"], paths=["a"]),
                "ARGUMENT_MALFORMED",
                "paths",
            ),
            *(
                (pb.RefreshRequest(partition=HERE, sources=["house"], paths=[path]), "ARGUMENT_MALFORMED", "paths")
                for path in ("", "/etc/passwd", "../up", "a//b", "a\\b", "a\n")
            ),
            (
                pb.RefreshRequest(partition=HERE, sources=["house"], paths=["x" * 4097]),
                "ARGUMENT_OUT_OF_RANGE",
                "paths",
            ),
            (pb.RefreshRequest(partition=HERE, sources=["house"] * 1001), "ARGUMENT_OUT_OF_RANGE", "sources"),
            (
                pb.RefreshRequest(partition=HERE, sources=["house"], paths=["a"] * 1001),
                "ARGUMENT_OUT_OF_RANGE",
                "paths",
            ),
            (pb.ListDiagnosticsRequest(partition=HERE, source="A/B"), "ARGUMENT_MALFORMED", "source"),
            (pb.ListDiagnosticsRequest(partition=HERE, skill="x" * 257), "ARGUMENT_OUT_OF_RANGE", "skill"),
            (
                pb.ListDiagnosticsRequest(partition=HERE, min_severity=4),  # type: ignore[arg-type] # of no enum
                "ARGUMENT_OUT_OF_RANGE",
                "min_severity",
            ),
            (
                pb.GetGenerationRequest(partition=HERE, generation=pb.GenerationName()),
                "ARGUMENT_MALFORMED",
                "generation",
            ),
            (
                pb.GetGenerationRequest(partition=HERE, generation=pb.GenerationName(digest="abc")),
                "ARGUMENT_MALFORMED",
                "generation.digest",
            ),
            (
                pb.GetGenerationRequest(partition=HERE, generation=pb.GenerationName(digest="")),
                "ARGUMENT_MALFORMED",
                "generation.digest",
            ),
            (pb.DiffGenerationsRequest(partition=HERE), "ARGUMENT_MALFORMED", "before"),
            (
                pb.DiffGenerationsRequest(partition=HERE, before={"sequence": 1}, after=pb.GenerationName()),
                "ARGUMENT_MALFORMED",
                "after",
            ),
            (pb.ListSourcesRequest(partition=HERE, page_token="x" * 2049), "ARGUMENT_OUT_OF_RANGE", "page_token"),
        ],
        ids=repr,
    )
    async def test_a_field_that_is_wrong_is_named(
        self, looks: ScriptedLooks, tmp_path: Path, request_: Message, reason: str, field: str
    ) -> None:
        async with operated(looks, tmp_path) as operator:
            refusal = await operator.refused(request_)
            assert (refusal.reason, refusal.metadata["field"]) == (reason, field)
            assert looks.asked == []

    @pytest.mark.parametrize(
        "request_",
        [
            pb.RefreshRequest(partition=HERE, sources=["house", "attic"]),
            pb.ListDiagnosticsRequest(partition=HERE, source="attic"),
        ],
        ids=repr,
    )
    async def test_a_source_that_the_partition_does_not_have_is_not_found(
        self, looks: ScriptedLooks, tmp_path: Path, request_: Message
    ) -> None:
        looks.feed(ALICE, report("attic"))
        async with operated(looks, tmp_path, partitions=(DEPLOYMENT, ALICE)) as operator:
            refusal = await operator.refused(request_)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "SOURCE_NOT_FOUND")
            assert refusal.metadata == {"source": "attic"}
            assert looks.asked == []


class TestPageTokens:
    @pytest.mark.parametrize("rpc", PAGED)
    async def test_a_token_serves_its_own_request_alone(self, looks: ScriptedLooks, tmp_path: Path, rpc: str) -> None:
        many = tuple(say(f"s{number}", "house") for number in range(3))
        looks.feed(DEPLOYMENT, report("house"), report("vendor"), said=many)
        looks.feed(ALICE, report("house"), report("vendor"), said=many)
        further = AccessRule(name="further", match=Match(kind=IdentityKind.TOKEN))
        rules = Access(rules=(*access_of_this_machine().rules, further))
        identities = Identities(Ways(everybody=LOCAL), rules, now=lambda: START)
        async with operated(looks, tmp_path, partitions=(DEPLOYMENT, ALICE), identities=identities) as operator:
            for partition in (DEPLOYMENT, ALICE):
                operator.server.publish(row("a"), row("b"), partition=partition)
                said = pb.SetEnablementRequest(names=["x", "y"], state=pb.ENABLEMENT_STATE_ENABLED)
                said.partition.CopyFrom(HERE if partition == DEPLOYMENT else OF_ALICE)
                await operator.call(said, pb.SetEnablementResponse)
            request = request_of(rpc)
            answer: type[Message] = getattr(pb, f"{rpc}Response")
            request.page_size = 1  # type: ignore[attr-defined] # these requests have it
            token = (await operator.call(request, answer)).next_page_token  # type: ignore[attr-defined] # as above
            assert token
            request.page_token = token  # type: ignore[attr-defined] # as above
            await operator.call(request, answer)
            agents = await operator.server.refused(agents_pb.ListSkillsRequest(page_token=token))
            assert agents.reason == "PAGE_TOKEN_MALFORMED"
            agents_token = (await operator.server.list(page_size=1)).next_page_token
            for wrong in (token[:-1], token + "A", "", agents_token):
                for other in PAGED:
                    if not wrong and other == rpc:
                        continue
                    asked = request_of(other)
                    asked.page_token = wrong or token  # type: ignore[attr-defined] # as above
                    assert (await operator.refused(asked)).reason == "PAGE_TOKEN_MALFORMED"
            if rpc in OF_ONE:
                request.partition.CopyFrom(OF_ALICE)  # type: ignore[attr-defined] # as above
                assert (await operator.refused(request)).reason == "PAGE_TOKEN_MALFORMED"


class TestListSources:
    async def test_each_source_is_told_as_it_stands_strongest_first(self, tmp_path: Path) -> None:
        looks = ScriptedLooks()
        later = START + timedelta(seconds=90)
        looks.feed(
            DEPLOYMENT,
            report(
                "zulu",
                kind="git",
                tier=Tier.REGISTERED,
                trust=Trust.ASK,
                state=ReportedState.STALE,
                last_look_at=later,
                last_success_at=START,
                last_error="nobody\nanswers " + "x" * 600,
                revision="c0ffee",
                skills=3,
                diagnostics=5,
                looking=True,
                next_look_at=later,
            ),
            report("alpha", tier=None, trust=None, state=ReportedState.WAITING),
        )
        async with operated(looks, tmp_path) as operator:
            told = await operator.call(pb.ListSourcesRequest(partition=HERE), pb.ListSourcesResponse)
        zulu, alpha = told.sources
        assert (told.total_size, told.next_page_token) == (2, "")
        assert (zulu.name, zulu.kind, zulu.state) == ("zulu", "git", pb.SOURCE_STANDING_STALE)
        assert (zulu.tier, zulu.trust) == (skill_pb2.TIER_REGISTERED, skill_pb2.TRUST_ASK)
        assert (zulu.revision, zulu.skills, zulu.diagnostics, zulu.looking) == ("c0ffee", 3, 5, True)
        assert zulu.last_error.startswith("nobody answers x")
        assert len(zulu.last_error.encode()) <= 512
        assert zulu.last_success_at.ToDatetime(START.tzinfo) == START
        assert zulu.last_look_at.ToDatetime(START.tzinfo) == zulu.next_look_at.ToDatetime(START.tzinfo) == later
        assert (alpha.name, alpha.state) == ("alpha", pb.SOURCE_STANDING_WAITING)
        assert (alpha.tier, alpha.trust) == (skill_pb2.TIER_UNSPECIFIED, skill_pb2.TRUST_UNSPECIFIED)
        assert not any(alpha.HasField(field) for field in ("last_look_at", "last_success_at", "next_look_at"))

    @pytest.mark.parametrize("state", list(ReportedState))
    async def test_every_state_has_its_name(self, tmp_path: Path, state: ReportedState) -> None:
        looks = ScriptedLooks()
        looks.feed(DEPLOYMENT, report("house", state=state))
        async with operated(looks, tmp_path) as operator:
            told = await operator.call(pb.ListSourcesRequest(partition=HERE), pb.ListSourcesResponse)
        assert pb.SourceStanding.Name(told.sources[0].state) == f"SOURCE_STANDING_{state.name}"

    async def test_pages_go_on_in_order_of_precedence(self, tmp_path: Path) -> None:
        looks = ScriptedLooks()
        names = [f"s{number * 7 % 10}" for number in range(10)]
        looks.feed(DEPLOYMENT, *(report(name) for name in names))
        async with operated(looks, tmp_path) as operator:
            pages = await operator.pages(pb.ListSourcesRequest(partition=HERE, page_size=3), pb.ListSourcesResponse)
            assert [[source.name for source in page.sources] for page in pages] == [
                names[:3],
                names[3:6],
                names[6:9],
                names[9:],
            ]
            assert {page.total_size for page in pages} == {10}
            # A reload takes away the source that the next page would go on behind.
            looks.feed(DEPLOYMENT, *(report(name) for name in names[3:]))
            request = pb.ListSourcesRequest(partition=HERE, page_size=5, page_token=pages[0].next_page_token)
            assert (await operator.refused(request)).reason == "PAGE_TOKEN_MALFORMED"

    async def test_a_partition_that_no_source_feeds_has_none(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        async with operated(looks, tmp_path, partitions=(DEPLOYMENT, ALICE)) as operator:
            told = await operator.call(pb.ListSourcesRequest(partition=OF_ALICE), pb.ListSourcesResponse)
            assert (list(told.sources), told.total_size) == ([], 0)
            refreshed = await operator.call(pb.RefreshRequest(partition=OF_ALICE), pb.RefreshResponse)
            assert refreshed.before == refreshed.after


class TestRefresh:
    async def test_it_waits_for_the_look_and_tells_the_difference(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        async with operated(looks, tmp_path) as operator:
            operator.server.publish(row("gone"), row("kept"), row("edited"))
            before = operator.server.current.layers[DEPLOYMENT].present
            call = asyncio.create_task(operator.call(pb.RefreshRequest(partition=HERE), pb.RefreshResponse))
            await under_way(looks)
            after = operator.server.publish(row("kept"), row("edited", body="Anew."), row("new"))
            assert after is not None
            await operator.server.settled()
            assert not call.done()
            looks.looks[0].set_result(Looked(before=before, after=after))
            told = await call
        assert looks.asked == [(DEPLOYMENT, None, None)]
        assert (told.before.sequence, told.after.sequence) == (before.sequence, after.sequence)
        assert (told.before.digest, told.after.digest) == (before.digest, after.digest)
        assert (list(told.added), list(told.modified), list(told.removed)) == (["new"], ["edited"], ["gone"])
        assert (told.added_total, told.modified_total, told.removed_total) == (1, 1, 1)
        assert [source.name for source in told.sources] == ["house", "vendor"]

    async def test_sources_and_paths_are_passed_on_and_only_those_looked_at_are_reported(
        self, looks: ScriptedLooks, tmp_path: Path
    ) -> None:
        async with operated(looks, tmp_path) as operator:
            present = operator.server.current.layers[DEPLOYMENT].present
            request = pb.RefreshRequest(partition=HERE, sources=["vendor", "vendor"], paths=["a/SKILL.md", "b"])
            call = asyncio.create_task(operator.call(request, pb.RefreshResponse))
            await under_way(looks)
            looks.looks[0].set_result(Looked(before=present, after=present))
            told = await call
        assert looks.asked == [(DEPLOYMENT, ("vendor",), ("a/SKILL.md", "b"))]
        assert [source.name for source in told.sources] == ["vendor"]
        assert (told.added_total, told.modified_total, told.removed_total) == (0, 0, 0)

    async def test_names_are_capped_and_counted(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        blobs = MemoryBlobStore()
        rows = [skill_row(blobs, f"s{number:04}") for number in range(1200)]
        async with operated(looks, tmp_path) as operator:
            before = operator.server.current.layers[DEPLOYMENT].present
            call = asyncio.create_task(operator.call(pb.RefreshRequest(partition=HERE), pb.RefreshResponse))
            await under_way(looks)
            after = operator.server.publish(*rows)
            assert after is not None
            looks.looks[0].set_result(Looked(before=before, after=after))
            told = await call
        assert (len(told.added), told.added[0], told.added[-1], told.added_total) == (1000, "s0000", "s0999", 1200)

    async def test_two_at_once_are_each_answered_with_their_own(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        async with operated(looks, tmp_path) as operator:
            first = operator.server.current.layers[DEPLOYMENT].present
            calls = []
            for count in (1, 2):
                request = pb.RefreshRequest(partition=HERE)
                calls.append(asyncio.create_task(operator.call(request, pb.RefreshResponse)))
                await under_way(looks, count)
            second = operator.server.publish(row("a"))
            assert second is not None
            looks.looks[1].set_result(Looked(before=first, after=second))
            told = await calls[1]
            assert not calls[0].done()
            looks.looks[0].set_result(Looked(before=first, after=first))
            assert ((await calls[0]).added_total, told.added_total) == (0, 1)

    async def test_a_crowd_that_waits_for_one_look_is_answered_whole(
        self, looks: ScriptedLooks, tmp_path: Path
    ) -> None:
        blobs = MemoryBlobStore()
        async with operated(looks, tmp_path) as operator:
            before = operator.server.current.layers[DEPLOYMENT].present
            request = pb.RefreshRequest(partition=HERE)
            calls = [asyncio.create_task(operator.call(request, pb.RefreshResponse)) for _ in range(200)]
            await under_way(looks, len(calls))
            after = operator.server.publish(*(skill_row(blobs, f"s{number}") for number in range(300)))
            assert after is not None
            for look in looks.looks:
                look.set_result(Looked(before=before, after=after))
            assert {told.added_total for told in await asyncio.gather(*calls)} == {300}

    async def test_a_deadline_ends_the_waiting_and_never_the_look(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        async with operated(looks, tmp_path) as operator:
            refused = asyncio.create_task(operator.refused(pb.RefreshRequest(partition=HERE), within_s=3.0))
            await under_way(looks)
            refusal = await refused
            assert (refusal.code, refusal.info) == (grpc.StatusCode.DEADLINE_EXCEEDED, None)
            await given_up(looks)
            # Who looks goes on, and finds that nobody wants to know any more.
            assert not looks.looks[0].set_running_or_notify_cancel()
            await operator.server.settled()

    async def test_a_call_without_a_deadline_waits_for_as_long_as_one_may_take(
        self, looks: ScriptedLooks, tmp_path: Path
    ) -> None:
        looks.feed(DEPLOYMENT, report("house"), report("slow", looking=True))
        world = World(limits=Limits(call_without_deadline_s=0.3))
        async with operated(looks, tmp_path, world=world) as operator:
            refusal = await operator.refused(pb.RefreshRequest(partition=HERE), within_s=None)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SOURCE_UNREACHABLE")
        assert refusal.metadata == {"source": "slow"}
        assert looks.looks[0].cancelled()

    async def test_a_call_with_a_deadline_waits_longer_than_one_without(
        self, looks: ScriptedLooks, tmp_path: Path
    ) -> None:
        world = World(limits=Limits(call_without_deadline_s=0.1))
        async with operated(looks, tmp_path, world=world) as operator:
            call = asyncio.create_task(operator.call(pb.RefreshRequest(partition=HERE), pb.RefreshResponse))
            await under_way(looks)
            without = await operator.refused(pb.RefreshRequest(partition=HERE), within_s=None)
            assert without.reason == "SOURCE_UNREACHABLE"
            assert not call.done()
            present = operator.server.current.layers[DEPLOYMENT].present
            looks.looks[0].set_result(Looked(before=present, after=present))
            await call

    @pytest.mark.parametrize("how", ["drain", "cancel"])
    async def test_a_drain_ends_the_waiting(self, looks: ScriptedLooks, tmp_path: Path, how: str) -> None:
        async with operated(looks, tmp_path) as operator:
            call = asyncio.create_task(operator.refused(pb.RefreshRequest(partition=HERE)))
            await under_way(looks)
            if how == "cancel":
                # Who looks has ended before.
                looks.looks[0].cancel()
            else:
                await operator.server.server.drain(20)
            refusal = await call
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")

    async def test_a_look_that_ends_in_a_fault_is_an_incident(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        async with operated(looks, tmp_path) as operator:
            call = asyncio.create_task(operator.refused(pb.RefreshRequest(partition=HERE)))
            await under_way(looks)
            looks.looks[0].set_exception(RuntimeError("open('/srv'): unexpected"))
            refusal = await call
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL_FAULT")
        assert "srv" not in refusal.message


class TestListDiagnostics:
    SAID = (
        say("b", "vendor", Severity.ERROR),
        say("a", "vendor", Severity.WARNING, "First."),
        say("a", "house"),
        say("a", "vendor", Severity.NOTE, "Second."),
        say("", "house", Severity.ERROR, "Of all\nof it: " + "x" * 600),
    )

    @pytest.mark.parametrize(
        ("narrowed", "told"),
        [
            ({}, [("house", ""), ("house", "a"), ("vendor", "a"), ("vendor", "a"), ("vendor", "b")]),
            ({"source": "vendor"}, [("vendor", "a"), ("vendor", "a"), ("vendor", "b")]),
            ({"skill": "a"}, [("house", "a"), ("vendor", "a"), ("vendor", "a")]),
            ({"min_severity": skill_pb2.SEVERITY_WARNING}, [("house", ""), ("vendor", "a"), ("vendor", "b")]),
            ({"min_severity": skill_pb2.SEVERITY_ERROR, "source": "vendor"}, [("vendor", "b")]),
            ({"skill": "nobody"}, []),
        ],
    )
    async def test_they_come_in_order_and_narrowed(
        self, looks: ScriptedLooks, tmp_path: Path, narrowed: dict[str, object], told: list[tuple[str, str]]
    ) -> None:
        looks.feed(DEPLOYMENT, report("house"), report("vendor"), said=self.SAID)
        request = pb.ListDiagnosticsRequest(partition=HERE, **narrowed)  # type: ignore[arg-type] # of any field
        async with operated(looks, tmp_path) as operator:
            for size in (0, 1, 2):
                request.page_size = size
                pages = await operator.pages(request, pb.ListDiagnosticsResponse)
                found = [each for page in pages for each in page.diagnostics]
                assert [(each.source, each.skill) for each in found] == told
                assert {page.total_size for page in pages} == {len(told)}
                assert all(len(each.message.encode()) <= 512 and "\n" not in each.message for each in found)
                # Those of one skill as they were found.
                of_vendor = [each.message for each in found if (each.source, each.skill) == ("vendor", "a")]
                assert of_vendor in ([], ["First."], ["First.", "Second."])

    async def test_pages_stay_with_the_first_as_long_as_nobody_asks_for_another_list(
        self, looks: ScriptedLooks, tmp_path: Path
    ) -> None:
        looks.feed(DEPLOYMENT, report("house"), said=(say("a", "house"), say("b", "house")))
        request = pb.ListDiagnosticsRequest(partition=HERE, page_size=1)
        async with operated(looks, tmp_path) as operator:
            first = await operator.call(request, pb.ListDiagnosticsResponse)
            looks.feed(DEPLOYMENT, report("house"), said=(say("c", "house"),))
            request.page_token = first.next_page_token
            second = await operator.call(request, pb.ListDiagnosticsResponse)
            assert [each.skill for each in second.diagnostics] == ["b"]
            request.page_token = ""
            anew = await operator.call(request, pb.ListDiagnosticsResponse)
            assert [each.skill for each in anew.diagnostics] == ["c"]

    async def test_else_a_page_goes_on_in_what_is_said_by_then(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        said = [say(f"s{number}", "house") for number in range(6)]
        looks.feed(DEPLOYMENT, report("house"), said=tuple(said))
        request = pb.ListDiagnosticsRequest(partition=HERE, page_size=3)
        async with operated(looks, tmp_path) as operator:
            first = await operator.call(request, pb.ListDiagnosticsResponse)
            assert [each.skill for each in first.diagnostics] == ["s0", "s1", "s2"]
            looks.feed(
                DEPLOYMENT, report("house"), said=(*said[:2], *said[4:], say("s9", "house"), say("s0a", "house"))
            )
            await operator.call(pb.ListDiagnosticsRequest(partition=HERE, skill="s9"), pb.ListDiagnosticsResponse)
            request.page_token = first.next_page_token
            second = await operator.call(request, pb.ListDiagnosticsResponse)
        assert [each.skill for each in second.diagnostics] == ["s4", "s5", "s9"]
        assert (second.next_page_token, second.total_size) == ("", 6)

    async def test_more_of_one_skill_than_a_page_holds_are_told_once_each(
        self, looks: ScriptedLooks, tmp_path: Path
    ) -> None:
        said = tuple(say("a", "house", message=f"{number}") for number in range(7))
        looks.feed(DEPLOYMENT, report("house"), said=(*said, say("b", "house", message="last")))
        async with operated(looks, tmp_path) as operator:
            pages = await operator.pages(
                pb.ListDiagnosticsRequest(partition=HERE, page_size=2), pb.ListDiagnosticsResponse
            )
        told = [each.message for page in pages for each in page.diagnostics]
        assert told == ["0", "1", "2", "3", "4", "5", "6", "last"]

    async def test_a_page_is_bounded_in_bytes(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        long = "m" * 600
        looks.feed(
            DEPLOYMENT,
            report("house"),
            said=tuple(say("n" * 250 + f"{number:04}", "house", message=long) for number in range(1500)),
        )
        async with operated(looks, tmp_path) as operator:
            pages = await operator.pages(pb.ListDiagnosticsRequest(partition=HERE), pb.ListDiagnosticsResponse)
        assert sum(len(page.diagnostics) for page in pages) == 1500
        assert all(page.ByteSize() <= 513 * 1024 for page in pages)
        assert all(len(page.next_page_token) <= 2048 for page in pages)


class TestGenerations:
    async def test_partitions_are_listed_with_their_counts(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        looks.feed(ALICE, report("attic"))
        partitions = (GARDEN, ALICE, DEPLOYMENT)
        async with operated(looks, tmp_path, partitions=partitions) as operator:
            operator.server.publish(row("a"), row("a", source="other", shadowed=True))
            stale = UnreachableSource(source="attic", since=START, state=SourceState.STALE)
            operator.server.current.report(ALICE, (stale,))
            pages = await operator.pages(pb.ListPartitionsRequest(page_size=2), pb.ListPartitionsResponse)
        deployment, alice, garden = (each for page in pages for each in page.partitions)
        assert (deployment.partition, alice.partition) == (HERE, OF_ALICE)
        assert garden.partition == pb.Partition(principal="oidc:alice", project="garden")
        assert (deployment.present.sequence, deployment.present.skills, deployment.present.shadowed) == (2, 1, 1)
        assert (deployment.retained, garden.retained) == (2, 1)
        assert [each.sources for each in (deployment, alice, garden)] == [2, 1, 0]
        assert [each.complete for each in (deployment, alice, garden)] == [True, False, True]
        assert {page.total_size for page in pages} == {3}

    async def test_a_generation_is_read_whole_shadowed_rows_too(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        rows = (
            row("a", source="house", collection="tools"),
            row("a", source="vendor", shadowed=True, tier=Tier.REGISTERED, trust=Trust.ASK, body="Else."),
            row("b", source="vendor"),
        )
        async with operated(looks, tmp_path) as operator:
            operator.server.publish(*rows)
            present = operator.server.current.layers[DEPLOYMENT].present
            request = pb.GetGenerationRequest(partition=HERE, page_size=2)
            first, second = await operator.pages(request, pb.GetGenerationResponse)
        told = [*first.rows, *second.rows]
        assert [(each.name, each.source, each.shadowed) for each in told] == [
            ("a", "house", False),
            ("a", "vendor", True),
            ("b", "vendor", False),
        ]
        assert [each.digest for each in told] == [each.bundle.digest for each in rows]
        assert (told[1].tier, told[1].trust) == (skill_pb2.TIER_REGISTERED, skill_pb2.TRUST_ASK)
        assert [each.collection for each in told] == ["tools", "", ""]
        for page in (first, second):
            assert (page.generation.sequence, page.generation.digest) == (2, present.digest)
            assert (page.generation.skills, page.generation.shadowed, page.total_size) == (2, 1, 3)
        assert [held.sequence for held in first.retained] == [2, 1]
        assert not second.retained

    async def test_pages_stay_with_the_generation_of_the_first(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        async with operated(looks, tmp_path, row("a"), row("b")) as operator:
            request = pb.GetGenerationRequest(partition=HERE, page_size=1)
            first = await operator.call(request, pb.GetGenerationResponse)
            operator.server.publish(row("a"), row("c"))
            request.page_token = first.next_page_token
            second = await operator.call(request, pb.GetGenerationResponse)
            assert [each.name for each in second.rows] == ["b"]
            assert second.generation.sequence == first.generation.sequence

    async def test_a_generation_is_named_by_sequence_or_digest(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        async with operated(looks, tmp_path) as operator:
            for body in ("One.", "Two.", "One."):
                operator.server.publish(row("a", body=body))
            _, first, second, third = operator.server.current.layers[DEPLOYMENT].generations
            assert first.digest == third.digest
            named = [
                (pb.GenerationName(sequence=2), 2),
                (pb.GenerationName(digest=second.digest), 3),
                # Of two that are equal, the newest.
                (pb.GenerationName(digest=first.digest), 4),
            ]
            for name, sequence in named:
                request = pb.GetGenerationRequest(partition=HERE, generation=name)
                told = await operator.call(request, pb.GetGenerationResponse)
                assert told.generation.sequence == sequence
            for unknown in (
                pb.GenerationName(sequence=5),
                pb.GenerationName(sequence=0),
                pb.GenerationName(sequence=2**64 - 1),
                pb.GenerationName(digest=hashlib.sha256(b"").hexdigest()),
            ):
                for request_ in (
                    pb.GetGenerationRequest(partition=HERE, generation=unknown),
                    pb.DiffGenerationsRequest(partition=HERE, before=unknown),
                    pb.DiffGenerationsRequest(partition=HERE, before={"sequence": 1}, after=unknown),
                ):
                    refusal = await operator.refused(request_)
                    assert (refusal.code, refusal.reason, refusal.metadata) == (
                        grpc.StatusCode.FAILED_PRECONDITION,
                        "GENERATION_EXPIRED",
                        {"current_token": ""},
                    )

    async def test_a_page_of_a_generation_that_is_held_no_more_has_expired(
        self, looks: ScriptedLooks, tmp_path: Path
    ) -> None:
        world = World(limits=Limits(retained_generations=1, retained_at_most=1))
        async with operated(looks, tmp_path, row("a"), row("b"), world=world) as operator:
            request = pb.GetGenerationRequest(partition=HERE, page_size=1)
            request.page_token = (await operator.call(request, pb.GetGenerationResponse)).next_page_token
            operator.server.publish(row("c"))
            assert (await operator.refused(request)).reason == "GENERATION_EXPIRED"

    async def test_a_difference_says_what_of_a_skill_is_another(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        before = (
            row("content"),
            row("flags"),
            row("gone"),
            row("kept"),
            row("moved", source="house"),
            row("trust"),
        )
        after = (
            row("content", body="Anew."),
            row("flags", user=False),
            row("kept"),
            row("moved", source="vendor"),
            row("moved", source="house", shadowed=True),
            row("kept", source="other", shadowed=True),
            row("new"),
            row("trust", trust=Trust.ASK),
        )
        async with operated(looks, tmp_path, *before) as operator:
            operator.server.publish(*after)
            for size in (0, 1, 2, 5):
                request = pb.DiffGenerationsRequest(partition=HERE, before={"sequence": 2}, page_size=size)
                pages = await operator.pages(request, pb.DiffGenerationsResponse)
                assert [name for page in pages for name in page.added] == ["new"]
                assert [name for page in pages for name in page.removed] == ["gone"]
                modified = {each.name: each for page in pages for each in page.modified}
                assert list(modified) == ["content", "flags", "moved", "trust"]
                what = {name: (each.content, each.policy, each.source_after) for name, each in modified.items()}
                assert what["content"] == (True, False, "")
                assert what["trust"] == (False, True, "")
                assert what["moved"] == (False, False, "vendor")
                # The flags stand in the skill's own files.
                assert what["flags"] == (True, True, "")
                assert modified["moved"].source_before == "house"
                for page in pages:
                    totals = (page.added_total, page.modified_total, page.removed_total, page.shadowed_total)
                    assert totals == (1, 4, 1, 1)
                    assert (page.before.sequence, page.after.sequence) == (2, 3)
            backwards = pb.DiffGenerationsRequest(partition=HERE, before={"sequence": 3}, after={"sequence": 2})
            told = await operator.call(backwards, pb.DiffGenerationsResponse)
            assert (list(told.added), list(told.removed), told.shadowed_total) == (["gone"], ["new"], 1)

    async def test_a_large_difference_is_paged_whole(self, looks: ScriptedLooks, tmp_path: Path) -> None:
        blobs = MemoryBlobStore()
        rows = [skill_row(blobs, f"s{number:04}") for number in range(2500)]
        async with operated(looks, tmp_path, *rows) as operator:
            request = pb.DiffGenerationsRequest(partition=HERE, before={"sequence": 1})
            pages = await operator.pages(request, pb.DiffGenerationsResponse)
        assert [len(page.added) for page in pages] == [1000, 1000, 500]
        assert [name for page in pages for name in page.added] == [each.name for each in rows]


async def test_a_partition_is_told_nothing_of_another(tmp_path: Path) -> None:
    looks = ScriptedLooks()
    looks.feed(DEPLOYMENT, report("house"), said=(say("a", "house"),))
    looks.feed(ALICE, report("house"), said=(say("b", "house"),))
    async with operated(looks, tmp_path, partitions=(DEPLOYMENT, ALICE)) as operator:
        operator.server.publish(row("of-all"))
        operator.server.publish(row("of-alice"), partition=ALICE)
        for partition, name, skill in ((HERE, "of-all", "a"), (OF_ALICE, "of-alice", "b")):
            told = await operator.call(pb.GetGenerationRequest(partition=partition), pb.GetGenerationResponse)
            assert [each.name for each in told.rows] == [name]
            said = await operator.call(pb.ListDiagnosticsRequest(partition=partition), pb.ListDiagnosticsResponse)
            assert [each.skill for each in said.diagnostics] == [skill]


async def test_what_the_deployment_hides_is_told_of_a_partition_that_no_source_feeds(tmp_path: Path) -> None:
    looks = ScriptedLooks()
    looks.feed(DEPLOYMENT, report("house"))
    async with operated(looks, tmp_path, partitions=(DEPLOYMENT, ALICE)) as operator:
        operator.server.publish(row("a", source="house"), row("b", source="house"))
        operator.server.publish(row("a", source="learned"), row("own", source="learned"), partition=ALICE)
        for partition, hidden in ((HERE, []), (OF_ALICE, [("shadowed", "learned", "a")])):
            said = await operator.call(pb.ListDiagnosticsRequest(partition=partition), pb.ListDiagnosticsResponse)
            assert [(each.code, each.source, each.skill) for each in said.diagnostics] == hidden
