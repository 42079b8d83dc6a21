"""COLLECTION.json (`rules.md` 2)."""

import json

import pytest

from skillsvc.domain.collection import CollectionLabel
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.parsing.collection import CollectionReading, read_collection


@pytest.mark.parametrize(
    ("declared", "label"),
    [
        ({}, CollectionLabel()),
        ({"id": "lab"}, CollectionLabel(id="lab")),
        (
            {"id": " La\tbor ", "prompt_line": "{count}\nin all"},
            CollectionLabel(id="La bor", prompt_line="{count} in all"),
        ),
        ({"id": "", "prompt_line": ""}, CollectionLabel()),
        ({"id": "実験", "other": [1, {"a": None}]}, CollectionLabel(id="実験")),
        ({"prompt_line": "{broken"}, CollectionLabel(prompt_line="{broken")),
        ({"id": "x" * 256, "prompt_line": "y" * 800}, CollectionLabel(id="x" * 256, prompt_line="y" * 800)),
    ],
)
def test_an_object_makes_a_collection(declared: dict[str, object], label: CollectionLabel) -> None:
    whole = CollectionReading(label=label)
    assert read_collection(json.dumps(declared).encode()) == whole
    assert read_collection(b"\xef\xbb\xbf" + json.dumps(declared, ensure_ascii=False, indent=1).encode()) == whole


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is no JSON at line 1, column 1"),
        (b'{\n "id": lab}', "it is no JSON at line 2, column 8"),
        (b"[]", "it must hold a JSON object"),
        (b"null", "it must hold a JSON object"),
        (b'"lab"', "it must hold a JSON object"),
        (b"7", "it must hold a JSON object"),
        (b'{"id": 7}', "id must be a text"),
        (b'{"id": null}', "id must be a text"),
        (b'{"id": ["lab"]}', "id must be a text"),
        (b'{"prompt_line": {}}', "prompt_line must be a text"),
        (b'{"id": "\\ud800"}', "id holds half a character"),
        (b'{"id": "a", "id": "b"}', 'the key "id" stands twice in one object'),
        (b'{"x": {"\\udc00": 1, "\\udc00": 2}}', 'the key "\ufffd" stands twice in one object'),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"1" * 10_000, "it must hold a JSON object"),
        (b'{\n"id": "\xff"}', "it is not UTF-8 at line 2"),
    ],
)
def test_anything_else_makes_none_and_says_why_and_where(data: bytes, why: str) -> None:
    reading = read_collection(data)
    assert reading.label is None
    [said] = reading.diagnostics
    assert (said.code, said.severity) == (DiagnosticCode.COLLECTION_MALFORMED, Severity.WARNING)
    assert said.message == f"COLLECTION.json makes no collection: {why}"


@pytest.mark.parametrize(("key", "most"), [("id", 256), ("prompt_line", 800)])
def test_a_text_that_is_too_long_is_cut_and_that_is_told(key: str, most: int) -> None:
    """`rules.md` 3: a collection's id has 256 bytes at most, and what is longer is cut; the line is a description."""
    reading = read_collection(json.dumps({key: "é" * most}).encode())
    assert reading.label is not None
    text = reading.label.id or reading.label.prompt_line
    assert text == "é" * (most // 2 - 2) + "…"
    [said] = reading.diagnostics
    assert (said.code, said.severity) == (DiagnosticCode.FIELD_CUT, Severity.WARNING)
    assert said.message == f"{key} of COLLECTION.json has {2 * most} bytes and is cut to {most}"


def test_a_key_that_stands_twice_behind_many_others_is_found_in_no_time() -> None:
    keys = ", ".join(f'"{number}": 0' for number in range(200_000))
    [said] = read_collection(f'{{{keys}, "199999": 1}}'.encode()).diagnostics
    assert "199999" in said.message
