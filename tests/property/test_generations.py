"""The catalog against a model of lists and dictionaries: publishes, reverts, restarts, lost logs, tokens used later."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from skillsvc.catalog.current import Current
from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.views import Missing, Sight, Views
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.generation import layer_digest
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import TokenKeys
from skillsvc.domain.view import Viewer
from tests.contract.layer_log_values import row
from tests.simulators.clock import START, Clock
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.skills import in_order

pytestmark = pytest.mark.property

KEYS = TokenKeys((b"k" * 32,))
LIMITS = Limits(retained_generations=2, retained_at_most=4, retained_age_s=100)
MINE = Partition(principal="local", project="")
PROJECT = Partition(principal="local", project="p")
CALLERS = (Viewer("local", ""), Viewer("local", "p"))
SOURCE = UnreachableSource(source="dir-1", since=START, state=SourceState.STALE)

Content = Mapping[str, str]
"""What a layer holds: a version by name."""
contents = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("12"), max_size=4)
partitions = st.sampled_from((DEPLOYMENT, MINE, PROJECT))


def digest_of(content: Content) -> str:
    return layer_digest(in_order(row(name, version) for name, version in content.items()))


@dataclass(frozen=True)
class Published:
    """One generation as the model knows it; `log` counts the logs there have been."""

    log: int
    sequence: int
    content: Content
    at: float


@dataclass(frozen=True)
class Held:
    """A token that somebody was given, and the state that it names."""

    caller: Viewer
    token: str
    layers: tuple[tuple[Partition, Published], ...]
    listing: Content


class Catalog(RuleBasedStateMachine):
    """One process at a time, on a log that outlives it unless it is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.seconds = 0.0
        self.logs = 0
        self.layers: dict[Partition, list[Published]] = {}
        self.unreachable: dict[Partition, bool] = {}
        self.log = MemoryLayerLog(os.urandom)
        self.told = 0
        self.given: list[Held] = []

    @initialize()
    def begin(self) -> None:
        self._start([DEPLOYMENT])

    def _start(self, partitions: list[Partition]) -> None:
        self.current = Current(self.log, LIMITS)
        self.views = Views(self.current, KEYS)
        self.current.subscribe(self._hear)
        self.unreachable = {}
        for partition in partitions:
            self._open(partition)

    def _open(self, partition: Partition) -> None:
        self.current.open_layer(partition, self.clock())
        self.unreachable[partition] = False
        first = Published(log=self.logs, sequence=1, content={}, at=self.seconds)
        self.layers.setdefault(partition, [first])

    def _hear(self) -> None:
        self.told += 1

    @rule(partition=partitions)
    def open_layer(self, partition: Partition) -> None:
        if partition not in self.layers:
            self._open(partition)

    @rule(partition=partitions, content=contents, away=st.booleans())
    def publish(self, partition: Partition, content: Content, *, away: bool) -> None:
        if partition not in self.layers:
            return
        unreachable = (SOURCE,) if away else ()
        held, told = self.layers[partition], self.told
        rows = in_order(row(name, version, place=str(self.told)) for name, version in content.items())
        published = self.current.publish(partition, rows, unreachable, self.clock())
        is_new = content != held[-1].content
        assert (published is not None) == is_new
        assert self.told == told + (is_new or away != self.unreachable[partition])
        self.unreachable[partition] = away
        if is_new:
            held.append(Published(log=self.logs, sequence=held[-1].sequence + 1, content=content, at=self.seconds))
            self.take_a_token(CALLERS[0])
        # The last two stay; beyond them what is younger than 100 s, four at most.
        while len(held) > 2 and (held[0].at <= self.seconds - 100 or len(held) > 4):
            del held[0]

    @rule(partition=partitions)
    def publish_the_same(self, partition: Partition) -> None:
        if partition in self.layers:
            self.publish(partition, self.layers[partition][-1].content, away=self.unreachable[partition])

    @rule(partition=partitions, back=st.integers(min_value=1, max_value=3))
    def revert(self, partition: Partition, back: int) -> None:
        if partition in self.layers:
            held = self.layers[partition]
            self.publish(partition, held[max(0, len(held) - 1 - back)].content, away=self.unreachable[partition])

    @rule(partition=partitions, away=st.booleans())
    def report(self, partition: Partition, *, away: bool) -> None:
        if partition not in self.layers:
            return
        told = self.told
        self.current.report(partition, (SOURCE,) if away else ())
        assert self.told == told + (away != self.unreachable[partition])
        self.unreachable[partition] = away

    @rule(seconds=st.sampled_from([1, 50, 99, 100]))
    def let_time_pass(self, seconds: int) -> None:
        self.seconds += seconds
        self.clock.advance(seconds)

    @rule()
    def restart(self) -> None:
        self._start(list(self.layers))

    @rule()
    def lose_the_log(self) -> None:
        self.logs += 1
        self.log = MemoryLayerLog(os.urandom)
        opened = list(self.layers)
        self.layers = {}
        self._start(opened)

    @rule(caller=st.sampled_from(CALLERS))
    def take_a_token(self, caller: Viewer) -> None:
        present = {partition: self.layers[partition][-1].content for partition in self.layers}
        self.given.append(
            Held(
                caller=caller,
                token=self.views.present(caller).token,
                layers=tuple((partition, self.layers[partition][-1]) for partition in self._seen_by(caller)),
                listing=self._listing(caller, present),
            )
        )

    @rule()
    def use_the_tokens_given_so_far(self) -> None:
        for held in self.given[-12:]:
            (other,) = set(CALLERS) - {held.caller}
            for ask in (self.views.exactly, self.views.at_least):
                assert _refused(ask, other, held.token)
            if [partition for partition, _named in held.layers] == self._seen_by(held.caller):
                self._read_exactly(held)
                self._read_at_least(held)
            else:
                for ask in (self.views.exactly, self.views.at_least):
                    assert _refused(ask, held.caller, held.token)

    def _read_exactly(self, held: Held) -> None:
        sight = self.views.exactly(held.caller, held.token)
        if all(self._has(partition, named.content) for partition, named in held.layers):
            self._check(sight, held.caller, held.listing)
        else:
            assert sight is Missing.EXPIRED

    def _read_at_least(self, held: Held) -> None:
        # Nothing of this log is later than the present, so what is not reached is of a lost one.
        reached = all(named.log == self.logs or self._has(partition, named.content) for partition, named in held.layers)
        sight = self.views.at_least(held.caller, held.token)
        assert sight is (self.views.present(held.caller) if reached else Missing.EXPIRED)

    @invariant()
    def layers_are_those_of_the_model(self) -> None:
        for partition, held in self.layers.items():
            layer = self.current.layers[partition]
            assert [each.sequence for each in layer.generations] == [each.sequence for each in held]
            assert [each.digest for each in layer.generations] == [digest_of(each.content) for each in held]
            assert [(each.published_at - START).total_seconds() for each in layer.generations] == [
                each.at for each in held
            ]
            assert len(layer.own_bytes) == len(layer.generations) - 1
            assert self.log.load(partition).generations[-1].digest == layer.present.digest

    @invariant()
    def callers_see_the_present_of_their_layers(self) -> None:
        for caller in CALLERS:
            sight = self.views.present(caller)
            present = {partition: held[-1].content for partition, held in self.layers.items()}
            self._check(sight, caller, self._listing(caller, present))
            assert sight.view.sequence == sum(
                self.layers[partition][-1].sequence for partition in self._seen_by(caller)
            )
            assert self.views.exactly(caller, sight.token) is sight
            assert self.views.at_least(caller, sight.token) is sight

    def _seen_by(self, caller: Viewer) -> list[Partition]:
        strongest_first = [DEPLOYMENT, PROJECT, MINE] if caller.project else [DEPLOYMENT, MINE]
        return [partition for partition in strongest_first if partition in self.layers]

    def _listing(self, caller: Viewer, present: Mapping[Partition, Content]) -> Content:
        listing: dict[str, str] = {}
        for partition in reversed(self._seen_by(caller)):
            listing.update(present[partition])
        return dict(sorted(listing.items()))

    def _is_incomplete(self, caller: Viewer) -> bool:
        return any(self.unreachable[partition] for partition in self._seen_by(caller))

    def _has(self, partition: Partition, content: Content) -> bool:
        return any(each.content == content for each in self.layers[partition])

    def _check(self, sight: Sight | Missing, caller: Viewer, listing: Content) -> None:
        """Check that a sight is whole: its listing, its count, its token."""
        assert isinstance(sight, Sight)
        listed = list(sight.view.listed())
        assert {each.name: each.bundle.skill.description for each in listed} == listing
        assert [each.name for each in listed] == list(listing)
        assert sight.view.total == len(listing)
        named = KEYS.read_generation(sight.token, caller.partition)
        assert [state.digest for state in named] == [layer.digest for layer in sight.view.layers]
        assert bool(sight.unreachable) == self._is_incomplete(caller)


def _refused(ask: Callable[[Viewer, str], object], caller: Viewer, token: str) -> bool:
    try:
        ask(caller, token)
    except InvalidInput as error:
        return error.reason is ErrorReason.TOKEN_MALFORMED
    return False


TestCatalog = Catalog.TestCase
TestCatalog.settings = settings(stateful_step_count=40)
