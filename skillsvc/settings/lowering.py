"""Limits in a skillsvc.toml: those of the server in [limits], and those of one source, lower only."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from math import isfinite

from skillsvc.domain.limits import Limits
from skillsvc.settings.refusal import Fault

OF_A_SOURCE = frozenset(
    {
        "description_bytes",
        "body_bytes",
        "assets",
        "asset_names_bytes",
        "asset_name_bytes",
        "asset_bytes",
        "tools",
        "diagnostics",
        "frontmatter_bytes",
        "yaml_depth",
        "source_folders",
        "source_assets",
        "asset_depth",
        "layer_skills",
    }
)
"""The limits that a look at a source is held to; the others are of the server as a whole."""


def faults_of_limits(limits: Mapping[str, object], *, of_a_source: bool = False) -> Iterator[Fault]:
    """Yield what is wrong with limits by themselves: names, types, and what `Limits` refuses."""
    kinds = {
        field.name: type(field.default) for field in fields(Limits) if not of_a_source or field.name in OF_A_SOURCE
    }
    for name, value in limits.items():
        if of_a_source and name in Limits.__dataclass_fields__ and name not in kinds:
            yield Fault("is a limit of the server as a whole", (name,))
        elif name not in kinds:
            yield Fault(not_known(name, kinds), (name,))
        elif not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
            yield Fault("must be a number", (name,))
        elif kinds[name] is int and not isinstance(value, int):
            yield Fault(f"is {value}; it must be a whole number", (name,))
        else:
            try:
                Limits(**{name: value})  # type: ignore[arg-type] # the type was just looked at
            except ValueError as error:
                yield Fault(str(error).removeprefix(f"the limit {name} "), (name,))


def faults_of_lowering(lower: Mapping[str, object], limits: Mapping[str, object]) -> Iterator[Fault]:
    """Yield where limits of a source, each possible by itself, are above those of the server."""
    for name, value in lower.items():
        bound = limits.get(name, getattr(Limits(), name, None))
        if isinstance(value, int | float) and isinstance(bound, int | float) and value > bound:
            yield Fault(f"is {value}; at most {bound}, as for the server, is possible", (name,))


def lowered(limits: Limits, lower: Mapping[str, object]) -> Limits:
    """Return limits with those of a source, which were looked at, in their place where they are lower."""
    lowest = {
        name: value for name, value in lower.items() if isinstance(value, int | float) and value < getattr(limits, name)
    }
    return replace(limits, **lowest) if lowest else limits  # type: ignore[arg-type] # names and types were looked at


def not_known(name: str, known: Mapping[str, object]) -> str:
    """Return the sentence of a name that is not known, with the nearest one that is."""
    near = get_close_matches(name, known, n=1)
    return f"is not known; is {near[0]} meant?" if near else "is not known"
