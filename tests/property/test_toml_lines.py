"""Lines of TOML files of any content."""

import tomllib
from collections.abc import Iterator

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.settings.refusal import Place
from skillsvc.settings.toml_lines import lines_of

pytestmark = pytest.mark.property

VALUES = st.recursive(
    st.integers(-9, 9) | st.booleans() | st.text(st.sampled_from("a\n\"'[]#=\\é"), max_size=8),
    lambda held: (
        st.lists(held, max_size=3) | st.dictionaries(st.sampled_from(["a", "b c", "é", "#"]), held, max_size=3)
    ),
    max_leaves=8,
)


def places_of(value: object, place: Place = ()) -> Iterator[Place]:
    yield place
    if isinstance(value, dict):
        for name, held in value.items():
            yield from places_of(held, (*place, name))
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from places_of(held, (*place, index))


@given(tables=st.dictionaries(st.sampled_from(["a", "b", "source", "é", "="]), VALUES, max_size=4))
def test_all_that_a_file_holds_has_a_line_of_it(tables: dict[str, object]) -> None:
    text = tomlkit.dumps(tables)
    read = tomllib.loads(text)
    lines = lines_of(text)
    assert set(lines) == set(places_of(read))
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
