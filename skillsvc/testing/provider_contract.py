"""The contract of a provider: a suite that its author runs.

A test module has one class for each provider, derived from one of these, with the fixtures that it asks for; pytest
finds the tests in it.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import pytest

from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.limits import Limits
from skillsvc.sources.provider import Factory
from skillsvc.sources.source import Observation, Outcome
from skillsvc.testing.provider_at_hand import ProviderAtHand, wait_until


class ProviderContract:
    """What every provider keeps. A subclass gives the fixture `factory`, and `options` where it needs any.

    `patience_s` is how long whatever must come is waited for, `soon_s` how long a provider may take to notice that it
    is wanted no more, in seconds.
    """

    patience_s: ClassVar[float] = 10.0
    soon_s: ClassVar[float] = 2.0

    @pytest.fixture
    def factory(self) -> Factory:
        """Return what makes the provider."""
        raise NotImplementedError("the subclass gives the fixture `factory`")

    @pytest.fixture
    def options(self) -> Mapping[str, object]:
        """Return what the provider is told. There must be at least one skill then."""
        return {}

    def _at_hand(self, factory: Factory, options: Mapping[str, object], folder: Path) -> ProviderAtHand:
        return ProviderAtHand(factory, folder=folder, options=options, timeout_s=self.patience_s, limits=Limits())

    @pytest.fixture
    def at_hand(
        self, factory: Factory, options: Mapping[str, object], tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[ProviderAtHand]:
        """Return the provider, asked as the service asks it."""
        with self._at_hand(factory, options, tmp_path_factory.mktemp("store")) as at_hand:
            yield at_hand

    def test_it_gives_all_its_skills_without_an_error(self, at_hand: ProviderAtHand) -> None:
        seen = at_hand.look()
        assert seen.outcome is Outcome.WHOLE, f"the look was {seen.outcome.value}: {_said(seen)}"
        assert seen.found, "there is no skill; give options with which there is one"
        assert not _said(seen), f"skills are refused: {_said(seen)}"

    def test_looking_again_finds_the_same(self, at_hand: ProviderAtHand) -> None:
        first = at_hand.look()
        again = at_hand.look()
        assert again.found == first.found, "two looks, with no change between, found different skills"
        assert again is first, f"two looks, with no change between, differ: {first.revision!r} and {again.revision!r}"

    def test_another_one_of_the_same_options_finds_the_same(
        self,
        at_hand: ProviderAtHand,
        factory: Factory,
        options: Mapping[str, object],
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:
        first = at_hand.look()
        with self._at_hand(factory, options, tmp_path_factory.mktemp("other")) as other:
            assert other.look().found == first.found, "a second provider, as after a restart, gives different skills"
        assert at_hand.look().found == first.found, "closing another provider of the same factory changed this one"

    def test_it_ends_soon_where_it_is_told_to_stop(self, at_hand: ProviderAtHand) -> None:
        before = threading.enumerate()
        at_hand.stop()

        def look() -> None:
            with suppress(Abandoned):
                at_hand.look()

        looking = threading.Thread(target=look, daemon=True)
        looking.start()
        looking.join(self.soon_s)
        assert not looking.is_alive(), "the look goes on"
        assert wait_until(lambda: not _asking(besides=before), self.soon_s), (
            f"observe goes on {self.soon_s:g} s after stopped() was true; ask stopped() once a second"
        )

    def test_it_closes_in_time_and_leaves_no_thread_behind(
        self, factory: Factory, options: Mapping[str, object], tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        before = set(threading.enumerate())
        with self._at_hand(factory, options, tmp_path_factory.mktemp("store")) as at_hand:
            at_hand.look()
        left: list[str] = []

        def is_none_left() -> bool:
            left[:] = [thread.name for thread in threading.enumerate() if thread not in before]
            return not left

        assert wait_until(is_none_left, self.soon_s), f"threads go on after close: {left}"

    def test_it_may_be_closed_before_it_was_asked(
        self, factory: Factory, options: Mapping[str, object], tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        with self._at_hand(factory, options, tmp_path_factory.mktemp("store")) as at_hand:
            assert at_hand.provider is None


class ChangingProviderContract(ProviderContract):
    """What a provider keeps that tells of changes by `invalidate`. A subclass gives `change`, too."""

    @pytest.fixture
    def change(self) -> Callable[[], None]:
        """Return what changes the skills of the provider, so that they differ from all there were before."""
        raise NotImplementedError("the subclass gives the fixture `change`")

    def test_a_change_is_told_and_then_seen(self, at_hand: ProviderAtHand, change: Callable[[], None]) -> None:
        before = at_hand.look()
        change()
        assert at_hand.is_told(self.patience_s), f"invalidate was not called within {self.patience_s:g} s of the change"
        assert at_hand.look().found != before.found, "invalidate was called, and the next look finds no change"

    def test_nothing_is_told_while_nothing_changes(self, at_hand: ProviderAtHand) -> None:
        at_hand.look()
        assert not at_hand.is_told(self.soon_s), "invalidate was called though nothing changed"

    def test_a_change_after_closing_is_told_to_nobody(
        self, at_hand: ProviderAtHand, change: Callable[[], None]
    ) -> None:
        at_hand.look()
        at_hand.source.close()
        change()
        assert not at_hand.is_told(self.soon_s)


def _said(seen: Observation) -> list[str]:
    """Return what is wrong, in the words of the diagnostics."""
    said = [*seen.diagnostics, *(each for found in seen.found for each in found.diagnostics)]
    return [f"{each.skill or seen.source}: {each.message}" for each in said if each.severity is Severity.ERROR]


def _asking(besides: list[threading.Thread]) -> bool:
    """Tell whether a provider is asked in a thread that was not there before."""
    return any(thread.name.startswith("provider-") for thread in threading.enumerate() if thread not in besides)
