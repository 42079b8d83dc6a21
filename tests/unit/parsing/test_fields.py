"""Values of fields (`rules.md` 2): tools, lists, lines."""

import pytest

from tests.unit.parsing.reading import codes, described, kept, read, strictly

GIT = "Bash(git log:*)"


@pytest.mark.parametrize(
    ("value", "tools"),
    [
        ("Bash Read Grep", ["Bash", "Read", "Grep"]),
        ("Bash, Read, Grep", ["Bash", "Read", "Grep"]),
        ("Bash,Read,,  Grep,", ["Bash", "Read", "Grep"]),
        ("[Bash, Read, Grep]", ["Bash", "Read", "Grep"]),
        ("\n  - Bash\n  - Read Grep", ["Bash", "Read", "Grep"]),
        ("[Bash, 'Read, Grep']", ["Bash", "Read", "Grep"]),
        ("Bash", ["Bash"]),
        (f"{GIT} Read", [GIT, "Read"]),
        (f"{GIT},Read", [GIT, "Read"]),
        (f"\n  - {GIT}\n  - Read, {GIT}", [GIT, "Read", GIT]),
        ("Bash(a, b (c d), e) Read", ["Bash(a, b (c d), e)", "Read"]),
        ("Read(~/.cache/**), Read(/tmp/x-*/**)", ["Read(~/.cache/**)", "Read(/tmp/x-*/**)"]),
        ("Bash({baseDir}/scan.sh:*) Grep", ["Bash({baseDir}/scan.sh:*)", "Grep"]),
        ("Bash(git log", ["Bash(git log"]),
        ("a) b", ["a)", "b"]),
        ("|\n  Bash\n  Read", ["Bash", "Read"]),
        ("true", ["true"]),
        ("42", ["42"]),
        ("'null'", ["null"]),
        ("null", []),
        ("", []),
        ("[]", []),
        ("', ,'", []),
    ],
)
def test_allowed_tools_are_split_on_blanks_and_commas_outside_of_parentheses(value: str, tools: list[str]) -> None:
    for reading in (read(described(f"allowed-tools: {value}")), strictly(described(f"allowed-tools: {value}"))):
        assert list(kept(reading).allowed_tools) == tools
        assert codes(reading) == []


@pytest.mark.parametrize("key", ["keywords", "capabilities"])
@pytest.mark.parametrize(
    ("value", "items"),
    [
        ("[tide, 'harbor map']", ["tide", "harbor map"]),
        ("tide, harbor map", ["tide", "harbor map"]),
        ("tide", ["tide"]),
        ("'tide,, ,map,'", ["tide", "map"]),
        ("['a, b', '', ' ']", ["a, b"]),
        ("[1.10, yes]", ["1.10", "yes"]),
        ("", []),
    ],
)
def test_lists_of_words_are_lists_or_texts_with_commas(key: str, value: str, items: list[str]) -> None:
    reading = read(described(f"{key}: {value}"))
    assert list(getattr(kept(reading), key)) == items
    assert codes(reading) == []


@pytest.mark.parametrize("key", ["license", "compatibility", "version", "when_to_use", "description"])
def test_texts_are_one_line(key: str) -> None:
    value = '"  a \\t b\\n\\nc\\u2028d \\x85 é\\u00a0f  "'
    text = described(f"{key}: {value}").replace(
        "description: Draws maps of harbors.\n", "description: x\n" * (key != "description")
    )
    assert getattr(kept(read(text)), key) == "a b c d é\u00a0f"
