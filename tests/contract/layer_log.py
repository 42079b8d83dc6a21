"""What every `LayerLog` keeps. A class of tests for each implementation inherits this one."""

import itertools
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillsvc.catalog.log import LayerLog, LayerStep
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Generation, Row, make_row
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.contract.layer_log_values import ROW_SETS, generation, row

ALICE = Partition(principal="token:alice", project="")
SHADOWED = Diagnostic(severity=Severity.WARNING, code=DiagnosticCode.SHADOWED, message="shadowed by main")

# Each example has a layer of its own in the test's log, and each class that inherits a test runs it alone.
_EXAMPLES_SHARE_A_LOG = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
)


class LayerLogContract:
    """Inherit, and give a `log` that is empty and a `reopen` that returns it as the next process would find it."""

    @pytest.fixture
    def log(self) -> LayerLog:
        raise NotImplementedError

    @pytest.fixture
    def reopen(self, log: LayerLog) -> Callable[[], LayerLog]:
        raise NotImplementedError(log)

    @pytest.fixture
    def new_layer(self) -> Callable[[], Partition]:
        """Give a layer of its own to each example that hypothesis tries in one test."""
        numbers = itertools.count()
        return lambda: Partition(principal="local", project=f"example {next(numbers)}")

    def test_a_new_layer_has_a_log_id_of_16_bytes_that_stays(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        first = log.load(ALICE)
        assert (first.partition, len(first.log_id), first.generations) == (ALICE, 16, ())
        assert log.load(ALICE) == first
        assert reopen().load(ALICE) == first

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (DEPLOYMENT, ALICE),
            (ALICE, Partition(principal="token:Alice", project="")),
            (ALICE, Partition(principal="token:alice", project="p")),
            (Partition(principal="token:a", project="bc"), Partition(principal="token:ab", project="c")),
            (Partition(principal="local", project="\u00e9"), Partition(principal="local", project="e\u0301")),
            (Partition(principal="local", project="p"), Partition(principal="local", project="p ")),
            (Partition(principal="local", project="p"), Partition(principal="local", project="p\0")),
        ],
    )
    def test_layers_of_different_bytes_are_different_layers(
        self, log: LayerLog, reopen: Callable[[], LayerLog], one: Partition, other: Partition
    ) -> None:
        ids = {partition: log.load(partition).log_id for partition in (one, other)}
        assert ids[one] != ids[other]
        of_one = generation(one, ids[one], 1, row("review"))
        of_other = generation(other, ids[other], 1, row("test"))
        log.append(of_one, dropped=())
        log.append(of_other, dropped=())
        reopened = reopen()
        assert reopened.load(one).generations == (of_one,)
        assert reopened.load(other).generations == (of_other,)

    @_EXAMPLES_SHARE_A_LOG
    @given(rows=ROW_SETS)
    def test_what_is_appended_is_given_back_exactly(
        self, log: LayerLog, reopen: Callable[[], LayerLog], new_layer: Callable[[], Partition], rows: list[Row]
    ) -> None:
        partition = new_layer()
        appended = generation(partition, log.load(partition).log_id, 1, *rows)
        log.append(appended, dropped=())
        assert log.load(partition).generations == (appended,)
        assert reopen().load(partition).generations == (appended,)

    def test_names_that_differ_by_case_or_unicode_form_stay_distinct(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        names = ["a", "A", "\u00e9", "e\u0301", "a\0", "a\0b", "\uff41", "\U0001f600", "\ufffd"]
        appended = generation(DEPLOYMENT, log.load(DEPLOYMENT).log_id, 1, *map(row, names))
        log.append(appended, dropped=())
        fewer = generation(DEPLOYMENT, appended.log_id, 2, *map(row, names[::2]))
        log.append(fewer, dropped=())
        assert reopen().load(DEPLOYMENT).generations == (appended, fewer)

    def test_a_layer_may_become_empty_and_be_filled_again(self, log: LayerLog, reopen: Callable[[], LayerLog]) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        rows_of = [(), (row("review"),), (), (row("review"),), (row("review"), row("test"))]
        appended = tuple(generation(DEPLOYMENT, log_id, at, *rows) for at, rows in enumerate(rows_of, start=1))
        for each in appended:
            log.append(each, dropped=())
        assert reopen().load(DEPLOYMENT).generations == appended

    def test_one_bundle_in_two_places_is_one_value_with_both(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        rows = (row("review", source="main", place="a"), row("review", source="other", place="b", shadowed=True))
        appended = generation(DEPLOYMENT, log.load(DEPLOYMENT).log_id, 1, *rows)
        log.append(appended, dropped=())
        one, other = reopen().load(DEPLOYMENT).generations[0].rows
        assert (one.found.place, other.found.place) == ("a", "b")
        assert one.bundle == other.bundle

    def test_a_change_that_no_digest_covers_is_kept(self, log: LayerLog, reopen: Callable[[], LayerLog]) -> None:
        before = row("review", place="a")
        found = replace(before.found, place="b", diagnostics=(SHADOWED,))
        after = make_row(source="main", shadowed=False, found=found, tier=before.tier, trust=before.trust)
        assert after.encoded == before.encoded
        log_id = log.load(DEPLOYMENT).log_id
        appended = (generation(DEPLOYMENT, log_id, 1, before), generation(DEPLOYMENT, log_id, 2, after, row("test")))
        for each in appended:
            log.append(each, dropped=())
        assert reopen().load(DEPLOYMENT).generations == appended

    @pytest.mark.parametrize("is_reopened", [False, True])
    def test_a_generation_is_renewed_with_what_no_digest_covers_and_older_ones_stay(
        self, log: LayerLog, reopen: Callable[[], LayerLog], *, is_reopened: bool
    ) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        same, old, new = row("c"), row("a", place="a"), row("b", place="b")
        first = generation(DEPLOYMENT, log_id, 1, old, same)
        second = generation(DEPLOYMENT, log_id, 2, old, new, same)
        for each in (first, second):
            log.append(each, dropped=())
        if is_reopened:
            log = reopen()
        moved = [[replace(each, found=replace(each.found, place=at)) for each in (old, new)] for at in "dee"]
        renewed = [generation(DEPLOYMENT, log_id, 2, *rows, same) for rows in moved]
        for each in renewed:
            log.renew(each)
            assert log.load(DEPLOYMENT).generations == (first, each)
        third = generation(DEPLOYMENT, log_id, 3, moved[-1][0], same)
        log.append(third, dropped=())
        assert reopen().load(DEPLOYMENT).generations == (first, renewed[-1], third)
        log.forget(DEPLOYMENT, [1, 2])
        assert reopen().load(DEPLOYMENT).generations == (third,)

    def test_nothing_but_the_newest_generation_is_renewed_with_its_own_digest_alone(self, log: LayerLog) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        appended = (generation(DEPLOYMENT, log_id, 1, row("a")), generation(DEPLOYMENT, log_id, 2, row("b")))
        with pytest.raises(ValueError, match="newest"):
            log.renew(appended[0])
        for each in appended:
            log.append(each, dropped=())
        with pytest.raises(ValueError, match="newest"):
            log.renew(appended[0])
        with pytest.raises(ValueError, match="digest"):
            log.renew(generation(DEPLOYMENT, log_id, 2, row("b", "Other.")))
        assert log.load(DEPLOYMENT).generations == appended

    def test_generations_share_the_rows_that_they_have_in_common(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        kept = row("review")
        log.append(generation(DEPLOYMENT, log_id, 1, kept, row("test", "one")), dropped=())
        log.append(generation(DEPLOYMENT, log_id, 2, kept, row("test", "two")), dropped=())
        one, two = reopen().load(DEPLOYMENT).generations
        assert one.rows[0] is two.rows[0]
        assert one.rows[1] != two.rows[1]

    @pytest.mark.parametrize(
        ("dropped", "left"),
        [
            ([], [1, 2, 5, 9]),
            ([1], [2, 5, 9]),
            ([1, 2], [5, 9]),
            ([2], [1, 5, 9]),
            ([5], [1, 2, 9]),
            ([5, 1], [2, 9]),
            ([5, 2, 1], [9]),
            ([3, 7, 12], [1, 2, 5, 9]),
        ],
    )
    def test_dropped_generations_are_gone_and_the_others_whole(
        self, log: LayerLog, reopen: Callable[[], LayerLog], dropped: list[int], left: list[int]
    ) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        rows_of = {
            1: [row("a"), row("b")],
            2: [row("b"), row("c", "one")],
            5: [row("a"), row("b", "changed"), row("c", "two")],
            9: [row("b"), row("c", "one")],
        }
        appended = {at: generation(DEPLOYMENT, log_id, at, *rows) for at, rows in rows_of.items()}
        for at, each in appended.items():
            log.append(each, dropped=dropped if at == 9 else ())
        expected = tuple(appended[at] for at in left)
        assert log.load(DEPLOYMENT).generations == expected
        assert reopen().load(DEPLOYMENT).generations == expected

    def test_generations_are_forgotten_without_an_append_but_never_the_newest(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        log.forget(ALICE, [1])
        log_id = log.load(DEPLOYMENT).log_id
        appended = [generation(DEPLOYMENT, log_id, at, row("a"), row("b", str(at))) for at in range(1, 5)]
        for each in appended:
            log.append(each, dropped=())
        log.forget(DEPLOYMENT, [1, 3, 9])
        assert log.load(DEPLOYMENT).generations == (appended[1], appended[3])
        with pytest.raises(ValueError, match="newest"):
            log.forget(DEPLOYMENT, [2, 4])
        assert reopen().load(DEPLOYMENT).generations == (appended[1], appended[3])

    @pytest.mark.parametrize("sequence", [0, 4, 5])
    def test_a_sequence_that_is_not_the_highest_changes_nothing(self, log: LayerLog, sequence: int) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        held = generation(DEPLOYMENT, log_id, 5, row("review"))
        log.append(held, dropped=())
        with pytest.raises(ValueError, match="sequence"):
            log.append(generation(DEPLOYMENT, log_id, sequence), dropped=())
        assert log.load(DEPLOYMENT).generations == (held,)

    def test_a_generation_is_not_dropped_by_its_own_append(self, log: LayerLog) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        with pytest.raises(ValueError, match="dropped"):
            log.append(generation(DEPLOYMENT, log_id, 1), dropped=(1,))
        assert log.load(DEPLOYMENT).generations == ()

    def test_a_generation_of_another_log_changes_nothing(self, log: LayerLog) -> None:
        other = log.load(ALICE).log_id
        with pytest.raises(ValueError, match="log"):
            log.append(generation(DEPLOYMENT, other, 1), dropped=())
        log.load(DEPLOYMENT)
        with pytest.raises(ValueError, match="log"):
            log.append(generation(DEPLOYMENT, other, 1), dropped=())
        assert log.load(DEPLOYMENT).generations == ()

    def test_several_layers_are_kept_in_one_step(self, log: LayerLog, reopen: Callable[[], LayerLog]) -> None:
        ids = {partition: log.load(partition).log_id for partition in (DEPLOYMENT, ALICE)}
        old = generation(ALICE, ids[ALICE], 1, row("a"), row("b"))
        log.append(old, dropped=())
        new = generation(ALICE, ids[ALICE], 2, row("b"))
        first = generation(DEPLOYMENT, ids[DEPLOYMENT], 1, row("a"))
        log.keep(
            [
                LayerStep(partition=ALICE, generation=new, dropped=frozenset({1}), revoked=frozenset({"a"})),
                LayerStep(partition=DEPLOYMENT, generation=first, log_generation=2**63 - 1),
            ]
        )
        for each in (log, reopen()):
            alice, deployment = each.load(ALICE), each.load(DEPLOYMENT)
            assert (alice.generations, alice.revoked, alice.log_generation) == ((new,), frozenset({"a"}), None)
            assert (deployment.generations, deployment.revoked) == ((first,), frozenset())
            assert deployment.log_generation == 2**63 - 1

    def test_a_step_that_cannot_be_kept_undoes_those_before_it(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        ids = {partition: log.load(partition).log_id for partition in (DEPLOYMENT, ALICE)}
        held = generation(DEPLOYMENT, ids[DEPLOYMENT], 5, row("a"))
        log.append(held, dropped=())
        steps = [
            LayerStep(
                partition=ALICE,
                generation=generation(ALICE, ids[ALICE], 1, row("b")),
                revoked=frozenset({"a"}),
                log_generation=3,
            ),
            LayerStep(partition=DEPLOYMENT, generation=generation(DEPLOYMENT, ids[DEPLOYMENT], 5)),
        ]
        with pytest.raises(ValueError, match="sequence"):
            log.keep(steps)
        for each in (log, reopen()):
            alice = each.load(ALICE)
            assert (alice.generations, alice.revoked, alice.log_generation) == ((), frozenset(), None)
            assert each.load(DEPLOYMENT).generations == (held,)
        # What was undone is not what the next one is written as the difference from.
        again = generation(ALICE, ids[ALICE], 1, row("b"))
        log.append(again, dropped=())
        assert reopen().load(ALICE).generations == (again,)

    def test_what_is_revoked_is_replaced_as_a_whole_and_stays_where_nothing_is_said(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        log_id = log.load(ALICE).log_id
        log.append(generation(ALICE, log_id, 1, row("a")), dropped=())
        log.append(generation(DEPLOYMENT, log.load(DEPLOYMENT).log_id, 1, row("a")), dropped=())
        for revoked, held in (
            (frozenset({"a", "b", "\u00e9"}), frozenset({"a", "b", "\u00e9"})),
            (None, frozenset({"a", "b", "\u00e9"})),
            (frozenset({"b", "c"}), frozenset({"b", "c"})),
            (frozenset[str](), frozenset[str]()),
        ):
            log.keep([LayerStep(partition=ALICE, revoked=revoked)])
            assert log.load(ALICE).revoked == reopen().load(ALICE).revoked == held
            assert log.load(DEPLOYMENT).revoked == frozenset()

    def test_the_newest_generation_takes_the_place_of_all_others_in_one_step(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        log_id = log.load(ALICE).log_id
        for sequence in range(1, 4):
            log.append(generation(ALICE, log_id, sequence, row("a", str(sequence)), row("b")), dropped=())
        last = generation(ALICE, log_id, 9, row("b"))
        log.keep([LayerStep(partition=ALICE, generation=last, dropped=frozenset({1, 2, 3}))])
        assert log.load(ALICE).generations == reopen().load(ALICE).generations == (last,)
        with pytest.raises(ValueError, match="newest"):
            log.keep([LayerStep(partition=ALICE, dropped=frozenset({9}))])
        with pytest.raises(ValueError, match="dropped"):
            log.keep([LayerStep(partition=ALICE, generation=generation(ALICE, log_id, 10), dropped=frozenset({10}))])
        assert log.load(ALICE).generations == (last,)

    def test_partitions_are_those_that_have_a_generation(self, log: LayerLog, reopen: Callable[[], LayerLog]) -> None:
        assert log.partitions() == ()
        log.load(ALICE)
        log.append(generation(DEPLOYMENT, log.load(DEPLOYMENT).log_id, 1), dropped=())
        assert log.partitions() == reopen().partitions() == (DEPLOYMENT,)
        log.append(generation(ALICE, log.load(ALICE).log_id, 1), dropped=())
        assert set(log.partitions()) == {DEPLOYMENT, ALICE}

    def test_blobs_are_those_of_every_generation_that_is_held(
        self, log: LayerLog, reopen: Callable[[], LayerLog]
    ) -> None:
        assert log.blobs() == frozenset()
        log_id = log.load(ALICE).log_id
        a, b = row("a"), row("b")
        log.append(generation(ALICE, log_id, 1, a), dropped=())
        log.append(generation(ALICE, log_id, 2, b), dropped=())
        assert log.blobs() == reopen().blobs() == {*a.bundle.blobs, *b.bundle.blobs}
        log.forget(ALICE, [1])
        assert log.blobs() == reopen().blobs() == frozenset(b.bundle.blobs)

    def test_a_log_opened_again_goes_on_without_a_load(self, log: LayerLog, reopen: Callable[[], LayerLog]) -> None:
        log_id = log.load(DEPLOYMENT).log_id
        one = generation(DEPLOYMENT, log_id, 1, row("a"), row("b"), row("c"))
        two = generation(DEPLOYMENT, log_id, 2, row("a"), row("c", "changed"), row("d"))
        log.append(one, dropped=())
        reopened = reopen()
        reopened.append(two, dropped=())
        assert reopened.load(DEPLOYMENT).generations == (one, two)

    @pytest.mark.parametrize("seed", range(3))
    def test_200_generations_of_random_changes_are_those_of_a_model(
        self, log: LayerLog, reopen: Callable[[], LayerLog], seed: int
    ) -> None:
        chance = random.Random(seed)  # noqa: S311 - repeatable, and no secret
        log_id = log.load(DEPLOYMENT).log_id
        rows: dict[tuple[str, str], Row] = {}
        model: list[Generation] = []
        for sequence in range(1, 201):
            for _ in range(chance.randrange(5)):
                name, source = chance.choice("abcdefgh"), chance.choice(["main", "other"])
                if chance.random() < 0.4:
                    rows.pop((name, source), None)
                else:
                    version = str(chance.randrange(3))
                    rows[name, source] = row(name, version, source=source, shadowed=source == "other")
            dropped = [each.sequence for each in model if chance.random() < 0.1]
            model = [each for each in model if each.sequence not in dropped]
            model.append(generation(DEPLOYMENT, log_id, sequence, *rows.values()))
            log.append(model[-1], dropped=dropped)
            if chance.random() < 0.05:
                log = reopen()
            if chance.random() < 0.1:
                assert log.load(DEPLOYMENT).generations == tuple(model)
        assert reopen().load(DEPLOYMENT).generations == tuple(model)

    @_EXAMPLES_SHARE_A_LOG
    @given(
        steps=st.lists(
            st.tuples(
                st.frozensets(st.tuples(st.sampled_from("abc"), st.sampled_from("12")), max_size=4),
                st.frozensets(st.integers(min_value=1, max_value=8)),
            ),
            max_size=8,
        ),
    )
    def test_any_few_steps_are_those_of_a_model(
        self,
        log: LayerLog,
        new_layer: Callable[[], Partition],
        steps: list[tuple[frozenset[tuple[str, str]], frozenset[int]]],
    ) -> None:
        partition = new_layer()
        log_id = log.load(partition).log_id
        model: dict[int, Generation] = {}
        for sequence, (named, gone) in enumerate(steps, start=1):
            rows = {name: row(name, version) for name, version in sorted(named)}
            dropped = gone - {sequence}
            model = {at: held for at, held in model.items() if at not in dropped}
            model[sequence] = generation(partition, log_id, sequence, *rows.values())
            log.append(model[sequence], dropped=dropped)
        assert log.load(partition).generations == tuple(model.values())

    def test_threads_append_to_their_layers_at_once(self, log: LayerLog, reopen: Callable[[], LayerLog]) -> None:
        def fill(partition: Partition) -> tuple[Generation, ...]:
            log_id = log.load(partition).log_id
            appended = tuple(
                generation(partition, log_id, at, *(row(name, str(at)) for name in "ab")) for at in range(1, 21)
            )
            for each in appended:
                log.append(each, dropped=(each.sequence - 5,))
                assert log.load(partition).generations[-1] == each
            return appended[-5:]

        partitions = [Partition(principal="local", project=str(number)) for number in range(4)]
        with ThreadPoolExecutor(len(partitions)) as threads:
            expected = list(threads.map(fill, partitions))
        reopened = reopen()
        assert [reopened.load(partition).generations for partition in partitions] == expected
