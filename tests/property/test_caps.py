"""Laws of the caps, for messages that nobody would write by hand."""

import copy
from collections.abc import Mapping

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain import caps
from tests.conformance import reference
from tests.conformance.loading import Change, snake

pytestmark = pytest.mark.property

MESSAGES = [name for name in reference.MESSAGES if hasattr(caps, f"clamp_{snake(name)}")]

# What bounds are about: one to four bytes a character, control characters, and what grammars tell apart.
texts = st.text("aZ0/.-_ é世😀…\n\x85\u2028", max_size=12)
names = st.sampled_from(["a", "pdf-tools", "dir-1/skill", "scripts/run.py", "0123456789abcdef" * 4])
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.binary()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def value_of(field: FieldDescriptor) -> st.SearchStrategy[object]:
    if reference.is_map(field):
        return st.dictionaries(texts, texts, max_size=3)
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            one: st.SearchStrategy[object] = texts | names
        case FieldDescriptor.TYPE_BYTES:
            one = st.binary(max_size=12)
        case FieldDescriptor.TYPE_MESSAGE:
            assert field.message_type is not None
            one = values_of(field.message_type.name) if field.message_type.name in MESSAGES else st.just({"seconds": 1})
        case _:
            one = st.integers(0, 12)
    return st.lists(one, max_size=4) if field.is_repeated else one


def values_of(message: str) -> st.SearchStrategy[dict[str, object]]:
    fields = {field.name: value_of(field) for field in reference.MESSAGES[message].fields}
    return st.fixed_dictionaries({}, optional=fields)


@st.composite
def bounds_so_low_that_they_matter(draw: st.DrawFn) -> Mapping[str, int]:
    if draw(st.booleans()):
        return {}
    names = [f"{name}.{bound}" for name, cap in caps.CAPS.items() for bound in BOUNDS if getattr(cap, bound)]
    return dict.fromkeys(draw(st.sets(st.sampled_from(names), min_size=20)), draw(st.integers(0, 9)))


BOUNDS = ("max_bytes", "max_items", "max_item_bytes", "max_key_bytes", "max_total_bytes", "max_value")

typed = st.sampled_from(MESSAGES).flatmap(lambda message: st.tuples(st.just(message), values_of(message)))


def clamp(message: str, values: Mapping[str, object], lowered: Mapping[str, int]) -> caps.Clamped:
    clamped = getattr(caps, f"clamp_{snake(message)}")(values, lowered=lowered)
    assert isinstance(clamped, caps.Clamped)
    return clamped


def as_told(changes: tuple[caps.Change, ...]) -> tuple[Change, ...]:
    return tuple(Change(path=it.path, what=it.what.name, size=it.size, limit=it.limit) for it in changes)


@given(typed, bounds_so_low_that_they_matter())
def test_a_message_is_clamped_as_the_reference_clamps_it(
    case: tuple[str, dict[str, object]], lowered: Mapping[str, int]
) -> None:
    message, values = case
    clamped, expected = clamp(message, values, lowered), reference.clamp(message, values, lowered)
    assert clamped.values == (expected.kept or {})
    assert as_told(clamped.changes) == expected.changes
    assert as_told(clamped.refusals) == expected.refusals


@given(typed, bounds_so_low_that_they_matter())
def test_what_is_kept_obeys_every_cap_and_changes_no_more(
    case: tuple[str, dict[str, object]], lowered: Mapping[str, int]
) -> None:
    message, values = case
    kept = clamp(message, values, lowered).values
    assert clamp(message, kept, lowered) == caps.Clamped(values=kept)
    assert reference.clamp(message, kept, lowered) == reference.Outcome(kept=kept)


@given(typed, bounds_so_low_that_they_matter())
def test_what_is_given_stays_as_it_is_and_gives_the_same_again(
    case: tuple[str, dict[str, object]], lowered: Mapping[str, int]
) -> None:
    message, values = case
    before = copy.deepcopy(values)
    assert clamp(message, values, lowered) == clamp(message, values, lowered)
    assert values == before


@given(st.data(), st.sampled_from(MESSAGES))
def test_no_value_of_any_type_raises_anything(data: st.DataObject, message: str) -> None:
    fields = [field.name for field in reference.MESSAGES[message].fields]
    values = data.draw(st.dictionaries(st.sampled_from(fields), plain))
    clamped = clamp(message, values, {})
    assert clamped.values == {} or not clamped.refusals


@given(st.text(st.characters(exclude_categories=())), st.integers(0, 20))
def test_a_cut_text_fits_and_is_the_longest_beginning_that_does(text: str, max_bytes: int) -> None:
    def size(text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))

    cut = caps.cut_text(text, max_bytes)
    assert size(cut) <= max_bytes
    if size(text) <= max_bytes:
        assert cut == text
        return
    mark = "…" if max_bytes >= size("…") else ""
    assert cut.endswith(mark)
    beginning = cut.removesuffix(mark)
    assert text.startswith(beginning)
    assert size(text[: len(beginning) + 1]) + size(mark) > max_bytes


@given(st.text(st.characters(exclude_categories=())))
def test_a_flattened_text_has_as_many_characters_and_no_control_character(text: str) -> None:
    flat = caps.flatten(text)
    assert flat == reference.flat(text)
    assert len(flat) == len(text)
    assert not any(map(reference.is_control, flat))


@given(st.text(st.characters(exclude_categories=()), max_size=70) | texts | names)
def test_a_text_fits_a_grammar_exactly_where_the_reference_says_so(text: str) -> None:
    assert caps.fits_skill_name(text) == reference.fits(1, text)
    assert caps.fits_skill_reference(text) == reference.fits(2, text)
    assert caps.fits_asset_name(text) == reference.fits(3, text)
    assert caps.fits_digest(text) == reference.fits(4, text)
