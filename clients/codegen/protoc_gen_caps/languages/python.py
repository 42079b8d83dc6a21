"""Python: one module of constants, the caps as values, and a function `clamp_…` a message.

What is the same for all messages is written by hand in `python_runtime.py` and taken over as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from protoc_gen_caps.model import Cap, Field, Kind, Message, Model, Shape

PATH = "skillsource/caps.py"

_RUNTIME = Path(__file__).with_name("python_runtime.py")
_LINE = 120


def render(model: Model) -> str:
    """Return the module's text."""
    parts = [
        f"# Generated from {model.package} by protoc-gen-caps. Do not edit: change the proto, and generate anew.\n",
        _RUNTIME.read_text(encoding="utf-8"),
        "\n\n",
        *_constants(model),
        "\n",
        *_caps(model),
    ]
    for message in model.messages:
        parts += ["\n\n", *_clamp(message)]
    return "".join(parts)


def _constants(model: Model) -> Iterator[str]:
    for message in model.messages:
        for field in message.fields:
            for bound, number in field.cap.bounds if field.cap else ():
                yield f"{_constant(message, field, bound)}: Final = {number}\n"


def _caps(model: Model) -> Iterator[str]:
    yield "CAPS: Final[Mapping[str, Cap]] = MappingProxyType(\n    {\n"
    for message in model.messages:
        for field in message.fields:
            if field.cap is not None:
                arguments = [f"{bound}={_constant(message, field, bound)}" for bound, _ in field.cap.bounds]
                arguments += _overs(field, field.cap)
                if field.cap.single_line:
                    arguments.append("single_line=True")
                if field.cap.grammar:
                    arguments.append(f"grammar=Grammar.{field.cap.grammar.name}")
                yield _call(f'        "{message.name}.{field.name}": Cap', arguments, end=",")
    yield "    }\n)\n"


def _clamp(message: Message) -> Iterator[str]:
    parameters = ["values: Mapping[str, object]", "*", "lowered: Mapping[str, int] = NOTHING_LOWERED"]
    yield _call(f"def clamp_{_snake(message.name)}", parameters, end=" -> Clamped:")
    yield f'    """Clamp the fields of one {message.name}."""\n'
    yield f'    draft = _Draft("{message.name}", values, lowered)\n'
    for field in message.fields:
        yield from _clamp_field(message, field)
    yield "    return draft.result()\n"


def _clamp_field(message: Message, field: Field) -> Iterator[str]:
    what = [f'"{field.name}"']
    if field.kind is Kind.MESSAGE:
        what.append(f"clamp_{_snake(field.message)}")
    if field.cap is None:
        method = "nested" if field.kind is Kind.MESSAGE else "unbounded_list"
        yield _call(f"    draft.{method}", what)
        return
    bounds = {bound: f"{bound}={_constant(message, field, bound)}" for bound, _ in field.cap.bounds}
    total = bounds.pop("max_total_bytes", None)
    over = _overs(field, field.cap)
    if field.cap.single_line:
        over.append("single_line=True")
    if field.cap.grammar:
        over.append(f"fits=fits_{field.cap.grammar.name.lower()}")
    yield _call(f"    draft.{_METHODS[field.kind, field.shape]}", [*what, *bounds.values(), *over])
    if total:
        yield _call("    draft.total_of_names", [f'"{field.name}"', total, *over])


_METHODS = {
    (Kind.TEXT, Shape.ONE): "text",
    (Kind.DATA, Shape.ONE): "data",
    (Kind.NUMBER, Shape.ONE): "number",
    (Kind.TEXT, Shape.LIST): "texts",
    (Kind.TEXT, Shape.MAP): "text_map",
    (Kind.MESSAGE, Shape.LIST): "nested_list",
}


def _constant(message: Message, field: Field, bound: str) -> str:
    return f"{_snake(message.name)}_{field.name}_{bound}".upper()


def _overs(field: Field, cap: Cap) -> list[str]:
    """Return what happens over the cap; items of their own size are texts."""
    has_items = field.kind is Kind.TEXT and field.shape is not Shape.ONE
    return [f"over=_{cap.over.name}", *([f"item_over=_{cap.item_over.name}"] if has_items else [])]


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _call(function: str, arguments: Sequence[str], end: str = "") -> str:
    """Return the lines of a call, broken where the formatter of this repository breaks them."""
    indent = " " * (len(function) - len(function.lstrip()))
    joined = ", ".join(arguments)
    if len(line := f"{function}({joined}){end}") <= _LINE:
        return f"{line}\n"
    if len(line := f"{indent}    {joined}") <= _LINE:
        return f"{function}(\n{line}\n{indent}){end}\n"
    lines = "".join(f"{indent}    {argument},\n" for argument in arguments)
    return f"{function}(\n{lines}{indent}){end}\n"
