"""How looks become generations: gathered, published by one thread, whatever sources and stores do meanwhile."""

import logging
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager

import pytest
from typing_extensions import override

from skillsvc.catalog.layer import SourceState
from skillsvc.catalog.reports import Looked, ReportedState, SourceKey
from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission, Tier, Trust
from skillsvc.sources.source import Observation, Outcome
from tests.patience import PATIENCE_S
from tests.simulators.scripted_source import ScriptedSource
from tests.unit.catalog.stage import Stage

LOCAL = Partition(principal="local", project="")


@pytest.fixture
def stage() -> Stage:
    return Stage()


def unreachable(stage: Stage) -> list[tuple[str, SourceState]]:
    return [(each.source, each.state) for each in stage.current.layers[DEPLOYMENT].unreachable]


def states(stage: Stage) -> list[tuple[str, ReportedState]]:
    return [(each.source, each.state) for each in stage.loop.reports(DEPLOYMENT)]


# When it is published.


def test_a_start_publishes_once_when_every_source_has_been_seen(stage: Stage) -> None:
    stage.one.hold(stage.skill("a"))
    stage.two.hold(stage.skill("b"))
    first: list[bool] = []

    def look() -> None:
        first.append(stage.loop.first_look.is_set())

    stage.play(look, stage.finish("one"), look, stage.finish("two"), look)
    assert stage.names == ("a", "b")
    assert first == [False, False, True]
    assert len(stage.published_at) == 1
    assert (stage.one.looks, stage.two.looks) == ([None], [None])


def test_a_start_with_no_sources_empties_the_layer_at_once(stage: Stage) -> None:
    stage.one.hold(stage.skill("a"))
    stage.play(stage.finish("one", "two"), stage.replace)
    assert stage.names == ()
    assert stage.now == 0.0


def test_a_slow_source_holds_up_no_other(stage: Stage) -> None:
    stage.one.hold(stage.skill("a"))
    stage.two.hold(stage.skill("b"))
    stage.play(stage.finish("one"), stage.wait, lambda: None)
    # It is given the time that a start waits for all, and no more.
    assert (stage.names, stage.now, stage.published_at) == (("a",), 5.0, [5.0])


def test_what_several_looks_came_to_is_published_together(stage: Stage) -> None:
    def change() -> None:
        stage.one.hold(stage.skill("a"))
        stage.two.hold(stage.skill("b"))
        stage.tell("one", "a")()
        stage.tell("two", "b")()

    stage.play(stage.finish("one", "two"), change, stage.finish("one"), stage.finish("two"))
    assert stage.names == ("a", "b")
    assert stage.published_at == [0.0]
    assert (stage.one.looks, stage.two.looks) == ([None, {"a"}], [None, {"b"}])


@pytest.mark.parametrize(("told", "at"), [(True, 0.1), (False, 61.0)])
def test_what_is_seen_waits_a_moment_for_looks_under_way(stage: Stage, *, told: bool, at: float) -> None:
    def change() -> None:
        stage.one.hold(stage.skill("a"))
        if told:
            stage.tell("one", "a")()
            stage.tell("two", "b")()
        else:
            stage.wait()

    stage.play(stage.finish("one", "two"), change, stage.finish("one"), stage.wait, stage.finish("two"))
    assert stage.names == ("a",)
    assert stage.published_at == [at]


def test_what_is_told_of_a_source_whose_look_waits_is_not_kept_waiting(stage: Stage) -> None:
    looking: list[list[str]] = []
    stage.play(
        stage.finish("one", "two"),
        stage.wait,
        stage.finish("one"),
        stage.tell("one", "a"),
        lambda: looking.append(stage.looking),
        stage.finish_all,
    )
    assert looking == [["two", "one"]]
    assert stage.one.looks == [None, None, {"a"}]
    assert stage.now == 60.0


def test_many_changes_of_a_moment_are_one_generation(stage: Stage) -> None:
    def change(name: str) -> Callable[[], None]:
        def do() -> None:
            stage.one.hold(*(row_of[each] for each in "abcdefgh" if each <= name))
            stage.tell("one", name)()

        return do

    row_of = {name: stage.skill(name) for name in "abcdefgh"}
    stage.play(stage.finish("one", "two"), stage.tell("one", "x"), *map(change, "abcdefgh"), stage.finish("one"))
    assert stage.names == tuple("abcdefgh")
    assert len(stage.published_at) == 1
    assert stage.one.looks[1:3] == [{"x"}, set("abcdefgh")]


def test_nothing_new_is_nothing_published_and_nothing_told(stage: Stage) -> None:
    told: list[object] = []
    stage.play(
        stage.finish("one", "two"),
        lambda: stage.current.subscribe(lambda: told.append(None)),
        *[stage.wait, stage.finish_all] * 5,
    )
    assert stage.now == 300.0
    assert len(stage.one.looks) == 6
    assert (told, stage.published_at) == ([], [])


# When it is looked.


def test_what_failed_is_looked_at_again_soon_and_then_less_and_less_often(stage: Stage) -> None:
    looked_at: list[float] = []

    def look() -> None:
        looked_at.append(stage.now)
        stage.finish_all()

    stage.one.outcome = Outcome.PARTIAL
    stage.replace(stage.one)
    stage.play(look, *[stage.wait, look] * 5)
    assert looked_at == [0, 1, 3, 7, 15, 31]
    assert unreachable(stage) == [("one", SourceState.PARTIAL)]


def test_a_source_that_cannot_be_begun_for_want_of_threads_is_looked_at_again(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.has_room = False
    stage.one.hold(stage.skill("a"))

    def make_room() -> None:
        stage.has_room = True
        stage.wait()

    stage.play(make_room, stage.finish_all)
    assert stage.names == ("a",)
    assert stage.now == 1.0
    assert "could not be begun" in caplog.text


def test_what_is_told_all_the_time_keeps_no_whole_look_and_no_sweep_waiting(stage: Stage) -> None:
    stray = stage.blobs.put(b"stray")
    whole_at: list[float] = []

    def look() -> None:
        stage.finish_all()
        if stage.one.looks[-1] is None:
            whole_at.append(stage.now)
        stage.now += 25.0
        stage.tell("one", "a")()

    stage.replace(stage.one)
    stage.play(*[look] * 50)
    # One came to its end 25 seconds after it began: 60 seconds later, when the look under way is over, comes the next.
    assert whole_at == [0.0, *range(100, 1_250, 100)]
    # At the first look, and a thousand seconds later.
    assert not stage.blobs.has(stray)


def test_a_change_that_a_passing_fault_hid_is_not_forgotten_while_another_keeps_coming(stage: Stage) -> None:
    def fail() -> None:
        stage.one.error = RuntimeError("a passing fault")
        stage.tell("one", "a")()

    def mend() -> None:
        stage.one.error = None
        stage.one.hold(stage.skill("a"), stage.skill("hidden"))
        stage.tell("one", "a")()

    stage.replace(stage.one)
    stage.one.hold(stage.skill("a"))
    stage.play(
        stage.finish("one"), fail, stage.finish("one"), mend, stage.finish("one"), mend, stage.finish("one"), mend
    )
    assert stage.one.looks[:4] == [None, {"a"}, None, {"a"}]
    assert stage.names == ("a", "hidden")


@pytest.mark.parametrize("error", [RuntimeError("a bug"), SystemExit(1), Abandoned()])
def test_whatever_a_source_raises_the_others_go_on(stage: Stage, error: BaseException) -> None:
    stage.one.error = error
    stage.two.hold(stage.skill("b"))
    stage.play(stage.finish("one", "two"), stage.tell("two", "b"), stage.finish("two"))
    assert stage.names == ("b",)
    assert unreachable(stage) == [("one", SourceState.MISSING)]
    assert stage.two.looks == [None, {"b"}]


# Stores that fail.


def test_what_could_not_be_published_is_tried_again(stage: Stage) -> None:
    stage.one.hold(stage.skill("a"))
    append = stage.log.append

    def refuse(generation: Generation, *, dropped: Collection[int]) -> None:
        del generation, dropped
        raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the disk is full")

    def mend() -> None:
        stage.log.append = append  # type: ignore[method-assign]
        stage.finish_all()

    stage.log.append = refuse  # type: ignore[method-assign]
    told: list[str] = []
    stage.play(
        stage.finish("one", "two"),
        stage.wait,
        stage.finish_all,
        lambda: told.extend(each.last_error for each in stage.loop.reports(DEPLOYMENT)),
        stage.wait,
        mend,
        lambda: None,
    )
    assert told[0] == "nothing could be published: the disk is full; what is served stays as it was"
    assert (stage.names, stage.published_at) == (("a",), [3.0])
    assert unreachable(stage) == []


# Those who wait.


def test_who_asks_is_told_when_it_is_published(stage: Stage) -> None:
    answers: list[Future[Looked]] = []

    def ask() -> None:
        stage.one.hold(stage.skill("a"))
        answers.append(stage.loop.look_now(DEPLOYMENT, ["one"], ["a"]))
        answers.append(stage.loop.look_now(DEPLOYMENT))

    def check() -> None:
        assert [answer.done() for answer in answers] == [True, False]

    stage.play(stage.finish("one", "two"), ask, stage.finish("one"), stage.wait, check, stage.finish("two"))
    one, both = (answer.result(0) for answer in answers)
    assert (one.before.sequence, one.after.sequence, one.after.names) == (1, 2, ("a",))
    assert both == one
    # The second asked for all of it, of both.
    assert (stage.one.looks, stage.two.looks) == ([None, None], [None, None])


def test_who_asks_while_it_is_looked_at_waits_for_another_look(stage: Stage) -> None:
    answers: list[Future[Looked]] = []

    def check() -> None:
        assert not answers[0].done()
        stage.one.hold(stage.skill("a"))
        stage.finish_all()

    stage.play(
        lambda: answers.append(stage.loop.look_now(DEPLOYMENT, ["one"])),
        stage.finish("one", "two"),
        check,
        lambda: None,
    )
    assert answers[0].result(0).after.names == ("a",)


@pytest.mark.parametrize(("partition", "labels"), [(LOCAL, None), (LOCAL, ["one"]), (DEPLOYMENT, ["one", "three"])])
def test_what_is_not_declared_nobody_can_ask_for(stage: Stage, partition: Partition, labels: list[str] | None) -> None:
    with pytest.raises(KeyError):
        stage.loop.look_now(partition, labels)


def test_whom_nobody_waits_for_any_more_is_told_nothing(stage: Stage) -> None:
    answers: list[Future[Looked]] = []
    cancelled: list[bool] = []
    stage.play(
        stage.finish("one", "two"),
        lambda: answers.append(stage.loop.look_now(DEPLOYMENT, ["one"])),
        lambda: cancelled.append(answers[0].cancel()),
        stage.finish("one"),
    )
    assert cancelled == [True]
    assert len(stage.one.looks) == 2


def test_at_the_end_nobody_is_kept_waiting(stage: Stage) -> None:
    answers: list[Future[Looked]] = []
    stage.play(lambda: answers.append(stage.loop.look_now(DEPLOYMENT)))
    answers.append(stage.loop.look_now(DEPLOYMENT))
    for answer in answers:
        with pytest.raises(CancelledError):
            answer.result(0)


# Reloads.


def test_a_reload_keeps_what_stays_and_looks_at_what_is_new(stage: Stage) -> None:
    three = ScriptedSource("three")
    stage.one.hold(stage.skill("a"))
    stage.two.hold(stage.skill("a", "Other."), stage.skill("b"))
    three.hold(stage.skill("b", "Stronger."))
    seen: list[object] = []
    stage.play(
        stage.finish("one", "two"),
        lambda: stage.replace(three, stage.two),
        lambda: seen.append((stage.names, stage.looking, states(stage), unreachable(stage))),
        stage.finish("three"),
    )
    assert seen == [
        (
            ("a", "b"),
            ["three"],
            [("three", ReportedState.WAITING), ("two", ReportedState.COMPLETE)],
            [("three", SourceState.MISSING)],
        )
    ]
    listed = {row.name: row.source for row in stage.current.layers[DEPLOYMENT].present.listed}
    assert listed == {"a": "two", "b": "three"}
    # Once at the start, and once for what went and what came.
    assert stage.published_at == [0.0, 0.0]
    assert stage.two.looks == [None]


def test_a_look_at_what_is_not_there_any_more_says_nothing(stage: Stage) -> None:
    answers: list[Future[Looked]] = []
    stage.one.hold(stage.skill("a"))
    stage.play(
        stage.finish("two"),
        lambda: answers.append(stage.loop.look_now(DEPLOYMENT, ["one"])),
        lambda: stage.replace(stage.two),
        stage.finish("one"),
        stage.wait,
    )
    assert stage.names == ()
    assert answers[0].result(0).after.names == ()


def test_a_source_is_looked_at_by_one_thread_also_where_it_took_the_place_of_another(stage: Stage) -> None:
    another = ScriptedSource("one")
    looks: list[int] = []

    def run_the_turn_of_the_one_before() -> None:
        stage.finish("one")()
        looks.append(len(another.looks))

    stage.play(lambda: stage.replace(another), run_the_turn_of_the_one_before, stage.finish_all)
    assert looks == [0]
    assert (stage.one.looks, another.looks) == ([], [None])


def test_who_asks_waits_for_the_source_that_took_the_place_of_the_one_that_is_looked_at(stage: Stage) -> None:
    another = ScriptedSource("one")
    another.hold(stage.skill("a"))
    answers: list[Future[Looked]] = []
    done: list[bool] = []
    stage.play(
        stage.finish("one", "two"),
        lambda: answers.append(stage.loop.look_now(DEPLOYMENT, ["one"])),
        lambda: stage.replace(another),
        stage.finish("one"),
        stage.wait,
        lambda: done.append(answers[0].done()),
        stage.finish("one"),
        stage.wait,
    )
    assert done == [False]
    assert answers[0].result(0).after.names == ("a",)


def test_of_a_layer_without_sources_the_answer_is_there_at_once(stage: Stage) -> None:
    stage.replace()
    looked = stage.loop.look_now(DEPLOYMENT).result(0)
    assert looked.before is looked.after


def test_a_partition_comes_and_goes_with_its_sources(stage: Stage) -> None:
    mine = ScriptedSource("mine")
    mine.hold(stage.skill("m"))
    names: list[tuple[str, ...]] = []

    def note() -> None:
        names.append(stage.current.layers[LOCAL].present.names)

    stage.play(
        stage.finish("one", "two"),
        lambda: stage.loop.replace({DEPLOYMENT: stage.declared(stage.one), LOCAL: stage.declared(mine)}),
        stage.finish("mine"),
        note,
        lambda: stage.replace(stage.one),
        note,
    )
    assert names == [("m",), ()]
    assert stage.loop.partitions == (DEPLOYMENT,)
    assert stage.loop.reports(LOCAL) == ()


def test_two_layers_may_have_sources_of_one_label(stage: Stage) -> None:
    mine = ScriptedSource("one")
    mine.hold(stage.skill("m"))
    stage.play(
        lambda: stage.loop.replace({DEPLOYMENT: stage.declared(stage.one), LOCAL: stage.declared(mine)}),
        stage.finish_all,
        lambda: stage.loop.tell(SourceKey(partition=LOCAL, label="one"), ["m"]),
        stage.finish_all,
    )
    assert (stage.one.looks, mine.looks) == ([None], [None, {"m"}])
    assert stage.current.layers[LOCAL].present.names == ("m",)


# What operators are told.


def test_reports_follow_a_source_through_its_looks(stage: Stage) -> None:
    refused = Diagnostic(severity=Severity.ERROR, code=DiagnosticCode.SOURCE_UNREADABLE, message="cannot be read")
    told: list[tuple[object, ...]] = []

    def note() -> None:
        [report] = stage.loop.reports(DEPLOYMENT)
        told.append(
            (
                report.state,
                report.looking,
                report.last_look_at,
                report.last_success_at,
                report.last_error,
                report.skills,
            )
        )

    def fail() -> None:
        stage.wait()
        stage.one.outcome, stage.one.diagnostics = Outcome.FAILED, (refused,)

    def mend() -> None:
        stage.wait()
        stage.one.outcome, stage.one.diagnostics = Outcome.WHOLE, ()

    stage.replace(stage.one)
    stage.one.hold(stage.skill("a"))
    start = stage.time()
    stage.play(note, stage.finish("one"), note, fail, stage.finish("one"), note, mend, stage.finish("one"), note)
    minute, later = start.replace(hour=1, minute=0, second=59), start.replace(hour=1, minute=1, second=0)
    assert told == [
        (ReportedState.WAITING, True, None, None, "", 0),
        (ReportedState.COMPLETE, False, start, start, "", 1),
        (ReportedState.STALE, False, minute, start, "cannot be read", 1),
        (ReportedState.COMPLETE, False, later, later, "", 1),
    ]
    [report] = stage.loop.reports(DEPLOYMENT)
    assert report.kind == "scripted"
    assert report.next_look_at == start.replace(hour=1, minute=2, second=0)


def test_an_operator_is_told_of_all_that_looks_found_and_of_what_clashes_within_a_layer(stage: Stage) -> None:
    mine = ScriptedSource("mine")
    mine.hold(stage.skill("a", "Mine."), stage.skill("b"))
    stage.one.hold(stage.skill("a"))
    stage.two.hold(stage.skill("a", "Other."))
    stage.play(
        lambda: stage.loop.replace({DEPLOYMENT: stage.declared(stage.one, stage.two), LOCAL: stage.declared(mine)}),
        stage.finish_all,
        stage.finish_all,
    )
    [shadowed] = stage.loop.diagnostics(DEPLOYMENT)
    assert (shadowed.code, shadowed.source) == (DiagnosticCode.SHADOWED, "two")
    # What another layer hides is told where layers are seen together.
    assert stage.loop.diagnostics(LOCAL) == ()
    with pytest.raises(KeyError):
        stage.loop.diagnostics(Partition(principal="local", project="x"))


def test_a_publish_is_logged_with_its_numbers(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    stage.one.hold(stage.skill("a"), stage.skill("b"))
    stage.play(stage.finish("one", "two"))
    (record,) = [record for record in caplog.records if record.getMessage() == "published"]
    present = stage.current.layers[DEPLOYMENT].present
    told = (record.__dict__["sequence"], record.__dict__["layer_digest"], record.__dict__["skills"])
    assert told == (2, present.digest, 2)


def refused(*skills: str) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(
            severity=Severity.ERROR,
            code=DiagnosticCode.DESCRIPTION_MISSING,
            message=f"{skill} has no description",
            skill=skill,
            source="one",
        )
        for skill in skills
    )


def test_what_is_refused_is_logged_when_it_is_news(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*skills: str) -> Callable[[], None]:
        def do() -> None:
            stage.one.diagnostics = refused(*skills)
            stage.tell("one")()

        return do

    stage.one.diagnostics = refused("a")
    script = [step for skills in ("ab", "b", "ab") for step in (refuse(*skills), stage.finish("one"))]
    stage.play(stage.finish("one", "two"), *script)
    told = [(record.getMessage(), record.__dict__["code"]) for record in caplog.records]
    assert told == [(f"{skill} has no description", "description-missing") for skill in ("a", "b", "a")]


def test_of_very_many_refusals_the_first_are_logged_and_the_rest_counted(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.one.diagnostics = refused(*(f"s{number}" for number in range(130)))
    stage.play(stage.finish("one", "two"))
    told = [record.getMessage() for record in caplog.records]
    assert told[:100] == [f"s{number} has no description" for number in range(100)]
    assert len(told) == 101
    assert "30 more" in told[100]


# Sweeping, and the end.


def test_what_nothing_names_is_swept_in_time(stage: Stage) -> None:
    stray = stage.blobs.put(b"stray")
    script = [stage.wait, stage.finish_all] * 20
    stage.play(stage.finish("one", "two"), *script)
    assert stage.now >= 1_000.0
    assert not stage.blobs.has(stray)


def test_what_is_stopped_before_it_runs_looks_at_nothing(stage: Stage) -> None:
    stage.loop.stop()
    stage.loop.run()
    assert (stage.one.looks, stage.looking) == ([], [])
    assert stage.loop.first_look.is_set()


def test_a_look_that_ends_after_the_stop_publishes_nothing(stage: Stage) -> None:
    stage.one.hold(stage.skill("a"))
    before = unreachable(stage)
    stage.play()
    assert (stage.names, unreachable(stage)) == ((), before)


class Hanging(ScriptedSource):
    """A source whose looks hang until a test lets them go, whatever is stopped."""

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.hangs = threading.Event()
        self.released = threading.Event()

    @override
    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        self.hangs.set()
        assert self.released.wait(PATIENCE_S)
        return super().observe(changed, held=held)


@contextmanager
def running(stage: Stage) -> Iterator[None]:
    thread = threading.Thread(target=stage.loop.run)
    thread.start()
    try:
        yield
    finally:
        stage.loop.stop()
        thread.join(PATIENCE_S)
    assert not thread.is_alive()


def test_a_source_that_hangs_takes_a_thread_and_nothing_else() -> None:
    stage = Stage(in_threads=True)
    hanging = Hanging("hanging")
    try:
        with running(stage):
            assert stage.loop.first_look.wait(PATIENCE_S)
            stage.replace(hanging, stage.one)
            assert hanging.hangs.wait(PATIENCE_S)
            stage.one.hold(stage.skill("a"))
            assert stage.loop.look_now(DEPLOYMENT, ["one"]).result(PATIENCE_S).after.names == ("a",)
            [report, _] = stage.loop.reports(DEPLOYMENT)
            assert (report.state, report.looking) == (ReportedState.WAITING, True)
        assert stage.loop.is_looking
    finally:
        hanging.released.set()


def test_a_trust_that_is_lowered_does_not_wait_for_a_look(stage: Stage) -> None:
    stage.one.hold(stage.skill("a"))
    learned = ScriptedSource("one")
    learned.admission = Admission(tier=Tier.LEARNED, trust=Trust.UNTRUSTED)
    trusts: list[list[Trust]] = []

    def note() -> None:
        trusts.append([each.trust for each in stage.current.layers[DEPLOYMENT].present.listed])

    stage.play(
        stage.finish("one", "two"), stage.wait, note, lambda: stage.replace(learned, stage.two), note, stage.tell("two")
    )
    assert trusts == [[Trust.ALLOWED], [Trust.UNTRUSTED]]


def test_many_threads_tell_and_ask_at_once_and_the_last_state_is_served() -> None:
    stage = Stage(in_threads=True)
    rows = {name: stage.skill(name) for name in "abcdefgh"}

    def busy(source: ScriptedSource, names: str) -> None:
        for count in range(1, len(names) + 1):
            source.hold(*(rows[name] for name in names[:count]))
            stage.loop.tell(SourceKey(partition=DEPLOYMENT, label=source.label), [names[count - 1]])
            stage.loop.look_now(DEPLOYMENT, [source.label]).result(PATIENCE_S)
            stage.loop.reports(DEPLOYMENT)

    with running(stage):
        threads = [threading.Thread(target=busy, args=each) for each in ((stage.one, "abcd"), (stage.two, "efgh"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert stage.names == tuple("abcdefgh")
