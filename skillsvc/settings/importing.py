"""Importing: a configuration of ARES, its `[[skill_sources]]`, as a skillsvc.toml.

Its directories are those that were registered by hand, so they come in at the tier `registered`, as its git checkouts
and manifests do; directories go before repositories, and those before manifests, as ARES ranks them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import make_settings
from skillsvc.settings.toml_file import TomlFile

_TABLES = "skill_sources"
_KINDS = {"": "directory", "directory": "directory", "git": "git", "http": "http", "oci": "http"}
"""By type, case-sensitive; what is called `oci` there is a manifest over HTTP."""
_NEEDED = {"directory": "path", "git": "url", "http": "manifest_url"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A skillsvc.toml as text, and what is to be told of what was left out or changed."""

    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Foreign:
    """A table of the other configuration: its number, and the kind and place that it means."""

    number: int
    kind: str
    place: str
    checkout: str = ""

    @property
    def title(self) -> str:
        return _title(self.number)


def import_ares(path: Path, home: str) -> Imported:
    """Return the sources of a configuration of ARES; a file that is not there has none.

    Args:
        path: The file.
        home: What `~/` at the begin of a path stands for; "" where there is none, and such paths are then left out.

    Raises:
        SettingsRefused: The file is there and cannot be read, is no TOML, or its `skill_sources` are no tables.
    """
    if not path.exists():
        return Imported(text="", notes=(f"{path} is not there, so nothing is imported",))
    tables = TomlFile.read(path).tables.get(_TABLES, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SettingsRefused([f"{path}: {_TABLES} must be tables, each begun by [[{_TABLES}]]"])
    if not tables:
        return Imported(text="", notes=(f"{path} has no [[{_TABLES}]], so nothing is imported",))
    notes: list[str] = []
    foreign = list(_read(tables, home, notes))
    document = tomlkit.document()
    sources = tomlkit.aot()
    for table in _tables(foreign, notes):
        sources.append(tomlkit.item(table))
    if sources:
        document.add("source", sources)
    return Imported(text=tomlkit.dumps(document), notes=tuple(notes))


def _read(tables: list[Mapping[str, object]], home: str, notes: list[str]) -> Iterator[_Foreign]:
    for number, table in enumerate(tables, start=1):
        said = {key: table.get(key, "") for key in ("type", "path", "url", "local_dir", "manifest_url")}
        unfit = [key for key, value in said.items() if not isinstance(value, str)]
        if unfit:
            notes.append(f"{_title(number)} is left out: its {unfit[0]} is no text")
            continue
        text = {key: str(value) for key, value in said.items()}
        kind = _KINDS.get(text["type"])
        if kind is None:
            notes.append(f"{_title(number)} is left out: its type is not known")
            continue
        place = _expanded(text["path"], home) if kind == "directory" else text[_NEEDED[kind]]
        if not place:
            notes.append(f"{_title(number)} is left out: it has no {_NEEDED[kind]} that leads anywhere")
            continue
        yield _Foreign(number=number, kind=kind, place=place, checkout=_expanded(text["local_dir"], home))


def _expanded(path: str, home: str) -> str:
    """Return a path with the home in it; "" for none, for the home itself, and for one in a home that is not known."""
    if path == "~":
        return ""
    if path.startswith("~/"):
        return str(Path(home) / path[2:].lstrip("/")) if home else ""
    return path


def _tables(foreign: list[_Foreign], notes: list[str]) -> Iterator[Mapping[str, object]]:
    """Yield the tables of a skillsvc.toml, each of which is one by itself; labels count each kind."""
    checkouts = {each.checkout for each in foreign if each.kind == "git" and each.checkout}
    seen: dict[tuple[str, str], _Foreign] = {}
    counts = {"directory": 0, "git": 0, "http": 0}
    for each in sorted(foreign, key=lambda each: list(counts).index(each.kind)):
        first = seen.setdefault((each.kind, each.place), each)
        if first is not each:
            notes.append(f"{each.title} is left out: it is the same as {first.title}")
            continue
        if each.kind == "directory" and each.place in checkouts:
            notes.append(f"{each.title} is left out: it is the checkout of a repository, which is served without one")
            continue
        table = _table(each, f"{each.kind}-{counts[each.kind] + 1}")
        try:
            make_settings({"source": [table]})
        except SettingsRefused as refused:
            why = "; ".join(fault.partition(": ")[2] for fault in refused.faults)
            notes.append(f"{each.title} is left out: {why}")
            continue
        counts[each.kind] += 1
        if each.kind == "directory" and not Path(each.place).is_absolute():
            notes.append(f"{each.title} has a relative path; it is now relative to the file that is written")
        yield table


def _table(foreign: _Foreign, label: str) -> Mapping[str, object]:
    if foreign.kind == "directory":
        return {"name": label, "kind": "directory", "path": foreign.place, "tier": "registered"}
    return {"name": label, "kind": foreign.kind, "url": foreign.place}


def _title(number: int) -> str:
    return f"[[{_TABLES}]] {number}"
