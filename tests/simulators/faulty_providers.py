"""Providers with one fault each, under the suite that their authors would run: `pytest` with this very file."""

import itertools
import threading
import time
from collections.abc import Callable

import pytest
from typing_extensions import override

from skillsvc.sources.provider import Candidate, Factory, ProviderContext, ProviderObservation
from skillsvc.testing.provider_contract import ChangingProviderContract, ProviderContract

NUMBERS = itertools.count()


def candidate(text: str = "Do it.", name: str = "a") -> Candidate:
    return Candidate(name=name, document=f"---\nname: {name}\ndescription: Does it.\n---\n{text}\n".encode())


class Sound:
    """A provider without a fault."""

    def __init__(self, context: ProviderContext) -> None:
        self.context = context

    def observe(self) -> ProviderObservation:
        return ProviderObservation(skills=[candidate()])

    def close(self) -> None:
        """Hold nothing."""


class TestSound(ProviderContract):
    made: type[Sound] = Sound
    soon_s = 1.0

    @pytest.fixture
    @override
    def factory(self) -> Factory:
        return self.made


class Restless(Sound):
    @override
    def observe(self) -> ProviderObservation:
        return ProviderObservation(skills=[candidate()], revision=str(next(NUMBERS)))


class TestRestless(TestSound):
    made = Restless


class Random(Sound):
    def __init__(self, context: ProviderContext) -> None:
        super().__init__(context)
        self._observation = ProviderObservation(skills=[candidate(str(next(NUMBERS)))])

    @override
    def observe(self) -> ProviderObservation:
        return self._observation


class TestRandom(TestSound):
    made = Random


class Refused(Sound):
    @override
    def observe(self) -> ProviderObservation:
        return ProviderObservation(skills=[candidate(), Candidate(name="b", document=b"\0")])


class TestRefused(TestSound):
    made = Refused


class Deaf(Sound):
    @override
    def observe(self) -> ProviderObservation:
        if self.context.stopped():
            time.sleep(4)
        return super().observe()


class TestDeaf(TestSound):
    made = Deaf


class Leaving(Sound):
    def __init__(self, context: ProviderContext) -> None:
        super().__init__(context)
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()


class TestLeaving(TestSound):
    made = Leaving


class Silent(Sound):
    @override
    def observe(self) -> ProviderObservation:
        return ProviderObservation(skills=[candidate(TEXT[-1])])


TEXT = ["First."]


class TestSilent(ChangingProviderContract):
    patience_s = soon_s = 1.0

    @pytest.fixture
    @override
    def factory(self) -> Factory:
        return Silent

    @pytest.fixture
    @override
    def change(self) -> Callable[[], None]:
        return lambda: TEXT.append(f"{next(NUMBERS)}.")
