"""Partitions in use: which are looked at, for how long, and what is known of the others."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import pytest
from typing_extensions import override

from skillsvc.catalog.asked import Waiting
from skillsvc.catalog.in_use import ABSENT, PartitionsInUse, Templated
from skillsvc.catalog.learned import SOURCE as LEARNED
from skillsvc.catalog.log import LayerRecord
from skillsvc.catalog.reports import Declared, SourceKey
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission, Tier, Trust
from skillsvc.sources.source import Observation
from tests.simulators.scripted_source import ScriptedSource
from tests.unit.catalog.stage import Stage

IDLE_S = 100.0
POLL_S = 10.0
WITHIN_S = 20.0
ALICE, BOB, CAROL = (Partition(f"token:{name}", "") for name in ("alice", "bob", "carol"))


class Place(ScriptedSource):
    """A source whose place is looked for."""

    def __init__(self, home: "Home", partition: Partition) -> None:
        super().__init__("tenants")
        self.admission = home.admission
        self._home = home
        self._partition = partition

    def is_there(self) -> bool:
        self._home.looked_for.append(self._partition)
        self._home.meanwhile()
        return self._partition in self._home.there

    @override
    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        self.hold(*(self._home.stage.skill(name) for name in self._home.there.get(self._partition, ())))
        return super().observe(changed, held=held)


class Home:
    """The places of partitions, by a template that feeds those without a project, and the time."""

    def __init__(self, *, at_most: int = 10_000) -> None:
        self.stage = Stage()
        self.there: dict[Partition, tuple[str, ...]] = {}
        self.looked_for: list[Partition] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self.admission = Admission(tier=Tier.EXPLICIT, trust=Trust.ALLOWED)
        self.in_use = PartitionsInUse(
            self.stage.loop,
            self.stage.current,
            idle_s=IDLE_S,
            clock=lambda: self.stage.now,
            now=self.stage.time,
            at_most=at_most,
        )
        self.template = self.of_template()
        self.reload(self.template)

    def of_template(self, label: str = "tenants") -> Templated:
        return Templated(
            label=label,
            kind="scripted",
            poll_s=POLL_S,
            feeds=lambda partition: partition != DEPLOYMENT and not partition.project,
            source_of=lambda partition: Place(self, partition),
        )

    def reload(self, *templates: Templated, **declared: Sequence[Declared]) -> None:
        named = {Partition(f"token:{name}", ""): of_it for name, of_it in declared.items()}
        self.in_use.replace({DEPLOYMENT: (), **named}, templates)

    def ask(self, partition: Partition) -> None:
        """Ask for a partition, and do not wait for its first look."""
        if not self.in_use.holds((partition,)):
            self.in_use.bring_in((partition,))
            self.in_use.give_up((partition,))

    def look(self) -> None:
        """Let all looks that begin now be made and published."""
        self.stage.play(self.stage.finish_all, lambda: None)
        self.stage.stopping.clear()

    def publish_learned(self, partition: Partition, name: str) -> None:
        row = replace(self.stage.skill(name), source=LEARNED)
        self.stage.current.publish(partition, (row,), (), self.stage.time())

    def names(self, partition: Partition) -> tuple[str, ...]:
        return self.stage.current.layers[partition].present.names


@pytest.fixture
def home() -> Home:
    return Home()


def test_nothing_is_to_be_found_out_of_what_no_template_feeds_and_nobody_published_to(home: Home) -> None:
    assert home.in_use.holds((DEPLOYMENT, Partition("token:alice", "p")))
    assert not home.in_use.holds((DEPLOYMENT, ALICE))
    assert home.looked_for == []


def test_what_has_no_place_is_looked_for_again_when_a_look_would_have_been(home: Home) -> None:
    assert home.in_use.bring_in((DEPLOYMENT, ALICE)) == []
    assert home.in_use.holds((ALICE,))
    home.stage.now += POLL_S - 0.1
    assert home.in_use.holds((ALICE,))
    home.stage.now += 0.1
    assert not home.in_use.holds((ALICE,))
    assert (home.looked_for, home.stage.current.partitions) == ([ALICE], (DEPLOYMENT,))


def test_of_any_number_of_names_a_bounded_number_is_remembered(home: Home) -> None:
    for number in range(3 * ABSENT):
        assert home.in_use.bring_in((Partition(f"token:{number}", ""),)) == []
    assert len(home.in_use._absent) == ABSENT
    assert home.in_use.holds((Partition(f"token:{3 * ABSENT - 1}", ""),))
    assert not home.in_use.holds((Partition("token:0", ""),))
    assert (home.in_use.partitions, home.stage.current.partitions) == ((), (DEPLOYMENT,))


def test_whoever_asks_waits_for_the_first_look_until_it_is_over_or_given_up(home: Home) -> None:
    home.there = {ALICE: ("a",), BOB: ("b",)}
    (alice,) = home.in_use.bring_in((ALICE,))
    (bob,) = home.in_use.bring_in((BOB,))
    assert home.in_use.bring_in((ALICE, BOB)) == [alice, bob]
    assert not home.in_use.holds((ALICE,))
    home.in_use.give_up((ALICE,))
    assert (home.in_use.holds((ALICE,)), home.in_use.holds((BOB,))) == (True, False)
    home.look()
    assert (alice.done(), home.in_use.holds((BOB,))) == (True, True)
    assert (home.names(ALICE), home.names(BOB)) == (("a",), ("b",))
    assert home.looked_for == [ALICE, BOB]


def test_what_nobody_asks_for_goes_and_its_last_good_is_served_without_looking_for_its_place(home: Home) -> None:
    home.there = {ALICE: ("a",), BOB: ("b",)}
    home.ask(ALICE)
    home.ask(BOB)
    home.look()
    home.stage.now += IDLE_S - 1
    assert home.in_use.holds((BOB,))
    home.stage.now += 1
    home.in_use.let_idle_go()
    assert (home.in_use.partitions, home.stage.loop.partitions) == ((BOB,), (BOB,))
    home.there = {}
    home.ask(ALICE)
    # It has had skills: whether it is gone for good is for its looks to say (rules.md 1).
    assert (home.in_use.partitions, home.looked_for) == ((BOB, ALICE), [ALICE, BOB])
    assert home.names(ALICE) == ("a",)


def test_for_one_more_than_may_be_the_one_goes_that_nobody_has_asked_for_the_longest() -> None:
    home = Home(at_most=2)
    home.there = dict.fromkeys((ALICE, BOB, CAROL), ("a",))
    for each in (ALICE, BOB, ALICE, CAROL):
        home.stage.now += 1
        home.ask(each)
    assert set(home.in_use.partitions) == {ALICE, CAROL}


def test_a_place_that_takes_long_to_be_looked_for_holds_up_no_other(home: Home) -> None:
    home.there = {ALICE: ("a",), BOB: ("b",)}
    begun, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        home.meanwhile = lambda: None
        begun.set()
        assert go_on.wait(WITHIN_S)

    home.meanwhile = hang
    slow = threading.Thread(target=home.ask, args=(ALICE,))
    slow.start()
    assert begun.wait(WITHIN_S)
    home.ask(BOB)
    home.in_use.let_idle_go()
    assert home.in_use.partitions == (BOB,)
    go_on.set()
    slow.join()
    assert set(home.in_use.partitions) == {ALICE, BOB}


@pytest.mark.parametrize("is_there", [True, False])
def test_what_was_found_by_a_template_that_is_gone_meanwhile_is_nothing(home: Home, *, is_there: bool) -> None:
    home.there = {ALICE: ("a",)} if is_there else {}
    home.meanwhile = lambda: home.reload(home.of_template())
    assert home.in_use.bring_in((ALICE,)) == []
    assert (home.in_use.partitions, home.in_use.holds((ALICE,))) == ((), False)
    home.meanwhile = lambda: None
    home.ask(ALICE)
    assert home.in_use.partitions == ((ALICE,) if is_there else ())


def test_a_partition_that_is_declared_by_then_is_no_more_in_use(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    own = Declared(source=ScriptedSource("own"), kind="scripted", poll_s=POLL_S)
    home.meanwhile = lambda: home.reload(home.template, alice=(own,))
    assert home.in_use.bring_in((ALICE,)) == []
    assert (home.in_use.partitions, home.in_use.holds((ALICE,))) == ((), True)


def test_by_the_same_template_a_reload_keeps_how_its_sources_stand(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    home.ask(ALICE)
    home.look()
    (before,) = home.stage.loop.reports(ALICE)
    home.reload(home.template)
    assert home.stage.loop.reports(ALICE) == (before,)
    home.reload(home.of_template())
    (after,) = home.stage.loop.reports(ALICE)
    assert (before.last_look_at is not None, after.last_look_at) == (True, None)


def test_a_layer_that_cannot_be_opened_is_refused_and_opened_when_it_can(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.there = {ALICE: ("a",)}

    def refuse(_partition: Partition) -> LayerRecord:
        raise Unavailable(ErrorReason.STORE_UNREACHABLE, "locked")

    with monkeypatch.context() as patched:
        patched.setattr(home.stage.log, "load", refuse)
        with pytest.raises(Unavailable):
            home.in_use.bring_in((ALICE,))
    assert (home.in_use.partitions, home.stage.loop.partitions) == ((), ())
    home.ask(ALICE)
    home.look()
    assert home.names(ALICE) == ("a",)


def test_what_a_template_has_left_is_taken_out_before_anybody_is_answered(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    home.ask(ALICE)
    home.look()
    home.stage.now += IDLE_S
    home.in_use.let_idle_go()
    home.reload()
    assert not home.in_use.holds((ALICE,))
    assert home.in_use.bring_in((ALICE,)) == []
    assert (home.names(ALICE), home.in_use.partitions, home.in_use.holds((ALICE,))) == ((), (), True)


def test_what_is_taken_out_as_left_is_not_what_a_template_that_came_again_has_published_meanwhile(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    home.ask(ALICE)
    home.look()
    home.stage.now += IDLE_S
    home.in_use.let_idle_go()
    home.reload(home.of_template("other"))

    def come_again() -> None:
        home.meanwhile = lambda: None
        home.reload(home.template)
        home.ask(ALICE)
        home.look()
        home.there = {}

    home.meanwhile = come_again
    home.ask(ALICE)
    assert home.names(ALICE) == ("a",)


def test_what_a_program_publishes_that_asked_before_the_folder_was_in_use_gives_way_to_the_next_look(
    home: Home,
) -> None:
    home.there = {ALICE: ("a",)}
    home.ask(ALICE)
    home.look()
    home.publish_learned(ALICE, "learned")
    assert home.names(ALICE) == ("learned",)
    home.stage.now += 2 * POLL_S
    home.look()
    assert home.names(ALICE) == ("a",)


@pytest.mark.parametrize("was", ["declared", "in use"])
def test_what_a_program_publishes_where_sources_are_gone_outlives_every_reload(home: Home, was: str) -> None:
    home.there = {ALICE: ("a",)}
    own = ScriptedSource("own")
    own.hold(home.stage.skill("a"))
    if was == "declared":
        home.reload(home.template, alice=(Declared(source=own, kind="scripted", poll_s=POLL_S),))
    home.ask(ALICE)
    home.look()
    assert home.names(ALICE) == ("a",)
    home.reload()
    home.look()
    assert home.names(ALICE) == ()
    home.publish_learned(ALICE, "learned")
    for templates in ((), (home.template,)):
        home.there = {}
        home.reload(*templates)
        home.look()
        home.ask(ALICE)
        home.look()
        assert home.names(ALICE) == ("learned",)


# What the loop does of it.


def test_a_look_that_ends_when_its_partition_has_gone_is_nothing_to_the_layer(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    home.ask(ALICE)

    def go() -> None:
        home.stage.now += IDLE_S
        home.in_use.let_idle_go()

    home.stage.play(go, home.stage.finish_all, lambda: None)
    assert home.names(ALICE) == ()
    home.stage.stopping.clear()
    home.ask(ALICE)
    home.look()
    assert home.names(ALICE) == ("a",)


def test_whoever_waits_for_a_look_is_answered_when_its_partition_goes(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    (first,) = home.in_use.bring_in((ALICE,))
    home.stage.now += IDLE_S
    home.in_use.let_idle_go()
    looked = first.result(0)
    assert looked.before == looked.after


def test_a_partition_that_goes_while_who_waits_for_it_is_answered_stops_no_look(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.there = {ALICE: ("a",)}
    (first,) = home.in_use.bring_in((ALICE,))
    loop = home.stage.loop
    take_done = loop._asked.take_done

    def taken_while_it_goes(is_declared: Callable[[SourceKey], bool]) -> list[Waiting]:
        done = take_done(is_declared)
        # Another thread would let it go here, unless it has to wait for what is being answered.
        if done and not loop._admitting.locked():
            home.stage.now += IDLE_S
            home.in_use.let_idle_go()
        return done

    monkeypatch.setattr(loop._asked, "take_done", taken_while_it_goes)
    home.look()
    assert first.result(0).after.names == ("a",)


def test_a_trust_that_is_lowered_is_in_force_before_the_look(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    home.ask(ALICE)
    home.look()
    home.stage.now += IDLE_S
    home.in_use.let_idle_go()
    home.admission = Admission(tier=Tier.EXPLICIT, trust=Trust.UNTRUSTED)
    home.reload(home.of_template())
    home.ask(ALICE)
    trusts: list[Trust] = []
    home.stage.play(lambda: trusts.extend(row.trust for row in home.stage.current.layers[ALICE].present.rows))
    assert trusts == [Trust.UNTRUSTED]


def test_what_nobody_has_looked_at_by_need_holds_up_no_sweep(home: Home) -> None:
    home.there = {ALICE: ("a",)}
    digest = home.stage.blobs.put(b"unnamed")
    home.stage.blobs.sync()
    home.ask(ALICE)

    def sweep() -> None:
        home.stage.now += 1_000.0

    home.stage.play(sweep, sweep, sweep)
    assert not home.stage.blobs.has(digest)
