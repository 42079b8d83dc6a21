"""Readers that loop over a server while a test breaks what it serves from, and judge every answer."""

import hashlib
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from traceback import format_exc
from typing import Final

import grpc
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.calls import Caller
from tests.integration.faults.places import ASSET, names_of, said_of
from tests.patience import PATIENCE_S

_WHOLE_RUN_S: Final = 600.0
_REFUSED: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DATA_LOSS})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Expected:
    """What answers must be like as long as this is in force.

    `versions` are those that may be served of each source. `unreachable` is the state of each source that every
    answer names as such, None while that may change at any moment. Texts and assets of skills of the
    sources `wanting` may be refused.
    """

    versions: Mapping[str, Collection[int]]
    unreachable: Mapping[str, str] | None = None
    wanting: Collection[str] = ()

    def names(self) -> list[str]:
        """Return all names that there are, as they are listed."""
        return sorted(name for label in self.versions for name in names_of(label))


class Readers:
    """The readers of one server. `expect` says what holds; each answer is judged by what held while it was made."""

    def __init__(self, address: str, expected: Expected) -> None:
        """Begin nothing yet."""
        self._address = address
        self._expected = expected
        self._changed = threading.Condition()
        self._read: dict[str, Expected | None] = {}
        self._told: Mapping[str, str] | None = None
        self._ending = False
        self.faults: list[str] = []
        self.rounds = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Read as long as the context lasts."""
        work: dict[str, Callable[[Caller], None]] = {
            "whole": lambda caller: self._read_round("whole", caller, page_size=0),
            "paged": lambda caller: self._read_round("paged", caller, page_size=3),
            "watching": self._watch,
        }
        with ExitStack() as callers:
            threads = [
                threading.Thread(target=self._loop, args=(each, callers.enter_context(Caller(self._address))))
                for each in work.values()
            ]
            for thread in threads:
                thread.start()
            try:
                yield
            finally:
                self._ending = True
                # Whoever waits for an event waits no more.
                callers.close()
                for thread in threads:
                    thread.join()

    def expect(self, expected: Expected) -> None:
        """Have this in force from now on."""
        with self._changed:
            self._expected = expected

    def await_all(self) -> None:
        """Return once every reader has read all under what is in force, and the watcher was told of it."""
        expected = self._expected

        def have_read() -> bool:
            return bool(self.faults) or (
                len(self._read) == 2
                and all(read is expected for read in self._read.values())
                and self._told == expected.unreachable
            )

        with self._changed:
            done = self._changed.wait_for(have_read, PATIENCE_S)
        assert not self.faults, "\n".join(self.faults)
        assert done, f"the watcher was told {self._told} and not {expected.unreachable}"

    def _loop(self, work: Callable[[Caller], None], caller: Caller) -> None:
        try:
            while not self._ending:
                work(caller)
        except BaseException:  # noqa: BLE001 - told by the test
            if not self._ending:
                self._note(lambda: self.faults.append(format_exc()))

    def _note(self, note: Callable[[], object]) -> None:
        with self._changed:
            note()
            self._changed.notify_all()

    def _read_round(self, reader: str, caller: Caller, page_size: int) -> None:
        """Read the whole catalog, and all that it names."""
        before = self._expected
        generation, skills = _list(caller, page_size)
        self._judge(generation, before)
        versions = _versions_in(skills, before, self._expected)
        if generation.complete:
            assert all(len(of_source) == 1 for of_source in versions.values()), f"a mix is complete: {versions}"
        for skill in skills:
            self._read_skill(caller, skill, generation, before)
        self.rounds += 1
        if self._expected is before:
            self._note(lambda: self._read.__setitem__(reader, before))

    def _read_skill(self, caller: Caller, skill: skill_pb2.Skill, generation: pb.Generation, before: Expected) -> None:
        """Read a skill of this generation: it has one version, whatever is looked at."""
        at = pb.Consistency(at_exactly=generation.token)
        try:
            text = caller.call(pb.SkillBodyRequest(name=skill.name, consistency=at), pb.SkillBodyResponse)
            self._judge(text.generation, before)
            asset = caller.call(
                pb.ReadAssetRequest(skill=skill.name, asset=ASSET, consistency=at), pb.ReadAssetResponse
            )
            self._judge(asset.generation, before)
        except grpc.RpcError as error:
            if skill.source in {*before.wanting, *self._expected.wanting} and error.code() in _REFUSED:
                return
            raise
        assert text.body == skill.description == asset.data.decode()
        assert hashlib.sha256(text.body.encode()).hexdigest() == text.digest == asset.digest
        assert (text.generation.digest, asset.generation.digest) == (generation.digest,) * 2

    def _watch(self, caller: Caller) -> None:
        """Follow the catalog by what is told of it, and hold that against what is listed at each step."""
        known: dict[str, str] = {}
        with caller.watch(within_s=_WHOLE_RUN_S) as watching:
            while not self._ending:
                event = watching.next()
                generation = event.generation
                _, skills = _list(caller, 0, pb.Consistency(at_exactly=generation.token))
                listed = {each.name: each.digest for each in skills}
                if event.resync:
                    known = listed
                known.update((each.name, each.digest) for each in (*event.added, *event.modified))
                for name in event.removed:
                    del known[name]
                assert known == listed
                assert sorted(known) == self._expected.names()
                told = _unreachable_in(generation)
                assert generation.complete is (not told)
                self._note(lambda told=told: self._take_told(told))  # type: ignore[misc] # bound at once

    def _take_told(self, told: Mapping[str, str]) -> None:
        self._told = told

    def _judge(self, generation: pb.Generation, before: Expected) -> None:
        """Judge what an answer says of the sources, which was made after `before` was in force."""
        told = _unreachable_in(generation)
        assert generation.complete is (not told)
        if self._expected is before and before.unreachable is not None:
            assert told == before.unreachable


def _list(
    caller: Caller, page_size: int, at: pb.Consistency | None = None
) -> tuple[pb.Generation, list[skill_pb2.Skill]]:
    """Return a whole list, which is of one generation, and that."""
    request = pb.ListSkillsRequest(view=pb.SKILL_VIEW_FULL, page_size=page_size, consistency=at)
    first = page = caller.call(request, pb.ListSkillsResponse)
    skills = list(page.skills)
    while page.next_page_token:
        request.page_token = page.next_page_token
        page = caller.call(request, pb.ListSkillsResponse)
        assert page.generation.digest == first.generation.digest
        skills.extend(page.skills)
    assert len(skills) == first.total_size
    return first.generation, skills


def _versions_in(skills: Collection[skill_pb2.Skill], *expected: Expected) -> Mapping[str, set[int]]:
    """Return the versions that are listed of each source: all names there are, each of a version that may be."""
    assert [skill.name for skill in skills] == expected[0].names()
    versions: dict[str, set[int]] = {}
    for skill in skills:
        allowed = {version for each in expected for version in each.versions[skill.source]}
        version = next((each for each in allowed if said_of(skill.name, each) == skill.description), None)
        assert version is not None, f"{skill.description!r} of {skill.source}, where {allowed} may be served"
        versions.setdefault(skill.source, set()).add(version)
    return versions


def _unreachable_in(generation: pb.Generation) -> Mapping[str, str]:
    return {
        each.source: pb.SourceState.Name(each.state).removeprefix("SOURCE_STATE_")
        for each in generation.unreachable_sources
    }
