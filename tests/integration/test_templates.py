"""Folders of tenants by a template: what each is served of its own, when, and what that costs. Over real gRPC."""

import asyncio
import threading
from collections.abc import Collection, Sequence
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import admin_pb2 as admin
from skillsource.v1 import skill_pb2 as skill_pb
from typing_extensions import override

from skillsvc.catalog.in_use import Templated
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.skill import Found
from skillsvc.sources.source import Observation
from tests.integration.in_process import World
from tests.integration.tenancy import ALICE, ALICE_P, BOB, FOLDERS, IDLE_S, PATIENCE_S, POLL_S, named, template, tenancy
from tests.simulators.scripted_source import ScriptedSource
from tests.unit.sources.trees import grow, skill


async def test_each_tenant_is_served_its_own_folder_and_a_project_also_that_of_the_project(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "hers")
        served.write(BOB, "his")
        served.write(ALICE_P, "project")
        assert await served.names("alice") == ["hers"]
        assert await served.names("bob") == ["his"]
        assert await served.names("alice", "p") == ["hers", "project"]
        assert await served.names("bob", "p") == ["his"]
        assert (await served.no_body("bob", "hers")).reason == "SKILL_NOT_FOUND"
        assert await served.names("guest") == ["hers"]


async def test_the_first_who_asks_waits_for_the_look_and_what_was_seen_is_complete(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, *(f"skill-{number}" for number in range(50)))
        answer = await served.listed("alice")
        assert (len(answer.skills), answer.generation.complete) == (50, True)


async def test_nothing_is_looked_at_and_no_layer_is_there_before_somebody_asks(tmp_path: Path) -> None:
    for name in ("alice", "bob"):
        grow(tmp_path, {f"skills/token%3A{name}/%/a/SKILL.md": skill("a")})
    async with tenancy(tmp_path) as served:
        assert list(served.current.partitions) == [DEPLOYMENT]
        await served.names("alice")
        assert list(served.current.partitions) == [DEPLOYMENT, ALICE]
        assert list(served.in_use.partitions) == [ALICE]


async def test_a_template_without_a_project_feeds_what_is_of_the_principal_in_all_its_projects(tmp_path: Path) -> None:
    async with tenancy(tmp_path, template(path="skills/{principal}")) as served:
        served.write_at("skills/token%3Aalice", "hers")
        assert await served.names("alice") == ["hers"]
        assert await served.names("alice", "p") == ["hers"]
        assert list(served.in_use.partitions) == [ALICE]


async def test_a_folder_that_comes_later_is_seen_when_the_next_look_would_have_been(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        assert await served.names("alice") == []
        served.write(ALICE, "late")
        assert await served.names("alice") == []
        served.pass_time(POLL_S)
        assert await served.names("alice") == ["late"]


async def test_what_is_edited_added_and_removed_in_a_folder_is_seen(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "one", "two")
        assert await served.names("alice") == ["one", "two"]
        served.write(ALICE, "three")
        (served.folder(ALICE) / "one" / "SKILL.md").rename(tmp_path / "gone")
        (served.folder(ALICE) / "one").rmdir()
        await served.until("alice", ["three", "two"])
        served.write(ALICE, "two", description="Another.")
        while (await served.descriptions("alice"))["two"] != "Another.":
            pass


async def test_a_watcher_is_told_of_an_edit_in_a_folder(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "one")
        watcher = served.server.of("alice").watch()
        assert (await watcher.event()).resync
        served.write(ALICE, "two")
        event = await watcher.event()
        assert [each.name for each in event.added] == ["two"]


async def test_a_folder_that_is_watched_stays_in_use_and_one_that_comes_is_told(tmp_path: Path) -> None:
    world = World(limits=Limits(heartbeat_s=0.05))
    async with tenancy(tmp_path, world=world) as served:
        served.write(BOB, "his")
        his, hers = served.server.of("bob").watch(), served.server.of("alice").watch()
        assert (await his.event()).resync
        assert (await hers.event()).resync
        served.write(ALICE, "late")
        served.pass_time(IDLE_S - 1)
        # With its next word each was asked for.
        assert (await his.event()).heartbeat
        assert (await his.event()).heartbeat
        served.pass_time(1)
        served.in_use.let_idle_go()
        assert BOB in served.in_use.partitions
        event = await hers.event()
        while event.heartbeat:
            event = await hers.event()
        assert event.resync or [each.name for each in event.added] == ["late"]


@pytest.mark.parametrize("where", ["the folder", "what is on the way", "the folder, to another tenant's"])
async def test_no_link_leads_to_a_folder(tmp_path: Path, where: str) -> None:
    async with tenancy(tmp_path) as served:
        served.write(BOB, "his")
        served.write_at("elsewhere/%", "secret")
        (tmp_path / "skills/token%3Aalice").mkdir()
        match where:
            case "the folder":
                served.folder(ALICE).symlink_to(tmp_path / "elsewhere/%")
            case "what is on the way":
                (tmp_path / "skills/token%3Aalice").rmdir()
                (tmp_path / "skills/token%3Aalice").symlink_to("../elsewhere")
            case _:
                served.folder(ALICE).symlink_to(f"../{FOLDERS[BOB]}")
        answer = await served.listed("alice")
        assert (list(answer.skills), answer.generation.complete) == ([], False)
        told = (await served.sources(ALICE))["tenants"]
        assert "link" in told.last_error
        assert await served.names("bob") == ["his"]


async def test_no_link_leads_out_of_a_folder_into_another_tenants(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(BOB, "his")
        served.write(ALICE, "hers")
        (served.folder(ALICE) / "his").symlink_to(f"../../{FOLDERS[BOB]}/his")
        (served.folder(ALICE) / "bobs").symlink_to(served.folder(BOB) / "his")
        assert await served.names("alice") == ["hers"]


async def test_a_file_in_place_of_a_folder_is_no_folder_and_no_absence(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.folder(ALICE).parent.mkdir(parents=True)
        served.folder(ALICE).write_text("no folder")
        answer = await served.listed("alice")
        assert (list(answer.skills), answer.generation.complete) == ([], False)


async def test_a_folder_that_is_gone_keeps_its_skills_for_a_while_and_then_has_none(tmp_path: Path) -> None:
    world = World()
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "hers")
        assert await served.names("alice") == ["hers"]
        served.remove(ALICE)
        while (answer := await served.listed("alice")).generation.complete:
            pass
        assert [each.name for each in answer.skills] == ["hers"]
        served.pass_time(world.limits.missing_after_s)
        await served.until("alice", [])
        assert (await served.listed("alice")).generation.complete


async def test_what_is_idle_is_looked_at_no_more_and_is_there_again_when_it_is_asked_for(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "one")
        before = await served.listed("alice")
        served.let_idle_go()
        assert not served.in_use.partitions
        assert list(served.loop.partitions) == []
        assert served.current.has_layer(ALICE)
        again = await served.listed("alice")
        assert again.generation.token == before.generation.token
        served.let_idle_go()
        served.write(ALICE, "two")
        # The request waits for the look.
        assert await served.names("alice") == ["one", "two"]


async def test_what_somebody_asks_for_stays_in_use(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "hers")
        served.write(BOB, "his")
        await served.names("alice")
        await served.names("bob")
        served.pass_time(IDLE_S / 2)
        await served.names("bob")
        served.pass_time(IDLE_S / 2)
        served.in_use.let_idle_go()
        assert list(served.in_use.partitions) == [BOB]


async def test_layers_of_folders_are_in_memory_within_the_bytes_for_them_alone(tmp_path: Path) -> None:
    world = World(limits=Limits(resident_layer_bytes=16_000))
    callers = [Partition("token:alice", f"p{number}") for number in range(20)]
    async with tenancy(tmp_path, world=world) as served:
        for each in callers:
            served.write_at(f"skills/token%3Aalice/{each.project}", "one")
            assert await served.names("alice", each.project) == ["one"]
        served.in_use.let_idle_go()
        assert 1 <= len(served.in_use.partitions) < 10
        assert len(served.current.layers) < 12
        for each in callers:
            assert await served.names("alice", each.project) == ["one"]


async def test_after_a_restart_the_last_good_is_served_where_the_folder_cannot_be_read(tmp_path: Path) -> None:
    world = World()
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "hers")
        before = await served.listed("alice")
    away = tmp_path / "away"
    folder = tmp_path / "skills" / FOLDERS[ALICE]
    folder.rename(away)
    folder.symlink_to(away)
    async with tenancy(tmp_path, world=world) as served:
        answer = await served.listed("alice")
        assert answer.generation.token == before.generation.token
        assert (answer.skills, answer.generation.complete) == (before.skills, False)


async def test_after_a_restart_what_the_folder_holds_is_served(tmp_path: Path) -> None:
    world = World()
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "one")
        assert await served.names("alice") == ["one"]
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "two")
        assert await served.names("alice") == ["one", "two"]


async def test_a_revoke_in_a_folders_partition_holds_whatever_is_let_go_or_started(tmp_path: Path) -> None:
    world = World()
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "bad", "good")
        # Nobody has asked for the partition yet.
        request = admin.RevokeSkillRequest(partition=named(ALICE), name="bad")
        assert (await served.operator.call(request, admin.RevokeSkillResponse)).changed
        assert await served.names("alice") == ["good"]
        served.let_idle_go()
        served.write(ALICE, "bad", description="Again.")
        assert await served.names("alice") == ["good"]
    async with tenancy(tmp_path, world=world) as served:
        assert await served.names("alice") == ["good"]
        assert (await served.no_body("alice", "bad")).reason == "SKILL_NOT_FOUND"
        lift = admin.LiftRevokeRequest(partition=named(ALICE), name="bad")
        assert (await served.operator.call(lift, admin.LiftRevokeResponse)).changed
        await served.until("alice", ["bad", "good"])


async def test_a_revoke_and_a_clear_go_on_where_a_folder_cannot_be_brought_into_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "bad", "good")
        assert await served.names("alice") == ["bad", "good"]
        learned = [admin.LearnedSkill(name="learned", description="Learned.", body="Do it.")]
        content = admin.PartitionContent(partition=named(BOB), skills=learned)
        await served.operator.call(
            admin.RefreshPartitionsRequest(partitions=[content]), admin.RefreshPartitionsResponse
        )
        assert await served.names("bob") == ["learned"]
        revoke = admin.RevokeSkillRequest(partition=named(ALICE), name="bad")
        clear = admin.ClearPartitionsRequest(partitions=[admin.PartitionEmptied(partition=named(BOB))])
        with monkeypatch.context() as patched:

            def refuse(*_partitions: object) -> None:
                raise Unavailable(ErrorReason.SOURCE_UNREACHABLE, "it takes too long")

            patched.setattr(served.in_use, "holds", lambda _partitions: False)
            patched.setattr(served.in_use, "bring_in", refuse)
            assert (await served.operator.call(revoke, admin.RevokeSkillResponse)).changed
            # What is not known to have a layer is not said to have none.
            unknown = admin.RevokeSkillRequest(partition=named(ALICE_P), name="bad")
            assert (await served.operator.refused(unknown)).reason == "SOURCE_UNREACHABLE"
            await served.operator.call(clear, admin.ClearPartitionsResponse)
            # To publish is no matter of haste.
            again = admin.RefreshPartitionsRequest(partitions=[content])
            assert (await served.operator.refused(again)).reason == "SOURCE_UNREACHABLE"
        assert await served.names("alice") == ["good"]
        assert await served.names("bob") == []


async def test_the_deployment_wins_over_the_names_of_a_folder(tmp_path: Path) -> None:
    async with tenancy(tmp_path, {"name": "house", "path": "house"}, template()) as served:
        served.write_at("house", "shared", description="The operator's.")
        served.write(ALICE, "shared", "hers", description="Hers.")
        await served.until("bob", ["shared"])
        assert await served.descriptions("alice") == {"shared": "The operator's.", "hers": "Hers."}


async def test_templates_and_what_is_declared_for_a_partition_are_merged_in_their_order(tmp_path: Path) -> None:
    declared: dict[str, object] = {"name": "own", "path": "own", "partition": {"principal": "token:alice"}}
    order = (template("first", "first/{principal}"), declared, template("last", "last/{principal}/{project}"))
    async with tenancy(tmp_path, *order) as served:
        served.write_at("first/token%3Aalice", "a", description="first")
        served.write_at("own", "a", "b", description="own")
        served.write_at("last/token%3Aalice/%", "a", "b", "c", description="last")
        served.write_at("last/token%3Abob/%", "c", description="last")
        served.write_at("first/token%3Abob", "c", description="first")
        while await served.descriptions("alice") != {"a": "first", "b": "own", "c": "last"}:
            pass
        assert await served.descriptions("bob") == {"c": "first"}
        assert list(await served.sources(ALICE)) == ["first", "own", "last"]
        assert list(await served.sources(BOB)) == ["first", "last"]
        # What somebody has named is looked at all the time.
        assert list(served.in_use.partitions) == [BOB]


async def test_what_a_program_publishes_to_a_partition_with_a_folder_is_left_to_the_folder(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "hers")
        learned = [admin.LearnedSkill(name="learned", description="Learned.", body="Do it.")]
        request = admin.RefreshPartitionsRequest(
            partitions=[admin.PartitionContent(partition=named(each), skills=learned) for each in (ALICE, BOB)]
        )
        answer = await served.operator.call(request, admin.RefreshPartitionsResponse)
        assert [each.verdict for each in answer.partitions] == [
            admin.PARTITION_VERDICT_FED_BY_SOURCES,
            admin.PARTITION_VERDICT_PUBLISHED,
        ]
        assert await served.names("alice") == ["hers"]
        assert await served.names("bob") == ["learned"]
        # The folder of whoever has one from now on is what counts.
        served.write(BOB, "his")
        served.pass_time(POLL_S)
        assert await served.names("bob") == ["his"]


async def test_operators_are_told_of_a_folder_and_may_have_it_looked_at(tmp_path: Path) -> None:
    slow = template(poll_s=10_000.0)
    async with tenancy(tmp_path, slow) as served:
        served.write(ALICE, "one")
        told = (await served.sources(ALICE))["tenants"]
        assert (told.kind, told.state, told.skills) == ("directory", admin.SOURCE_STANDING_COMPLETE, 1)
        served.write(ALICE, "two")
        answer = await served.operator.call(admin.RefreshRequest(partition=named(ALICE)), admin.RefreshResponse)
        assert (list(answer.added), answer.after.sequence) == (["two"], answer.before.sequence + 1)
        refusal = await served.operator.refused(admin.ListSourcesRequest(partition=named(BOB)))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "PARTITION_NOT_FOUND")


async def test_a_look_that_the_question_has_begun_tells_what_it_found_too(tmp_path: Path) -> None:
    async with tenancy(tmp_path, template(poll_s=10_000.0)) as served:

        async def refreshed() -> tuple[list[str], list[str]]:
            answer = await served.operator.call(admin.RefreshRequest(partition=named(ALICE)), admin.RefreshResponse)
            return list(answer.added), list(answer.modified)

        served.write(ALICE, "one")
        # Nobody has asked about her before.
        assert await refreshed() == (["one"], [])
        assert await refreshed() == ([], [])
        served.let_idle_go()
        served.write(ALICE, "one", description="Another.")
        served.write(ALICE, "two")
        assert list(served.in_use.partitions) == []
        assert await refreshed() == (["two"], ["one"])


async def test_a_folder_beyond_its_quota_keeps_what_it_had_and_others_go_on(tmp_path: Path) -> None:
    world = World(limits=Limits(partition_skills=2))
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "a", "b")
        served.write(BOB, "a", "b", "c")
        assert await served.names("alice") == ["a", "b"]
        assert await served.names("bob") == []
        told = (await served.sources(BOB))["tenants"]
        assert "at most 2 skills" in told.last_error
        (served.folder(BOB) / "c" / "SKILL.md").unlink()
        await served.until("bob", ["a", "b"])


async def test_a_reload_without_the_template_takes_its_skills_out_of_what_is_in_use_and_what_is_not(
    tmp_path: Path,
) -> None:
    world = World()
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "hers")
        served.write(BOB, "his")
        assert await served.names("bob") == ["his"]
        served.let_idle_go()
        assert await served.names("alice") == ["hers"]
        served.declare()
        await served.until("alice", [])
        # Nobody has looked at his, and what was left of it is not served all the same.
        assert await served.names("bob") == []
        served.declare(template())
        await served.until("alice", ["hers"])
        assert await served.names("bob") == ["his"]


async def test_a_start_without_the_template_serves_nothing_of_it(tmp_path: Path) -> None:
    world = World()
    async with tenancy(tmp_path, world=world) as served:
        served.write(ALICE, "hers")
        assert await served.names("alice") == ["hers"]
    async with tenancy(tmp_path, {"name": "house", "path": "house"}, world=world) as served:
        assert await served.names("alice") == []


async def test_a_start_without_what_was_declared_for_a_partition_serves_nothing_of_it(tmp_path: Path) -> None:
    world = World()
    own: dict[str, object] = {"name": "own", "path": "own", "partition": {"principal": "token:alice"}}
    async with tenancy(tmp_path, own, world=world) as served:
        served.write_at("own", "hers")
        await served.until("alice", ["hers"])
    async with tenancy(tmp_path, {"name": "house", "path": "house"}, world=world) as served:
        assert await served.names("alice") == []
        assert not served.in_use.partitions


async def test_a_reload_with_another_template_looks_there(tmp_path: Path) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "old")
        served.write(ALICE, "new", below="other")
        assert await served.names("alice") == ["old"]
        assert await served.names("bob") == []
        served.write(BOB, "his", below="other")
        served.declare(template(path="other/{principal}/{project}"))
        await served.until("alice", ["new"])
        assert await served.names("bob") == ["his"]


async def test_a_partition_that_is_declared_by_a_reload_is_looked_at_from_then_on(tmp_path: Path) -> None:
    declared: dict[str, object] = {"name": "own", "path": "own", "partition": {"principal": "token:alice"}}
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "hers")
        served.write_at("own", "named")
        assert await served.names("alice") == ["hers"]
        served.declare(template(), declared)
        await served.until("alice", ["hers", "named"])
        assert not served.in_use.partitions
        served.declare(template())
        await served.until("alice", ["hers"])
        served.let_idle_go()
        assert await served.names("alice") == ["hers"]


async def test_what_a_trust_is_lowered_to_is_in_force_for_a_folder_that_nobody_has_asked_for_since(
    tmp_path: Path,
) -> None:
    async with tenancy(tmp_path) as served:
        served.write(ALICE, "hers")
        (trusted,) = (await served.listed("alice")).skills
        assert trusted.trust == skill_pb.TRUST_ALLOWED
        served.let_idle_go()
        served.declare(template(trust="untrusted"))
        (untrusted,) = (await served.listed("alice")).skills
        assert untrusted.trust == skill_pb.TRUST_UNTRUSTED


class Slow(ScriptedSource):
    """A source whose place is there, and whose looks last until they are let go on."""

    def __init__(self, go_on: threading.Event) -> None:
        super().__init__("tenants")
        self._go_on = go_on

    def is_there(self) -> bool:
        return True

    @override
    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        assert self._go_on.wait(PATIENCE_S)
        return super().observe(changed, held=held)


async def test_who_asks_first_waits_a_while_for_a_look_that_hangs_and_nobody_else_does(tmp_path: Path) -> None:
    going, hanging = threading.Event(), threading.Event()
    going.set()
    slow = Templated(
        label="tenants",
        kind="directory",
        poll_s=10_000.0,
        feeds=lambda partition: partition in {ALICE, BOB},
        source_of=lambda partition: Slow(hanging if partition == ALICE else going),
    )
    async with tenancy(tmp_path, world=World(limits=Limits(wait_for_generation_s=0.05))) as served:
        served.in_use.replace({DEPLOYMENT: ()}, [slow])
        try:
            assert not (await served.listed("alice")).generation.complete
            while not (await served.listed("bob")).generation.complete:
                pass
            assert (await served.sources(ALICE))["tenants"].looking
            # Whoever asks again waits for it no more, and is told the same.
            assert not (await served.listed("alice")).generation.complete
        finally:
            hanging.set()
        while not (await served.listed("alice")).generation.complete:
            pass


class Hidden(ScriptedSource):
    """A source whose place is looked for until that is let go on; there is nothing at it."""

    def __init__(self, begun: threading.Semaphore, go_on: threading.Event) -> None:
        super().__init__("tenants")
        self._begun = begun
        self._go_on = go_on

    def is_there(self) -> bool:
        self._begun.release()
        assert self._go_on.wait(PATIENCE_S)
        return False


async def test_places_of_one_principal_that_hang_take_no_thread_from_the_places_of_others(tmp_path: Path) -> None:
    going, hanging = threading.Event(), threading.Event()
    going.set()
    hers, others = threading.Semaphore(0), threading.Semaphore(0)
    hidden = Templated(
        label="tenants",
        kind="directory",
        poll_s=10_000.0,
        feeds=lambda partition: partition != DEPLOYMENT,
        source_of=lambda partition: (
            Hidden(hers, hanging) if partition.principal == ALICE.principal else Hidden(others, going)
        ),
    )
    async with tenancy(tmp_path) as served:
        served.in_use.replace({DEPLOYMENT: ()}, [hidden])
        asked = [asyncio.create_task(served.names("alice", f"p{number}")) for number in range(100)]
        try:
            assert await asyncio.to_thread(hers.acquire, timeout=PATIENCE_S)
            assert await served.names("bob", "p") == []
            # One of hers is looked for, and the others wait for that.
            assert not hers.acquire(blocking=False)
            assert not any(task.done() for task in asked)
        finally:
            hanging.set()
        assert await asyncio.gather(*asked) == [[]] * 100


async def test_what_a_caller_names_costs_no_memory_where_it_has_no_folder(tmp_path: Path) -> None:
    async with tenancy(tmp_path, template(poll_s=10_000.0)) as served:
        served.write(ALICE, "hers")
        for number in range(300):
            assert await served.names("alice", f"p{number}") == ["hers"]
        assert list(served.in_use.partitions) == [ALICE]
        assert list(served.current.partitions) == [DEPLOYMENT, ALICE]
        assert list(served.loop.partitions) == [ALICE]
