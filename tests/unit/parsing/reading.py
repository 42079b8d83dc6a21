"""Reading made short for tests: text in, a reading out."""

from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Skill
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.skill import Reading, read_skill

LIMITS = Limits()


def document(frontmatter: str, body: str = "Body") -> str:
    """Return a SKILL.md with this frontmatter."""
    return f"---\n{frontmatter}\n---\n{body}\n"


def described(frontmatter: str = "", name: str = "harbor-map") -> str:
    """Return a sound SKILL.md with these further fields."""
    return document(f"name: {name}\ndescription: Draws maps of harbors.\n{frontmatter}")


def read(
    text: str | bytes | None,
    *,
    manifest: str | bytes | None = None,
    folder: str = "harbor-map",
    profile: Profile = Profile.LENIENT,
    limits: Limits = LIMITS,
    file_name: str = "SKILL.md",
) -> Reading:
    """Read a skill from texts."""
    return read_skill(
        document=text.encode() if isinstance(text, str) else text,
        manifest=manifest.encode() if isinstance(manifest, str) else manifest,
        folder=folder,
        profile=profile,
        limits=limits,
        file_name=file_name,
    )


def strictly(text: str | bytes | None, *, manifest: str | None = None, folder: str = "harbor-map") -> Reading:
    """Read a skill under the strict profile."""
    return read(text, manifest=manifest, folder=folder, profile=Profile.STRICT)


def kept(reading: Reading) -> Skill:
    """Return the skill of a reading that kept it."""
    assert reading.skill is not None, reading.diagnostics
    assert not errors(reading)
    return reading.skill


def codes(reading: Reading) -> list[DiagnosticCode]:
    """Return the codes of what was found, in order."""
    return [diagnostic.code for diagnostic in reading.diagnostics]


def errors(reading: Reading) -> list[DiagnosticCode]:
    """Return the codes of what refused a skill, in order."""
    return [diagnostic.code for diagnostic in reading.diagnostics if diagnostic.severity is Severity.ERROR]


def warnings(reading: Reading) -> list[DiagnosticCode]:
    """Return the codes of what was changed or left out, in order."""
    return [diagnostic.code for diagnostic in reading.diagnostics if diagnostic.severity is Severity.WARNING]


def refused_for(reading: Reading, code: DiagnosticCode) -> bool:
    """Tell whether a skill was refused, and for this reason alone."""
    return reading.skill is None and reading.body is None and errors(reading) == [code]
