"""A provider as a source, under the contract that all sources keep."""

import time
from collections.abc import Iterator

import pytest
from typing_extensions import override

from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.sources.provider import Candidate, ProviderContext, ProviderObservation
from skillsvc.sources.provider_source import ProviderSettings, ProviderSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Outcome, Source
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import Place, SourceContract
from tests.simulators.scripted_provider import ScriptedProvider, candidate


class _Depot:
    """What a provider has, in the hands of a test."""

    def __init__(self) -> None:
        self.provider = ScriptedProvider(self._give)
        self._skills: dict[str, Candidate] = {}
        self._hidden: dict[str, Candidate] = {}
        self._is_lost = False

    def write(self, place: str, description: str) -> None:
        self._skills[place] = candidate(place, description=description)
        self._is_lost = False

    def spoil(self, place: str) -> None:
        self._skills[place] = candidate(place, document=b"\0")

    def remove(self, place: str) -> None:
        del self._skills[place]

    def hide(self, place: str) -> None:
        self._hidden[place] = self._skills.pop(place)

    def show(self, place: str) -> None:
        self._skills[place] = self._hidden.pop(place)

    def lose(self) -> None:
        self._skills.clear()
        self._is_lost = True

    def _give(self, _context: ProviderContext) -> object:
        if self._is_lost:
            raise FileNotFoundError
        return ProviderObservation(skills=list(self._skills.values()), complete=not self._hidden)


class TestProviderSource(SourceContract):
    gone = Outcome.FAILED
    in_order = ("a", "a-b", "a_b", "b", "c1", "z")

    @pytest.fixture
    def depot(self) -> _Depot:
        return _Depot()

    @pytest.fixture
    @override
    def place(self, depot: _Depot) -> Place:
        return depot

    @pytest.fixture
    @override
    def source(self, place: Place, depot: _Depot) -> Iterator[Source]:
        del place
        source = ProviderSource(
            ProviderSettings(provider="depot", reading=ReadingSettings(label="harbor", tier=Tier.REGISTERED)),
            limits=Limits(),
            blobs=MemoryBlobStore(),
            make=depot.provider.make,
            tell=lambda: None,
            clock=time.monotonic,
        )
        yield source
        source.close()
