"""Write docs/configuration.md and the JSON Schema from the settings: `make docs`; `--check` fails where they differ.

The schema is written twice: for readers of the documents, and into the package.
"""

import argparse
import builtins
import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from skillsvc.domain.limits import Limits
from skillsvc.settings.access import AccessTable, ReadableTable
from skillsvc.settings.admin import AdminTable
from skillsvc.settings.connections import ConnectionsTable
from skillsvc.settings.conventional import ConventionalTable
from skillsvc.settings.experience import ExperienceTable
from skillsvc.settings.fairness import FairnessTable
from skillsvc.settings.health import HealthTable
from skillsvc.settings.identity import IdentityTable, IssuerTable, ProxyTable, TokensTable
from skillsvc.settings.readiness import ReadinessTable
from skillsvc.settings.schema import schema
from skillsvc.settings.server import ServerTable
from skillsvc.settings.sources import SOURCE_TABLES, AuthTable, FolderTable, PartitionTable, RemoteTable, SourceTable
from skillsvc.settings.tls import TlsTable

_ENDLESS = 2**40
"""More than any limit has a reason to be."""

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "configuration.md"
SCHEMA_NAME = "skillsvc.schema.json"
_NAMES: Mapping[object, str] = {str: "text", Path: "path", bool: "true, false", float: "number", int: "whole number"}
_COLUMNS = "| Name | Values | Default | What it is |\n|---|---|---|---|\n"

_HEAD = """\
<!-- Generated from skillsvc/settings/, skillsvc/domain/limits.py and examples/skillsvc.toml by docs/generate.py. -->

# Configuration

A server is told what to serve by options, or by a file of TOML:

```
skillsvc config check skillsvc.toml
skillsvc serve --config skillsvc.toml
```

```toml
[server]
listen = "127.0.0.1:50051"
data_dir = "/var/lib/skillsvc"

[limits]
asset_bytes = 4_194_304

[[source]]
name = "house"
path = "/srv/skills"
layout = "nested"

[[source]]
name = "vendor"
path = "/srv/vendor-skills"
profile = "strict"
```

[examples/skillsvc.toml](../examples/skillsvc.toml) has a source of each kind. Options win over the file; each
`--skills-dir` adds a source, `dir-1`, `dir-2` and so on. Relative paths in the file are relative to the file. What is
not known is refused, and so is anything unsafe; all mistakes are told at once, each with its line.

| Command | What it does |
|---|---|
| `skillsvc config check FILE` | tells every mistake; where there is none, also what is not there of all that it names |
| `skillsvc config show FILE` | prints what is in force, defaults included, without secrets |
| `skillsvc config schema` | prints the JSON Schema, which is [skillsvc.schema.json](skillsvc.schema.json), too |
| `skillsvc config import FILE` | makes a skillsvc.toml of the `[[skill_sources]]` of an ARES configuration |

SIGHUP makes a server read its file anew. Where something in it cannot be, all mistakes are logged and nothing changes.
Else sources that were added, removed, changed or put in another order take effect at once, and the others go on with
all that they know. So do changes of [identity] and [[access]]. A change of [server], [limits], [fairness] or
[experience] is logged, and taken in at the next start.

`skillsvc serve --help` lists the options. Commands that talk to a server find it by `--address`, else by the variable
`SKILLSVC_ADDRESS`, else at `127.0.0.1:50051`.
"""

_SOURCES_HEAD = """\

## [[source]]

One place that skills come from. Earlier sources win where two of one layer have a skill of one name. Two directories
that are one place are one source: the earlier stays, and that is logged. These keys are of every kind, those of each
kind follow, and then those that several kinds share.

| Name | Values | Default | What it is |
|---|---|---|---|
"""

_FOLDERS_HEAD = """\

### Kinds whose skills lie in folders

These keys are of `directory`, `git` and `oci`.

| Name | Values | Default | What it is |
|---|---|---|---|
"""

_REMOTE_HEAD = """\

### Kinds that are reached over a network

These keys are of `git`, `http`, `well_known` and `oci`.

| Name | Values | Default | What it is |
|---|---|---|---|
"""

_LIMITS_HEAD = """\

## [limits]

Every limit has a default and may be lowered, as far as the smallest value where one is named, else to anything above 0.
None can be raised above the largest value where one is named: that is the cap of the contract, or a number on which
other promises rest. Names that end in `_bytes` are bytes of UTF-8 where they speak of text, names that end in `_s` are
seconds, all others count.

| Name | Default | Smallest | Largest | What it bounds |
|---|---|---|---|---|
"""

_MEANINGS = {
    "description_bytes": "a description; longer ones are cut, and said to be",
    "body_bytes": "a body; a skill with a longer one is refused",
    "activation_text_bytes": "the text of an activation, marker included",
    "assets": "assets of a skill; with more it is refused",
    "asset_names_bytes": "all asset names of a skill together",
    "asset_name_bytes": "one asset name",
    "asset_bytes": "one asset; a skill with a larger one is refused",
    "tools": "tools that a skill declares",
    "diagnostics": "diagnostics of a skill that are kept; the rest is counted",
    "range_bytes": "one answer of SkillBody and ReadAsset; the next range goes on",
    "page_skills": "skills of a page",
    "page_bytes": "a page",
    "answer_bytes": "any answer",
    "request_bytes": "a request",
    "frontmatter_bytes": "the frontmatter, and `skill.yaml`",
    "yaml_depth": "how deep YAML may be nested",
    "layer_skills": "skills of a layer; with more the look is refused and the last good state stays",
    "partition_skills": "skills of a layer that is not the deployment's; with more a publish is refused",
    "partition_bytes": "texts and assets of such a layer together, shared ones counted for each skill",
    "source_depth": "how deep below its root the layout `nested` looks for skills",
    "source_folders": "folders that are looked into",
    "source_assets": "assets of all skills of a source together, folders and what is left out counted too; a skill "
    "beyond them is refused",
    "asset_depth": "how deep below a skill's folder an asset may lie",
    "missing_after_s": "how long a source that is gone keeps its last good state",
    "retained_generations": "older generations of a layer that are kept in any case",
    "retained_age_s": "the age up to which further ones are kept",
    "retained_at_most": "older generations of a layer that are kept in all",
    "retained_row_bytes": "the rows of those that are kept beyond the first",
    "resident_layer_bytes": "memory for layers that no source feeds all the time; others are read again when asked for",
    "search_index_bytes": "memory for indexes of searches; layers that have none are searched by a plainer rule",
    "partition_idle_s": "how long the folder of a template is looked at after somebody has asked for its partition",
    "revoked_names": "names of a layer that may be revoked at a time",
    "enablement_words": "names of which anything may be said to one partition, whether they are on or off",
    "watch_names": "names in one event of WatchCatalog; with more it says `resync`",
    "watch_bytes": "one event of WatchCatalog",
    "heartbeat_s": "the time between two heartbeats of WatchCatalog",
    "wait_for_generation_s": "how long `at_least` waits for a state",
    "call_without_deadline_s": "a call whose caller set no deadline",
    "request_ids": "request ids that are remembered, for each caller and call",
    "request_id_age_s": "how long one is remembered",
    "priors": "skills at tasks that a partition knows of by outcomes; of more, the oldest are forgotten",
    "principal_priors": "the same of one principal in all its projects",
    "prior_cache_bytes": "memory for what is known by outcomes; the rest is in the store alone",
    "answer_cache_bytes": "encoded answers that are kept in memory",
}


def configuration() -> str:
    """Return the page."""
    common = {*SourceTable.model_fields} - {"tier"}
    shared: dict[type[SourceTable], str] = {FolderTable: _FOLDERS_HEAD, RemoteTable: _REMOTE_HEAD}
    return "".join(
        (
            _HEAD,
            *_table("## [server]", ServerTable),
            *_table("## [tls]", TlsTable),
            *_table("## [admin]", AdminTable),
            *_table("## [health]", HealthTable),
            *_table("## [connections]", ConnectionsTable),
            *_table("## [identity]", IdentityTable),
            *_table("### [[identity.issuer]]", IssuerTable),
            *_table("### [identity.tokens]", TokensTable),
            *_table("### [identity.proxy]", ProxyTable),
            *_table("## [[access]]", AccessTable),
            *_table("### partitions", ReadableTable),
            *_table("## [conventional]", ConventionalTable),
            *_table("## [readiness]", ReadinessTable),
            _SOURCES_HEAD,
            *_rows(SourceTable, {"kind", "tier"}),
            *(row for kind, model in SOURCE_TABLES.items() for row in _kind(kind, model, common)),
            *(row for model, head in shared.items() for row in (head, *_rows(model, {*common, "tier"}))),
            *_table("### auth", AuthTable),
            *_table("### partition", PartitionTable),
            *_table("## [fairness]", FairnessTable),
            *_table("## [experience]", ExperienceTable),
            *_limits(),
        )
    )


def schemas() -> Mapping[Path, str]:
    """Return the JSON Schema, by the files that hold it."""
    return dict.fromkeys((ROOT / "docs" / SCHEMA_NAME, ROOT / "skillsvc" / "settings" / SCHEMA_NAME), schema())


def _table(title: str, model: type[BaseModel]) -> Iterator[str]:
    yield f"\n{title}\n\n{_said_of(model)}\n\n{_COLUMNS}"
    yield from _rows(model, set())


def _kind(kind: str, model: type[SourceTable], told: set[str]) -> Iterator[str]:
    """Yield what is to be said of a kind, but for the keys that are told elsewhere."""
    for shared in (FolderTable, RemoteTable):
        if issubclass(model, shared):
            same = {
                key for key, field in shared.model_fields.items() if model.model_fields[key].default == field.default
            }
            told = told | same - {"tier"}
    yield f'\n### kind = "{kind}"\n\n{_said_of(model)}\n\n```toml\n{_example_of(kind)}\n```\n\n{_COLUMNS}'
    yield from _rows(model, told)


def _said_of(model: type[BaseModel]) -> str:
    return inspect.cleandoc(model.__doc__ or "")


def _example_of(kind: str) -> str:
    """Return the paragraph of the example with a source of a kind, its tables in force, without what is said of it."""
    example = (ROOT / "examples" / "skillsvc.toml").read_text(encoding="utf-8")
    (paragraph,) = [part for part in example.split("\n\n") if f'kind = "{kind}"' in part]
    lines = (line.removeprefix("#") for line in paragraph.strip().splitlines())
    return "\n".join(line for line in lines if not line.startswith(" "))


def _rows(model: type[BaseModel], told: set[str]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if name not in told:
            default = "required" if field.is_required() else _shown(field.default)
            yield f"| `{name}` | {_values(field)} | {default} | {field.description} |\n"


def _values(field: FieldInfo) -> str:
    return _values_of(field.annotation)


def _values_of(kind: object) -> str:
    match get_origin(kind):
        case typing.Literal:
            return ", ".join(map(_shown, get_args(kind)))
        case typing.Annotated:
            return _values_of(get_args(kind)[0])
        case types.UnionType | typing.Union:
            meant, *_others = [each for each in get_args(kind) if each is not types.NoneType]
            return _values_of(meant)
        case builtins.tuple:
            return f"list of {_values_of(get_args(kind)[0])}s"
        case _ if isinstance(kind, type) and issubclass(kind, Enum):
            return ", ".join(_shown(member) for member in kind)
        case _:
            return _NAMES.get(kind, "table")


def _shown(value: object) -> str:
    match value:
        case None:
            return "none"
        case tuple() | dict():
            return ", ".join(map(_shown, value)) or "none"
        case Enum():
            return f'`"{value.value}"`'
        case bool():
            return f"`{str(value).lower()}`"
        case str() | Path():
            return f'`"{value}"`'
        case _:
            return f"{value:,.15g}"


def _limits() -> Iterator[str]:
    yield _LIMITS_HEAD
    for field in fields(Limits):
        name, default = field.name, getattr(Limits(), field.name)
        smallest = "" if _is_taken(name, 1) else f"{_edge(name, taken=default, refused=1):,}"
        largest = "" if _is_taken(name, _ENDLESS) else f"{_edge(name, taken=default, refused=_ENDLESS):,}"
        yield f"| `{name}` | {_shown(default)} | {smallest} | {largest} | {_MEANINGS[name]} |\n"


def _edge(name: str, *, taken: int, refused: int) -> int:
    """Return the last value that is taken on the way to one that is refused, asked of the limits themselves."""
    while abs(refused - taken) > 1:
        middle = (taken + refused) // 2
        if _is_taken(name, middle):
            taken = middle
        else:
            refused = middle
    return taken


def _is_taken(name: str, value: int) -> bool:
    try:
        Limits(**{name: value})
    except ValueError:
        return False
    return True


def main() -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; end with status 1 where it would")
    pages = {PAGE: configuration(), **schemas()}
    if parser.parse_args().check:
        stale = [path for path, page in pages.items() if path.read_text(encoding="utf-8") != page]
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the settings say: run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    for path, page in pages.items():
        path.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
