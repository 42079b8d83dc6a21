"""Reading a tree: skills are found, taken in, and told in an observation, whatever kind of source the tree is of.

What the last reading took stays here, so that unchanged skills are not read again. That is for speed alone: what stands
where a reading cannot see is given to it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_

from skillsvc.content.blobs import BlobStore
from skillsvc.content.stopping import never
from skillsvc.content.tree import Escapes, Missing, Tree, TreeError
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission, Tier, Trust, trust_of
from skillsvc.parsing.findings import Profile
from skillsvc.sources.discovery import IGNORED, Discovery, Layout, OpenSkill, SkillPlace, place_of, printable
from skillsvc.sources.intake import Intake, Taken
from skillsvc.sources.source import Observation, Outcome
from skillsvc.sources.stat_cache import StatCache


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSettings:
    """How the tree of a source is read; `label` is the source's.

    `trust` may be lower than what the tier gives, never higher; None is what the tier gives. `max_depth` is how deep
    the layout `NESTED` looks, None what the limits say. `ignored` are names that no skill is looked for in, and that
    are no assets.
    """

    label: str
    layout: Layout = Layout.FLAT
    profile: Profile = Profile.LENIENT
    single_files: bool = False
    tier: Tier = Tier.EXPLICIT
    trust: Trust | None = None
    max_depth: int | None = None
    ignored: frozenset[str] = IGNORED

    def __post_init__(self) -> None:
        """Refuse a trust above the tier's (`rules.md` 6), and a depth at which nothing lies."""
        if self.trust is not None and self.trust.value < trust_of(self.tier).value:
            msg = f"the tier {self.tier.name} gives the trust {trust_of(self.tier).name} at most, not {self.trust.name}"
            raise ValueError(msg)
        if self.max_depth is not None and self.max_depth < 1:
            msg = f"the depth is {self.max_depth}; skills lie at least 1 level deep"
            raise ValueError(msg)

    @property
    def admission(self) -> Admission:
        """How the skills of the source are admitted, and what may be done with them."""
        return Admission(tier=self.tier, trust=trust_of(self.tier) if self.trust is None else self.trust)


class TreeReading:
    """The readings of one source's tree, one after the other, and what the last one took. One thread at a time.

    The tree may be another one at each reading: another commit, another archive.
    """

    def __init__(
        self,
        settings: ReadingSettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        stopped: Callable[[], bool] = never,
        cache: StatCache | None = None,
    ) -> None:
        """Prepare; nothing was read so far.

        Args:
            settings: What to look for, and how.
            limits: The limits in force.
            blobs: Where the bytes go.
            stopped: Asked at each step of a reading; as soon as it says so, the reading is abandoned.
            cache: What was known before a restart; it is told what is known now.
        """
        self._settings = settings
        self._limits = limits
        self._blobs = blobs
        self._stopped = stopped
        self._cache = cache
        self._has_read = False
        self._taken: Mapping[str, Taken] = {}
        self._around: tuple[Diagnostic, ...] = ()
        self._walked: tuple[str, ...] = ()
        self._again: tuple[str, ...] = ()
        self._astray: tuple[str, ...] = ()
        self._whole = False
        self._spent: Mapping[str, int] = {}
        self._spent_in_all = 0
        self._is_over = False
        self._folders: tuple[Mapping[str, Taken], tuple[str, ...], frozenset[str]] = (self._taken, (), frozenset())
        self._last: Observation | None = None

    @property
    def label(self) -> str:
        """The source's label."""
        return self._settings.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust of all that is read."""
        return self._settings.admission

    @property
    def folders(self) -> frozenset[str]:
        """The folders of the tree in which a change may matter, as of the last reading; "" for its root.

        Another thread than the one that reads may ask.
        """
        taken, walked, folders = self._folders
        if taken is not self._taken or walked is not self._walked:
            taken, walked = self._taken, self._walked
            folders = frozenset(walked).union(
                f"{each.place.place}/{folder}".lstrip("/") for each in taken.values() for folder in each.folders
            )
            self._folders = taken, walked, folders
        return folders

    def read(
        self,
        tree: Tree,
        changed: Collection[str] | None = None,
        *,
        held: Sequence[Found] = (),
        revision: str = "",
        notes: Sequence[Diagnostic] = (),
    ) -> Observation:
        """Read a tree, wholly or at the skills that hold `changed` paths.

        Args:
            tree: What to read.
            changed: The paths that changed since the last reading; None for a whole one.
            held: What is served of the source: it stands for what cannot be seen.
            revision: Of the tree, where it has one.
            notes: What is to be told of the source as a whole beside what the reading finds.

        Returns:
            What the last reading returned, that very object, where nothing is different.

        Raises:
            Abandoned: The reading was stopped. What the last one took stays.
        """
        if self._cache is not None and not self._has_read:
            self._taken = self._cache.load(held, self._blobs)
        self._has_read = True
        if changed is None or not self._whole or not self._read_changed(changed, tree, held):
            self._read_all(tree, held)
        if self._cache is not None:
            self._cache.note(self._taken)
        seen = self._whole and all(taken.seen for taken in self._taken.values())
        return self._observation(Outcome.WHOLE if seen else Outcome.PARTIAL, revision, notes)

    def has_all_of(self, seen: Observation) -> bool:
        """Tell whether the store is not known to have lost anything of what was found."""
        lost = self._blobs.lost()
        return not lost or all(lost.isdisjoint(found.bundle.blobs) for found in seen.found)

    def absent(self) -> Observation:
        """Return what a look comes to where there is no tree; what was taken is forgotten."""
        self._taken, self._around, self._walked, self._again, self._whole = {}, (), (), (), False
        return self._observation(Outcome.ABSENT)

    def failed(self, code: DiagnosticCode, message: str) -> Observation:
        """Return what a look comes to that could not get at the tree; `message` tells whoever runs the server why."""
        self._whole = False
        self._around = (Diagnostic(severity=Severity.ERROR, code=code, message=message, source=self.label),)
        return self._observation(Outcome.FAILED)

    def _intake(self, tree: Tree, held: Sequence[Found], spent: int = 0) -> Intake:
        return Intake(
            tree,
            label=self.label,
            profile=self._settings.profile,
            limits=self._limits,
            blobs=self._blobs,
            ignored=self._settings.ignored,
            held=held,
            spent=spent,
            stopped=self._stopped,
        )

    def _read_all(self, tree: Tree, held: Sequence[Found]) -> None:
        """Read everything. What lies where nothing could be seen stands as it is held."""
        intake = self._intake(tree, held)
        discovery = Discovery(
            tree,
            label=self.label,
            layout=self._settings.layout,
            single_files=self._settings.single_files,
            limits=self._limits,
            max_depth=self._settings.max_depth,
            ignored=self._settings.ignored,
            stopped=self._stopped,
        )
        taken = {
            skill.place.place: intake.take(skill, self._taken.get(skill.place.place)) for skill in discovery.skills()
        }
        carried = self._carried(discovery.unseen, taken, held) if discovery.unseen else {}
        if carried:
            taken = {each.place.place: each for each in sorted((*taken.values(), *carried.values()), key=_order)}
        self._around = tuple(replace(diagnostic, source=self.label) for diagnostic in discovery.diagnostics)
        # Where nothing is new the objects stay, by which `folders` and the cache see that there is nothing to do.
        if (walked := discovery.folders) != self._walked:
            self._walked = walked
        if not _are_the_same(taken, self._taken):
            self._taken = taken
        self._again = _to_see_again(taken, taken)
        self._astray = tuple(discovery.astray)
        self._whole = not discovery.unseen
        self._spent, self._spent_in_all = intake.spent, sum(intake.spent.values())
        self._is_over = intake.is_over

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

    def _read_changed(self, changed: Collection[str], tree: Tree, held: Sequence[Found]) -> bool:
        """Read the skills that hold the changed paths; False where more than their content may have changed."""
        # Which skills have room is told by their order, and by a reading of all.
        if self._is_over or any(_leads_on(tree, place) for place in self._astray):
            return False
        places = {self._holder(path) for path in changed}
        places.update(self._again)
        taken = dict(self._taken)
        others = self._spent_in_all - sum(self._spent.get(place, 0) for place in places if place is not None)
        intake = self._intake(tree, held, others)
        for place in places:
            if place is None or taken[place].place.single_file:
                return False
            before = taken[place]
            try:
                with tree.open_directory(place, follow_links=True) as directory:
                    entries = directory.entries()
                    if place_of(before.place, entries) != before.place:
                        return False
                    skill = OpenSkill(place=before.place, directory=directory, entries=entries)
                    taken[place] = intake.take(skill, before)
            except TreeError:
                return False
            if intake.is_over:
                return False
        self._taken = taken
        self._spent = {**self._spent, **intake.spent}
        self._spent_in_all = others + sum(intake.spent.values())
        # The place of the root is "", and as good as any other.
        self._again = _to_see_again(taken, (place for place in places if place is not None))
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

    def _observation(self, outcome: Outcome, revision: str = "", notes: Sequence[Diagnostic] = ()) -> Observation:
        diagnostics = [*notes, *self._around, *self._said_of_set_aside()]
        found: list[Found] = []
        has_seen = outcome in {Outcome.WHOLE, Outcome.PARTIAL}
        for taken in self._taken.values():
            if has_seen and taken.found is not None:
                found.append(taken.found)
            diagnostics.extend(taken.diagnostics)
        seen = Observation(
            source=self.label,
            tier=self.admission.tier,
            trust=self.admission.trust,
            outcome=outcome,
            found=tuple(found),
            diagnostics=tuple(diagnostics),
            revision=revision,
        )
        # Cheap where little changed: what was taken over is the same object, and is compared no further.
        if seen != self._last:
            self._last = seen
            return seen
        return self._last


def _to_see_again(taken: Mapping[str, Taken], places: Iterable[str]) -> tuple[str, ...]:
    """Return the places that every look goes to, whatever is said to have changed.

    A skill with a link may change elsewhere; what kept one from being seen may pass without a change of its files.
    """
    return tuple(place for place in places if taken[place].place.reaches_elsewhere or not taken[place].seen)


def _leads_on(tree: Tree, place: str) -> bool:
    """Tell whether a link that led nowhere leads to anything by now: what changed may be behind it."""
    try:
        with tree.open_directory(place, follow_links=True):
            return True
    except (Missing, Escapes):
        pass
    except TreeError:
        return True
    try:
        return tree.stat_file(place, follow_links=True) is not None
    except TreeError:
        return True


def _are_the_same(some: Mapping[str, Taken], others: Mapping[str, Taken]) -> bool:
    """Tell whether two looks took the very same, in the same order."""
    return len(some) == len(others) and all(map(is_, some.values(), others.values()))


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
