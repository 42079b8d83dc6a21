"""Configurations of any content: each is taken, or refused with lines, and what is shown of it is taken again."""

import tomllib
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillsvc.settings.examining import examine
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings, make_settings
from skillsvc.settings.settling import settings_of
from skillsvc.settings.showing import show
from skillsvc.settings.sought import seek
from skillsvc.settings.sources import SOURCE_TABLES, AuthTable, PartitionTable
from skillsvc.settings.toml_file import TomlFile

pytestmark = pytest.mark.property

KEYS = sorted(
    {
        *Settings.model_fields,
        *AuthTable.model_fields,
        *PartitionTable.model_fields,
        *(key for model in SOURCE_TABLES.values() for key in model.model_fields),
        *("listen", "data_dir", "project", "user", "trusted", "asset_bytes", "é", "a b", ""),
    }
)
SCALARS = (
    st.integers(-(2**63), 2**63 - 1)
    | st.booleans()
    | st.floats()
    | st.just(datetime(2026, 1, 1, tzinfo=UTC))
    | st.just(date(2026, 1, 1))
    | st.sampled_from([*SOURCE_TABLES, "a", "b", "local", "strict", "untrusted", "https://example.org", "skills", "\0"])
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8)
)
TABLES = st.dictionaries(
    st.sampled_from(KEYS),
    SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.sampled_from(KEYS), SCALARS, max_size=3),
    max_size=5,
)
LEAST = st.sampled_from(
    [
        {"name": "a", "path": "skills"},
        {"name": "b", "kind": "git", "url": "https://example.org/a"},
        {"name": "c", "kind": "http", "url": "https://example.org/a?b"},
        {"name": "d", "kind": "oci", "reference": "example.org/a:b"},
        {"name": "e", "kind": "provider", "provider": "wiki"},
    ]
)
SOURCES = st.lists(st.tuples(LEAST, TABLES).map(lambda parts: {**parts[0], **parts[1]}) | LEAST, max_size=3)
FILES = st.builds(lambda whole, sources: {**whole, **({"source": sources} if sources else {})}, TABLES, SOURCES)


@given(tables=FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_is_taken_or_every_fault_of_it_has_a_line(tmp_path: Path, tables: dict[str, object]) -> None:
    path = tmp_path / "skillsvc.toml"
    text = tomlkit.dumps(tables)
    path.write_bytes(text.encode())
    try:
        made = settings_of(TomlFile.read(path))
    except SettingsRefused as refused:
        faults = [fault.removeprefix(f"{path}:").partition(": ") for fault in refused.faults]
    else:
        sought = seek(made, {})
        assert all(remark.sentence for remark in examine(made, sought, {}))
        shown = tomllib.loads(show(made, sought, {}))
        assert shown["server"]["listen"] == made.server.listen
        return
    assert faults
    assert all(1 <= int(line) <= text.count("\n") + 1 and sentence for line, _, sentence in faults)


@given(sources=st.lists(LEAST, max_size=5, unique_by=lambda source: source["name"]))
def test_what_is_shown_is_taken_for_the_same(sources: list[dict[str, object]]) -> None:
    plain = [{**source, **({"url": "https://example.org/a"} if "url" in source else {})} for source in sources]
    made = make_settings({"source": plain})
    again = make_settings(tomllib.loads(show(made, seek(made, {}), {})))
    assert again.source == made.source
    assert again.make_limits() == made.make_limits()
