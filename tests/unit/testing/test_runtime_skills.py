"""Skills that a program registers: by the suite that every provider runs, and by what is said of them alone."""

from collections.abc import Callable, Mapping

import pytest
from typing_extensions import override

from skillsvc.sources.provider import Candidate, Factory, ProviderContext
from skillsvc.testing.provider_at_hand import ProviderAtHand
from skillsvc.testing.provider_contract import ChangingProviderContract
from skillsvc.testing.runtime_skills import RuntimeSkills


def candidate(name: str, body: str = "Do it.") -> Candidate:
    return Candidate(name=name, document=f"---\nname: {name}\ndescription: Does it.\n---\n{body}\n".encode())


class TestRuntimeSkills(ChangingProviderContract):
    """The published suite."""

    @pytest.fixture
    def made(self) -> list[RuntimeSkills]:
        return []

    @pytest.fixture
    @override
    def factory(self, made: list[RuntimeSkills]) -> Factory:
        def make(context: ProviderContext) -> RuntimeSkills:
            skills = RuntimeSkills(context)
            skills.register(candidate("a"))
            made.append(skills)
            return skills

        return make

    @pytest.fixture
    @override
    def options(self) -> Mapping[str, object]:
        return {"of": "no account"}

    @pytest.fixture
    @override
    def change(self, made: list[RuntimeSkills]) -> Callable[[], None]:
        def register() -> None:
            made[0].register(candidate("b"))

        return register

    def test_the_first_of_a_name_stays_and_taking_back_the_second_takes_nothing(
        self, at_hand: ProviderAtHand, made: list[RuntimeSkills]
    ) -> None:
        before = at_hand.look()
        take_back = made[0].register(candidate("a", "Another."))
        assert at_hand.look() is before
        take_back()
        assert at_hand.look() is before

    def test_what_is_taken_back_is_gone_and_may_be_registered_anew(
        self, at_hand: ProviderAtHand, made: list[RuntimeSkills]
    ) -> None:
        at_hand.look()
        take_back = made[0].register(candidate("b"))
        take_back()
        assert [found.place for found in at_hand.look().found] == ["a"]
        made[0].register(candidate("b", "Another."))
        # The first one is gone for good: taking it back again leaves the other.
        take_back()
        assert [found.place for found in at_hand.look().found] == ["a", "b"]
