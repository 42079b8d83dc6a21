"""The plainest frontmatter, read line by line: what most skills are written in, for a quarter of what YAML costs.

Read here is only what YAML can mean in no other way: a key and a text on each line, at most one mapping deep. All else
is left to `plain_yaml`. Where both read a text, they read the same.
"""

import re

from skillsvc.parsing.plain_yaml import NULLS, Plain, PlainMapping

# Beyond ASCII, what YAML takes for text and for nothing else: no separator of lines, no byte order mark.
_BEYOND = "\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_RUN = rf"[ -\"$-9;-~{_BEYOND}]*+"
# A colon before a blank would begin a mapping, a `#` after one a comment; what else has a meaning has it only where it
# comes first. Blanks at the end are not of the text.
_UNQUOTED = rf"[A-Za-z0-9{_BEYOND}]{_RUN}(?:(?::(?![ \n])|(?<! )#){_RUN})*+(?<! )"
_QUOTED = rf"\"[ !#-\[\]-~{_BEYOND}]*+\"|'[ -&(-~{_BEYOND}]*+'"
_LINE = re.compile(rf"^( *+)([A-Za-z][A-Za-z0-9_-]{{0,63}}+):(?: ++({_UNQUOTED}|{_QUOTED}))?\n", re.MULTILINE)
_QUOTES = ('"', "'")


def read_lines(text: str, *, first_line: int, max_depth: int) -> PlainMapping | None:
    """Return what `plain_yaml.read_mapping` returns, or None for a text that is not as plain as that."""
    found = _LINE.findall(text)
    if len(found) != text.count("\n") or not text.endswith("\n"):
        return None
    values: dict[str, Plain] = {}
    lines: dict[str, int] = {}
    mapping, margin, outer, opens = values, "", "", False
    for number, (indent, key, spelt) in enumerate(found, first_line):
        if not indent:
            mapping, margin, outer, opens = values, "", key, not spelt
            lines[key] = number
        elif opens and max_depth > 1:
            mapping, margin, opens = {}, indent, False
            values[outer] = mapping
        elif indent != margin:
            return None
        if key in mapping:
            return None
        if spelt.startswith(_QUOTES):
            mapping[key] = spelt[1:-1]
        else:
            mapping[key] = None if spelt in NULLS else spelt
    return PlainMapping(values=values, lines=lines)
