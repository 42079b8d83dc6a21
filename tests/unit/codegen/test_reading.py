import pytest
from protoc_gen_caps.model import Cap, Field, Grammar, Kind, Message, Over, Shape
from protoc_gen_caps.reading import CapFault

from tests.unit.codegen.contract import field, message, model, text_map

BOUNDED = message("Item", field("name", "TYPE_STRING", "max_bytes: 8 over: OVER_REFUSE"))
PAIRS, ENTRY = text_map("pairs", "max_items: 2 max_item_bytes: 4 max_key_bytes: 3 over: OVER_DROP")


def test_a_cap_is_read_with_its_numbers_and_what_happens_over_it() -> None:
    text = field("text", "TYPE_STRING", "max_bytes: 64 over: OVER_REFUSE grammar: GRAMMAR_DIGEST single_line: true")
    assert model(message("Sample", text)).messages == (
        Message(
            name="Sample",
            fields=(
                Field(
                    name="text",
                    kind=Kind.TEXT,
                    shape=Shape.ONE,
                    cap=Cap(
                        bounds=(("max_bytes", 64),),
                        over=Over.REFUSE,
                        item_over=Over.REFUSE,
                        single_line=True,
                        grammar=Grammar.DIGEST,
                    ),
                ),
            ),
        ),
    )


def test_items_go_their_own_way_where_the_cap_says_so() -> None:
    words = field(
        "words", "TYPE_STRING", "max_items: 2 max_item_bytes: 9 over: OVER_DROP item_over: OVER_CUT", repeated=True
    )
    (read,) = model(message("Sample", words)).messages[0].fields
    assert read.cap == Cap(bounds=(("max_items", 2), ("max_item_bytes", 9)), over=Over.DROP, item_over=Over.CUT)


def test_a_map_of_texts_is_read_as_one() -> None:
    sample = message("Sample", PAIRS)
    sample.nested_type.append(ENTRY)
    (read,) = model(sample).messages[0].fields
    assert (read.kind, read.shape) == (Kind.TEXT, Shape.MAP)
    assert read.cap is not None
    assert read.cap.bounds == (("max_items", 2), ("max_item_bytes", 4), ("max_key_bytes", 3))


def test_fields_come_in_the_order_of_their_numbers_and_unbounded_ones_not_at_all() -> None:
    sample = message(
        "Sample",
        field("second", "TYPE_STRING", "max_bytes: 1 over: OVER_CUT"),
        field("first", "TYPE_BYTES", "max_bytes: 1 over: OVER_REFUSE"),
        field("flag", "TYPE_BOOL"),
        field("count", "TYPE_UINT32"),
        field("share", "TYPE_DOUBLE"),
    )
    sample.field[0].number, sample.field[1].number = 2, 1
    assert [it.name for it in model(sample).messages[0].fields] == ["first", "second"]


def test_a_message_above_a_bounded_one_is_read_too_and_one_without_bounds_is_not() -> None:
    top = message("Top", field("middle", ".sample.v1.Middle"), field("other", ".sample.v1.Free"))
    middle = message("Middle", field("item", ".sample.v1.Item"))
    free = message("Free", field("flag", "TYPE_BOOL"))
    read = model(top, middle, BOUNDED, free)
    assert [it.name for it in read.messages] == ["Top", "Middle", "Item"]
    assert read.messages[0].fields == (Field(name="middle", kind=Kind.MESSAGE, shape=Shape.ONE, message="Middle"),)


def test_a_list_of_what_no_cap_can_bound_is_read_without_a_cap() -> None:
    sample = message("Sample", field("flags", "TYPE_BOOL", repeated=True), field("item", ".sample.v1.Item"))
    assert model(sample, BOUNDED).messages[0].fields[0] == Field(name="flags", kind=Kind.OTHER, shape=Shape.LIST)


@pytest.mark.parametrize(
    ("kind", "cap", "repeated", "sentence"),
    [
        ("TYPE_STRING", "max_bytes: 1", False, "one of CUT, DROP, REFUSE"),
        ("TYPE_STRING", "over: OVER_CUT", False, "lacks max_bytes"),
        ("TYPE_STRING", "max_bytes: 1 over: OVER_KEEP_FIRST", False, "one of CUT, DROP, REFUSE"),
        ("TYPE_STRING", "max_bytes: 1 max_items: 1 over: OVER_CUT", False, "has max_items, which means nothing"),
        ("TYPE_STRING", "max_bytes: 1 over: OVER_CUT item_over: OVER_CUT", False, "bounds no items"),
        ("TYPE_STRING", "max_bytes: 64 over: OVER_CUT grammar: GRAMMAR_DIGEST", False, "does not fit its grammar"),
        ("TYPE_STRING", "max_items: 1 over: OVER_DROP", True, "lacks max_item_bytes"),
        ("TYPE_STRING", "max_items: 1 max_item_bytes: 1 over: OVER_CUT", True, "one of DROP, KEEP_FIRST, REFUSE"),
        ("TYPE_STRING", "", False, "needs a cap"),
        ("TYPE_STRING", "", True, "needs a cap"),
        ("TYPE_BYTES", "", False, "needs a cap"),
        ("TYPE_BYTES", "max_bytes: 1 over: OVER_CUT", False, "one of DROP, REFUSE"),
        ("TYPE_BYTES", "max_bytes: 1 over: OVER_DROP single_line: true", False, "has single_line"),
        ("TYPE_UINT32", "max_value: 1 over: OVER_CUT", False, "one of DROP, REFUSE"),
        ("TYPE_UINT32", "max_bytes: 1 over: OVER_REFUSE", False, "lacks max_value"),
        ("TYPE_BOOL", "max_value: 1 over: OVER_REFUSE", False, "no cap bounds"),
        (".sample.v1.Item", "", True, "needs a cap"),
        (".sample.v1.Item", "max_items: 1 over: OVER_REFUSE", False, "no cap bounds"),
        (".sample.v1.Item", "max_items: 1 over: OVER_REFUSE item_over: OVER_DROP", True, "bounds no items"),
    ],
)
def test_a_cap_that_makes_no_sense_stops_the_generation(kind: str, cap: str, *, repeated: bool, sentence: str) -> None:
    with pytest.raises(CapFault, match=rf"^Sample\.it: .*{sentence}"):
        model(message("Sample", field("it", kind, cap, repeated=repeated)), BOUNDED)


def test_names_can_be_counted_only_where_items_have_bounded_ones() -> None:
    nameless = message("Nameless", field("text", "TYPE_STRING", "max_bytes: 8 over: OVER_REFUSE"))
    items = field("items", ".sample.v1.Nameless", "max_items: 9 max_total_bytes: 9 over: OVER_REFUSE", repeated=True)
    with pytest.raises(CapFault, match=r"Nameless\.name is not bounded"):
        model(message("Sample", items), nameless)


def test_an_inner_message_cannot_hold_caps() -> None:
    sample = message("Sample")
    sample.nested_type.append(BOUNDED)
    with pytest.raises(CapFault, match=r"^Sample\.Item: only messages at the top"):
        model(sample)


def test_a_map_needs_a_cap() -> None:
    field_without, entry = text_map("pairs")
    sample = message("Sample", field_without)
    sample.nested_type.append(entry)
    with pytest.raises(CapFault, match=r"^Sample\.pairs: it needs a cap"):
        model(sample)
