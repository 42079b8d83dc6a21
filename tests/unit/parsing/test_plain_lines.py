"""The plainest frontmatter without a parser of YAML (`rules.md` 2): which texts are that plain, and what they say."""

import pytest

from skillsvc.parsing.plain_lines import read_lines
from skillsvc.parsing.plain_yaml import Plain, PlainMapping


def read(text: str, max_depth: int = 16) -> PlainMapping | None:
    return read_lines(text, first_line=2, max_depth=max_depth)


@pytest.mark.parametrize(
    ("spelt", "value"),
    [
        ("1.10", "1.10"),
        ("yes", "yes"),
        ("12:30", "12:30"),
        ("std::vector", "std::vector"),
        ("http://x.example/?a=b#c", "http://x.example/?a=b#c"),
        ("Bash(git log:*), Read", "Bash(git log:*), Read"),
        ('a, [b] {c} & d | e\'s "f"', 'a, [b] {c} & d | e\'s "f"'),
        ("  two  blanks", "two  blanks"),
        ("été 潮 🚢", "été 潮 🚢"),
        ("null", None),
        ("NULL", None),
        ("nUll", "nUll"),
        ('"null"', "null"),
        ('""', ""),
        ("''", ""),
        ('" a: b # c "', " a: b # c "),
        ("'\\n'", "\\n"),
        ("'a \"b\"'", 'a "b"'),
        ('"it\'s"', "it's"),
    ],
)
def test_a_value_on_its_line_is_read_as_it_is_spelt(spelt: str, value: str | None) -> None:
    assert read(f"key: {spelt}\n") == PlainMapping(values={"key": value}, lines={"key": 2})


def test_a_mapping_of_texts_may_stand_below_a_key() -> None:
    expected: dict[str, Plain] = {"name": "a", "metadata": {"author": "b", "empty": None}, "version": "1", "none": None}
    plain = read("name: a\nmetadata:\n  author: b\n  empty:\nversion: '1'\nnone:\n")
    assert plain == PlainMapping(values=expected, lines={"name": 2, "metadata": 3, "version": 6, "none": 7})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "a: b",
        "a: b\nc",
        "a:b\n",
        "a: b \n",
        "a: \n",
        "a: b\n\n",
        "# a\n",
        "a: b # c\n",
        "a: b: c\n",
        "a: b:\n",
        "a:\tb\n",
        "a: b\tc\n",
        'a: "\\n"\n',
        "a: 'it''s'\n",
        'a: "b\n',
        'a: "b" c\n',
        "a: |\n  b\n",
        "a: >-\n  b\n",
        "a: [b]\n",
        "a: {b: c}\n",
        "a:\n- b\n",
        "a: - b\n",
        "a: ? b\n",
        "a: &b c\n",
        "a: *b\n",
        "a: !b c\n",
        "a: %b\n",
        "a: @b\n",
        "a: `b`\n",
        "a: ,b\n",
        "a: .\n",
        "a: b\n  c\n",
        "a: b\n  c: d\n",
        "a: ~\n  c: d\n",
        "a:\n  b: c\n    d: e\n",
        "a:\n  b:\n    d: e\n",
        "a:\n    b: c\n  d: e\n",
        "a:\n  b: c\n  b: d\n",
        "a: b\na: c\n",
        " a: b\n",
        "1: b\n",
        "'a': b\n",
        "a b: c\n",
        f"{'a' * 65}: b\n",
        "---\n",
        "a: b\n...\n",
        "a: \x01\n",
        "a: b\x7f\n",
        "a: b\x85c\n",
        "a: b\u2028c\n",
        "a: \ufeffb\n",
        "a: b\ufffe\n",
        "a: b\ud800\n",
    ],
)
def test_anything_less_plain_is_left_to_yaml(text: str) -> None:
    assert read(text) is None


def test_a_mapping_below_a_key_is_left_to_yaml_where_values_must_not_be_nested() -> None:
    assert read("a:\n  b: c\n", max_depth=1) is None
    assert read("a:\nb: c\n", max_depth=1) is not None
