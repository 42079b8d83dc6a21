"""COLLECTION.json (`rules.md` 2)."""

import json

import pytest

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.parsing.collection import Collection, read_collection


@pytest.mark.parametrize(
    ("declared", "collection"),
    [
        ({}, Collection()),
        ({"id": "lab"}, Collection(id="lab")),
        (
            {"id": " La\tbor ", "prompt_line": "{count}\nin all"},
            Collection(id="La bor", prompt_line="{count} in all"),
        ),
        ({"id": "", "prompt_line": ""}, Collection()),
        ({"id": "実験", "other": [1, {"a": None}]}, Collection(id="実験")),
        ({"prompt_line": "{broken"}, Collection(prompt_line="{broken")),
    ],
)
def test_an_object_makes_a_collection(declared: dict[str, object], collection: Collection) -> None:
    assert read_collection(json.dumps(declared).encode()) == collection
    assert read_collection(b"\xef\xbb\xbf" + json.dumps(declared, ensure_ascii=False, indent=1).encode()) == collection


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"lab"',
        b"7",
        b'{"id": 7}',
        b'{"id": null}',
        b'{"id": ["lab"]}',
        b'{"prompt_line": {}}',
        b'{"id": "\\ud800"}',
        b'{"id": "' + b"x" * 257 + b'"}',
        b"[" * 100_000,
        b"1" * 10_000,
        b"\xff\xfe",
    ],
)
def test_anything_else_makes_none_and_says_so(data: bytes) -> None:
    diagnostic = read_collection(data)
    assert isinstance(diagnostic, Diagnostic)
    assert (diagnostic.code, diagnostic.severity) == (DiagnosticCode.COLLECTION_MALFORMED, Severity.WARNING)
