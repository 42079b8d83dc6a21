"""The parts of a SKILL.md: its frontmatter between two fences, and its body (rules.md 2)."""

import re
from dataclasses import dataclass

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.findings import Findings
from skillsvc.parsing.text import shown

BLANKS = " \t\n"
_FENCE = "---"
# Possessive, so that a text of nothing but blanks is not gone through again and again.
_BLANK_LINES = re.compile(r"(?:[ \t]*+\n)*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A SKILL.md in its parts.

    `frontmatter` is the text between the fences, None where the file has no opening fence; its first line is line
    `frontmatter_line` of the file. `body` is the text as served, None where the frontmatter is never closed.
    `exact_fences` says that the file begins with `---` and that no blank follows a fence on its line.
    """

    frontmatter: str | None = None
    frontmatter_line: int = 0
    body: str | None = None
    exact_fences: bool = True


def decode(data: bytes) -> str:
    """Return the text of a file: UTF-8 without one leading BOM, each line ended by LF.

    Bytes that are not UTF-8 become U+FFFD.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def is_text(data: bytes) -> bool:
    """Tell whether bytes are text as agents may read it: valid UTF-8 without NUL."""
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def read_text(data: bytes, file_name: str, findings: Findings) -> str:
    """Return the text of SKILL.md or skill.yaml, as `decode` does; report what is not UTF-8, and refuse NUL bytes."""
    if b"\0" in data:
        findings.refuse(DiagnosticCode.NUL_BYTE, f"{shown(file_name)} holds a NUL byte; it must be text in UTF-8")
    text = decode(data)
    if "\ufffd" in text:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            findings.breach(
                DiagnosticCode.NOT_UTF8,
                f"{shown(file_name)} is not UTF-8 at byte {error.start}, and what is not is read as U+FFFD; "
                "save it as UTF-8",
            )
    return text


def split(text: str) -> Document:
    """Split a text as `decode` returns it.

    The frontmatter opens at the first line that is not blank, if that is `---`, and closes at the next such line;
    spaces and tabs may follow on either. Everything else is the body.
    """
    if text.startswith("---\n"):
        opened, line, exact = 4, 2, True
    else:
        # The line of the first text, from its beginning: an indented fence is text.
        start = text.rfind("\n", 0, len(text) - len(text.lstrip(BLANKS))) + 1
        end = _line_end(text, start)
        if text[start:end].rstrip(BLANKS) != _FENCE:
            return Document(body=_body(text, 0))
        opened, line, exact = end + 1, text.count("\n", 0, end) + 2, start == 0 and end == len(_FENCE)
    closing = opened - 1
    while (closing := text.find("\n---", closing)) != -1:
        end = _line_end(text, closing + 1)
        after = text[closing + 4 : end]
        if not after.strip(BLANKS):
            return Document(
                frontmatter=text[opened : closing + 1],
                frontmatter_line=line,
                body=_body(text, end + 1),
                exact_fences=exact and not after,
            )
        closing += 1
    return Document(frontmatter=text[opened:], frontmatter_line=line, exact_fences=exact)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end == -1 else end


def _body(text: str, begin: int) -> str:
    """Return the body within a text from `begin` on: without leading blank lines and trailing white space."""
    start = _BLANK_LINES.match(text, begin).end()  # type: ignore[union-attr] # matches nothing at least
    return text[start:].rstrip(BLANKS)


def body_of(data: bytes) -> str | None:
    """Return the body that is served from a SKILL.md, None where its frontmatter is never closed.

    The same for both profiles, so that a body can be had again from a stored document alone.
    """
    return split(decode(data)).body
