"""Reading one skill: the bytes of SKILL.md and skill.yaml become a `Skill`, or the reasons why not (rules.md 2, 3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Skill
from skillsvc.parsing import fields
from skillsvc.parsing.changes import report_changes
from skillsvc.parsing.document import Document, read_text, split
from skillsvc.parsing.findings import Findings, Profile, Refusal
from skillsvc.parsing.frontmatter import read_frontmatter
from skillsvc.parsing.manifest import read_manifest, read_tools
from skillsvc.parsing.names import choose_name
from skillsvc.parsing.network import make_network, read_network, read_requirements
from skillsvc.parsing.plain_yaml import Plain
from skillsvc.parsing.text import first_paragraph, one_line, shown
from skillsvc.parsing.vocabulary import DISABLE_MODEL_INVOCATION, FRONTMATTER, USER_INVOCABLE, WHEN_TO_USE, recognise

# Keys that are fields of the proto as they are.
_LINES = ("license", "compatibility", "version", WHEN_TO_USE)
_LISTS = ("keywords", "capabilities")
_LINK_TARGET = re.compile(r"[^\s/]+(?:/[^\s/]+)+\.md", re.IGNORECASE)
# agentskills.io counts characters.
_PORTABLE_CHARACTERS = {"description": 1024, "compatibility": 500}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was made of one skill's files.

    `skill` is None where it was refused; an error among the diagnostics then says why. `body` is the text as served,
    None where there is no SKILL.md or the skill was refused. The diagnostics name no source.
    """

    skill: Skill | None
    body: str | None
    diagnostics: tuple[Diagnostic, ...]


def read_skill(
    *,
    document: bytes | None,
    manifest: bytes | None,
    folder: str,
    profile: Profile,
    limits: Limits,
    file_name: str = "SKILL.md",
) -> Reading:
    """Read a skill from its files; equal arguments give equal readings, and no content raises anything.

    Args:
        document: The bytes of SKILL.md, None where there is none.
        manifest: The bytes of skill.yaml, None where there is none.
        folder: The name of the skill's folder, or of its single file without `.md`.
        profile: What is done about a breach of the rules.
        limits: The limits in force.
        file_name: The name of the document; any but SKILL.md, in whatever case, is a single-file skill's.
    """
    folder, file_name = _whole_text(folder), _whole_text(file_name)
    findings = Findings(profile)
    body = None
    values: dict[str, Plain] = {}
    try:
        if document is not None:
            parts = split(_text_of(document, file_name, findings, limits))
            values, body = _read_document(parts, file_name, findings, limits)
        if manifest is not None:
            values |= read_manifest(manifest, findings, limits)
        skill = _make_skill(values, body, folder, findings, limits)
    except Refusal:
        return Reading(skill=None, body=None, diagnostics=findings.diagnostics(folder))
    diagnostics = findings.diagnostics(skill.name)
    if findings.refused:
        return Reading(skill=None, body=None, diagnostics=diagnostics)
    return Reading(skill=skill, body=body, diagnostics=diagnostics)


def _whole_text(name: str) -> str:
    """Return a name that may hold halves of characters, as a file system gives them, as text that can be sent."""
    return name.encode(errors="surrogatepass").decode(errors="replace")


def _text_of(document: bytes, file_name: str, findings: Findings, limits: Limits) -> str:
    if len(document) > limits.document_bytes:
        findings.refuse(
            DiagnosticCode.FILE_TOO_LARGE,
            f"{shown(file_name)} has {len(document)} bytes; at most {limits.document_bytes} are read",
        )
    return read_text(document, file_name, findings)


def _read_document(
    parts: Document, file_name: str, findings: Findings, limits: Limits
) -> tuple[dict[str, Plain], str | None]:
    if file_name != "SKILL.md" and file_name.upper() == "SKILL.MD":
        # Where capitals do not count, it is SKILL.md; elsewhere other tools do not find it (G15).
        findings.breach(DiagnosticCode.FILE_NAME_CASE, f"the file is called {shown(file_name)}; rename it to SKILL.md")
    if parts.frontmatter is None:
        _check_is_skill(parts, file_name, findings)
    values = recognise(read_frontmatter(parts, findings, limits), FRONTMATTER, findings)
    body = parts.body
    # A character has at most four bytes, so most bodies need not be encoded.
    if body and len(body) * 4 > limits.body_bytes and (size := len(body.encode())) > limits.body_bytes:
        findings.error(
            DiagnosticCode.BODY_TOO_LARGE,
            f"the body has {size} bytes; at most {limits.body_bytes} are possible; move parts of it to files beside it",
        )
    return values, body


def _check_is_skill(parts: Document, file_name: str, findings: Findings) -> None:
    """Refuse a text without frontmatter that nobody meant as a skill."""
    if parts.body and _LINK_TARGET.fullmatch(parts.body):
        findings.refuse(
            DiagnosticCode.LINK_AS_TEXT,
            f"{shown(file_name)} holds nothing but a path: a link that git checked out as text; set core.symlinks to "
            "true and check out again",
        )
    if file_name.lower() != "skill.md":
        # Not every text that lies beside skills is one: a single file says so by its frontmatter.
        findings.refuse(DiagnosticCode.FRONTMATTER_MISSING, f"{shown(file_name)} has no frontmatter, so it is no skill")


def _make_skill(
    values: Mapping[str, Plain], body: str | None, folder: str, findings: Findings, limits: Limits
) -> Skill:
    """Return the skill with every field as it is served; report what was cut or left out."""
    spelt = fields.text_of(values, "name")
    # An `id` of skill.yaml is the name; the `name` beside it is then only how people write it.
    declared = fields.text_of(values, "id") or spelt
    name = choose_name(declared, folder, findings)
    written = spelt or declared or folder
    description = _describe(values, body, findings)
    network = read_network(values, findings) if "capabilities" in values else None
    draft = _draft(values)
    draft |= {"name": name, "description": description}
    if written != name:
        draft["display_name"] = written
    if network is not None:
        draft["network"] = {"domains": network.domains}
    clamped = caps.clamp_skill(draft, lowered=_lowered(limits))
    assert not clamped.refusals, "a fit name and whole texts are never refused"
    if clamped.changes:
        report_changes(clamped.changes, findings)
    kept = clamped.values
    return Skill(
        name=name,
        description=kept["description"],
        description_truncated=kept["description"] != description,
        description_bytes=len(description.encode()),
        model_invocable=fields.truth_of(values.get(DISABLE_MODEL_INVOCATION)) is not True,
        user_invocable=fields.truth_of(values.get(USER_INVOCABLE)) is not False,
        display_name=kept.get("display_name", ""),
        license=kept.get("license", ""),
        compatibility=kept.get("compatibility", ""),
        metadata=tuple(sorted(kept.get("metadata", {}).items())),
        allowed_tools=kept.get("allowed_tools", ()),
        when_to_use=kept.get("when_to_use", ""),
        version=kept.get("version", ""),
        keywords=kept.get("keywords", ()),
        capabilities=kept.get("capabilities", ()),
        tools=read_tools(values, findings, limits) if "tools" in values else (),
        network=None if network is None else make_network(network.mode, kept["network"]["domains"]),
        requirements=read_requirements(values, findings) if "requirements" in values else (),
    )


def _draft(values: Mapping[str, Plain]) -> dict[str, object]:
    """Return the declared fields by their names in the proto, each in its type, before the caps."""
    draft: dict[str, object] = {key: fields.text_of(values, key) for key in _LINES if key in values}
    draft |= {key: fields.items_of(values, key) for key in _LISTS if key in values}
    if "metadata" in values:
        draft["metadata"] = values["metadata"]
    if "allowed-tools" in values:
        draft["allowed_tools"] = fields.allowed_tools_of(values)
    return draft


def _lowered(limits: Limits) -> Mapping[str, int]:
    if limits.description_bytes == caps.SKILL_DESCRIPTION_MAX_BYTES:
        return caps.NOTHING_LOWERED
    return {"Skill.description.max_bytes": limits.description_bytes}


def _describe(values: Mapping[str, Plain], body: str | None, findings: Findings) -> str:
    if findings.profile is Profile.STRICT:
        for key, most in _PORTABLE_CHARACTERS.items():
            if isinstance(value := values.get(key), str) and len(value) > most:
                findings.error(
                    DiagnosticCode.FIELD_TOO_LONG,
                    f"{key} has {len(value)} characters; agentskills.io allows at most {most}",
                )
    description = fields.text_of(values, "description")
    if description:
        return description
    if findings.profile is Profile.LENIENT and body and (paragraph := one_line(first_paragraph(body))):
        findings.warn(
            DiagnosticCode.DESCRIPTION_FROM_BODY,
            "there is no description; the first paragraph of the body is used; write `description:`",
        )
        return paragraph
    findings.error(
        DiagnosticCode.DESCRIPTION_MISSING, "there is no description; write `description:` and what the skill is for"
    )
    return ""
