"""A directory of this machine as a source: every look is confined beneath its root, by the kernel."""

import errno
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from skillsvc.content.blobs import BlobStore
from skillsvc.content.confined import ConfinedError, ConfinedRoot
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Tier, trust_of
from skillsvc.parsing.findings import Profile
from skillsvc.sources.discovery import Discovery, Layout, OpenSkill, place_of
from skillsvc.sources.intake import Intake, Taken
from skillsvc.sources.source import Observation, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorySettings:
    """How a directory is read. `path` is of this machine and reaches no caller; `label` stands for it."""

    label: str
    path: str
    layout: Layout = Layout.FLAT
    profile: Profile = Profile.LENIENT
    single_files: bool = False
    tier: Tier = Tier.EXPLICIT


class DirectorySource:
    """A directory, and what its last look came to: unchanged skills are not read again."""

    def __init__(self, settings: DirectorySettings, *, limits: Limits, blobs: BlobStore) -> None:
        """Prepare; nothing is opened before the first look."""
        self._settings = settings
        self._limits = limits
        self._blobs = blobs
        self._taken: Mapping[str, Taken] = {}
        self._around: tuple[Diagnostic, ...] = ()
        self._whole = False

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._settings.label

    @property
    def path(self) -> str:
        """Where it is, for whoever watches it."""
        return self._settings.path

    def observe(self, changed: Collection[str] | None = None) -> Observation:
        """Look, wholly or at the skills that hold `changed` paths (see `Source`)."""
        try:
            root = ConfinedRoot.open(self._settings.path)
        except (FileNotFoundError, NotADirectoryError):
            self._taken, self._around, self._whole = {}, (), False
            return self._observation(Outcome.ABSENT)
        except OSError as error:
            self._whole = False
            self._around = (
                Diagnostic(
                    severity=Severity.ERROR,
                    code=DiagnosticCode.SOURCE_UNREADABLE,
                    message=f"cannot be read ({errno.errorcode.get(error.errno or 0, 'EIO')}); mend its permissions",
                ),
            )
            return self._observation(Outcome.FAILED)
        with root:
            intake = Intake(root, profile=self._settings.profile, limits=self._limits, blobs=self._blobs)
            if changed is None or not self._whole or not self._look_at(changed, root, intake):
                self._look(root, intake)
        seen = self._whole and all(taken.seen for taken in self._taken.values())
        return self._observation(Outcome.WHOLE if seen else Outcome.PARTIAL)

    def _look(self, root: ConfinedRoot, intake: Intake) -> None:
        """Look at everything. What lies where nothing could be seen stands as it was seen last."""
        discovery = Discovery(
            root,
            label=self.label,
            layout=self._settings.layout,
            single_files=self._settings.single_files,
            limits=self._limits,
        )
        taken = {
            skill.place.place: intake.take(skill, self._taken.get(skill.place.place)) for skill in discovery.skills()
        }
        carried = {
            place: replace(before, seen=False)
            for place, before in self._taken.items()
            if place not in taken and any(_is_below(place, unseen) for unseen in discovery.unseen)
        }
        if carried:
            taken = dict(sorted({**taken, **carried}.items(), key=lambda item: _order(item[0])))
        self._taken = taken
        self._around = tuple(discovery.diagnostics)
        self._whole = not discovery.unseen

    def _look_at(self, changed: Collection[str], root: ConfinedRoot, intake: Intake) -> bool:
        """Look at the skills that hold the changed paths; False where more than their content may have changed."""
        places = {self._holder(path) for path in changed}
        taken = dict(self._taken)
        for place in places:
            if place is None:
                return False
            before = taken[place]
            try:
                with root.open_directory(place, follow_links=True) as directory:
                    entries = directory.entries()
                    if place_of(before.place, entries) != before.place:
                        return False
                    skill = OpenSkill(place=before.place, directory=directory, entries=entries)
                    taken[place] = intake.take(skill, before)
            except ConfinedError:
                return False
        self._taken = taken
        return True

    def _holder(self, path: str) -> str | None:
        """Return the place of the skill whose folder holds a path, None where no known folder below the root does."""
        at = path.find("/")
        while at >= 0:
            if (known := self._taken.get(path[:at])) is not None and not known.place.single_file:
                return path[:at]
            at = path.find("/", at + 1)
        return None

    def _observation(self, outcome: Outcome) -> Observation:
        diagnostics = [*self._around]
        found: list[Found] = []
        for taken in self._taken.values():
            if taken.found is not None:
                found.append(taken.found)
            diagnostics.extend(taken.diagnostics)
        return Observation(
            source=self.label,
            tier=self._settings.tier,
            trust=trust_of(self._settings.tier),
            outcome=outcome,
            found=tuple(found),
            diagnostics=tuple(replace(diagnostic, source=self.label) for diagnostic in diagnostics),
        )


def _is_below(place: str, folder: str) -> bool:
    return not folder or place == folder or place.startswith(f"{folder}/")


def _order(place: str) -> tuple[int, list[bytes]]:
    """Sort key: shallower first, then byte order of the names on the way."""
    return (place.count("/") + 1 if place else 0), [part.encode(errors="surrogateescape") for part in place.split("/")]
