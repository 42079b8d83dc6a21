"""What the generated Python does with caps that the contract does not have, and with values of the wrong type."""

import enum

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto

from tests.unit.codegen.contract import field, generated, message, text_map

ITEM = message("Item", field("name", "TYPE_STRING", "max_bytes: 4 over: OVER_REFUSE"))
NAMED = ".sample.v1.Item"


def test_a_text_that_is_too_long_can_be_dropped_whole() -> None:
    caps = generated(message("Sample", field("text", "TYPE_STRING", "max_bytes: 2 over: OVER_DROP")))
    assert caps.clamp_sample({"text": "ab"}) == caps.Clamped(values={"text": "ab"})
    dropped = caps.Change(path="text", what=caps.What.DROPPED, size=3, limit=2)
    assert caps.clamp_sample({"text": "abc"}) == caps.Clamped(values={}, changes=(dropped,))


def test_bytes_and_numbers_that_are_too_large_can_be_dropped() -> None:
    caps = generated(
        message(
            "Sample",
            field("data", "TYPE_BYTES", "max_bytes: 2 over: OVER_DROP"),
            field("number", "TYPE_UINT64", "max_value: 2 over: OVER_DROP"),
        )
    )
    assert caps.clamp_sample({"data": b"ab", "number": 2}).values == {"data": b"ab", "number": 2}
    clamped = caps.clamp_sample({"data": b"abc", "number": 3})
    assert clamped.values == {}
    assert [(it.path, it.what, it.size) for it in clamped.changes] == [
        ("data", caps.What.DROPPED, 3),
        ("number", caps.What.DROPPED, 3),
    ]


@pytest.mark.parametrize(
    ("item_over", "kept", "refused"),
    [
        ("OVER_CUT", {"words": ("a", "b…", "d")}, False),
        ("OVER_DROP", {}, False),
        ("OVER_KEEP_FIRST", {"words": ("a", "d")}, False),
        ("OVER_REFUSE", {}, True),
    ],
)
def test_an_item_that_is_too_long_goes_the_way_of_its_own_cap(
    item_over: str, kept: dict[str, object], *, refused: bool
) -> None:
    cap = f"max_items: 3 max_item_bytes: 4 over: OVER_KEEP_FIRST item_over: {item_over}"
    caps = generated(message("Sample", field("words", "TYPE_STRING", cap, repeated=True)))
    clamped = caps.clamp_sample({"words": ["a", "bbbbb", "d", "e"]})
    assert clamped.values == kept
    assert bool(clamped.refusals) == refused
    assert caps.Change(path="words", what=caps.What.ITEMS_DROPPED, size=4, limit=3) in clamped.changes


@pytest.mark.parametrize(
    ("over", "kept", "refused"),
    [
        ("OVER_DROP", {}, False),
        ("OVER_KEEP_FIRST", {"words": ("a", "d")}, False),
        ("OVER_REFUSE", {}, True),
    ],
)
def test_an_item_that_does_not_fit_its_grammar_goes_the_way_of_its_list(
    over: str, kept: dict[str, object], *, refused: bool
) -> None:
    cap = f"max_items: 3 max_item_bytes: 9 over: {over} item_over: OVER_REFUSE grammar: GRAMMAR_SKILL_NAME"
    caps = generated(message("Sample", field("words", "TYPE_STRING", cap, repeated=True)))
    clamped = caps.clamp_sample({"words": ["a", "B", "d"]})
    assert clamped.values == kept
    assert bool(clamped.refusals) == refused


@pytest.mark.parametrize(
    ("over", "kept", "refused"),
    [
        ("OVER_DROP", {}, False),
        ("OVER_KEEP_FIRST", {"items": ({"name": "aaaa"}, {"name": "b"})}, False),
        ("OVER_REFUSE", {}, True),
    ],
)
def test_names_together_are_counted(over: str, kept: dict[str, object], *, refused: bool) -> None:
    cap = f"max_items: 9 max_total_bytes: 6 over: {over}"
    caps = generated(message("Sample", field("items", NAMED, cap, repeated=True)), ITEM)
    exactly: tuple[dict[str, str], ...] = ({"name": "aaaa"}, {}, {"name": "é"})
    assert caps.clamp_sample({"items": exactly}) == caps.Clamped(values={"items": exactly})
    clamped = caps.clamp_sample({"items": [{"name": "aaaa"}, {"name": "b"}, {"name": "世"}, {"name": "d"}]})
    assert clamped.values == kept
    assert bool(clamped.refusals) == refused
    assert (clamped.refusals or clamped.changes)[0].size == 9


@pytest.mark.parametrize("over", ["OVER_DROP", "OVER_REFUSE"])
def test_a_refused_message_in_a_list_drops_or_refuses_where_the_first_are_not_kept(over: str) -> None:
    caps = generated(message("Sample", field("items", NAMED, f"max_items: 9 over: {over}", repeated=True)), ITEM)
    clamped = caps.clamp_sample({"items": [{"name": "good"}, {"name": "too long"}, "no message"]})
    assert clamped.values == {}
    told = clamped.changes if over == "OVER_DROP" else clamped.refusals
    assert [(it.path, it.size, it.limit) for it in told] == [
        ("items" if over == "OVER_DROP" else "items[1].name", 8, 4),
    ]


def everything() -> tuple[DescriptorProto, DescriptorProto]:
    pairs, entry = text_map("pairs", "max_items: 2 max_item_bytes: 4 max_key_bytes: 3 over: OVER_REFUSE")
    sample = message(
        "Sample",
        field("text", "TYPE_STRING", "max_bytes: 9 over: OVER_CUT"),
        field("data", "TYPE_BYTES", "max_bytes: 9 over: OVER_REFUSE"),
        field("number", "TYPE_UINT32", "max_value: 9 over: OVER_REFUSE"),
        field("words", "TYPE_STRING", "max_items: 2 max_item_bytes: 4 over: OVER_REFUSE", repeated=True),
        field("items", NAMED, "max_items: 2 over: OVER_REFUSE", repeated=True),
        field("item", NAMED),
        field("flags", "TYPE_BOOL", repeated=True),
        pairs,
    )
    sample.nested_type.append(entry)
    return sample, ITEM


@pytest.mark.parametrize(
    ("name", "wrong", "path"),
    [
        ("text", b"bytes", "text"),
        ("text", 1, "text"),
        ("text", "\ud800", "text"),
        ("data", "text", "data"),
        ("data", bytearray(b"a"), "data"),
        ("number", "1", "number"),
        ("number", 1.0, "number"),
        ("number", True, "number"),
        ("number", -1, "number"),
        ("words", "word", "words"),
        ("words", {"a": "b"}, "words"),
        ("words", ["a", 1], "words[1]"),
        ("words", ["a", None], "words[1]"),
        ("words", ["\udfff"], "words[0]"),
        ("items", {"name": "a"}, "items"),
        ("items", ["a"], "items[0]"),
        ("items", [{"name": 1}], "items[0].name"),
        ("item", "a", "item"),
        ("item", {"name": 1}, "item.name"),
        ("flags", True, "flags"),
        ("pairs", [("a", "b")], "pairs"),
        ("pairs", {"a": 1}, "pairs"),
        ("pairs", {1: "a"}, "pairs"),
        ("pairs", {"\ud800": "a"}, "pairs"),
    ],
)
def test_a_value_of_the_wrong_type_refuses_the_message(name: str, wrong: object, path: str) -> None:
    caps = generated(*everything())
    malformed = caps.Change(path=path, what=caps.What.MALFORMED)
    assert caps.clamp_sample({name: wrong}) == caps.Clamped(values={}, refusals=(malformed,))


def test_a_value_of_the_wrong_type_refuses_also_where_one_that_is_too_long_is_dropped() -> None:
    caps = generated(message("Sample", field("text", "TYPE_STRING", "max_bytes: 2 over: OVER_DROP")))
    assert caps.clamp_sample({"text": 1}).refusals == (caps.Change(path="text", what=caps.What.MALFORMED),)


def test_names_are_not_counted_where_the_items_are_refused() -> None:
    cap = "max_items: 9 max_total_bytes: 6 over: OVER_REFUSE"
    caps = generated(message("Sample", field("items", NAMED, cap, repeated=True)), ITEM)
    malformed = caps.Change(path="items[0]", what=caps.What.MALFORMED)
    assert caps.clamp_sample({"items": ["no message"]}).refusals == (malformed,)


@pytest.mark.parametrize("name", ["text", "data", "number", "words", "items", "item", "flags", "pairs"])
def test_none_is_a_field_that_is_not_set(name: str) -> None:
    caps = generated(*everything())
    assert caps.clamp_sample({name: None}) == caps.Clamped(values={name: None})


def test_a_text_of_an_enum_is_a_text() -> None:
    class Word(enum.StrEnum):
        LONG = "long"

    caps = generated(*everything())
    assert caps.clamp_sample({"text": Word.LONG}).values == {"text": "long"}


def test_nothing_that_was_given_is_shared_with_what_is_kept() -> None:
    caps = generated(*everything())
    item, inner, pairs = {"name": "a"}, {"name": "b"}, {"a": "b"}
    given = {"words": ["a"], "items": [item], "item": inner, "flags": [True], "pairs": pairs}
    kept = caps.clamp_sample(given).values
    assert kept == {
        "words": ("a",),
        "items": ({"name": "a"},),
        "item": {"name": "b"},
        "flags": (True,),
        "pairs": {"a": "b"},
    }
    assert kept["items"][0] is not item
    assert kept["item"] is not inner
    assert kept["pairs"] is not pairs


def test_values_of_a_map_that_are_too_long_can_refuse_where_too_many_pairs_drop() -> None:
    cap = "max_items: 1 max_item_bytes: 4 max_key_bytes: 3 over: OVER_DROP item_over: OVER_REFUSE"
    pairs, entry = text_map("pairs", cap)
    sample = message("Sample", pairs)
    sample.nested_type.append(entry)
    caps = generated(sample)
    assert caps.clamp_sample({"pairs": {"a": "b", "c": "d"}}).values == {}
    assert not caps.clamp_sample({"pairs": {"a": "b", "c": "d"}}).refusals
    assert not caps.clamp_sample({"pairs": {"long": "b"}}).refusals
    assert caps.clamp_sample({"pairs": {"a": "longer"}}).refusals


@pytest.mark.parametrize("nothing", [0, -1, -9])
def test_a_bound_can_be_lowered_to_nothing(nothing: int) -> None:
    caps = generated(*everything())
    clamped = caps.clamp_sample({"text": "abc", "words": []}, lowered={"Sample.text.max_bytes": nothing})
    assert clamped.values == {"text": "", "words": ()}
