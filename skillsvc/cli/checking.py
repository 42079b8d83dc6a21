"""Checking directories: what a server would make of them, with nothing served and nothing written."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from types import MappingProxyType

from skillsvc.catalog.clashes import clashes_in
from skillsvc.catalog.standing import Moment, stand
from skillsvc.catalog.told import Told as ToldOfSkill
from skillsvc.catalog.told import told_of
from skillsvc.cli.hashing import HashingBlobStore
from skillsvc.cli.output import count_of, print_line, print_text
from skillsvc.cli.readiness_lines import fields_of, line_of
from skillsvc.domain.caps import fits_skill_name
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.readiness import Vouched
from skillsvc.settings.lowering import lowered
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settling import Options, settle
from skillsvc.settings.sought import Sought, seek
from skillsvc.settings.sources import DirectoryTable, SourceTable
from skillsvc.settings.vouching import vouched_by
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.discovery import DOCUMENT, MANIFEST, Layout
from skillsvc.sources.merge import Merged, merge
from skillsvc.sources.source import Observation

_OF_A_SOURCE = frozenset(
    {
        DiagnosticCode.SOURCE_MISSING,
        DiagnosticCode.SOURCE_UNREADABLE,
        DiagnosticCode.SOURCE_GONE,
        DiagnosticCode.TOO_MANY_FOLDERS,
        DiagnosticCode.TOO_MANY_SKILLS,
        DiagnosticCode.FOLDER_UNREADABLE,
    }
)
"""What is told of a source as a whole where it names no skill; any other error is of a skill at its root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A skill of a source: its name, or its place where it has none, and its place below the source, "" at its root."""

    name: str
    source: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSkill(Placed):
    """A skill that would be listed, and what would be told of its declarations."""

    digest: str
    declared: ToldOfSkill


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A diagnostic, and the place below its source that it speaks of, None where that is the source as a whole."""

    diagnostic: Diagnostic
    place: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What would be listed, refused and shadowed, and every diagnostic.

    `looks_deeper` says that nothing is listed where the layout nested would look into further folders.
    """

    sources: tuple[str, ...]
    listed: tuple[ListedSkill, ...]
    refused: tuple[Placed, ...]
    shadowed: tuple[Placed, ...]
    told: tuple[Told, ...]
    looks_deeper: bool = False

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All diagnostics, in the order in which they are told."""
        return tuple(told.diagnostic for told in self.told)

    @property
    def has_errors(self) -> bool:
        """Whether a skill, or the look at a source, was refused."""
        return self.count(Severity.ERROR) > 0

    def count(self, severity: Severity) -> int:
        """Return how many diagnostics are of a severity."""
        return sum(told.diagnostic.severity is severity for told in self.told)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToCheck:
    """The directories that `serve` would look at, strongest first, and the limits in force.

    `tables` are those of a file, by their labels. `passed_over` are sentences of its sources that are not looked at.
    `vouched` is what the deployment vouches for.
    """

    sources: tuple[DirectorySettings, ...]
    limits: Limits
    tables: Mapping[str, SourceTable] = field(default_factory=dict)
    passed_over: tuple[str, ...] = ()
    vouched: Vouched = field(default_factory=Vouched)


def settle_sources(
    config: Path | None, options: Options, environment: Mapping[str, str], *, single_files: bool
) -> ToCheck:
    """Return what is to be checked; `environment` says where the user's home is.

    A directory of the options that is a skill itself is labelled by its name, which is the folder's name of that skill.

    Raises:
        SettingsRefused: The file or the options cannot be used; all faults at once.
    """
    directories = options.skills_dirs
    if not directories:
        given = {"layout": options.layout, "profile": options.profile, "single-files": single_files or None}
        faults = [
            f"--{name} is for each DIR; a [[source]] has its own" for name, value in given.items() if value is not None
        ]
        if config is None:
            faults.insert(0, "nothing to look at: name a DIR, or a file with --config")
        if faults:
            raise SettingsRefused(faults)
    settings = settle(config, options)
    counted = {f"dir-{number}": directory for number, directory in enumerate(directories, start=1)}
    sought = seek(settings, environment)
    tables = [
        table
        for table in sought.tables
        if isinstance(table, DirectoryTable) and table.template is None and table.name not in sought.withheld
    ]
    labels = _labels(
        [table.name for table in tables],
        {at: counted[table.name] for at, table in enumerate(tables) if table.name in counted},
    )
    sources = tuple(
        replace(table.directory(), reading=replace(table.reading(), label=label, single_files=single_files))
        if table.name in counted
        else table.directory()
        for table, label in zip(tables, labels, strict=True)
    )
    return ToCheck(
        sources=sources,
        limits=settings.make_limits(),
        tables=dict(zip(labels, tables, strict=True)),
        passed_over=tuple(_passed_over(sought)),
        vouched=vouched_by(settings.readiness, environment),
    )


def _passed_over(sought: Sought) -> Iterator[str]:
    for table in sought.tables:
        if table.name in sought.withheld:
            yield f"{table.name} is withheld: its workspace is not trusted"
        elif not isinstance(table, DirectoryTable):
            yield f"{table.name} is passed over: only a server looks at sources of the kind {table.kind}"
        elif table.template is not None:
            yield f"{table.name} is passed over: only a server looks at the folders of a template, for who asks"
    for label, into in sought.folded:
        yield f"{label} is left out: it is the same directory as {into}"


def _labels(counted: Sequence[str], directories: Mapping[int, Path]) -> list[str]:
    """Return the labels of all sources: the name of a directory that is a skill, where no other has it."""
    named = {at: path.resolve().name for at, path in directories.items() if _is_skill(path)}
    wanted = [named.get(at, label) for at, label in enumerate(counted)]
    return [
        want if fits_skill_name(want) and wanted.count(want) == 1 and want not in {*counted} - {label} else label
        for want, label in zip(wanted, counted, strict=True)
    ]


def _is_skill(directory: Path) -> bool:
    try:
        return any(path.name.upper() == DOCUMENT.upper() or path.name == MANIFEST for path in directory.iterdir())
    except OSError:
        # What cannot be read is told by the look.
        return False


def check(
    sources: Sequence[DirectorySettings],
    limits: Limits,
    tables: Mapping[str, SourceTable] = MappingProxyType({}),
    vouched: Vouched = Vouched(),  # noqa: B008 - a frozen value
) -> CheckReport:
    """Look at directories as a server does at its start, strongest first, and report what came of it.

    Diagnostics come source by source; those of the source as a whole first, then those of each skill together, by its
    name or place. `tables`, by labels, say which limits are lower for a source and which layer it feeds: names are lost
    within a layer. How ready each skill is follows from what is `vouched` for.
    """
    blobs = HashingBlobStore()
    layers: dict[Partition, list[Observation]] = {}
    for source in sources:
        table = tables.get(source.label)
        lower = limits if table is None else lowered(limits, table.limits)
        seen = DirectorySource(source, limits=lower, blobs=blobs).observe()
        layer = layers.setdefault(DEPLOYMENT if table is None else table.feeds(), [])
        layer.append(stand(None, seen, Moment(at=datetime.now(UTC), clock=0), limits).served)
    told: list[Told] = []
    lost: list[_Lost] = []
    listed: list[ListedSkill] = []
    for partition, of_layer in layers.items():
        merged = merge(of_layer)
        told.extend(_told(of_layer))
        lost.extend(_lost(of_layer, merged))
        of_layer_listed = {row.name: row for row in merged.rows if not row.shadowed}
        told.extend(
            Told(diagnostic=each, place=of_layer_listed[each.skill].found.place)
            for each in clashes_in(tuple(of_layer_listed.values()))
        )
        listed.extend(_listed(row, vouched, partition) for row in of_layer_listed.values())
        if len(merged.rows) > limits.layer_skills:
            too_many = Diagnostic(
                severity=Severity.ERROR,
                code=DiagnosticCode.TOO_MANY_SKILLS,
                message=f"{len(merged.rows)} skills; a server takes in at most {limits.layer_skills}",
                source=of_layer[0].source if len(of_layer) == 1 else "",
            )
            told.append(Told(diagnostic=too_many, place=None))
    told.extend(lost)
    labels = tuple(source.label for source in sources)
    order = {label: at for at, label in enumerate(labels)}
    flat = {source.label for source in sources if source.reading.layout is Layout.FLAT}
    return CheckReport(
        sources=labels,
        listed=tuple(listed),
        refused=tuple(_refused(told)),
        shadowed=tuple(
            Placed(name=each.diagnostic.skill, source=each.diagnostic.source, place=each.place) for each in lost
        ),
        told=tuple(
            sorted(told, key=lambda each: (order.get(each.diagnostic.source, -1), each.diagnostic.skill)),
        ),
        looks_deeper=not listed
        and any(
            each.diagnostic.code is DiagnosticCode.FOLDER_WITHOUT_SKILL and each.diagnostic.source in flat
            for each in told
        ),
    )


def _listed(row: Row, vouched: Vouched, partition: Partition) -> ListedSkill:
    return ListedSkill(
        name=row.name,
        source=row.source,
        place=row.found.place,
        digest=row.bundle.digest,
        declared=told_of(row, vouched, of_deployment=partition == DEPLOYMENT),
    )


def _told(seen: Sequence[Observation]) -> Iterator[Told]:
    """Yield the diagnostics of the looks themselves."""
    for observation in seen:
        for diagnostic in observation.diagnostics:
            # Here a skill has no name yet, and is known by its place.
            of_source = not diagnostic.skill and (
                diagnostic.severity is not Severity.ERROR or diagnostic.code in _OF_A_SOURCE
            )
            yield Told(diagnostic=diagnostic, place=None if of_source else diagnostic.skill)
        for found in observation.found:
            for diagnostic in found.diagnostics:
                yield Told(diagnostic=diagnostic, place=found.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lost(Told):
    """What is told of a skill that lost its name to another."""

    place: str


def _lost(seen: Sequence[Observation], merged: Merged) -> list[_Lost]:
    """Return what the merge tells of each skill that it does not list, with its place.

    Of one name in one source it tells of each but the first, in their order, and then of the first where a stronger
    source has the name.
    """
    known = {id(told.diagnostic) for told in _told(seen)}
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for observation in seen:
        for found in observation.found:
            places[observation.source, found.bundle.skill.name].append(found.place)
    lost = {key: [*further, first] for key, (first, *further) in places.items()}
    return [
        _Lost(diagnostic=diagnostic, place=lost[diagnostic.source, diagnostic.skill].pop(0))
        for diagnostic in merged.diagnostics
        if id(diagnostic) not in known
    ]


def _refused(told: Sequence[Told]) -> list[Placed]:
    """Return the places with an error, which none has that is listed."""
    places = {
        (each.diagnostic.source, each.place): each.diagnostic.skill
        for each in told
        if each.diagnostic.severity is Severity.ERROR and each.place is not None
    }
    return [Placed(name=name or source, source=source, place=place) for (source, place), name in places.items()]


def print_report(report: CheckReport, *, least: str, json: bool) -> None:
    """Print a line for each diagnostic, then for each skill that is not ready, and a last one that counts; or JSON.

    Args:
        report: What to tell.
        least: The least severity of the diagnostics that are printed.
        json: Whether it is for scripts.
    """
    told = [each for each in report.told if each.diagnostic.severity.value >= Severity[least.upper()].value]
    if json:
        print_text(dumps(_as_json(report, told), indent=2) + "\n")
        return
    for each in told:
        diagnostic = each.diagnostic
        about = f"{_about(each, several=len(report.sources) > 1)}{diagnostic.message}"
        print_line(f"{diagnostic.severity.name.lower()}: {about} [{diagnostic.code}]")
    # It is no fault of anybody's, and printed with what is least.
    for skill in report.listed if least.upper() == Severity.NOTE.name else ():
        if line := line_of(skill.declared):
            print_line(f"{skill.name}: {line}")
    said = ", ".join(count_of(report.count(severity), severity.name.lower()) for severity in reversed(Severity))
    listed = count_of(len(report.listed), "skill")
    print_line(f"{listed} listed, {len(report.refused)} refused, {len(report.shadowed)} shadowed: {said}")
    if report.looks_deeper:
        print_line("the layout flat looks no further into folders without SKILL.md; try --layout nested")


def _about(told: Told, *, several: bool) -> str:
    """Return what a diagnostic is about: its source where there are several, its skill, and where that lies."""
    diagnostic = told.diagnostic
    source = f"{diagnostic.source}: " if several and diagnostic.source else ""
    if told.place is None:
        return source
    skill = diagnostic.skill or diagnostic.source
    return f"{source}{skill}: " if told.place == skill else f"{source}{skill} ({told.place or '.'}): "


def _as_json(report: CheckReport, told: Sequence[Told]) -> dict[str, object]:
    """Return a report for scripts; a diagnostic is as in the proto's mapping, with all of its fields and its place."""
    return {
        "listed": [
            {
                "name": skill.name,
                "source": skill.source,
                "place": skill.place,
                "digest": skill.digest,
                **fields_of(skill.declared),
            }
            for skill in report.listed
        ],
        "refused": [{"source": skill.source, "place": skill.place} for skill in report.refused],
        "shadowed": [{"name": skill.name, "source": skill.source, "place": skill.place} for skill in report.shadowed],
        "totals": {
            "listed": len(report.listed),
            "refused": len(report.refused),
            "shadowed": len(report.shadowed),
            **{f"{severity.name.lower()}s": report.count(severity) for severity in reversed(Severity)},
        },
        "diagnostics": [
            {
                "severity": f"SEVERITY_{each.diagnostic.severity.name}",
                "code": each.diagnostic.code,
                "skill": each.diagnostic.skill,
                "source": each.diagnostic.source,
                "place": each.place,
                "message": each.diagnostic.message,
            }
            for each in told
        ],
    }
