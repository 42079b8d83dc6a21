"""Rows 54 to 64 of the merged list: how fresh a catalog is. A docstring says what `rules.md` decides otherwise."""

import asyncio
import shutil
import threading
import time
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.calls import Caller
from tests.integration.conftest import Serve
from tests.integration.shelves import Shelves
from tests.patience import PATIENCE_S
from tests.simulators.scripted_provider import ScriptedProvider, Step, candidate, fails, gives
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


def invalidates_and(step: Step) -> Step:
    """Return a step that says that all changed while it is taken."""

    def invalidating(context: object) -> object:
        context.invalidate()  # type: ignore[attr-defined] # a context
        return step(context)  # type: ignore[arg-type] # a context

    return invalidating


async def test_row_54_a_rejecting_provider_leaves_its_siblings_and_is_asked_again(shelves: Shelves) -> None:
    rejecting = ScriptedProvider(fails(ValueError()))
    partial = ScriptedProvider(gives(candidate("b"), complete=False))
    shelves.provider("rejecting", rejecting.make)
    shelves.provider("partial", partial.make)
    shelves.directory("main", {"a/SKILL.md": skill("a")})
    async with shelves.serving() as catalog:
        for looks in (1, 2, 3):
            page = await catalog.page()
            assert [each.name for each in page.skills] == ["a", "b"]
            assert not page.generation.complete
            states = {each.source: each.state for each in page.generation.unreachable_sources}
            assert states == {"rejecting": pb.SOURCE_STATE_MISSING, "partial": pb.SOURCE_STATE_PARTIAL}
            assert (rejecting.looks, partial.looks) == (looks, looks)
            await catalog.look()


async def test_row_55_one_that_changes_while_it_is_asked_is_asked_twice_at_most(shelves: Shelves) -> None:
    once = ScriptedProvider(invalidates_and(gives(candidate("old"))), gives(candidate("new")))
    always = ScriptedProvider(invalidates_and(gives(candidate("always"))))
    shelves.provider("once", once.make)
    shelves.provider("always", always.make)
    async with shelves.serving() as catalog:
        page = await catalog.page()
        assert [each.name for each in page.skills] == ["always", "new"]
        assert (once.looks, always.looks) == (2, 2)
        assert [each.source for each in page.generation.unreachable_sources] == ["always"]


async def test_row_56_no_call_asks_a_provider(shelves: Shelves) -> None:
    """`rules.md` 5: a reader takes its view, which a look made before; there is no cache that could be too small."""
    provider = ScriptedProvider(gives(candidate("a")))
    shelves.provider("one", provider.make)
    async with shelves.serving() as catalog:
        for project in (f"p{number}" for number in range(200)):
            await catalog.page(project=project)
            await catalog.body("a", project=project)
        assert provider.looks == 1


async def test_row_57_a_change_is_told_and_after_the_source_is_gone_to_nobody(shelves: Shelves) -> None:
    provider = ScriptedProvider(gives(candidate("a")))
    source = shelves.provider("one", provider.make)
    async with shelves.serving() as catalog:
        deaf, watcher = catalog.server.watch(), catalog.server.watch()
        await watcher.event()
        context = provider.context
        assert context is not None
        provider.then(gives(candidate("a"), candidate("b")))
        context.invalidate()
        assert shelves.told == ["one"]
        await catalog.look()
        # Nobody who does not read holds up anybody who does.
        assert [each.name for each in (await watcher.event()).added] == ["b"]
        source.close()
        context.invalidate()
        assert (shelves.told, provider.looks) == (["one"], 2)
        deaf.stream.cancel()


async def test_row_58_a_hanging_provider_holds_up_no_call_and_a_stop_ends_the_look(shelves: Shelves) -> None:
    """`rules.md` 5: building never blocks readers, so that no call hangs; what is cancelled is the look."""
    gate, stop = threading.Event(), threading.Event()
    provider = ScriptedProvider(gives(candidate("a")))
    shelves.provider("one", provider.make, stopped=stop.is_set)
    async with shelves.serving() as catalog:
        provider.then(lambda _context: gate.wait(PATIENCE_S))
        looking = asyncio.create_task(catalog.look())
        assert await catalog.names() == ["a"]
        waiting = pb.ListSkillsRequest(consistency={"at_least": catalog.server.later_token()})
        calling = asyncio.create_task(catalog.server.call(waiting, pb.ListSkillsResponse))
        await catalog.server.settled()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert not looking.done()
        before = time.monotonic()
        stop.set()
        await looking
        assert time.monotonic() - before < PATIENCE_S / 2
        assert await catalog.names() == ["a"]
        gate.set()


def test_row_59_an_edit_of_any_file_of_a_skill_is_told_and_one_beside_all_skills_is_not(
    serve: Serve, tmp_path: Path
) -> None:
    """`rules.md` 5: a bundle's digest covers its assets, so that all of its files matter, at any depth."""
    root = grow(tmp_path / "skills", {"a/SKILL.md": skill("a"), "a/references/deep/x.txt": "1", "notes.txt": "1"})
    with Caller(serve(root).address) as caller, caller.watch() as watching:
        first = watching.next().generation.sequence
        grow(root, {"notes.txt": "2"})
        grow(root, {"a/references/deep/x.txt": "2"})
        event = watching.until(lambda event: bool(event.modified))
        assert ([each.name for each in event.modified], event.generation.sequence) == (["a"], first + 1)
        grow(root, {"a/SKILL.md": skill("a", "Edited.")})
        event = watching.until(lambda event: bool(event.modified))
        assert [each.description for each in event.modified] == ["Edited."]


def test_row_60_a_root_that_appears_goes_and_comes_back_is_followed(serve: Serve, tmp_path: Path) -> None:
    """`rules.md` 1, 5: where the kernel does not watch, looks come anyway, and `complete` tells of looks alone; of a
    root that is gone the last good observation stays, incomplete."""
    root = tmp_path / "far" / "skills"
    with Caller(serve(root).address) as caller, caller.watch() as watching:
        assert watching.next().generation.complete
        root.parent.mkdir()
        grow(root, {"a/SKILL.md": skill("a")})
        watching.until(lambda event: [each.name for each in event.added] == ["a"])
        shutil.rmtree(root)
        watching.until(lambda event: not event.generation.complete)
        assert caller.names() == ["a"]
        grow(root, {"b/SKILL.md": skill("b")})
        event = watching.until(lambda event: event.generation.complete)
        assert caller.names() == ["b"]
        assert event.removed or [each.name for each in event.added] == ["b"]


async def test_row_61_what_is_told_to_have_changed_is_fresh_without_a_watcher(shelves: Shelves) -> None:
    """`rules.md` 1: every declared source is looked at, so that none is evicted; there is no bound to run out of."""
    one = shelves.directory("one", {"a/SKILL.md": skill("a", "Old.")})
    two = shelves.directory("two", {"b/SKILL.md": skill("b", "Old.")})
    async with shelves.serving() as catalog:
        grow(one, {"a/SKILL.md": skill("a", "New.")})
        await catalog.look(one=["a/SKILL.md"])
        assert [each.description for each in (await catalog.page()).skills] == ["New.", "Old."]
        grow(two, {"b/SKILL.md": skill("b", "New.")})
        await catalog.look(two=["b/SKILL.md"])
        assert [each.description for each in (await catalog.page()).skills] == ["New.", "New."]


async def test_row_62_the_content_hash_changes_with_any_content(shelves: Shelves) -> None:
    """`rules.md` 5: the digest of a bundle is of its canonical encoding, and covers every asset, references too."""
    root = shelves.directory("main", {"a/SKILL.md": skill("a"), "a/references/x.md": "1"})
    async with shelves.serving() as catalog:
        digests = [(await catalog.skill("a")).digest]
        for edit in (
            {"a/SKILL.md": skill("a", body="Another body.")},
            {"a/references/x.md": "2"},
            {"a/SKILL.md": skill("a", "Another description.")},
        ):
            grow(root, edit)
            await catalog.look()
            digests.append((await catalog.skill("a")).digest)
        assert len(set(digests)) == 4
        grow(root, {"a/SKILL.md": skill("a"), "a/references/x.md": "1"})
        await catalog.look()
        assert (await catalog.skill("a")).digest == digests[0]


async def test_row_63_an_addition_an_edit_and_a_removal_are_told_as_such_and_a_fault_hides_nothing_else(
    shelves: Shelves,
) -> None:
    """`rules.md` 2: a malformed manifest refuses that skill only, where ARES keeps its old index for all of them."""
    root = shelves.directory("main", {f"{name}/SKILL.md": skill(name) for name in ("edited", "gone", "same")})
    async with shelves.serving() as catalog:
        watcher = catalog.server.watch(since=(await catalog.generation()).token)
        await watcher.event()
        grow(root, {"added/SKILL.md": skill("added"), "edited/SKILL.md": skill("edited", body="Edited.")})
        shutil.rmtree(root / "gone")
        await catalog.look()
        event = await watcher.event()
        assert [each.name for each in event.added] == ["added"]
        assert [each.name for each in event.modified] == ["edited"]
        assert list(event.removed) == ["gone"]
        grow(root, {"edited/skill.yaml": "tools: {"})
        await catalog.look()
        assert await catalog.names() == ["added", "same"]
        assert await catalog.body("same") == "Body"


async def test_row_64_a_deleted_skill_is_listed_no_more_and_not_had_by_its_name(shelves: Shelves) -> None:
    """`rules.md` 5: a list is a generation's, and a removed skill is in no later one."""
    root = shelves.directory("main", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    async with shelves.serving() as catalog:
        shutil.rmtree(root / "b")
        await catalog.look()
        assert await catalog.names() == ["a"]
        refusal = await catalog.server.refused(pb.SkillBodyRequest(name="b"))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "SKILL_NOT_FOUND")
