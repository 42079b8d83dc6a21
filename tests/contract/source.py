"""The contract of `Source`: one suite, run by a test module for each implementation."""

from typing import Protocol

import pytest

from skillsvc.domain.caps import fits_skill_name
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.sources.source import Observation, Outcome, Source


class Place(Protocol):
    """The place that a source looks at, in the hands of a test. Skills stand at `place`, names joined by `/`."""

    def write(self, place: str, description: str) -> None:
        """Put a sound skill there, named by the last name of its place, or change its description."""

    def spoil(self, place: str) -> None:
        """Make what stands there break a rule."""

    def remove(self, place: str) -> None:
        """Take away what stands there."""

    def hide(self, place: str) -> None:
        """Make what stands there unreadable."""

    def show(self, place: str) -> None:
        """Make it readable again."""

    def lose(self) -> None:
        """Take the whole place away."""


class SourceContract:
    """What every source promises. A subclass gives the fixtures `place`, which is empty, and `source` of it.

    `gone` is what a look comes to where the whole place is away: a remote that is not there may only be out of reach.
    """

    gone = Outcome.ABSENT
    in_order: tuple[str, ...] = ("A", "b", "z", "é", "a/x-y", "a/x/deep")
    """Places of skills, in the order in which they are found."""

    @pytest.fixture
    def place(self) -> Place:
        raise NotImplementedError

    @pytest.fixture
    def source(self, place: Place) -> Source:
        raise NotImplementedError

    def test_its_label_is_a_name(self, source: Source) -> None:
        assert fits_skill_name(source.label)
        assert source.observe().source == source.label

    def test_an_empty_place_is_wholly_seen(self, source: Source) -> None:
        seen = source.observe()
        assert (seen.outcome, seen.found, seen.diagnostics) == (Outcome.WHOLE, (), ())

    def test_it_finds_what_is_there_in_its_order(self, source: Source, place: Place) -> None:
        for path in (*self.in_order[1::2], *self.in_order[::2]):
            place.write(path, f"Describes {path}.")
        seen = source.observe()
        assert seen.outcome is Outcome.WHOLE
        assert described(seen) == [(path, f"Describes {path}.") for path in self.in_order]

    def test_where_nothing_is_new_the_same_observation_is_returned(self, source: Source, place: Place) -> None:
        place.write("a", "One.")
        place.write("b", "Two.")
        seen = source.observe()
        assert source.observe() is seen
        assert source.observe(["a/SKILL.md"]) is seen
        assert source.observe(held=seen.found) is seen

    def test_equal_content_is_an_equal_bundle(self, source: Source, place: Place) -> None:
        place.write("a", "One.")
        [before] = source.observe().found
        place.remove("a")
        source.observe()
        place.write("a", "One.")
        [after] = source.observe().found
        assert after.bundle == before.bundle

    def test_a_change_is_seen_by_either_look(self, source: Source, place: Place) -> None:
        for path in "abc":
            place.write(path, "One.")
        source.observe()
        place.write("a", "Two.")
        assert described(source.observe()) == [("a", "Two."), ("b", "One."), ("c", "One.")]
        place.write("b", "Two.")
        assert described(source.observe(["b/SKILL.md"])) == [("a", "Two."), ("b", "Two."), ("c", "One.")]
        place.remove("a")
        assert described(source.observe(["a", "a/SKILL.md"])) == [("b", "Two."), ("c", "One.")]

    def test_the_first_look_is_whole_whatever_is_said_to_have_changed(self, source: Source, place: Place) -> None:
        place.write("a", "One.")
        place.write("b", "One.")
        assert described(source.observe(["a/SKILL.md"])) == [("a", "One."), ("b", "One.")]

    def test_a_skill_that_breaks_a_rule_is_refused_alone(self, source: Source, place: Place) -> None:
        place.write("a", "One.")
        place.write("b", "One.")
        source.observe()
        place.spoil("a")
        seen = source.observe()
        assert (seen.outcome, described(seen)) == (Outcome.WHOLE, [("b", "One.")])
        [said] = seen.diagnostics
        assert (said.severity, said.skill, said.source) == (Severity.ERROR, "a", source.label)

    def test_what_cannot_be_seen_stands_as_it_is_held(self, source: Source, place: Place) -> None:
        place.write("a", "One.")
        place.write("b", "One.")
        seen = source.observe()
        place.write("b", "Two.")
        place.hide("a")
        for _ in range(2):
            seen = source.observe(held=seen.found)
            assert (seen.outcome, described(seen)) == (Outcome.PARTIAL, [("a", "One."), ("b", "Two.")])
            assert {(said.severity, said.source) for said in seen.diagnostics} == {(Severity.ERROR, source.label)}
        place.show("a")
        seen = source.observe()
        assert (seen.outcome, seen.diagnostics) == (Outcome.WHOLE, ())

    def test_in_a_place_that_is_gone_nothing_is_found(self, source: Source, place: Place) -> None:
        place.write("a", "One.")
        source.observe()
        place.lose()
        for changed in (None, ["a/SKILL.md"]):
            seen = source.observe(changed)
            assert (seen.outcome, seen.found) == (self.gone, ())
        place.write("a", "One.")
        assert described(source.observe()) == [("a", "One.")]


class Shelves(Place, Protocol):
    """A place whose skills lie in folders, so that one of these can stand for a collection."""

    def mark(self, folder: str, text: str) -> None:
        """Put a COLLECTION.json there, or change what it says."""


class CollectionsContract:
    """What a source promises of collections, where its skills lie in folders, with the fixtures of `SourceContract`."""

    @pytest.fixture
    def place(self) -> Shelves:
        raise NotImplementedError

    @pytest.fixture
    def source(self, place: Shelves) -> Source:
        raise NotImplementedError

    def test_what_lies_below_a_mark_is_a_member(self, source: Source, place: Shelves) -> None:
        place.write("x/a", "One.")
        place.write("y/b", "Two.")
        place.mark("x", '{"id": "lab", "prompt_line": "{count} in all"}')
        place.mark("y", "{}")
        seen = source.observe()
        assert (seen.outcome, seen.diagnostics) == (Outcome.WHOLE, ())
        assert members(seen) == [("x/a", "lab", "{count} in all"), ("y/b", "y", "")]

    def test_a_mark_that_changes_is_seen_by_either_look_and_changes_no_bundle(
        self, source: Source, place: Shelves
    ) -> None:
        place.write("x/a", "One.")
        place.mark("x", '{"id": "lab"}')
        first = source.observe()
        place.mark("x", '{"id": "art"}')
        second = source.observe()
        place.mark("x", '{"id": "art", "prompt_line": "Of art"}')
        third = source.observe(["x/COLLECTION.json"])
        place.remove("x/COLLECTION.json")
        fourth = source.observe(["x/COLLECTION.json"])
        looks = (first, second, third, fourth)
        told = [("lab", ""), ("art", ""), ("art", "Of art"), ("", "")]
        assert [members(seen) for seen in looks] == [[("x/a", *each)] for each in told]
        assert len({seen.found[0].bundle for seen in looks}) == 1

    def test_a_mark_that_breaks_a_rule_hides_no_skill(self, source: Source, place: Shelves) -> None:
        place.write("x/a", "One.")
        place.mark("x", "[")
        seen = source.observe()
        assert (seen.outcome, members(seen)) == (Outcome.WHOLE, [("x/a", "", "")])
        [said] = seen.diagnostics
        assert (said.severity, said.code, said.skill, said.source) == (
            Severity.WARNING,
            DiagnosticCode.COLLECTION_MALFORMED,
            "x",
            source.label,
        )


def members(seen: Observation) -> list[tuple[str, str, str]]:
    """Return where skills were found, what collection they are of and what line it has."""
    return [(found.place, found.collection, found.collection_line) for found in seen.found]


def described(seen: Observation) -> list[tuple[str, str]]:
    """Return where skills were found, and what they say."""
    return [(found.place, found.bundle.skill.description) for found in seen.found]
