"""A whole skillsvc.toml, and how its tables are checked: all faults at once, each in the words of the file."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import Field, ValidationError, field_validator

from skillsvc.domain.access import Access
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import ANONYMOUS_PRINCIPAL, LOCAL_PRINCIPAL
from skillsvc.settings.access import AccessTable, access_of, faults_of_access, faults_of_likeness
from skillsvc.settings.admin import AdminTable
from skillsvc.settings.connections import ConnectionsTable
from skillsvc.settings.conventional import ConventionalTable
from skillsvc.settings.experience import ExperienceTable
from skillsvc.settings.fairness import FairnessTable
from skillsvc.settings.health import HealthTable
from skillsvc.settings.identity import IdentityTable, faults_of_identity
from skillsvc.settings.listening import exposure_of, faults_of_places, is_of_this_machine
from skillsvc.settings.lowering import faults_of_limits, faults_of_lowering
from skillsvc.settings.readiness import ReadinessTable
from skillsvc.settings.refusal import Fault, Faults, Place, Position, SettingsRefused, Told
from skillsvc.settings.server import ServerTable
from skillsvc.settings.sources import AnySourceTable, DirectoryTable
from skillsvc.settings.table import Table
from skillsvc.settings.telling import faults_of, name_of
from skillsvc.settings.tls import TlsTable
from skillsvc.sources.directory import DirectorySettings


def _nowhere(_place: Place) -> None:
    """Say that nothing is of a file."""


class Settings(Table):
    """A whole skillsvc.toml."""

    server: ServerTable = ServerTable()
    tls: TlsTable | None = Field(default=None, description="How the server proves who it is; none for plaintext.")
    admin: AdminTable = AdminTable()
    health: HealthTable = HealthTable()
    connections: ConnectionsTable = ConnectionsTable()
    identity: IdentityTable | None = Field(default=None, description="How callers prove who they are.")
    access: tuple[AccessTable, ...] = Field(default=(), description="Who gets what, in order.")
    limits: Mapping[str, Any] = Field(default={}, description="Limits to lower, by name.")
    fairness: FairnessTable = FairnessTable()
    experience: ExperienceTable = ExperienceTable()
    conventional: ConventionalTable = ConventionalTable()
    readiness: ReadinessTable = ReadinessTable()
    source: tuple[AnySourceTable, ...] = ()

    @field_validator("limits")
    @classmethod
    def _limits_are_possible(cls, limits: Mapping[str, Any]) -> Mapping[str, Any]:
        if faults := list(faults_of_limits(limits)):
            raise Faults(faults)
        return limits

    @field_validator("access")
    @classmethod
    def _rules_are_told_apart(cls, access: tuple[AccessTable, ...]) -> tuple[AccessTable, ...]:
        if faults := list(faults_of_likeness(access)):
            raise Faults(faults)
        return access

    def make_limits(self) -> Limits:
        """Return the limits in force."""
        return Limits(**self.limits)

    def make_access(self) -> Access:
        """Return the access rules."""
        return access_of(self.access)

    def asks_nobody(self) -> bool:
        """Tell whether nothing about identities is configured: everybody is `local`, or `anonymous`."""
        return self.identity is None and not self.access

    def is_local(self) -> bool:
        """Tell whether everybody is `local` and may do all: nobody is asked, and no other machine gets here."""
        return self.asks_nobody() and is_of_this_machine(self.server.listen)

    def is_open_to_anybody(self) -> bool:
        """Tell whether callers of other machines reach the server in plaintext, or are not asked who they are.

        That is settled only where `insecure` is said.
        """
        is_guarded = self.tls is not None and bool(self.access)
        return not is_guarded and not is_of_this_machine(self.server.listen)

    def directories(self) -> tuple[DirectorySettings, ...]:
        """Return how each declared directory is looked at, strongest first; those of templates are not declared."""
        return tuple(
            table.directory() for table in self.source if isinstance(table, DirectoryTable) and table.template is None
        )


def make_settings(tables: Mapping[str, object], find: Callable[[Place], Position | None] = _nowhere) -> Settings:
    """Return the settings of tables.

    Args:
        tables: What is said.
        find: Says where in a file a place stands, if it does.

    Raises:
        SettingsRefused: Something in them cannot be; all faults at once, in the order of the file.
    """
    tables = _with_kinds(tables)
    # The first fault of a place: what cannot be by itself is not compared with others, too.
    faults: dict[Place, str] = {}
    settings = None
    try:
        settings = Settings.model_validate(tables)
    except ValidationError as error:
        for sentence, place in faults_of(error, Settings):
            faults.setdefault(place, sentence)
    for sentence, place in _faults_across(tables):
        faults.setdefault(place, sentence)
    if settings is None or faults:
        told = [Told(f"{name_of(place, tables)} {sentence}", find(place)) for place, sentence in faults.items()]
        raise SettingsRefused(map(str, sorted(told, key=Told.order)))
    return settings


def _with_kinds(tables: Mapping[str, object]) -> Mapping[str, object]:
    """Return the tables with a kind for each source: a directory, where none is said."""
    sources = tables.get("source")
    if not isinstance(sources, list):
        return tables
    return {
        **tables,
        "source": [{"kind": "directory", **source} if isinstance(source, dict) else source for source in sources],
    }


def _faults_across(tables: Mapping[str, object]) -> Iterator[Fault]:
    """Yield what is wrong between tables, whatever else is: each may be right by itself."""
    yield from exposure_of(tables)
    yield from faults_of_places(tables)
    yield from faults_of_identity(tables)
    yield from faults_of_access(tables)
    sources = tables.get("source")
    limits = _table(tables.get("limits"))
    everybody = _everybody(_table(tables.get("server")).get("listen"))
    taken = {*_labels_of(_table(tables.get("conventional")))}
    seen: set[object] = set()
    for index, source in enumerate(map(_table, sources if isinstance(sources, list) else ())):
        name = source.get("name")
        if isinstance(name, str) and name in seen | taken:
            other = "a place of [conventional]" if name in taken else "another source"
            yield Fault(f"is {name}, as that of {other}; give each its own", ("source", index, "name"))
        seen.add(name if isinstance(name, str) else "")
        principal = _table(source.get("partition")).get("principal", LOCAL_PRINCIPAL)
        if "partition" in source and principal != everybody and not tables.get("access"):
            sentence = f"is {principal}, and without an [[access]] nobody but {everybody} calls"
            yield Fault(sentence, ("source", index, "partition", "principal"))
        for sentence, place in faults_of_lowering(_table(source.get("limits")), limits):
            yield Fault(sentence, ("source", index, "limits", *place))
        for sentence, _place in faults_of_lowering({"source_depth": source.get("max_depth")}, limits):
            yield Fault(sentence, ("source", index, "max_depth"))


def _everybody(listen: object) -> str:
    """Return who calls where nobody is asked."""
    is_beyond = isinstance(listen, str) and not is_of_this_machine(listen)
    return ANONYMOUS_PRINCIPAL if is_beyond else LOCAL_PRINCIPAL


def _table(value: object) -> Mapping[str, object]:
    """Return a table; what is none is told elsewhere."""
    return value if isinstance(value, dict) else {}


def _labels_of(conventional: Mapping[str, object]) -> tuple[str, ...]:
    """Return the labels that conventional locations take."""
    table = ConventionalTable(project=conventional.get("project") is True, user=conventional.get("user") is True)
    return table.labels()
