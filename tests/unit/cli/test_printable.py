"""What strangers wrote is shown at a terminal, and neither obeyed nor hidden."""

import pytest

from skillsvc.cli.printable import block, line, readable

AS_IT_IS = ["", "plain", "Gruß, 日本語, Привет", "a\u200db", "क्\u200cष", "👩\u200d🔬", "[bold]x[/bold]", "\\x1b"]

SPELT = [
    ("\x1b[31mred", "\\x1b[31mred"),
    ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
    ("\x9b31m", "\\x9b31m"),
    ("a\x00b\x7f", "a\\x00b\\x7f"),
    ("back\b\b", "back\\x08\\x08"),
    ("abc\u202edcba", "abc\\u202edcba"),
    ("\u2066x\u2069", "\\u2066x\\u2069"),
    ("\ufeffx\u200bx\u00adx", "\\ufeffx\\u200bx\\xadx"),
    ("hidden\U000e0041", "hidden\\U000e0041"),
    ("lone\ud800", "lone\\ud800"),
]


@pytest.mark.parametrize("text", AS_IT_IS)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert line(text) == block(text) == text


@pytest.mark.parametrize(("text", "shown"), SPELT, ids=ascii)
def test_what_a_terminal_would_obey_or_hide_is_spelt_out(text: str, shown: str) -> None:
    assert line(text) == block(text) == shown


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\t", "\v", "\f", "\x85", "\u2028", "\u2029"], ids=ascii)
def test_a_line_is_one_line(end: str) -> None:
    assert line(f"a{end}b") == "a" + " " * len(end) + "b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\tb\n", "a\n\tb\n"),
        ("a\r\nb", "a\nb"),
        ("shown\rhidden", "shown\\x0dhidden"),
        ("a\vb\fc\x85d", "a\\x0bb\\x0cc\\x85d"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
    ],
    ids=ascii,
)
def test_a_block_keeps_lines_and_tabs_alone(text: str, shown: str) -> None:
    assert block(text) == shown


@pytest.mark.parametrize("data", [b"", b"text\n\tmore\r\n", "Gruß\u202e".encode(), b"\xef\xbb\xbfwith a mark"])
def test_text_can_be_shown(data: bytes) -> None:
    assert readable(data) == data.decode()


@pytest.mark.parametrize("data", [b"\x89PNG", b"a\0b", b"\x1b[2J", b"a\rb", b"\xff\xfea", b"\x7f", "\x9b".encode()])
def test_what_is_no_text_or_holds_controls_cannot(data: bytes) -> None:
    assert readable(data) is None
