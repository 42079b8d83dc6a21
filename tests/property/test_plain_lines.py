"""Two ways of reading frontmatter: where the lines are plain enough to do without YAML, both say the same."""

from hypothesis import example, given
from hypothesis import strategies as st

from skillsvc.parsing.plain_lines import read_lines
from skillsvc.parsing.plain_yaml import read_mapping

KEYS = st.sampled_from(["name", "metadata", "a", "b-c", "Z_9", "null", "yes", "k" * 64, "k" * 65])
# What is plain, and what nearly is.
TEXTS = st.text(max_size=12) | st.lists(
    st.sampled_from([":", ": ", "#", " #", " ", "  ", "-", "?", ",", "[", "]", "{", "}", "&", "*", "!", "|", ">", "'"])
    | st.sampled_from(['"', "%", "@", "`", "~", "null", ".", "/", "\\", "\t", "\r", "\x85", "\u2028", "\ufeff", "\xa0"])
    | st.sampled_from(["a", "B", "1", "é", "潮", "🚢"]),
    max_size=8,
).map("".join)
VALUES = TEXTS | TEXTS.map("'{}'".format) | TEXTS.map('"{}"'.format)
LINES = st.builds(
    "{}{}:{}{}\n".format, st.sampled_from(["", "", "  ", "    "]), KEYS, st.sampled_from([" ", ""]), VALUES
)
FRONTMATTERS = st.lists(LINES | TEXTS.map("{}\n".format), max_size=8).map("".join)


@given(text=FRONTMATTERS, max_depth=st.integers(min_value=1, max_value=3))
@example(text="a: b\nm:\n  c: d\n  e: 'f'\nn:\no: \"\"\n", max_depth=2)
def test_lines_are_read_as_yaml_reads_them(text: str, max_depth: int) -> None:
    plain = read_lines(text, first_line=2, max_depth=max_depth)
    assert plain is None or plain == read_mapping(text, first_line=2, max_depth=max_depth)


@given(
    pairs=st.dictionaries(KEYS.filter(lambda key: len(key) <= 64), st.text("abc xyz:#'", min_size=1).map("x{}x".format))
)
def test_plain_texts_are_read_by_lines(pairs: dict[str, str]) -> None:
    quoted = {key: value for key, value in pairs.items() if ": " not in value and " #" not in value}
    text = "".join(f"{key}: {value}\n" for key, value in quoted.items())
    plain = read_lines(text, first_line=2, max_depth=16)
    assert not quoted or (plain is not None and plain.values == quoted)
