"""Views of callers: which layers they see, and how a named state is found again (contract.md, "Tokens")."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from skillsvc.catalog.contents import Content
from skillsvc.catalog.current import Current
from skillsvc.catalog.enablements import Enablements
from skillsvc.catalog.layer import SourceState, UnreachableSource
from skillsvc.catalog.views import LayersAway, Missing, Sight, Views
from skillsvc.domain.enablement import Audience, State
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import TokenKeys
from skillsvc.domain.view import Viewer
from tests.contract.layer_log_values import row
from tests.simulators.enablement_log import MemoryEnablementLog
from tests.simulators.memory_log import MemoryLayerLog

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KEYS = TokenKeys((b"k" * 32,))
ALICE = Viewer("token:alice", "")
ALICE_P = Viewer("token:alice", "p")
BOB = Viewer("token:bob", "")
LIMITS = Limits(retained_generations=2, retained_at_most=2)
"""The present generation and the one before, so that a third publish makes a state expire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """A process: its state, and the views on it."""

    current: Current
    views: Views

    def publish(self, *names: str, to: Viewer | None = None) -> None:
        partition = DEPLOYMENT if to is None else to.partition
        self.current.publish(partition, tuple(row(name) for name in names), (), NOW)

    def names(self, caller: Viewer) -> list[str]:
        return [each.name for each in self.views.present(caller).view.listed()]


def replica(*partitions: Partition, log: MemoryLayerLog | None = None) -> Replica:
    current = Current(log or MemoryLayerLog(os.urandom), LIMITS)
    for partition in partitions:
        current.open_layer(partition, NOW)
    return Replica(current=current, views=Views(current, KEYS))


def state(sight: Sight | Missing) -> str | Missing:
    """Return the digest of a state that was found, or why it was not."""
    return sight.view.digest if isinstance(sight, Sight) else sight


class TestLayers:
    def test_the_deployment_layer_stands_before_the_project_and_that_before_the_principal(self) -> None:
        here = replica(ALICE.partition, ALICE_P.partition, BOB.partition, DEPLOYMENT)
        layers = here.views.present(ALICE_P).view.layers
        assert [layer.partition for layer in layers] == [DEPLOYMENT, ALICE_P.partition, ALICE.partition]
        assert [layer.partition for layer in here.views.present(ALICE).view.layers] == [DEPLOYMENT, ALICE.partition]

    def test_a_caller_without_layers_of_its_own_sees_the_deployment_alone(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition)
        here.publish("a")
        here.publish("hers", to=ALICE)
        assert here.names(BOB) == ["a"]
        assert here.names(ALICE) == ["a", "hers"]

    def test_callers_who_see_the_same_have_tokens_of_their_own(self) -> None:
        here = replica(DEPLOYMENT)
        one, other = here.views.present(ALICE), here.views.present(BOB)
        assert one.view.digest == other.view.digest
        assert one.token != other.token

    def test_replicas_of_one_log_give_the_same_token(self) -> None:
        log = MemoryLayerLog(os.urandom)
        here = replica(DEPLOYMENT, ALICE.partition, log=log)
        here.publish("a")
        there = replica(DEPLOYMENT, ALICE.partition, log=log)
        assert there.views.present(ALICE).token == here.views.present(ALICE).token

    def test_partitions_that_a_rule_opens_come_last_in_its_order(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition, ALICE_P.partition, BOB.partition)
        viewer = Viewer("token:carol", "", (BOB.partition, ALICE_P.partition))
        layers = [layer.partition for layer in here.views.present(viewer).view.layers]
        assert layers == [DEPLOYMENT, BOB.partition, ALICE_P.partition]

    def test_what_a_rule_leaves_visible_tells_viewers_apart(self) -> None:
        here = replica(DEPLOYMENT)
        here.publish("a", "b")
        narrow = Viewer("token:alice", "", (), frozenset({"b", "c"}))
        assert (here.names(narrow), here.names(ALICE)) == (["b"], ["a", "b"])
        all_, some = here.views.present(ALICE), here.views.present(narrow)
        assert all_.token == some.token
        assert all_.view.digest != some.view.digest


class TestSharing:
    def test_viewers_who_see_the_same_share_one_view_and_so_one_computation_of_its_digest(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition)
        here.publish("a")
        views = [here.views.present(Viewer("token:t", str(number))).view for number in range(100)]
        assert all(view is views[0] for view in views)
        assert here.views.present(ALICE).view is not views[0]

    def test_a_view_is_shared_anew_after_a_publish(self) -> None:
        here = replica(DEPLOYMENT)
        before = here.views.present(ALICE).view
        here.publish("a")
        assert here.views.present(ALICE).view is here.views.present(BOB).view is not before


class TestLayersAway:
    """Layers that are not in memory."""

    @staticmethod
    def crowded(*partitions: Partition) -> tuple[Replica, MemoryLayerLog]:
        """Return a process that has just begun on a log of others."""
        log = MemoryLayerLog(os.urandom)
        for partition in partitions:
            before = replica(DEPLOYMENT, partition, log=log)
            before.current.publish(partition, (row("hers"),), (), NOW)
        return replica(DEPLOYMENT, log=log), log

    def test_they_are_to_be_brought_in_first(self) -> None:
        here, _log = self.crowded(ALICE.partition)
        for ask in (here.views.present, lambda viewer: here.views.exactly(viewer, "")):
            with pytest.raises(LayersAway):
                ask(ALICE)
        here.views.bring_in(ALICE)
        assert here.names(ALICE) == ["hers"]

    def test_a_first_layer_that_is_let_go_before_anybody_asks_is_not_taken_for_none(self) -> None:
        current = Current(MemoryLayerLog(os.urandom), Limits(resident_layer_bytes=1))
        here = Replica(current=current, views=Views(current, KEYS))
        current.open_layer(DEPLOYMENT, NOW)
        assert here.names(ALICE) == []
        # There is memory for one: hers goes when his comes.
        current.replace([Content(partition=ALICE.partition, rows=(row("hers"),))], NOW)
        current.replace([Content(partition=BOB.partition, rows=(row("his"),))], NOW)
        assert here.names(BOB) == ["his"]
        with pytest.raises(LayersAway):
            here.views.present(ALICE)
        here.views.bring_in(ALICE)
        assert here.names(ALICE) == ["hers"]

    def test_a_project_and_what_a_rule_opens_are_brought_in_with_ones_own(self) -> None:
        here, _log = self.crowded(ALICE.partition, ALICE_P.partition, BOB.partition)
        viewer = Viewer("token:alice", "p", (BOB.partition,))
        here.views.bring_in(viewer)
        assert len(here.views.present(viewer).view.layers) == 4

    def test_what_nobody_published_to_is_asked_of_no_log(self) -> None:
        here, _log = self.crowded(ALICE.partition)
        assert here.names(BOB) == []


class TestPresent:
    def test_while_nothing_changes_it_is_one_value(self) -> None:
        here = replica(DEPLOYMENT)
        assert here.views.present(ALICE) is here.views.present(ALICE)

    def test_a_publish_is_seen_at_once(self) -> None:
        here = replica(DEPLOYMENT)
        before = here.views.present(ALICE)
        here.publish("a")
        assert here.names(ALICE) == ["a"]
        assert before.view.total == 0

    def test_a_publish_to_others_leaves_a_view_as_it_is(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition, BOB.partition)
        hers = here.views.present(ALICE)
        here.publish("his", to=BOB)
        assert here.views.present(ALICE) is hers
        assert here.names(BOB) == ["his"]

    def test_a_layer_that_is_opened_is_seen_by_its_owner(self) -> None:
        here = replica(DEPLOYMENT)
        his, hers = here.views.present(BOB), here.views.present(ALICE)
        here.current.open_layer(ALICE.partition, NOW)
        assert here.views.present(ALICE).token != hers.token
        assert here.views.present(BOB) is his

    def test_sources_out_of_reach_are_those_of_the_callers_own_layers(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition, BOB.partition)
        stale = UnreachableSource(source="his", since=NOW, state=SourceState.STALE)
        missing = UnreachableSource(source="all", since=NOW, state=SourceState.MISSING)
        here.current.report(BOB.partition, (stale,))
        here.current.report(DEPLOYMENT, (missing,))
        assert here.views.present(ALICE).unreachable == (missing,)
        assert here.views.present(BOB).unreachable == (missing, stale)

    def test_completeness_changes_neither_digest_nor_token_nor_sequence(self) -> None:
        here = replica(DEPLOYMENT)
        before = here.views.present(ALICE)
        stale = UnreachableSource(source="dir-1", since=NOW, state=SourceState.STALE)
        here.current.report(DEPLOYMENT, (stale,))
        after = here.views.present(ALICE)
        assert after.unreachable == (stale,)
        assert (after.token, after.view) == (before.token, before.view)

    def test_a_view_of_the_past_is_forgotten_though_its_viewer_never_comes_back(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition, BOB.partition)
        here.views.present(ALICE)
        here.publish("hers", to=ALICE)
        for number in range(3):
            here.publish(f"his-{number}", to=BOB)
            here.views.present(BOB)
        assert ALICE not in here.views._present

    def test_what_is_switched_off_is_gone_from_a_view_that_others_changes_look_at(
        self,
    ) -> None:
        current = Current(MemoryLayerLog(os.urandom), LIMITS)
        enablements = Enablements(MemoryEnablementLog(), LIMITS)
        here = Replica(current=current, views=Views(current, KEYS, enablements))
        for partition in (DEPLOYMENT, BOB.partition):
            current.open_layer(partition, NOW)
        here.publish("a", "b")
        assert here.names(ALICE) == ["a", "b"]
        enablements.say(Audience(DEPLOYMENT), ("a",), State.DISABLED, NOW)
        # Somebody else comes before, so that what is said is taken first, and then the layers.
        assert not here.views.shows(BOB, "a")
        here.publish("his", to=BOB)
        assert here.names(BOB) == ["b", "his"]
        assert here.names(ALICE) == ["b"]

    def test_a_publish_to_one_looks_at_few_views_of_others(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition, BOB.partition)
        for number in range(1_000):
            here.views.present(Viewer("local", str(number)))
        state = here.views._state
        here.publish("his", to=BOB)
        here.views.present(BOB)
        looked_at = [viewer for viewer, held in here.views._present.items() if held.state != state]
        assert len(looked_at) <= 17

    def test_any_number_of_callers_is_answered(self) -> None:
        here = replica(DEPLOYMENT)
        tokens = {here.views.present(Viewer("local", str(number))).token for number in range(2_000)}
        assert len(tokens) == 2_000


class TestExactly:
    def test_a_retained_state_is_found_and_is_whole(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition)
        here.publish("a")
        before = here.views.present(ALICE)
        here.publish("b")
        found = here.views.exactly(ALICE, before.token)
        assert isinstance(found, Sight)
        assert [each.name for each in found.view.listed()] == ["a"]
        assert (found.view.digest, found.token) == (before.view.digest, before.token)

    def test_the_present_state_is_the_present_value(self) -> None:
        here = replica(DEPLOYMENT)
        present = here.views.present(ALICE)
        assert here.views.exactly(ALICE, present.token) is present

    def test_an_older_state_is_composed_once_while_nothing_changes(self) -> None:
        here = replica(DEPLOYMENT)
        token = here.views.present(ALICE).token
        here.publish("a")
        assert here.views.exactly(ALICE, token) is here.views.exactly(ALICE, token)

    def test_a_state_that_is_not_retained_has_expired(self) -> None:
        here = replica(DEPLOYMENT)
        token = here.views.present(ALICE).token
        here.publish("a")
        here.publish("b")
        assert here.views.exactly(ALICE, token) is Missing.EXPIRED

    @pytest.mark.parametrize("gone", [None, ALICE], ids=["the deployment's", "her own"])
    def test_one_layer_that_is_gone_is_enough_to_have_expired(self, gone: Viewer | None) -> None:
        here = replica(DEPLOYMENT, ALICE.partition)
        token = here.views.present(ALICE).token
        here.publish("a", to=gone)
        here.publish("b", to=gone)
        assert here.views.exactly(ALICE, token) is Missing.EXPIRED

    def test_layers_of_different_ages_are_put_together_as_the_token_says(self) -> None:
        here = replica(DEPLOYMENT, ALICE.partition)
        here.publish("a")
        here.publish("hers", to=ALICE)
        token = here.views.present(ALICE).token
        here.publish("b")
        found = here.views.exactly(ALICE, token)
        assert isinstance(found, Sight)
        assert [each.name for each in found.view.listed()] == ["a", "hers"]

    def test_content_that_came_back_is_found_whatever_its_number(self) -> None:
        here = replica(DEPLOYMENT)
        here.publish("a")
        token = here.views.present(ALICE).token
        for names in (("b",), ("c",), ("a",)):
            here.publish(*names)
        assert here.views.exactly(ALICE, token) is here.views.present(ALICE)

    def test_a_token_of_another_log_with_the_same_content_is_found(self) -> None:
        here, there = replica(DEPLOYMENT), replica(DEPLOYMENT)
        for each in (here, there):
            each.publish("a")
        token = there.views.present(ALICE).token
        assert here.views.exactly(ALICE, token) is here.views.present(ALICE)

    def test_sources_are_judged_as_they_stand_now_under_an_old_token_too(self) -> None:
        here = replica(DEPLOYMENT)
        token = here.views.present(ALICE).token
        here.publish("a")
        for unreachable in ((UnreachableSource(source="s", since=NOW, state=SourceState.PARTIAL),), ()):
            here.current.report(DEPLOYMENT, unreachable)
            found = here.views.exactly(ALICE, token)
            assert isinstance(found, Sight)
            assert (found.unreachable, found.token) == (unreachable, token)


class TestAtLeast:
    def test_the_present_and_any_earlier_state_are_reached_even_when_expired(self) -> None:
        here = replica(DEPLOYMENT)
        tokens = [here.views.present(ALICE).token]
        for name in "abcd":
            here.publish(name)
            tokens.append(here.views.present(ALICE).token)
        assert {state(here.views.at_least(ALICE, token)) for token in tokens} == {here.views.present(ALICE).view.digest}

    def test_a_later_state_of_the_same_log_is_not_there_yet(self) -> None:
        log = MemoryLayerLog(os.urandom)
        there, here = replica(DEPLOYMENT, log=log), replica(DEPLOYMENT, log=log)
        there.publish("a")
        token = there.views.present(ALICE).token
        assert here.views.at_least(ALICE, token) is Missing.NOT_YET
        here.current.open_layer(DEPLOYMENT, NOW)
        assert state(here.views.at_least(ALICE, token)) == there.views.present(ALICE).view.digest

    def test_another_log_with_unknown_content_has_expired(self) -> None:
        here, there = replica(DEPLOYMENT), replica(DEPLOYMENT)
        there.publish("a")
        assert here.views.at_least(ALICE, there.views.present(ALICE).token) is Missing.EXPIRED

    @pytest.mark.parametrize("since", [1, 2])
    def test_another_log_with_content_that_is_held_is_reached(self, since: int) -> None:
        here, there = replica(DEPLOYMENT), replica(DEPLOYMENT)
        there.publish("a")
        token = there.views.present(ALICE).token
        for name in "ab"[:since]:
            here.publish(name)
        assert here.views.at_least(ALICE, token) is here.views.present(ALICE)

    def test_a_layer_that_can_never_be_reached_decides_before_one_that_is_not_there_yet(self) -> None:
        log = MemoryLayerLog(os.urandom)
        there, here = replica(DEPLOYMENT, log=log), replica(DEPLOYMENT, log=log)
        for each in (there, here):
            each.current.open_layer(ALICE.partition, NOW)
        there.publish("a")
        lost = replica(DEPLOYMENT, ALICE.partition)
        lost.publish("hers", to=ALICE)
        layers = (there.views.present(ALICE).view.layers[0], lost.views.present(ALICE).view.layers[1])
        assert here.views.at_least(ALICE, KEYS.sign_generation(layers, ALICE.partition)) is Missing.EXPIRED


class TestReaches:
    """A page of an older state beside an `at_least`."""

    def test_a_state_reaches_itself_and_what_was_before_and_nothing_later(self) -> None:
        here = replica(DEPLOYMENT)
        sights = [here.views.present(ALICE)]
        for name in "abc":
            here.publish(name)
            sights.append(here.views.present(ALICE))
        for at, sight in enumerate(sights):
            reached = [here.views.reaches(ALICE, sight, other.token) for other in sights]
            assert reached == [other <= at for other in range(4)]

    def test_held_content_of_another_log_is_reached_from_when_it_was_held(self) -> None:
        here, there = replica(DEPLOYMENT), replica(DEPLOYMENT)
        there.publish("a")
        token = there.views.present(ALICE).token
        before = here.views.present(ALICE)
        here.publish("a")
        assert not here.views.reaches(ALICE, before, token)
        assert here.views.reaches(ALICE, here.views.present(ALICE), token)


def test_a_state_that_comes_again_is_told_as_what_it_is_now() -> None:
    here = replica(DEPLOYMENT)
    here.publish("x")
    first = here.views.present(ALICE)
    here.publish("y")
    assert isinstance(here.views.exactly(ALICE, first.token), Sight)
    here.publish("z")
    assert here.views.exactly(ALICE, first.token) is Missing.EXPIRED
    here.publish("x")
    again = here.views.present(ALICE)
    here.publish("y")
    told = here.views.exactly(ALICE, again.token)
    assert isinstance(told, Sight)
    assert (told.token, told.view.sequence) == (again.token, again.view.sequence)


@pytest.mark.parametrize("ask", ["exactly", "at_least"])
@pytest.mark.parametrize(
    "layers",
    [
        (ALICE.partition, DEPLOYMENT),
        (DEPLOYMENT,),
        (DEPLOYMENT, ALICE.partition, ALICE_P.partition),
        (DEPLOYMENT, BOB.partition),
        (ALICE.partition,),
    ],
    ids=["another order", "one less", "one more", "another's", "no deployment"],
)
def test_a_token_of_other_layers_than_the_callers_is_refused(ask: str, layers: tuple[Partition, ...]) -> None:
    here = replica(DEPLOYMENT, ALICE.partition, ALICE_P.partition, BOB.partition)
    present = {partition: layer.present for partition, layer in here.current.layers.items()}
    token = KEYS.sign_generation([present[partition] for partition in layers], ALICE.partition)
    with pytest.raises(InvalidInput) as caught:
        getattr(here.views, ask)(ALICE, token)
    assert caught.value.reason is ErrorReason.TOKEN_MALFORMED
