"""The text of an activation: whole where it fits to the byte, else cut and said to be (rules.md 3)."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.activation.text import INVENTORY_MAX_BYTES, inventory, plain_text
from skillsvc.domain.skill import Asset, Bundle, Skill, TextRef, make_bundle

LIMIT = 25_000
SKILL = Skill(name="pdf", description="Reads PDF.", description_bytes=10)
TEXT = TextRef(digest="0" * 64, size=1)
BARE = make_bundle(SKILL, document=TEXT, body=TEXT, assets=())
HEAD = "Skill: pdf\n\n"
MARKER = re.compile(r"\n\[cut: (\d+) of (\d+) bytes of the body are shown; read it on from byte (\d+)\]\Z")


def bundle_of(*names: str, size: int = 1) -> Bundle:
    assets = tuple(Asset(name=name, size=size, digest="0" * 64) for name in names)
    return make_bundle(SKILL, document=TEXT, body=TEXT, assets=assets)


def test_lines_of_what_the_skill_is_come_first_then_its_inventory_then_its_body() -> None:
    skill = replace(SKILL, compatibility="Linux", allowed_tools=("Read", "Bash(git log:*)"))
    assets = (Asset(name="a.txt", size=5, digest="0" * 64), Asset(name="b/ü.md", size=0, digest="0" * 64))
    bundle = make_bundle(skill, document=TEXT, body=TEXT, assets=assets)
    text = plain_text(bundle, "Line one.\n\nLine two.", LIMIT)
    assert (text.truncated, text.next_offset) == (False, 0)
    assert text.text == (
        "Skill: pdf\n"
        "Compatibility: Linux\n"
        "Tools its author suggests (advice; your permissions are as they were): Read, Bash(git log:*)\n"
        "Assets (read them by name; they are not part of this text):\n"
        "- a.txt (5 bytes)\n"
        "- b/ü.md (0 bytes)\n"
        "\n"
        "Line one.\n\nLine two."
    )


def test_an_empty_body_is_a_body() -> None:
    assert plain_text(BARE, "", LIMIT).text == HEAD


@pytest.mark.parametrize("letter", ["a", "é", "世", "😀"])
@pytest.mark.parametrize("over", [-1, 0, 1, 2, 3, 4, 100_000])
def test_a_body_that_fits_to_the_byte_is_whole_and_any_more_is_cut(letter: str, over: int) -> None:
    size = LIMIT - len(HEAD) + over
    wide = len(letter.encode())
    body = "x" * (size % wide) + letter * (size // wide)
    text = plain_text(BARE, body, LIMIT)
    if over <= 0:
        assert (text.text, text.truncated, text.next_offset) == (HEAD + body, False, 0)
        assert len(text.text.encode()) == LIMIT + over
        return
    assert text.truncated
    assert LIMIT - 2 * 4 <= len(text.text.encode()) <= LIMIT
    shown = body.encode()[: text.next_offset].decode()
    marker = MARKER.search(text.text)
    assert marker is not None
    assert text.text == HEAD + shown + marker.group()
    assert [int(number) for number in marker.groups()] == [text.next_offset, size, text.next_offset]


@pytest.mark.parametrize("at", range(4))
def test_a_cut_is_never_inside_a_character(at: int) -> None:
    body = "x" * at + "😀" * 10_000
    text = plain_text(BARE, body, LIMIT)
    assert (text.next_offset - at) % 4 == 0
    assert body.encode()[text.next_offset :].decode().startswith("😀")


@given(
    st.text(st.sampled_from("aé世😀\n"), min_size=1, max_size=60).map(lambda text: text * 500),
    st.integers(min_value=200, max_value=LIMIT),
)
def test_what_is_shown_and_what_is_read_on_are_the_body(body: str, limit: int) -> None:
    text = plain_text(BARE, body, limit)
    assert len(text.text.encode()) <= limit
    assert text.truncated == (len((HEAD + body).encode()) > limit)
    if text.truncated:
        assert text.next_offset > 0
        rest = body.encode()[text.next_offset :].decode()
        assert MARKER.sub("", text.text) + rest == HEAD + body


def test_a_large_head_leaves_less_of_the_body() -> None:
    names = [f"{number:03}-{'n' * 400}" for number in range(100)]
    bundle = bundle_of(*names)
    head = "".join(f"{line}\n" for line in ("Skill: pdf", *inventory(bundle.assets), ""))
    body = "b" * (LIMIT - len(head))
    assert plain_text(bundle, body, LIMIT).text == head + body
    cut = plain_text(bundle, body + "b", LIMIT)
    assert (cut.truncated, cut.text.startswith(head)) == (True, True)
    assert 0 < cut.next_offset < len(body)
    assert len(cut.text.encode()) <= LIMIT


def test_without_assets_there_is_no_inventory() -> None:
    assert inventory(()) == ()


def bytes_of(lines: tuple[str, ...]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


@pytest.mark.parametrize("letter", ["n", "é", "😀"])
@pytest.mark.parametrize("length", [1, 7, 100, 127])
@pytest.mark.parametrize("count", [1, 15, 79, 300, 1_024])
def test_an_inventory_keeps_its_budget_and_says_how_many_are_left_out(letter: str, length: int, count: int) -> None:
    names = [f"{number:04}{letter * length}" for number in range(count)]
    lines = inventory(bundle_of(*names).assets)
    assert bytes_of(lines) <= INVENTORY_MAX_BYTES
    shown = [line for line in lines[1:] if line.startswith(("- 0", "- 1"))]
    assert shown == [f"- {name} (1 bytes)" for name in names[: len(shown)]]
    left = count - len(shown)
    expected = (f"- and {left} more; list the skill's assets to see them",) if left else ()
    assert lines[1 + len(shown) :] == expected


def test_the_last_asset_takes_the_place_of_the_line_that_would_leave_it_out() -> None:
    """Where all lines fit to the byte, nothing is left out."""
    heading = len("Assets (read them by name; they are not part of this text):") + 1
    around = len("-  (1 bytes)") + 1
    last = 30
    first = INVENTORY_MAX_BYTES - heading - 2 * around - last
    whole = inventory(bundle_of("a" * first, "b" * last).assets)
    assert (len(whole), bytes_of(whole)) == (3, INVENTORY_MAX_BYTES)
    less = inventory(bundle_of("a" * first, "b" * (last + 1)).assets)
    assert less[-1] == "- and 2 more; list the skill's assets to see them"
    assert bytes_of(less) <= INVENTORY_MAX_BYTES
