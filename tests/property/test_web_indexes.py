"""Indexes from the web, whatever they hold: entries that are sound, or a reason; never an exception of another kind."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain import caps
from skillsvc.domain.limits import Limits
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.http_manifest import read_http_manifest
from skillsvc.parsing.index_json import IndexMalformed
from skillsvc.parsing.skill import read_skill
from skillsvc.parsing.well_known_index import SCHEMA, read_well_known_index

LIMITS = Limits()
texts = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(
    [
        "a",
        "../../x",
        "https://else.example/z",
        "sha256:" + "0" * 64,
        "skill-md",
        "archive",
        "true",
        "7",
        "SKILL.md",
        "\ud800",
    ]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
files = st.fixed_dictionaries({}, optional=dict.fromkeys(("url", "digest", "size", "name", "executable"), values))
entries = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("name", "description", "keywords", "version", "capabilities", "tools", "metadata"), values),
        **dict.fromkeys(("id", "type", "url", "digest", "disable-model-invocation"), texts | values),
        **dict.fromkeys(("document", "body"), files | values),
        "assets": st.lists(files | values, max_size=4) | values,
    },
)
indexes = st.fixed_dictionaries(
    {"skills": st.lists(entries | values, max_size=5) | values}, optional={"$schema": st.just(SCHEMA) | values}
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """An index, and what becomes of one on a bad way: cut, or with bytes exchanged."""
    data = bytearray(json.dumps(draw(indexes)).encode())
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(data)


@given(mutated())
def test_a_manifest_gives_sound_entries_or_a_reason(data: bytes) -> None:
    manifest = _read(read_http_manifest, data)
    if manifest is None:
        return
    folders = [entry.folder for entry in manifest.entries]
    assert len(set(folders)) == len(folders)
    for entry in manifest.entries:
        assert caps.fits_skill_name(entry.folder)
        assert all(caps.fits_asset_name(asset.name) for asset in entry.assets)
        assert all(file.url for file in entry.files)
        for document in (None, b"---\nname: x\ndescription: y\n---\n", b"---\n", b"\xff"):
            read_skill(
                document=document,
                manifest=entry.skill_yaml(document) or None,
                folder=entry.folder,
                profile=Profile.LENIENT,
                limits=LIMITS,
            )
    for said in manifest.diagnostics:
        f"{said.message}{said.skill}".encode()


@given(mutated())
def test_a_well_known_index_gives_sound_entries_or_a_reason(data: bytes) -> None:
    index = _read(read_well_known_index, data)
    if index is None:
        return
    names = [entry.name for entry in index.entries]
    assert len(set(names)) == len(names)
    for entry in index.entries:
        assert caps.fits_skill_name(entry.name)
        assert caps.fits_digest(entry.digest)
    for said in index.diagnostics:
        f"{said.message}{said.skill}".encode()


def _read(read: Callable[[bytes, Limits], Any], data: bytes) -> Any:  # noqa: ANN401 - either kind of index
    try:
        return read(data, LIMITS)
    except IndexMalformed:
        return None
