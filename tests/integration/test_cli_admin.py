"""The commands of operators, each a process of its own, against a server whose looks and catalog the test makes."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from skillsource.v1 import admin_pb2 as pb

from skillsvc.catalog.reports import Looked, ReportedState
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.trust import Tier, Trust
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.admin_in_process import HERE, Operator, operated
from tests.integration.commands import Done, skillsvc
from tests.patience import PATIENCE_S
from tests.simulators.clock import START
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import skill_row

GARDEN = Partition(principal="local", project="garden")
COMMANDS = [
    ["sources"],
    ["refresh"],
    ["diagnostics"],
    ["generations"],
    ["diff", "1"],
    ["partitions"],
    ["revoke", "a"],
    ["lift", "a"],
]
SAID = (
    Diagnostic(
        severity=Severity.ERROR, code=DiagnosticCode.NUL_BYTE, message="It holds NUL.", skill="bad", source="house"
    ),
    Diagnostic(
        severity=Severity.NOTE, code=DiagnosticCode.FIELD_UNKNOWN, message="Unknown \x1b[31m.", skill="a", source="far"
    ),
)


def row(name: str, **fields: object) -> Row:
    return skill_row(MemoryBlobStore(), name, **fields)  # type: ignore[arg-type] # of any field


def looks() -> ScriptedLooks:
    made = ScriptedLooks()
    made.feed(
        DEPLOYMENT,
        report("house", skills=2, diagnostics=1, last_success_at=START, next_look_at=START + timedelta(seconds=60)),
        report(
            "far",
            kind="git",
            tier=Tier.REGISTERED,
            trust=Trust.ASK,
            state=ReportedState.STALE,
            last_error="nobody answers",
            revision="c0ffee" * 5,
            looking=True,
        ),
        said=SAID,
    )
    made.feed(GARDEN)
    return made


@asynccontextmanager
async def a_server(folder: Path, looks: ScriptedLooks) -> AsyncIterator[Operator]:
    """A server of three generations: empty, then a and b, then a anew, c and a shadowed one."""
    async with operated(looks, folder, row("a", source="house"), row("b"), partitions=(DEPLOYMENT, GARDEN)) as operator:
        operator.server.publish(row("a", source="house", body="Anew."), row("c"), row("c", source="far", shadowed=True))
        operator.server.publish(row("of-garden"), partition=GARDEN)
        yield operator


async def run(folder: Path, *arguments: str, **variables: str) -> Done:
    return await asyncio.to_thread(skillsvc, *arguments, "--data-dir", folder, **variables)


def columns(done: Done) -> list[list[str]]:
    assert (done.status, done.complained) == (0, "")
    return [line.split("\t") for line in done.lines]


async def test_sources_are_told_as_they_stand(tmp_path: Path) -> None:
    async with a_server(tmp_path, looks()):
        done = await run(tmp_path, "sources")
    assert columns(done) == [
        ["house", "directory", "COMPLETE", "allowed", "2", "1", "2026-03-29T00:59:59Z", "2026-03-29T01:00:59Z", "", ""],
        ["far", "git", "STALE", "ask", "0", "0", "", "now", "c0ffee" * 5, "nobody answers"],
    ]


async def test_diagnostics_are_narrowed_and_printable(tmp_path: Path) -> None:
    async with a_server(tmp_path, looks()):
        every = await run(tmp_path, "diagnostics")
        narrowed = [
            await run(tmp_path, "diagnostics", *words)
            for words in (["--min-severity", "error"], ["--source", "house"], ["--skill", "bad"])
        ]
        nowhere = await run(tmp_path, "diagnostics", "--source", "attic")
    assert columns(every) == [
        ["note", "far", "a", "field-unknown", "Unknown  [31m."],
        ["error", "house", "bad", "nul-byte", "It holds NUL."],
    ]
    for done in narrowed:
        assert columns(done) == [["error", "house", "bad", "nul-byte", "It holds NUL."]]
    assert (nowhere.status, nowhere.printed) == (1, b"")
    assert nowhere.complained == "skillsvc: the partition has no source of this name (SOURCE_NOT_FOUND)\n"


async def test_generations_that_are_held_and_the_skills_of_one(tmp_path: Path) -> None:
    async with a_server(tmp_path, looks()) as operator:
        generations = operator.server.current.layers[DEPLOYMENT].generations
        held = await run(tmp_path, "generations")
        by_names = [await run(tmp_path, "generations", name) for name in ("2", generations[1].digest[:12])]
        present = await run(tmp_path, "generations", "3")
        gone = await run(tmp_path, "generations", "99")
        unknown = await run(tmp_path, "generations", "abcdefabcdef")
    assert [line[:1] + line[2:] for line in columns(held)] == [
        ["3", "2", "1", generations[2].digest],
        ["2", "2", "0", generations[1].digest],
        ["1", "0", "0", generations[0].digest],
    ]
    for done in by_names:
        assert [line[:4] for line in columns(done)] == [
            ["a", "house", "listed", "allowed"],
            ["b", "main", "listed", "allowed"],
        ]
    assert ["c", "far", "shadowed", "allowed"] in [line[:4] for line in columns(present)]
    assert (gone.status, gone.complained.rstrip().endswith("(GENERATION_EXPIRED)")) == (1, True)
    assert (unknown.status, unknown.complained.rstrip().endswith("(GENERATION_EXPIRED)")) == (1, True)


async def test_a_difference_names_what_of_each_skill_is_another(tmp_path: Path) -> None:
    async with a_server(tmp_path, looks()):
        done = await run(tmp_path, "diff", "2", "3")
        to_present = await run(tmp_path, "diff", "2")
        none = await run(tmp_path, "diff", "3", "3")
    assert done.lines == ["modified\ta\tcontent", "removed\tb\t", "added\tc\t"]
    assert (to_present.lines, none.lines) == (done.lines, [])
    assert done.complained == "skillsvc: 1 shadowed skill changed, too, which neither generation lists\n"
    assert (done.status, none.status) == (0, 0)


async def test_partitions_are_listed_and_one_is_named_by_principal_and_project(tmp_path: Path) -> None:
    async with a_server(tmp_path, looks()):
        listed = await run(tmp_path, "partitions")
        named = [
            await run(tmp_path, "generations", "2", *words)
            for words in (["--project", "garden"], ["--partition", "local", "--project", "garden"])
        ]
        unknown = await run(tmp_path, "sources", "--partition", "local")
    assert columns(listed) == [
        ["deployment", "", "3", "2", "2", "3", "complete", "0"],
        ["local", "garden", "2", "1", "0", "2", "complete", "0"],
    ]
    for done in named:
        assert [line[0] for line in columns(done)] == ["of-garden"]
    assert (unknown.status, unknown.complained.rstrip().endswith("(PARTITION_NOT_FOUND)")) == (1, True)


async def test_a_name_is_revoked_and_lifted_and_each_says_what_came_of_it(tmp_path: Path) -> None:
    looking = looks()
    async with a_server(tmp_path, looking) as operator:
        garden = ("--project", "garden")
        said = [
            await run(tmp_path, *words)
            for words in (
                ("revoke", "of-garden", *garden),
                ("revoke", "of-garden", *garden),
                ("revoke", "not-there", *garden),
                ("lift", "of-garden", *garden),
                ("lift", "of-garden", *garden),
            )
        ]
        unfit = await run(tmp_path, "revoke", "No Name")
        listed = await operator.server.list(project="garden")
    assert [columns(done) for done in said] == [
        [["of-garden is revoked; layer generation 2 -> 3"]],
        [["of-garden is revoked already; layer generation 3 is served"]],
        [["not-there is revoked; layer generation 3 does not list it anyway"]],
        [["of-garden may be published again"]],
        [["of-garden is not revoked"]],
    ]
    assert [skill.name for skill in listed.skills] == ["a", "c"]
    assert (unfit.status, unfit.complained.rstrip().endswith("(NAME_MALFORMED)")) == (2, True)


async def test_refresh_waits_and_prints_what_changed(tmp_path: Path) -> None:
    looking = looks()
    async with a_server(tmp_path, looking) as operator:
        before, after = operator.server.current.layers[DEPLOYMENT].generations[1:]
        command = asyncio.create_task(run(tmp_path, "refresh", "house", "--path", "a/SKILL.md", "--path", "c"))
        await asked(looking)
        assert looking.asked == [(DEPLOYMENT, ("house",), ("a/SKILL.md", "c"))]
        looking.looks[0].set_result(Looked(before=before, after=after))
        done = await command
    assert (done.status, done.complained) == (0, "")
    assert done.lines == ["modified\ta", "removed\tb", "added\tc"]


async def test_refresh_says_what_was_looked_at_where_nothing_changed(tmp_path: Path) -> None:
    looking = looks()
    [house, _] = looking.sources[DEPLOYMENT]
    looking.feed(DEPLOYMENT, house)
    told = []
    async with a_server(tmp_path, looking) as operator:
        present = operator.server.current.layers[DEPLOYMENT].present
        for number, words in enumerate(([], ["house", "--path", "nosuch", "--path", "a/b"]), start=1):
            command = asyncio.create_task(run(tmp_path, "refresh", *words))
            await asked(looking, number)
            looking.looks[-1].set_result(Looked(before=present, after=present))
            told.append(await command)
    assert [(done.status, done.printed) for done in told] == [(0, b"")] * 2
    assert [done.complained for done in told] == [
        "skillsvc: nothing changed: house was looked at\n",
        "skillsvc: nothing changed: house was looked at, for nosuch, a/b\n",
    ]


async def test_refresh_ends_with_status_1_where_a_source_could_not_be_seen(tmp_path: Path) -> None:
    looking = looks()
    async with a_server(tmp_path, looking) as operator:
        present = operator.server.current.layers[DEPLOYMENT].present
        command = asyncio.create_task(run(tmp_path, "refresh"))
        await asked(looking)
        looking.looks[0].set_result(Looked(before=present, after=present))
        done = await command
    assert (done.status, done.printed) == (1, b"")
    assert done.complained == "skillsvc: the source far is STALE: nobody answers\n"


async def test_a_time_that_is_over_is_told(tmp_path: Path) -> None:
    async with a_server(tmp_path, looks()):
        done = await run(tmp_path, "refresh", "--timeout", "0.5")
    assert (done.status, "DEADLINE_EXCEEDED" in done.complained) == (3, True)


async def test_json_is_the_message_with_its_pages_put_together(tmp_path: Path) -> None:
    looking = looks()
    many = tuple(
        Diagnostic(severity=Severity.NOTE, code=DiagnosticCode.FOLDED, message="m", skill=f"s{number:04}", source="far")
        for number in range(1500)
    )
    looking.feed(DEPLOYMENT, *looking.sources[DEPLOYMENT], said=many)
    async with a_server(tmp_path, looking) as operator:
        told = json.loads((await run(tmp_path, "diagnostics", "--json")).printed)
        assert [each["skill"] for each in told["diagnostics"]] == [each.skill for each in many]
        assert (told["total_size"], "next_page_token" in told) == (1500, False)
        sources: Message = await operator.call(pb.ListSourcesRequest(partition=HERE), pb.ListSourcesResponse)
        printed = json.loads((await run(tmp_path, "sources", "--json")).printed)
        assert printed == MessageToDict(sources, preserving_proto_field_name=True)
        for words in (
            ["generations"],
            ["generations", "2"],
            ["diff", "1"],
            ["partitions"],
            ["revoke", "x"],
            ["lift", "x"],
        ):
            assert json.loads((await run(tmp_path, *words, "--json")).printed)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
async def test_every_command_says_which_server_it_lacks(tmp_path: Path, command: list[str]) -> None:
    nowhere = await asyncio.to_thread(skillsvc, *command)
    assert (nowhere.status, "--data-dir" in nowhere.complained, "--admin" in nowhere.complained) == (2, True, True)
    no_folder = await run(tmp_path / "nowhere", *command)
    assert (no_folder.status, no_folder.complained.count("\n")) == (2, 1)
    no_server = await run(tmp_path, *command)
    assert (no_server.status, no_server.printed) == (3, b"")
    assert no_server.complained.startswith(f"skillsvc: no server answers at unix:{tmp_path}/admin.sock")


async def test_a_server_is_found_by_address_by_variables_and_by_a_long_path(tmp_path: Path) -> None:
    folder = tmp_path / ("a b%20" + "f" * 120)
    folder.mkdir()
    async with a_server(folder, looks()) as operator:
        ways = [
            await asyncio.to_thread(skillsvc, "sources", "--admin", operator.address),
            await asyncio.to_thread(skillsvc, "sources", SKILLSVC_ADMIN=operator.address),
            await asyncio.to_thread(skillsvc, "sources", SKILLSVC_DATA_DIR=os.fspath(folder)),
            await run(folder, "sources"),
        ]
    assert [len(columns(done)) for done in ways] == [2, 2, 2, 2]
    for wrong, why in (
        ("unix:", "unix: is no address of a socket: say unix:PATH"),
        ("example.org", "example.org has no port: say HOST:PORT, [IPV6]:PORT or unix:PATH"),
    ):
        done = await asyncio.to_thread(skillsvc, "sources", "--admin", wrong)
        assert (done.status, done.complained) == (2, f"skillsvc: {why}\n")


@pytest.mark.parametrize("name", ["", "UP", "x" * 65, "abcg"])
async def test_what_names_no_generation_is_told_at_once(tmp_path: Path, name: str) -> None:
    async with a_server(tmp_path, looks()):
        done = await run(tmp_path, "diff", name, "3")
    assert done.status == 2
    assert "generation" in done.complained


async def asked(looks: ScriptedLooks, times: int = 1) -> None:
    """Wait until so many looks were asked for."""
    async with asyncio.timeout(PATIENCE_S):
        while len(looks.looks) < times:  # noqa: ASYNC110 - asked for on this loop, by what tells nobody
            await asyncio.sleep(0.01)
