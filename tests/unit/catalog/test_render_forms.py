"""How lines of a catalog text are written, escaped and shortened."""

import pytest

from skillsvc.catalog.render_forms import FORMS, CatalogFormat, Item, escaped, inert, shortened, width

LINES = [
    (
        CatalogFormat.XML,
        "<skill><name>a</name><description>R&amp;D &lt;b&gt;</description></skill>",
        "<skill><name>a</name></skill>",
    ),
    (CatalogFormat.MARKDOWN, "- `a`: R&amp;D &lt;b&gt;", "- `a`"),
    (CatalogFormat.LINES, "a: R&amp;D &lt;b&gt;", "a"),
]


@pytest.mark.parametrize(("form", "whole", "bare"), LINES)
def test_a_skill_is_one_line_with_its_markup_escaped_or_its_name_alone(
    form: CatalogFormat, whole: str, bare: str
) -> None:
    item = Item("a", "R&D <b>")
    assert FORMS[form].line(item, item.text) == whole
    assert FORMS[form].line(item, "") == bare


@pytest.mark.parametrize("form", CatalogFormat)
@pytest.mark.parametrize("item", [Item("a-b", "Zählt <&> {name} 東京"), Item("Lab & <Co>", "Has {count}.", 561)])
def test_lines_take_the_bytes_that_are_told(form: CatalogFormat, item: Item) -> None:
    shape = FORMS[form]
    for text in ("", item.text):
        told = shape.bare_bytes(item) + shape.text_bytes(item, text)
        assert told == len(f"{shape.line(item, text)}\n".encode())


@pytest.mark.parametrize("form", CatalogFormat)
def test_what_there_is_room_for_is_what_a_budget_leaves_beside_the_frame(form: CatalogFormat) -> None:
    shape = FORMS[form]
    lines = ["one", "two"]
    taken = sum(len(line) + 1 for line in lines) + shape.note_bytes(7)
    text = shape.text_of(lines, 7)
    assert shape.room(len(text.encode())) == taken


def test_no_control_character_and_nothing_that_no_parser_takes_is_in_a_line() -> None:
    hostile = "\x00a\nb\r\tc\x1b[31m\x7f\x85\u2028\u2029d\ufffe\uffff\udc80 "
    assert inert(hostile) == "a b  c [31m    d\ufffd\ufffd\ufffd"
    assert escaped("</description>&amp;") == "&lt;/description&gt;&amp;amp;"


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("whole", 5, "whole"),
        ("one two three", 12, "one two…"),
        ("one two, three", 12, "one two…"),
        ("onetwothree", 8, "onetw…"),
        ("a bcdefghijk", 10, "a bcdef…"),
        ("東京の地図です", 12, "東京の…"),
        ("<<<<<<", 15, "<<<…"),
        ("R&D and all of it", 13, "R&D…"),
    ],
)
def test_a_text_is_cut_behind_a_word_and_counts_as_it_is_escaped(text: str, most: int, cut: str) -> None:
    assert shortened(text, most) == cut
    assert width(cut) <= most
