"""A directory of this machine as a source: every look is confined beneath its root, by the kernel."""

import errno
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skillsvc.content.blobs import BlobStore
from skillsvc.content.confined import ConfinedRoot
from skillsvc.content.tree import TreeError
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Tier, trust_of
from skillsvc.parsing.findings import Profile
from skillsvc.sources.discovery import Discovery, Layout, OpenSkill, SkillPlace, place_of, printable
from skillsvc.sources.intake import Intake, Taken
from skillsvc.sources.source import Observation, Outcome, never


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
    """A directory, and what its last look read of it: unchanged skills are not read again.

    That is for speed alone. What stands where a look cannot see is given to it.
    """

    def __init__(
        self,
        settings: DirectorySettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        open_root: Callable[[str], ConfinedRoot] = ConfinedRoot.open,
        stopped: Callable[[], bool] = never,
    ) -> None:
        """Prepare; nothing is opened before the first look.

        Args:
            settings: What to look at, and how.
            limits: The limits in force.
            blobs: Where the bytes go.
            open_root: Opens the directory, as `ConfinedRoot.open`.
            stopped: Asked at each step of a look; as soon as it says so, the look is abandoned.
        """
        self._settings = settings
        self._limits = limits
        self._blobs = blobs
        self._open_root = open_root
        self._stopped = stopped
        self._taken: Mapping[str, Taken] = {}
        self._around: tuple[Diagnostic, ...] = ()
        self._walked: tuple[str, ...] = ()
        self._again: tuple[str, ...] = ()
        self._whole = False
        self._folders: tuple[Mapping[str, Taken], frozenset[str]] = (self._taken, frozenset())

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._settings.label

    @property
    def path(self) -> str:
        """Where it is, for whoever watches it."""
        return self._settings.path

    @property
    def folders(self) -> frozenset[str]:
        """The folders below it in which a change may matter, as of the last look; "" for itself.

        Another thread than the one that looks may ask.
        """
        taken, folders = self._folders
        if taken is not self._taken:
            taken = self._taken
            folders = frozenset(self._walked).union(
                f"{each.place.place}/{folder}".lstrip("/") for each in taken.values() for folder in each.folders
            )
            self._folders = taken, folders
        return folders

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Look, wholly or at the skills that hold `changed` paths; what cannot be seen stands as `held` (`Source`)."""
        try:
            root = self._open_root(self._settings.path)
        except FileNotFoundError:
            self._taken, self._around, self._walked, self._whole = {}, (), (), False
            return self._observation(Outcome.ABSENT)
        except OSError as error:
            self._whole = False
            self._around = (
                Diagnostic(
                    severity=Severity.ERROR,
                    code=DiagnosticCode.SOURCE_UNREADABLE,
                    message=f"cannot be read ({errno.errorcode.get(error.errno or 0, 'EIO')}); "
                    "make it a directory that the server may read",
                    source=self.label,
                ),
            )
            return self._observation(Outcome.FAILED)
        with root:
            intake = Intake(
                root,
                label=self.label,
                profile=self._settings.profile,
                limits=self._limits,
                blobs=self._blobs,
                held=held,
                stopped=self._stopped,
            )
            if changed is None or not self._whole or not self._look_at(changed, root, intake):
                self._look(root, intake, held)
        seen = self._whole and all(taken.seen for taken in self._taken.values())
        return self._observation(Outcome.WHOLE if seen else Outcome.PARTIAL)

    def _look(self, root: ConfinedRoot, intake: Intake, held: Sequence[Found]) -> None:
        """Look at everything. What lies where nothing could be seen stands as it is held."""
        discovery = Discovery(
            root,
            label=self.label,
            layout=self._settings.layout,
            single_files=self._settings.single_files,
            limits=self._limits,
            stopped=self._stopped,
        )
        taken = {
            skill.place.place: intake.take(skill, self._taken.get(skill.place.place)) for skill in discovery.skills()
        }
        carried = self._carried(discovery.unseen, taken, held) if discovery.unseen else {}
        if carried:
            taken = {each.place.place: each for each in sorted((*taken.values(), *carried.values()), key=_order)}
        self._around = tuple(replace(diagnostic, source=self.label) for diagnostic in discovery.diagnostics)
        # Before what was taken: by that `folders` knows that there is something new.
        self._walked = discovery.folders
        self._taken = taken
        self._again = _to_see_again(taken, taken)
        self._whole = not discovery.unseen

    def _carried(self, unseen: Collection[str], taken: Collection[str], held: Iterable[Found]) -> Mapping[str, Taken]:
        """Return what is known of skills below the places where nothing could be seen."""
        found = {each.place: each for each in held}
        known = {**{place: _known_from(each) for place, each in found.items()}, **self._taken}
        return {
            # Whatever its stamps are when it can be seen again, it is read again.
            place: before._replace(found=found.get(place), settled=False, seen=False)
            for place, before in known.items()
            if place not in taken and any(_is_below(place, folder) for folder in unseen)
        }

    def _look_at(self, changed: Collection[str], root: ConfinedRoot, intake: Intake) -> bool:
        """Look at the skills that hold the changed paths; False where more than their content may have changed."""
        places = {self._holder(path) for path in changed}
        places.update(self._again)
        taken = dict(self._taken)
        for place in places:
            if place is None or taken[place].place.single_file:
                return False
            before = taken[place]
            try:
                with root.open_directory(place, follow_links=True) as directory:
                    entries = directory.entries()
                    if place_of(before.place, entries) != before.place:
                        return False
                    skill = OpenSkill(place=before.place, directory=directory, entries=entries)
                    taken[place] = intake.take(skill, before)
            except TreeError:
                return False
        self._taken = taken
        self._again = _to_see_again(taken, filter(None, places))
        return True

    def _holder(self, path: str) -> str | None:
        """Return the place of the skill whose folder holds a path, None where no known folder below the root does."""
        at = path.find("/")
        while at >= 0:
            if (known := self._taken.get(path[:at])) is not None and not known.place.single_file:
                return path[:at]
            at = path.find("/", at + 1)
        return None

    def _said_of_set_aside(self) -> Iterable[Diagnostic]:
        """Tell of folders with a SKILL.md that neither the skill at the root owns nor the layout leads to."""
        at_root = self._taken.get("")
        if at_root is None or not at_root.set_aside or not self._whole:
            return
        told = {*self._walked, *(diagnostic.skill for diagnostic in self._around)}
        for place in map(printable, at_root.set_aside):
            if place not in told:
                yield Diagnostic(
                    severity=Severity.NOTE,
                    code=DiagnosticCode.FOLDER_IGNORED,
                    message="not looked at, where it lies, and no asset of the skill at the root, for it holds one of "
                    "its own; move it, or choose the layout `nested`",
                    skill=place,
                    source=self.label,
                )

    def _observation(self, outcome: Outcome) -> Observation:
        diagnostics = [*self._around, *self._said_of_set_aside()]
        found: list[Found] = []
        has_seen = outcome in {Outcome.WHOLE, Outcome.PARTIAL}
        for taken in self._taken.values():
            if has_seen and taken.found is not None:
                found.append(taken.found)
            diagnostics.extend(taken.diagnostics)
        return Observation(
            source=self.label,
            tier=self._settings.tier,
            trust=trust_of(self._settings.tier),
            outcome=outcome,
            found=tuple(found),
            diagnostics=tuple(diagnostics),
        )


def _to_see_again(taken: Mapping[str, Taken], places: Iterable[str]) -> tuple[str, ...]:
    """Return the places that every look goes to, whatever is said to have changed.

    A skill with a link may change elsewhere; what kept one from being seen may pass without a change of its files.
    """
    return tuple(place for place in places if taken[place].place.reaches_elsewhere or not taken[place].seen)


def _is_below(place: str, folder: str) -> bool:
    return not folder or place == folder or place.startswith(f"{folder}/")


def _order(taken: Taken) -> tuple[int, list[bytes]]:
    """Sort key: shallower first, then byte order of the names on the way. A single file lies in the root itself."""
    place = taken.place.place
    depth = place.count("/") + 1 if place and not taken.place.single_file else 0
    return depth, [part.encode() for part in place.split("/")]


def _known_from(found: Found) -> Taken:
    """Return what stands for a skill that this process never saw: nothing that a look could take for unchanged."""
    return Taken(
        place=SkillPlace(place=found.place, folder="", document=None, manifest=None),
        found=found,
        diagnostics=(),
        stamps={},
        copies={},
        settled=False,
    )
