"""Frontmatter: the values that a SKILL.md declares, repaired where the profile allows it (rules.md 2)."""

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.parsing.document import Document
from skillsvc.parsing.findings import Findings, Profile
from skillsvc.parsing.plain_lines import read_lines
from skillsvc.parsing.plain_yaml import PlainMapping, YamlFault, read_mapping, reuses_nodes, without_controls
from skillsvc.parsing.repair import repair

_NOTHING_DECLARED = PlainMapping(values={}, lines={})


def read_frontmatter(document: Document, findings: Findings, limits: Limits) -> PlainMapping:
    """Return what a document declares; raise Refusal where that cannot be had."""
    text = document.frontmatter
    if text is None:
        findings.breach(
            DiagnosticCode.FRONTMATTER_MISSING,
            "there is no frontmatter; begin the file with `---`, name, description and `---`, each on a line",
        )
        return _NOTHING_DECLARED
    if document.body is None:
        findings.refuse(
            DiagnosticCode.FRONTMATTER_UNCLOSED,
            f"the frontmatter that opens on line {document.frontmatter_line - 1} is never closed; "
            "end it with a line that is exactly `---`",
        )
    if not document.exact_fences:
        findings.breach(
            DiagnosticCode.FRONTMATTER_FENCE,
            "a fence is not exact; begin the file with `---` and let nothing follow a fence on its line",
        )
    # A character has at most four bytes, so most texts need not be encoded.
    if len(text) * 4 > limits.frontmatter_bytes and (size := len(text.encode())) > limits.frontmatter_bytes:
        findings.refuse(
            DiagnosticCode.FRONTMATTER_TOO_LARGE,
            f"the frontmatter has {size} bytes; at most {limits.frontmatter_bytes} are read",
        )
    plain = read_lines(text, first_line=document.frontmatter_line, max_depth=limits.yaml_depth)
    if plain is not None:
        return plain
    try:
        return read_mapping(text, first_line=document.frontmatter_line, max_depth=limits.yaml_depth)
    except YamlFault as fault:
        return _repaired(text, document.frontmatter_line, fault, findings, limits)


def _repaired(text: str, first_line: int, fault: YamlFault, findings: Findings, limits: Limits) -> PlainMapping:
    """Return what the repaired text declares, or refuse the skill for the fault."""
    cleaned = without_controls(text)
    repaired = repair(cleaned)
    advice = ""
    if repaired.lines:
        advice = f"; put the value on line {repaired.lines[0] + first_line} in quotes"
    # Nodes that are used again are meant as YAML, and would be a way to blow up a small file.
    hopeless = findings.profile is Profile.STRICT or repaired.text == text
    if hopeless or (fault.code is DiagnosticCode.YAML_ALIAS and reuses_nodes(text)):
        findings.refuse(fault.code, f"{fault}{advice}")
    try:
        mapping = read_mapping(repaired.text, first_line=first_line, max_depth=limits.yaml_depth)
    except YamlFault as remaining:
        findings.refuse(remaining.code, str(remaining))
    if cleaned != text:
        findings.warn(
            DiagnosticCode.CONTROL_CHARACTER,
            "the frontmatter holds control characters, which are read as spaces; remove them",
        )
    for line in repaired.lines:
        findings.warn(
            DiagnosticCode.YAML_REPAIRED,
            f"line {line + first_line}: the value is no plain YAML text and is read as the literal rest of the line; "
            "put it in quotes",
        )
    return mapping
