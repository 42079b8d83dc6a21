"""Checking a directory: what a server would make of it, with nothing served and nothing written."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from json import dumps
from pathlib import Path

from skillsvc.catalog.refresh import stand
from skillsvc.cli.hashing import HashingBlobStore
from skillsvc.cli.output import count_of, print_line, print_text
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.parsing.findings import Profile
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import Layout
from skillsvc.sources.merge import merge
from skillsvc.sources.source import Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSkill:
    """A skill that would be listed. `place` is its folder below the directory, empty for the directory itself."""

    name: str
    place: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What would be listed, how many skills would be refused or shadowed instead, and every diagnostic."""

    listed: tuple[ListedSkill, ...]
    refused: int
    shadowed: int
    diagnostics: tuple[Diagnostic, ...]

    @property
    def has_errors(self) -> bool:
        """Whether a skill, or the look at the directory, was refused."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)

    def count(self, severity: Severity) -> int:
        """Return how many diagnostics are of a severity."""
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)


def make_settings(directory: Path, *, layout: str, profile: str, single_files: bool) -> DirectorySettings:
    """Return how `serve` would read the directory if it were its first --skills-dir."""
    return DirectorySettings(
        label="dir-1",
        path=str(directory),
        layout=Layout(layout),
        profile=Profile(profile),
        single_files=single_files,
    )


def check(settings: DirectorySettings, limits: Limits) -> CheckReport:
    """Look at a directory as a server does at its start, and report what came of it.

    Diagnostics of the directory as a whole come first, then those of each skill together, by its name or place.
    """
    seen = DirectorySource(settings, limits=limits, blobs=HashingBlobStore()).observe()
    standing = stand(None, seen, datetime.now(UTC), limits)
    merged = merge([standing.served])
    listed = [
        ListedSkill(name=row.name, place=row.found.place, digest=row.bundle.digest)
        for row in merged.rows
        if not row.shadowed
    ]
    diagnostics = list(merged.diagnostics)
    if len(merged.rows) > limits.layer_skills:
        diagnostics.append(
            Diagnostic(
                severity=Severity.ERROR,
                code=DiagnosticCode.TOO_MANY_SKILLS,
                message=f"{len(merged.rows)} skills; a server takes in at most {limits.layer_skills}",
                source=settings.label,
            )
        )
    codes = Counter(diagnostic.code for diagnostic in diagnostics)
    return CheckReport(
        listed=tuple(listed),
        refused=_refused(seen),
        shadowed=codes[DiagnosticCode.SHADOWED] + codes[DiagnosticCode.FOLDED],
        diagnostics=tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.skill)),
    )


def _refused(seen: Observation) -> int:
    """Count the places with an error, which none has that is listed."""
    return len({fault.skill for fault in seen.diagnostics if fault.severity is Severity.ERROR and fault.skill})


def print_report(report: CheckReport, *, json: bool) -> None:
    """Print a line for each diagnostic and a last one that counts; or one JSON object."""
    if json:
        print_text(dumps(_as_json(report), indent=2) + "\n")
        return
    for diagnostic in report.diagnostics:
        about = f"{diagnostic.skill}: " if diagnostic.skill else ""
        print_line(f"{diagnostic.severity.name.lower()}: {about}{diagnostic.message} [{diagnostic.code}]")
    said = ", ".join(count_of(report.count(severity), severity.name.lower()) for severity in reversed(Severity))
    listed = count_of(len(report.listed), "skill")
    print_line(f"{listed} listed, {report.refused} refused, {report.shadowed} shadowed: {said}")


def _as_json(report: CheckReport) -> dict[str, object]:
    """Return a report for scripts; a diagnostic is as in the proto's mapping, with all of its fields."""
    return {
        "listed": [{"name": skill.name, "place": skill.place, "digest": skill.digest} for skill in report.listed],
        "refused": report.refused,
        "shadowed": report.shadowed,
        "diagnostics": [
            {
                "severity": f"SEVERITY_{diagnostic.severity.name}",
                "code": diagnostic.code,
                "skill": diagnostic.skill,
                "source": diagnostic.source,
                "message": diagnostic.message,
            }
            for diagnostic in report.diagnostics
        ],
    }
