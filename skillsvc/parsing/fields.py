"""Fields: the values of recognised keys in the types of a skill (rules.md 2)."""

from collections.abc import Mapping

from skillsvc.parsing.plain_yaml import Plain
from skillsvc.parsing.text import one_line

_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def text_of(values: Mapping[str, Plain], key: str) -> str:
    """Return the value of a key as one line, "" where there is none."""
    value = values.get(key)
    return one_line(value) if isinstance(value, str) else ""


def items_of(values: Mapping[str, Plain], key: str) -> list[str]:
    """Return the items of a list, or of a text split on commas, each as one line, the blank ones left out."""
    value = values.get(key)
    if isinstance(value, str):
        parts = value.split(",")
    elif isinstance(value, list):
        parts = [item for item in value if isinstance(item, str)]
    else:
        return []
    return [item for item in map(one_line, parts) if item]


def allowed_tools_of(values: Mapping[str, Plain]) -> list[str]:
    """Return the entries of `allowed-tools`, split on blanks and commas outside of parentheses."""
    value = values.get("allowed-tools")
    if isinstance(value, str):
        return _split_tools(value)
    if isinstance(value, list):
        return [tool for item in value if isinstance(item, str) for tool in _split_tools(item)]
    return []


def _split_tools(text: str) -> list[str]:
    text = one_line(text)
    if "(" not in text:
        return [tool for tool in text.replace(",", " ").split(" ") if tool]
    tools: list[str] = []
    begin = depth = 0
    for at, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(depth - 1, 0)
        elif depth == 0 and character in " ,":
            tools.append(text[begin:at])
            begin = at + 1
    tools.append(text[begin:])
    return [tool for tool in tools if tool]


def truth_of(value: Plain) -> bool | None:
    """Return what a flag says, None where it cannot be read."""
    return _TRUTHS.get(one_line(value).lower()) if isinstance(value, str) else None
