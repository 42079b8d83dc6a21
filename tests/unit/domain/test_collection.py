"""The line of a collection: a template, and nothing that could be more."""

import pytest

from skillsvc.domain.collection import Collection, collection_of


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("", "Skills of the collection lab: 3"),
        ("{count} recipes", "3 recipes"),
        ("{count} of {count}", "3 of 3"),
        ("All of it.", "All of it."),
        ("{broken", "{broken"),
        ("{COUNT} {count:>9} {0} {count!r} {count.__class__} %d $count", None),
    ],
)
def test_a_count_is_put_in_and_everything_else_is_text(template: str, line: str | None) -> None:
    expected = template if line is None else line
    assert collection_of("lab", template, 3) == Collection(id="lab", line=expected, count=3)
