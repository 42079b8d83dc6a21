"""What goes into a budget: whole, shortened, names alone, left out, in this order."""

import pytest

from skillsvc.catalog.render_fitting import LEAST, fit
from skillsvc.catalog.render_forms import FORMS, CatalogFormat, Item

FORM = FORMS[CatalogFormat.LINES]
ITEMS = [Item(f"skill-{number:03}", "word " * 60 + "end") for number in range(300)]
WHOLE = 303
NAME = len("skill-000") + 1


def texts(items: list[Item], room: int, ahead: int = 0) -> tuple[str, ...]:
    return fit(items, ahead=ahead, form=FORM, room=room, left_out=len(items))


def spent(items: list[Item], said: tuple[str, ...]) -> int:
    return sum(len(FORM.line(item, text).encode()) + 1 for item, text in zip(items, said, strict=False))


def test_all_are_whole_where_all_fit() -> None:
    items = ITEMS[:10]
    room = 10 * (NAME + 2 + WHOLE)
    assert texts(items, room) == tuple(item.text for item in items)
    assert texts(items, room - 1) != tuple(item.text for item in items)


def test_where_nothing_is_known_of_them_all_are_shortened_alike() -> None:
    said = texts(ITEMS[:10], 10 * (NAME + 2 + 150))
    assert len(set(said)) == 1
    assert LEAST < len(said[0].encode()) <= 150
    assert said[0].endswith("word…")


def test_a_short_description_leaves_its_part_to_the_others() -> None:
    items = [Item("skill-000", "Short."), *ITEMS[1:10]]
    said = texts(items, 10 * (NAME + 2 + 150))
    assert said[0] == "Short."
    assert len(said[1].encode()) > len(texts(ITEMS[:10], 10 * (NAME + 2 + 150))[1].encode())


def test_those_ahead_are_whole_before_the_others_say_more_than_the_least() -> None:
    said = texts(ITEMS[:100], 16_000, ahead=3)
    assert said[:3] == tuple(item.text for item in ITEMS[:3])
    assert max(len(text.encode()) for text in said[3:]) < WHOLE
    assert len(said) == 100


def test_where_many_are_ahead_half_of_the_room_is_theirs_and_the_others_are_in_all_the_same() -> None:
    said = texts(ITEMS, 20_000, ahead=300)
    whole = [text for text in said if len(text) == WHOLE]
    assert 20_000 / 2 - (NAME + 2 + WHOLE) < len(whole) * (NAME + 2 + WHOLE) <= 20_000 / 2
    assert said[: len(whole)] == tuple(whole)
    assert all(text == "" or len(text.encode()) <= LEAST for text in said[len(whole) :])


def test_names_alone_come_after_what_says_something_and_have_a_fourth_of_the_room() -> None:
    said = texts(ITEMS, 4_000)
    names = [text for text in said if not text]
    assert said == (*said[: len(said) - len(names)], *names)
    assert names
    assert len(names) * NAME <= 4_000 / 4
    assert len(said) < len(ITEMS)


def test_nothing_is_left_out_while_names_fit_their_share() -> None:
    items = ITEMS[:150]
    assert len(texts(items, 12_000)) == 150


def test_in_next_to_no_room_names_are_told() -> None:
    assert texts(ITEMS[:5], 5 * NAME) == ("",) * 5
    assert len(texts(ITEMS, 64)) >= 3


@pytest.mark.parametrize("room", [-50, 0, 1, NAME - 1])
def test_without_room_nobody_is_in(room: int) -> None:
    assert texts(ITEMS, room) == ()


@pytest.mark.parametrize("ahead", [0, 2, 40, 300])
def test_more_room_never_has_fewer_in_and_none_is_ever_passed(ahead: int) -> None:
    before = 0
    for room in range(0, 40_000, 97):
        said = texts(ITEMS, room, ahead)
        assert spent(ITEMS, said) <= room
        assert len(said) >= before
        before = len(said)
