"""What reading one skill finds, and what the profile makes of it."""

from enum import Enum, unique
from typing import NoReturn

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity


@unique
class Profile(Enum):
    """How a source's skills are read (rules.md 2)."""

    LENIENT = "lenient"
    """Keep every skill that can be understood, and warn."""
    STRICT = "strict"
    """Take agentskills.io by the letter, and refuse."""


class Refusal(Exception):
    """The reading of one skill cannot go on; why is in its findings. Never leaves this package."""


class Findings:
    """Collects the diagnostics of one skill and knows whether they refuse it."""

    __slots__ = ("_found", "profile", "refused")

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.refused = False
        self._found: list[tuple[Severity, DiagnosticCode, str]] = []

    def note(self, code: DiagnosticCode, message: str) -> None:
        """Record what is worth knowing."""
        self._found.append((Severity.NOTE, code, message))

    def warn(self, code: DiagnosticCode, message: str) -> None:
        """Record what was changed or left out, under either profile."""
        self._found.append((Severity.WARNING, code, message))

    def breach(self, code: DiagnosticCode, message: str) -> None:
        """Record a breach of a rule: a warning under the lenient profile, a refusal under the strict one.

        Reading goes on either way, so that an author sees all breaches at once.
        """
        if self.profile is Profile.LENIENT:
            self.warn(code, message)
        else:
            self.error(code, message)

    def error(self, code: DiagnosticCode, message: str) -> None:
        """Refuse the skill under either profile, but go on reading."""
        self.refused = True
        self._found.append((Severity.ERROR, code, message))

    def refuse(self, code: DiagnosticCode, message: str) -> NoReturn:
        """Refuse the skill under either profile, and stop reading."""
        self.error(code, message)
        raise Refusal

    def diagnostics(self, skill: str) -> tuple[Diagnostic, ...]:
        """Return what was found, in order, as told of `skill`; the caller names the source."""
        return tuple(
            [
                Diagnostic(severity=severity, code=code, message=message, skill=skill)
                for severity, code, message in self._found
            ]
        )
