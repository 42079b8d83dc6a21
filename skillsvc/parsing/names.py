"""Names: which are fit, and how a fit one is made of any text (rules.md 2)."""

import hashlib
import re
import unicodedata

from skillsvc.domain import caps
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.parsing.findings import Findings, Profile
from skillsvc.parsing.text import shown

_OUTSIDE = re.compile(r"[^a-z0-9_-]+")
_PORTABLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 64
_KEPT = 55
_LONGEST_ORIGINAL = 1024
_HEX_DIGITS = 8


def choose_name(declared: str, folder: str, findings: Findings) -> str:
    """Return the name of a skill: the declared one, else its folder's, else one made of either; report why."""
    if caps.fits_skill_name(declared):
        if declared != folder:
            findings.breach(
                DiagnosticCode.NAME_DIFFERS,
                f"the name {shown(declared)} is not the folder's, {shown(folder)}; the skill is loaded by the former",
            )
        if not _PORTABLE.fullmatch(declared):
            _report_not_portable(declared, findings)
        return declared
    if declared:
        findings.breach(
            DiagnosticCode.NAME_UNFIT,
            f"the name {shown(declared)} is not 1 to 64 of a-z, 0-9, - and _, a letter or digit first; "
            "the folder's is used",
        )
    else:
        findings.breach(DiagnosticCode.NAME_MISSING, "there is no name; the folder's is used; write `name:`")
    if caps.fits_skill_name(folder):
        return folder
    # To normalise a text takes a time that grows with the square of its length: no name is as long as that.
    made = make_name(declared if 0 < len(declared) <= _LONGEST_ORIGINAL else folder)
    findings.warn(
        DiagnosticCode.NAME_MADE,
        f"the folder's name, {shown(folder)}, does not fit either; the skill is loaded by {shown(made)}",
    )
    return made


def _report_not_portable(name: str, findings: Findings) -> None:
    message = f"the name {shown(name)} is not one of agentskills.io: words of a-z and 0-9, joined by single hyphens"
    if findings.profile is Profile.STRICT:
        findings.error(DiagnosticCode.NAME_UNFIT, message)
    else:
        findings.warn(DiagnosticCode.NAME_NOT_PORTABLE, message)


def make_name(original: str) -> str:
    """Make a fit name of any text.

    Where a letter or digit is lost, or bytes beyond the longest name, the SHA-256 of the original takes their place, so
    that two such names never meet.
    """
    original = unicodedata.normalize("NFC", original)
    lowered = original.lower()
    kept = _OUTSIDE.sub("-", lowered).strip("-_")
    if not kept:
        return f"skill-{_short_digest(original)}"
    lossy = any(character.isalnum() for run in _OUTSIDE.findall(lowered) for character in run)
    if lossy or len(kept) > _LONGEST:
        return f"{kept[:_KEPT].strip('-_')}-{_short_digest(original)}"
    return kept


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HEX_DIGITS]
