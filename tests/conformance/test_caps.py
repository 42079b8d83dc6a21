"""Every vector of the caps, against the code of the server and of the Python client."""

import inspect
from types import ModuleType

import pytest
import skillsource.caps
from google.protobuf import json_format

import skillsvc.domain.caps
from tests.conformance import make_vectors, reference
from tests.conformance.loading import VECTORS, Change, ClampCase, clamp_cases, load, plain_text, snake
from tests.conformance.proto.conformance.v1 import vectors_pb2 as schema

PINNED = load(VECTORS / "caps.yaml")
MATRIX = load(make_vectors.PATH)

CASES = [*clamp_cases(PINNED), *clamp_cases(MATRIX)]


@pytest.fixture(params=[skillsvc.domain.caps, skillsource.caps], ids=["server", "client"])
def caps(request: pytest.FixtureRequest) -> ModuleType:
    assert isinstance(request.param, ModuleType)
    return request.param


def of_message(message: str) -> list[ClampCase]:
    return [case for case in CASES if case.message == message]


@pytest.mark.parametrize("message", sorted({case.message for case in CASES}))
def test_a_message_is_clamped_as_the_vectors_say(caps: ModuleType, message: str) -> None:
    clamp = getattr(caps, f"clamp_{snake(message)}")
    for case in of_message(message):
        clamped = clamp(case.given, lowered=case.lowered)
        told = [
            tuple(Change(path=it.path, what=it.what.name, size=it.size, limit=it.limit) for it in changes)
            for changes in (clamped.changes, clamped.refusals)
        ]
        assert told == [case.changes, case.refusals], case.name
        assert clamped.values == (case.kept or {}), case.name


def test_a_text_is_cut_as_the_vectors_say(caps: ModuleType) -> None:
    for case in PINNED.cuts:
        assert caps.cut_text(plain_text(case.given), case.max_bytes) == plain_text(case.kept), case


def test_a_text_is_flattened_as_the_vectors_say(caps: ModuleType) -> None:
    for case in PINNED.flattens:
        assert caps.flatten(case.given) == case.kept, case


def test_a_text_fits_its_grammar_as_the_vectors_say(caps: ModuleType) -> None:
    for case in PINNED.grammars:
        fits = getattr(caps, "fits_" + schema.Grammar.Name(case.grammar).removeprefix("GRAMMAR_").lower())
        assert [plain_text(text) for text in case.fitting if not fits(plain_text(text))] == []
        assert [plain_text(text) for text in case.unfit if fits(plain_text(text))] == []


@pytest.mark.parametrize("grammar", ["skill_name", "skill_reference", "asset_name", "digest"])
def test_text_that_is_no_utf_8_fits_no_grammar(caps: ModuleType, grammar: str) -> None:
    # No vector can hold it: protobuf's JSON form is UTF-8.
    fits = getattr(caps, f"fits_{grammar}")
    assert not fits("\ud800")
    assert not fits("a\udfffa")
    assert not fits("a" * 63 + "\udcff")


def test_each_grammar_has_vectors(caps: ModuleType) -> None:
    named = {schema.Grammar.Name(case.grammar).removeprefix("GRAMMAR_") for case in PINNED.grammars}
    assert named == {grammar.name for grammar in caps.Grammar}


def test_each_cap_of_the_contract_has_vectors_and_a_value(caps: ModuleType) -> None:
    contract = {
        f"{message.name}.{field.name}"
        for message in reference.MESSAGES.values()
        for field in message.fields
        if reference.cap_of(field) is not None
    }
    assert {name for group in MATRIX.fields for name in group.fields} == contract
    assert set(caps.CAPS) == contract


def test_each_bound_of_the_contract_is_a_constant_and_a_number_of_its_cap(caps: ModuleType) -> None:
    for message in reference.MESSAGES.values():
        for field in message.fields:
            if (option := reference.cap_of(field)) is None:
                continue
            cap = caps.CAPS[f"{message.name}.{field.name}"]
            for bound in ("max_bytes", "max_items", "max_item_bytes", "max_key_bytes", "max_total_bytes", "max_value"):
                number = getattr(option, bound)
                assert getattr(cap, bound) == number
                assert getattr(caps, f"{snake(message.name)}_{field.name}_{bound}".upper(), 0) == number


def test_the_reference_says_what_the_hand_written_vectors_say() -> None:
    for case in clamp_cases(PINNED):
        outcome = reference.clamp(case.message, case.given, case.lowered)
        assert (outcome.kept, outcome.changes, outcome.refusals) == (case.kept, case.changes, case.refusals), case.name
    for cut in PINNED.cuts:
        assert reference.cut(plain_text(cut.given), cut.max_bytes) == plain_text(cut.kept), cut
    for flat in PINNED.flattens:
        assert reference.flat(flat.given) == flat.kept, flat
    for grammar in PINNED.grammars:
        assert all(reference.fits(grammar.grammar, plain_text(text)) for text in grammar.fitting)
        assert not any(reference.fits(grammar.grammar, plain_text(text)) for text in grammar.unfit)


def test_the_matrix_is_what_the_reference_gives_for_the_contract() -> None:
    assert make_vectors.PATH.read_text(encoding="utf-8") == make_vectors.matrix()


def test_the_server_and_the_client_hold_the_same_bytes() -> None:
    assert inspect.getsource(skillsvc.domain.caps) == inspect.getsource(skillsource.caps)


def test_a_vector_with_an_unknown_key_is_no_vector() -> None:
    with pytest.raises(json_format.ParseError):
        json_format.ParseDict({"fields": [{"fileds": []}]}, schema.CapVectors())
