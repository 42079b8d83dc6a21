"""The manifest of an `http` source: what is read of it, and what is left out of it and why."""

import json
from typing import Any

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.http_manifest import HttpManifest, ManifestEntry, RemoteAsset, RemoteFile, read_http_manifest
from skillsvc.parsing.index_json import IndexMalformed
from skillsvc.parsing.skill import read_skill

LIMITS = Limits()
DIGEST = "0123456789abcdef" * 4


def read(*entries: object) -> HttpManifest:
    return read_http_manifest(json.dumps({"skills": entries}).encode(), LIMITS)


def only(**fields: Any) -> ManifestEntry:  # noqa: ANN401 - of JSON
    manifest = read({"id": "a", **fields})
    assert manifest.diagnostics == ()
    [entry] = manifest.entries
    return entry


def refused(entry: object) -> str:
    """Return why an entry is left out; the one after it is not."""
    manifest = read(entry, {"id": "sound"})
    assert [each.folder for each in manifest.entries] == ["sound"]
    [said] = manifest.diagnostics
    assert said.code is DiagnosticCode.ENTRY_LEFT_OUT
    return said.message


def test_an_entry_of_ares_is_read_as_a_skill_without_a_body() -> None:
    entry = only(
        name="Alpha",
        description="Draws maps.",
        keywords=["map", "harbor"],
        version="1.10",
        capabilities=["draw"],
        tool_types=["mcp"],
    )
    assert list(entry.files) == []
    reading = read_skill(
        document=None, manifest=entry.skill_yaml(None), folder=entry.folder, profile=Profile.STRICT, limits=LIMITS
    )
    assert reading.skill is not None
    assert reading.body is None
    assert reading.diagnostics == ()
    skill = reading.skill
    assert (skill.name, skill.display_name, skill.description) == ("a", "Alpha", "Draws maps.")
    assert (skill.keywords, skill.version, skill.capabilities) == (("map", "harbor"), "1.10", ("draw",))


def test_name_and_description_default_to_the_id() -> None:
    entry = only()
    reading = read_skill(
        document=None, manifest=entry.skill_yaml(None), folder="a", profile=Profile.LENIENT, limits=LIMITS
    )
    assert reading.skill is not None
    assert (reading.skill.name, reading.skill.display_name, reading.skill.description) == ("a", "", "a")


@pytest.mark.parametrize(
    "version", ["1.10", 1.10, "yes", True, "null", "~", "a: b", "# no", "\u2028\ufeff\x7f\x85 x", "😀"]
)
def test_texts_keep_their_spelling(version: object) -> None:
    data = json.dumps({"skills": [{"id": "a", "version": version}]}).replace("1.1}", "1.10}").encode()
    [entry] = read_http_manifest(data, LIMITS).entries
    reading = read_skill(
        document=None, manifest=entry.skill_yaml(None), folder="a", profile=Profile.LENIENT, limits=LIMITS
    )
    assert reading.skill is not None
    spelt = {"True": "true", "1.1": "1.10", "\u2028\ufeff\x7f\x85 x": "\ufeff x"}
    assert reading.skill.version == spelt.get(str(version), version)


def test_flags_of_an_entry_count() -> None:
    entry = only(**{"disable-model-invocation": True})
    reading = read_skill(
        document=None, manifest=entry.skill_yaml(None), folder="a", profile=Profile.LENIENT, limits=LIMITS
    )
    assert reading.skill is not None
    assert not reading.skill.model_invocable


@pytest.mark.parametrize(
    ("frontmatter", "fields", "declared"),
    [
        ("name: a\ndescription: D", {"description": "E", "version": "2"}, {"version": "2"}),
        ("name: a\ndescription: D\nversion: 1", {"description": "E", "version": "2"}, {}),
        ("description: D", {"name": "Alpha"}, {"id": "a", "name": "Alpha"}),
        ("name: a", {"description": "E"}, {"description": "E"}),
        ("name: a\nwhenToUse: now", {"when_to_use": "later"}, {}),
        ("name: a\nversion:", {"version": "2"}, {"version": "2"}),
    ],
)
def test_beside_a_document_it_says_what_that_does_not(
    frontmatter: str, fields: dict[str, str], declared: dict[str, str]
) -> None:
    entry = only(**fields, document={"url": "a.md"})
    written = entry.skill_yaml(f"---\n{frontmatter}\n---\nBody".encode())
    assert (json.loads(written) if written else {}) == declared


def test_files_are_named_by_url_digest_and_size() -> None:
    entry = only(
        body={"url": "a.txt", "digest": f"sha256:{DIGEST}", "size": 5},
        assets=[
            {"name": "run.sh", "url": "/run.sh", "digest": DIGEST, "executable": True},
            {"name": "docs/ä.md", "url": "https://else.example/a", "size": 0, "later": "field"},
        ],
    )
    assert entry.body == RemoteFile(url="a.txt", digest=DIGEST, size=5)
    assert entry.body.on_need
    run, docs = entry.assets
    assert run == RemoteAsset(name="run.sh", file=RemoteFile(url="/run.sh", digest=DIGEST), executable=True)
    assert docs == RemoteAsset(name="docs/ä.md", file=RemoteFile(url="https://else.example/a", size=0))
    assert not run.file.on_need
    assert not docs.file.on_need


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("a", "no JSON object"),
        ([], "no JSON object"),
        (None, "no JSON object"),
        ({"id": ["a"]}, "id is no text"),
        ({"id": "../../x"}, "its id is a path"),
        ({"id": "a\\b"}, "its id is a path"),
        ({"id": ".."}, "its id is a path"),
        ({"id": "x" * 1025}, "its id has more than 1024 characters"),
        ({"id": "\ud800"}, "half a character"),
        ({"id": "a", "description": "\udfff"}, "half a character"),
        ({"id": "a", "\ud800": "x"}, "half a character"),
        ({"id": "a", "metadata": json.loads("[" * 20 + "]" * 20)}, "nested too deeply"),
        ({"id": "a", "document": "a.md"}, "document is no JSON object with a url"),
        ({"id": "a", "document": {}}, "document has no url"),
        ({"id": "a", "body": {"url": 7.5, "size": "x"}}, "the size of body is no number of bytes"),
        ({"id": "a", "body": {"url": "a", "size": -1}}, "the size of body is no number of bytes"),
        ({"id": "a", "body": {"url": "a", "size": 1e99}}, "the size of body is no number of bytes"),
        ({"id": "a", "body": {"url": "a", "size": 10**20}}, "the size of body is no number of bytes"),
        ({"id": "a", "body": {"url": "a", "size": 2**20 + 1}}, "its body has 1048577 bytes; at most 1048576"),
        ({"id": "a", "document": {"url": "a", "size": 2**21}}, "its document has 2097152 bytes"),
        ({"id": "a", "body": {"url": "a", "digest": "md5:abc"}}, "digest is not `sha256:`"),
        ({"id": "a", "body": {"url": "a", "digest": DIGEST.upper()}}, "digest is not `sha256:`"),
        ({"id": "a", "body": {"url": "a"}, "document": {"url": "a"}}, "a document and a body"),
        ({"id": "a", "assets": {}}, "assets is no list"),
        ({"id": "a", "assets": [None]}, "asset 1 is no JSON object"),
        ({"id": "a", "assets": [{"url": "a"}]}, "asset 1 has no name that can be served"),
        ({"id": "a", "assets": [{"url": "a", "name": "../../../y"}]}, "asset 1 has no name that can be served"),
        ({"id": "a", "assets": [{"url": "a", "name": "/y"}]}, "asset 1 has no name that can be served"),
        ({"id": "a", "assets": [{"url": "a", "name": "skill.md"}]}, "asset 1 has no name that can be served"),
        ({"id": "a", "assets": [{"url": "a", "name": "skill.yaml"}]}, "asset 1 has no name that can be served"),
        ({"id": "a", "assets": [{"url": "a", "name": "x", "executable": "perhaps"}]}, "executable of asset 1"),
        ({"id": "a", "assets": [{"url": "a", "name": "x"}] * 2}, 'two assets are called "x"'),
        (
            {"id": "a", "assets": [{"url": "a", "name": "x/y"}, {"url": "a", "name": "x"}]},
            'the asset "x" stands where another one needs a folder',
        ),
        ({"id": "a", "assets": [{"url": "a", "name": f"{n}"} for n in range(1025)]}, "it has 1025 assets"),
    ],
)
def test_an_entry_that_breaks_a_rule_is_left_out_alone(entry: object, why: str) -> None:
    assert why in refused(entry)


def test_the_diagnostic_names_the_entry() -> None:
    [said] = read({"id": "sound"}, {"id": "../../x"}).diagnostics
    assert (said.severity, said.skill) == (Severity.ERROR, "../../x")
    assert said.message.startswith("entry 2 of the index")


def test_an_entry_without_an_id_is_left_out_with_a_warning() -> None:
    manifest = read({"name": "nameless"}, {"id": " "}, {"id": "sound"})
    assert [entry.folder for entry in manifest.entries] == ["sound"]
    assert [said.severity for said in manifest.diagnostics] == [Severity.WARNING] * 2


def test_the_first_of_an_id_is_kept() -> None:
    manifest = read({"id": "a", "version": "1"}, {"id": "a", "version": "2"}, {"id": "A", "version": "3"})
    assert [entry.fields["version"] for entry in manifest.entries] == ["1"]
    assert len(manifest.diagnostics) == 2


def test_an_id_that_is_no_name_makes_one() -> None:
    [entry] = read({"id": "Tide Tables"}).entries
    assert entry.folder == "tide-tables"
    assert entry.fields["id"] == "Tide Tables"


def test_a_key_that_stands_twice_leaves_the_entry_out() -> None:
    data = b'{"skills": [{"id": "a", "id": "b"}, {"id": "c", "body": {"url": "a", "url": "b"}}, {"id": "d"}]}'
    manifest = read_http_manifest(data, LIMITS)
    assert [entry.folder for entry in manifest.entries] == ["d"]
    assert [("stands twice" in said.message) for said in manifest.diagnostics] == [True, True]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON at line 1"),
        (b"<!DOCTYPE html>\n<html></html>", "looks like a web page"),
        (b'{"skills": [\n{"id": "a"},\n{"id": ', "no JSON at line 3"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "no JSON object"),
        (b"7", "no JSON object"),
        (b"{}", "`skills` is no list"),
        (b'{"skills": {}}', "`skills` is no list"),
        (b'{"skills": [], "skills": []}', '"skills" stands twice'),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"skills":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"skills": [' + b"{}," * 1_000_000 + b"{}]}", "1000001 entries; at most 100000"),
    ],
)
def test_what_is_no_manifest_is_refused_as_a_whole(data: bytes, why: str) -> None:
    with pytest.raises(IndexMalformed, match=r".") as malformed:
        read_http_manifest(data, LIMITS)
    assert why in str(malformed.value)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert len(read_http_manifest(b'\xef\xbb\xbf{"skills": [{"id": "a"}]}', LIMITS).entries) == 1


def test_of_many_that_are_left_out_a_hundred_are_named() -> None:
    said = read(*([None] * 1000)).diagnostics
    assert len(said) == 101
    assert said[-1].message == "900 more entries of the index are left out"
