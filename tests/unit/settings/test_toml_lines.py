"""Lines of a TOML file: each thing is found where it begins, however it is written."""

import tomllib
from collections.abc import Iterator

import pytest

from skillsvc.settings.refusal import Place
from skillsvc.settings.toml_lines import lines_of

WRITTEN = '''\
# é: a = 1
a.b = 1
a."c d" = """
x = 1
[[source]]
"""   # end

list = [ # [[source]]
  1, 2,

  # ], 3
  [
    4 ], { x = "]" },
  """
  5""",
]

[[source]]
  name = "one" # second = 2
  [source.options]
  deep.er = 1

[server]
listen = \'\'\'
# no comment
\'\'\'
[[source]]
auth = { username = "é", more = [ 1,
 2 ] }
[[source.inner]]
[[source.inner]]
key = 1
[x.y]
z = 1
[x]
w = 1
'''

PLACES: dict[Place, int] = {
    (): 1,
    ("a",): 2,
    ("a", "b"): 2,
    ("a", "c d"): 3,
    ("list",): 8,
    ("list", 0): 9,
    ("list", 1): 9,
    ("list", 2): 12,
    ("list", 2, 0): 12,
    ("list", 3): 12,
    ("list", 3, "x"): 12,
    ("list", 4): 14,
    ("source",): 18,
    ("source", 0): 18,
    ("source", 0, "name"): 19,
    ("source", 0, "options"): 20,
    ("source", 0, "options", "deep"): 21,
    ("source", 0, "options", "deep", "er"): 21,
    ("server",): 23,
    ("server", "listen"): 24,
    ("source", 1): 27,
    ("source", 1, "auth"): 28,
    ("source", 1, "auth", "username"): 28,
    ("source", 1, "auth", "more"): 28,
    ("source", 1, "auth", "more", 0): 28,
    ("source", 1, "auth", "more", 1): 28,
    ("source", 1, "inner"): 30,
    ("source", 1, "inner", 0): 30,
    ("source", 1, "inner", 1): 31,
    ("source", 1, "inner", 1, "key"): 32,
    ("x",): 33,
    ("x", "y"): 33,
    ("x", "y", "z"): 34,
    ("x", "w"): 36,
}


def places_of(value: object, place: Place = ()) -> Iterator[Place]:
    yield place
    if isinstance(value, dict):
        for name, held in value.items():
            yield from places_of(held, (*place, name))
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from places_of(held, (*place, index))


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_each_thing_is_on_the_line_on_which_it_begins(end: str) -> None:
    text = WRITTEN.replace("\n", end)
    assert set(places_of(tomllib.loads(text))) == set(PLACES)
    assert lines_of(text) == PLACES


@pytest.mark.parametrize("text", ["", "\n", "# nothing", "\n\n# a = 1\n", "\r\n"])
def test_an_empty_file_has_one_place(text: str) -> None:
    assert lines_of(text) == {(): 1}


def test_lines_that_are_none_for_toml_are_not_counted() -> None:
    assert lines_of('a = "\u2028\x85"\nb = 1\n')["b",] == 2
