"""A provider as a source: what fails, lies, hangs or changes while it is asked is bounded, and told."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from typing_extensions import override

from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.provider import OptionsRefused, ProviderContext, ProviderObservation
from skillsvc.sources.provider_source import ProviderSettings, ProviderSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.patience import PATIENCE_S
from tests.simulators.scripted_provider import ScriptedProvider, candidate, fails, gives

READING = ReadingSettings(label="depot", tier=Tier.REGISTERED)


class World:
    """A source over a scripted provider, and what became of it."""

    def __init__(
        self, provider: ScriptedProvider, *, timeout_s: float = PATIENCE_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.provider = provider
        self.blobs = MemoryBlobStore()
        self.told = threading.Semaphore(0)
        self.stop = threading.Event()
        self.source = ProviderSource(
            ProviderSettings(
                provider="scripted", reading=READING, options={"shelf": 3, "of": ["a"]}, timeout_s=timeout_s
            ),
            limits=Limits(),
            blobs=self.blobs,
            make=provider.make,
            tell=self.told.release,
            clock=clock,
            stopped=self.stop.is_set,
        )

    def look(self, held: Sequence[Found] = ()) -> Observation:
        return self.source.observe(held=held)

    def is_told(self) -> bool:
        """Tell whether it was told since it was asked last."""
        return self.told.acquire(blocking=False)


def world(*steps: object, timeout_s: float = PATIENCE_S) -> World:
    return World(ScriptedProvider(*steps), timeout_s=timeout_s)  # type: ignore[arg-type] # steps


def names(seen: Observation) -> list[str]:
    return [found.bundle.skill.name for found in seen.found]


def codes(seen: Observation) -> list[DiagnosticCode]:
    return [said.code for said in seen.diagnostics]


def test_candidates_are_read_as_folders_are() -> None:
    tools = b"keywords: [maps]\n"
    here = world(
        gives(
            candidate("b", files={"run.sh": b"#!", "doc/a.txt": b"a", "skill.yaml": tools}, executable=["run.sh"]),
            candidate("a"),
            revision="v 1\n",
        )
    )
    seen = here.look()
    assert (seen.source, seen.tier, seen.trust) == ("depot", Tier.REGISTERED, Trust.ASK)
    assert (seen.outcome, seen.revision, seen.diagnostics) == (Outcome.WHOLE, "v 1", ())
    assert names(seen) == ["a", "b"]
    bundle = seen.found[1].bundle
    assert [(asset.name, asset.executable) for asset in bundle.assets] == [("doc/a.txt", False), ("run.sh", True)]
    assert bundle.skill.keywords == ("maps",)
    assert here.blobs.read(bundle.assets[0].digest) == b"a"


def test_a_candidate_that_breaks_a_rule_is_refused_alone() -> None:
    seen = world(gives(candidate("a", document=b"\0"), candidate("b"))).look()
    assert (seen.outcome, names(seen)) == (Outcome.WHOLE, ["b"])
    assert codes(seen) == [DiagnosticCode.NUL_BYTE]


def test_a_file_that_is_too_large_is_refused_without_being_stored() -> None:
    here = world(gives(candidate("a", files={"big": b"x" * (Limits().asset_bytes + 1)}), candidate("b")))
    seen = here.look()
    assert names(seen) == ["b"]
    assert codes(seen) == [DiagnosticCode.ASSET_TOO_LARGE]
    assert max(map(len, here.blobs.blobs.values())) < 1000


def test_the_lowest_rank_of_a_name_is_taken_then_the_first_given() -> None:
    given = [candidate("a", body, rank=rank) for body, rank in (("4", 400), ("2", 250), ("1", 100), ("one", 100))]
    seen = world(gives(*given, candidate("b"))).look()
    assert [found.place for found in seen.found] == ["a", "b", "+000002/a", "+000003/a", "+000004/a"]
    document = seen.found[0].bundle.document
    assert document is not None
    assert document.size == len(given[2].document)
    sizes = [found.bundle.body.size for found in seen.found if found.bundle.body]
    assert sizes == [1, 5, 3, 1, 1]


def test_a_place_stays_whatever_comes_beside_it() -> None:
    here = world(gives(candidate("b")), gives(candidate("a"), candidate("b"), candidate("c")))
    [before] = here.look().found
    assert before in here.look().found


def test_options_are_given_and_cannot_be_changed() -> None:
    here = world(gives())
    here.look()
    context = here.provider.context
    assert context is not None
    assert (context.name, dict(context.options)) == ("depot", {"shelf": 3, "of": ["a"]})
    with pytest.raises(TypeError):
        context.options["shelf"] = 4  # type: ignore[index] # that is the point


def test_nothing_of_the_provider_runs_before_the_first_look() -> None:
    here = world(gives())
    assert here.provider.context is None
    here.source.close()
    assert (here.provider.context, here.provider.closed) == (None, 0)


def test_the_same_object_says_that_nothing_changed_and_nothing_is_read() -> None:
    given = ProviderObservation(skills=[candidate("a", files={"x": b"x"})])
    here = world(lambda _context: given)
    first = here.look()
    here.blobs.blobs.clear()
    assert here.look() is first
    assert here.blobs.blobs == {}


def test_the_same_object_is_read_again_where_the_store_lost_some_of_it() -> None:
    given = ProviderObservation(skills=[candidate("a", files={"x": b"x"})])
    here = world(lambda _context: given)
    [asset] = here.look().found[0].bundle.assets
    here.blobs.blobs.clear()
    with pytest.raises(DataLoss):
        here.blobs.read(asset.digest)
    here.look()
    assert here.blobs.read(asset.digest) == b"x"


def test_equal_skills_in_a_new_object_are_the_same_observation() -> None:
    here = world(gives(candidate("a")))
    assert here.look() is here.look()


class Hostile(Exception):
    @override
    def __str__(self) -> str:
        raise SystemExit


class HostileBase(BaseException):
    pass


@pytest.mark.parametrize(
    "error",
    [
        ValueError("secret"),
        Hostile("secret"),
        HostileBase("secret"),
        SystemExit(1),
        KeyboardInterrupt("secret"),
        GeneratorExit(),
        StopIteration("secret"),
        RecursionError("secret"),
        MemoryError(),
        Abandoned("secret"),
        Unavailable(ErrorReason.STORE_UNREACHABLE, "secret"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_is_raised_fails_the_look_and_is_for_the_log_alone(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    here = world(fails(error), fails(error), gives(candidate("a")))
    for _time in range(2):
        seen = here.look()
        assert (seen.outcome, seen.found) == (Outcome.FAILED, ())
        assert [said.severity for said in seen.diagnostics] == [Severity.ERROR]
        assert "secret" not in seen.diagnostics[0].message
    assert len(caplog.records) <= 1
    assert names(here.look()) == ["a"]


def test_refused_options_are_told_in_the_providers_own_words_on_one_line() -> None:
    here = world(gives())

    def make(context: ProviderContext) -> object:
        raise OptionsRefused(f"shelf is {context.options['shelf']};\nthere are 2")

    here.provider.make = make  # type: ignore[method-assign,assignment] # a factory that refuses
    source = World(here.provider).source
    seen = source.observe()
    assert seen.outcome is Outcome.FAILED
    assert seen.diagnostics[0].message == "its options are refused: shelf is 3; there are 2"


def test_options_refused_by_a_class_that_cannot_be_told_are_refused_all_the_same() -> None:
    class Refused(OptionsRefused):
        @override
        def __str__(self) -> str:
            raise ValueError

    seen = world(fails(Refused())).look()
    assert seen.diagnostics[0].message == "its options are refused: it does not say why"


def test_a_factory_that_fails_is_called_again_at_the_next_look() -> None:
    provider = ScriptedProvider(gives(candidate("a")))
    make, calls = provider.make, []

    def failing_once(context: ProviderContext) -> object:
        calls.append(context)
        if len(calls) == 1:
            raise OSError
        return make(context)

    provider.make = failing_once  # type: ignore[method-assign,assignment] # a factory that fails once
    here = World(provider)
    assert here.look().outcome is Outcome.FAILED
    assert names(here.look()) == ["a"]
    here.look()
    assert len(calls) == 2


@pytest.mark.parametrize("made", [None, 3, object(), type("Half", (), {"observe": lambda _self: None})()])
def test_a_factory_that_makes_no_provider_is_told(made: object) -> None:
    provider = ScriptedProvider(gives())
    provider.make = lambda _context: made  # type: ignore[method-assign,assignment,return-value] # that is the point
    seen = World(provider).look()
    assert (seen.outcome, codes(seen)) == (Outcome.FAILED, [DiagnosticCode.SOURCE_MALFORMED])


def invalidates_and(step: object) -> object:
    def invalidating(context: ProviderContext) -> object:
        context.invalidate()
        return step(context)  # type: ignore[operator] # a step

    return invalidating


def test_one_change_while_it_is_asked_has_it_asked_once_more() -> None:
    here = world(invalidates_and(gives(candidate("old"))), gives(candidate("new")))
    seen = here.look()
    assert (here.provider.looks, seen.outcome, names(seen)) == (2, Outcome.WHOLE, ["new"])
    assert not here.is_told()


def test_changes_each_time_it_is_asked_leave_it_incomplete_and_not_kept() -> None:
    given = ProviderObservation(skills=[candidate("a")])
    here = world(invalidates_and(lambda _context: given))
    for looks in (2, 4, 6):
        seen = here.look()
        assert (here.provider.looks, seen.outcome, names(seen)) == (looks, Outcome.PARTIAL, ["a"])
        assert codes(seen) == [DiagnosticCode.PROVIDER_INCOMPLETE]
    # It would be asked without end if what it says of itself were told.
    assert not here.is_told()


def test_a_failure_is_asked_once_more_where_the_skills_changed_meanwhile() -> None:
    here = world(invalidates_and(fails(OSError())), gives(candidate("a")))
    assert here.look().outcome is Outcome.WHOLE


def test_what_an_incomplete_answer_leaves_out_stays_as_it_is_served() -> None:
    here = world(
        gives(candidate("a"), candidate("b", "Old."), candidate("c")),
        gives(candidate("b", "New."), candidate("d"), complete=False),
        gives(candidate("b", "New.")),
    )
    first = here.look()
    second = here.look(first.found)
    assert (second.outcome, names(second)) == (Outcome.PARTIAL, ["a", "b", "c", "d"])
    assert second.found[1].bundle != first.found[1].bundle
    third = here.look(second.found)
    assert (third.outcome, names(third)) == (Outcome.WHOLE, ["b"])


def test_an_incomplete_answer_is_asked_for_again_also_where_it_is_the_same_object() -> None:
    given = ProviderObservation(skills=[candidate("a")], complete=False)
    here = world(lambda _context: given)
    first = here.look()
    assert here.look(first.found) is first
    assert (here.provider.looks, first.outcome) == (2, Outcome.PARTIAL)


def test_a_change_is_told_and_after_closing_to_nobody() -> None:
    here = world(gives())
    here.look()
    context = here.provider.context
    assert context is not None
    context.invalidate()
    assert here.is_told()
    here.source.close()
    context.invalidate()
    assert not here.is_told()
    assert context.stopped()
    here.source.close()
    assert here.provider.closed == 1


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Give what a hanging provider waits for; it is let go at the end."""
    event = threading.Event()
    yield event
    event.set()


def hangs(gate: threading.Event, step: object) -> object:
    def hanging(context: ProviderContext) -> object:
        assert gate.wait(PATIENCE_S)
        return step(context)  # type: ignore[operator] # a step

    return hanging


def test_one_that_does_not_answer_in_time_is_left_to_itself_and_asked_no_second_time(gate: threading.Event) -> None:
    now = [0.0]

    def late(context: ProviderContext) -> object:
        now[0] = 0.2
        assert gate.wait(PATIENCE_S)
        return gives(candidate("late"))(context)

    here = World(ScriptedProvider(late, gives(candidate("a"))), timeout_s=0.2, clock=lambda: now[0])
    for expected in ("it has not answered within 0.2 s", "it has not come back from an earlier look"):
        seen = here.look()
        assert (seen.outcome, seen.diagnostics[0].message) == (Outcome.FAILED, expected)
    assert here.provider.looks == 1
    context = here.provider.context
    assert context is not None
    assert context.stopped()
    gate.set()
    # It is told when it is back; what it said so late counts for nothing.
    assert here.told.acquire(timeout=PATIENCE_S)
    assert names(here.look()) == ["a"]
    assert not context.stopped()


def test_a_stop_ends_the_look_at_one_that_hangs(gate: threading.Event) -> None:
    here = world(hangs(gate, gives()))
    threading.Timer(0.1, here.stop.set).start()
    before = time.monotonic()
    with pytest.raises(Abandoned):
        here.look()
    assert time.monotonic() - before < PATIENCE_S / 2


def test_closing_ends_the_look_and_one_that_is_made_too_late_is_closed(gate: threading.Event) -> None:
    provider = ScriptedProvider(gives())
    make, making, closed = provider.make, threading.Event(), threading.Event()

    def slow(context: ProviderContext) -> object:
        making.set()
        assert gate.wait(PATIENCE_S)
        return make(context)

    provider.make = slow  # type: ignore[method-assign,assignment] # a factory that hangs
    provider.close = closed.set  # type: ignore[method-assign] # to be waited for
    here = World(provider)

    def close() -> None:
        assert making.wait(PATIENCE_S)
        here.source.close()

    threading.Thread(target=close, daemon=True).start()
    with pytest.raises(Abandoned):
        here.look()
    gate.set()
    assert closed.wait(PATIENCE_S)
    assert provider.looks == 0


def test_one_that_does_not_close_holds_up_nobody_for_long(
    gate: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    here = world(gives())
    here.look()
    here.provider.close = lambda: gate.wait(PATIENCE_S)  # type: ignore[method-assign,assignment] # hangs
    before = time.monotonic()
    here.source.close()
    assert time.monotonic() - before < PATIENCE_S / 2
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_one_that_fails_to_close_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    here = world(gives())
    here.look()

    def failing() -> None:
        raise SystemExit

    here.provider.close = failing  # type: ignore[method-assign] # that is the point
    here.source.close()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_store_that_takes_nothing_fails_the_look_and_no_more() -> None:
    here = world(gives(candidate("a")))

    def refuse(_data: bytes, _digest: str | None = None) -> str:
        raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the disk is full")

    put = here.blobs.put
    here.blobs.put = refuse  # type: ignore[method-assign,assignment] # a full disk
    seen = here.look()
    assert (seen.outcome, codes(seen)) == (Outcome.FAILED, [DiagnosticCode.STORE_UNREACHABLE])
    here.blobs.put = put  # type: ignore[method-assign] # room again
    assert names(here.look()) == ["a"]


@pytest.mark.parametrize("field", ["provider", "label"])
def test_the_reserved_name_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match="'runtime' is reserved"):
        ProviderSettings(
            provider="runtime" if field == "provider" else "x",
            reading=replace(READING, label="runtime" if field == "label" else "x"),
        )
