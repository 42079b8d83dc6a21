"""skill.yaml: fields that override the frontmatter, and the tools of a skill (rules.md 2)."""

from collections.abc import Mapping

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import ToolDeclaration, ToolKind
from skillsvc.parsing.document import read_text
from skillsvc.parsing.fields import text_of
from skillsvc.parsing.findings import Findings
from skillsvc.parsing.plain_yaml import Plain, PlainMapping, YamlFault, read_mapping
from skillsvc.parsing.text import listed, one_line, shown
from skillsvc.parsing.vocabulary import MANIFEST, recognise

_KINDS = {"builtin": ToolKind.BUILTIN, "mcp": ToolKind.MCP, "executable": ToolKind.EXECUTABLE}
# What a tool of each kind is found by.
_TARGETS = {ToolKind.BUILTIN: "name", ToolKind.MCP: "server", ToolKind.EXECUTABLE: "command"}
_TOOL_KEYS = frozenset({"id", "type", "name", "server", "command", "args"})
_TOOL_BYTES = {
    "id": caps.CAPS["Tool.id"].max_bytes,
    "name": caps.CAPS["Tool.target"].max_bytes,
    "server": caps.CAPS["Tool.server"].max_bytes,
    "command": caps.CAPS["Tool.asset"].max_bytes,
}


def read_manifest(data: bytes, findings: Findings, limits: Limits) -> dict[str, Plain]:
    """Return what a skill.yaml sets: known keys with a value that is not empty; raise Refusal where it is malformed."""
    if len(data) > limits.frontmatter_bytes:
        findings.refuse(
            DiagnosticCode.FILE_TOO_LARGE,
            f"skill.yaml has {len(data)} bytes; at most {limits.frontmatter_bytes} are read",
        )
    mapping = _read_yaml(data, findings, limits)
    values = recognise(mapping, MANIFEST, findings)
    return {key: value for key, value in values.items() if _says_something(value)}


def _read_yaml(data: bytes, findings: Findings, limits: Limits) -> PlainMapping:
    text = read_text(data, "skill.yaml", findings)
    try:
        return read_mapping(text, first_line=1, max_depth=limits.yaml_depth)
    except YamlFault as fault:
        findings.refuse(DiagnosticCode.MANIFEST_MALFORMED, f"skill.yaml, {fault}")


def _says_something(value: Plain) -> bool:
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def read_tools(values: Mapping[str, Plain], findings: Findings, limits: Limits) -> tuple[ToolDeclaration, ...]:
    """Return the declared tools, in their order; one that is malformed refuses the skill."""
    declared = values.get("tools")
    if not isinstance(declared, list):
        return ()
    if len(declared) > limits.tools:
        findings.refuse(
            DiagnosticCode.TOO_MANY_TOOLS,
            f"skill.yaml declares {len(declared)} tools; at most {limits.tools} are possible",
        )
    tools: dict[str, ToolDeclaration] = {}
    for number, item in enumerate(declared, 1):
        tool = _read_tool(item, f"tool {number} of skill.yaml", findings)
        if tool is None:
            continue
        if tool.id in tools:
            findings.error(DiagnosticCode.TOOL_MALFORMED, f"two tools of skill.yaml have the id {shown(tool.id)}")
        tools[tool.id] = tool
    return tuple(tools.values())


def _read_tool(item: Plain, which: str, findings: Findings) -> ToolDeclaration | None:
    """Return one tool, or None where it is malformed, which is then said."""
    if not isinstance(item, dict):
        findings.error(DiagnosticCode.TOOL_MALFORMED, f"{which} must be a mapping")
        return None
    faults = _faults_of(item)
    if faults:
        findings.error(DiagnosticCode.TOOL_MALFORMED, f"{which}: {'; '.join(faults)}")
        return None
    texts = {key: one_line(value) for key, value in item.items() if isinstance(value, str)}
    kind = _KINDS[texts["type"].lower()]
    target = _TARGETS[kind]
    if not texts.get(target):
        findings.warn(DiagnosticCode.TOOL_MALFORMED, f"{which}: it has no {target}, without which it is never granted")
    unknown = item.keys() - _TOOL_KEYS
    if unknown:
        findings.note(DiagnosticCode.FIELD_UNKNOWN, f"{which}: fields not known here are left out: {listed(unknown)}")
    args = item.get("args")
    return ToolDeclaration(
        id=texts["id"],
        kind=kind,
        name=texts.get("name", ""),
        server=texts.get("server", ""),
        command=texts.get("command", ""),
        args=tuple([arg for arg in args if isinstance(arg, str)]) if isinstance(args, list) else (),
    )


def _faults_of(tool: Mapping[str, Plain]) -> list[str]:
    """Return why a mapping is no tool, nothing where it is one."""
    faults = []
    for key, most in _TOOL_BYTES.items():
        value = tool.get(key)
        if isinstance(value, (list, dict)):
            faults.append(f"{key} must be a text")
        elif value is not None and len(value.encode()) > most:
            faults.append(f"{key} has {len(value.encode())} bytes; at most {most} are possible")
    if not text_of(tool, "id"):
        faults.append("it must have an id")
    if text_of(tool, "type").lower() not in _KINDS:
        faults.append(f"type must be one of {', '.join(_KINDS)}")
    args = tool.get("args")
    if args is not None and not (isinstance(args, list) and all(isinstance(arg, str) for arg in args)):
        faults.append("args must be a list of texts")
    return faults
