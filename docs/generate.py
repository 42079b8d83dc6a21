"""Write docs/configuration.md from the settings and limits: `make docs`; with `--check`, fail where it is another."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from skillsvc.domain.limits import Limits
from skillsvc.settings import ServerTable, SourceTable

_ENDLESS = 2**40
"""More than any limit has a reason to be."""

PAGE = Path(__file__).parent / "configuration.md"

_HEAD = """\
<!-- Generated from skillsvc/settings.py and skillsvc/domain/limits.py by docs/generate.py. -->

# Configuration

A server is told what to serve by options, or by a file of TOML:

```
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

Options win over the file; each `--skills-dir` adds a source, `dir-1`, `dir-2` and so on. Relative paths in the file are
relative to the file. What is not known is refused, and so is anything unsafe; all faults are told at once.
`skillsvc serve --help` lists the options. Commands that talk to a server find it by `--address`, else by the variable
`SKILLSVC_ADDRESS`, else at `127.0.0.1:50051`.
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
    "source_depth": "how deep below its root the layout `nested` looks for skills",
    "source_folders": "folders that are looked into",
    "asset_depth": "how deep below a skill's folder an asset may lie",
    "missing_after_s": "how long a source that is gone keeps its last good state",
    "retained_generations": "older generations of a layer that are kept in any case",
    "retained_age_s": "the age up to which further ones are kept",
    "retained_at_most": "older generations of a layer that are kept in all",
    "retained_row_bytes": "the rows of those that are kept beyond the first",
    "watch_names": "names in one event of WatchCatalog; with more it says `resync`",
    "watch_bytes": "one event of WatchCatalog",
    "heartbeat_s": "the time between two heartbeats of WatchCatalog",
    "wait_for_generation_s": "how long `at_least` waits for a state",
    "call_without_deadline_s": "a call whose caller set no deadline",
    "request_ids": "request ids that are remembered, for each caller and call",
    "request_id_age_s": "how long one is remembered",
    "answer_cache_bytes": "encoded answers that are kept in memory",
}


def configuration() -> str:
    """Return the page."""
    return "".join((_HEAD, *_table("[server]", ServerTable), *_table("[[source]]", SourceTable), *_limits()))


def _table(title: str, model: type[BaseModel]) -> Iterator[str]:
    yield f"\n## {title}\n\n{model.__doc__}\n\n| Name | Values | Default | What it is |\n|---|---|---|---|\n"
    for name, field in model.model_fields.items():
        default = "required" if field.is_required() else _shown(field.default)
        yield f"| `{name}` | {_values(field)} | {default} | {field.description} |\n"


def _values(field: FieldInfo) -> str:
    kind = field.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(_shown(member) for member in kind)
    choices = [choice for choice in get_args(kind) if isinstance(choice, str)]
    if choices:
        return ", ".join(map(_shown, choices))
    kinds = get_args(kind) or (kind,)
    return {str: "text", Path: "path", bool: "true, false", float: "number"}[kinds[0]]


def _shown(value: object) -> str:
    match value:
        case None:
            return "none"
        case Enum():
            return f'`"{value.value}"`'
        case bool():
            return f"`{str(value).lower()}`"
        case str():
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
    page = configuration()
    if parser.parse_args().check:
        if PAGE.read_text(encoding="utf-8") == page:
            return 0
        print(f"docs/{PAGE.name} is not what the settings say: run `make docs`", file=sys.stderr)
        return 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
