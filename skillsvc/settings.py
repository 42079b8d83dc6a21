"""Settings: what the operator says, by a TOML file and the command line, checked once and refused where unsafe."""

import ipaddress
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails

from skillsvc.domain.caps import fits_skill_name
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.parsing.findings import Profile
from skillsvc.sources.directory import DirectorySettings
from skillsvc.sources.discovery import Layout
from skillsvc.sources.reading import ReadingSettings

DEFAULT_LISTEN = "127.0.0.1:50051"

_PLACE = re.compile(r"(?:\[(?P<bracketed>[0-9A-Fa-f:.]+)\]|(?P<plain>[0-9A-Za-z.-]+)):(?P<port>[0-9]{1,5})")
_UNIX = "unix:"
_LONGEST_UNIX_PATH = 107
"""Bytes that the kernel has for the path of a socket."""


class SettingsRefused(Exception):
    """The settings cannot be used; each of `faults` is a sentence: which, why, and what would do."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


def is_of_this_machine(listen: str) -> bool:
    """Tell whether only callers of this machine can reach an address: a unix socket, or a loopback address.

    A name other than `localhost` is not, whatever it stands for at the moment.
    """
    if listen.startswith(_UNIX):
        return True
    place = _PLACE.fullmatch(listen)
    if place is None:
        return False
    host = place["bracketed"] or place["plain"]
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        # Python versions differ in what they say of these.
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


class _Faults(ValueError):
    """Several faults of one value. Each goes on from the name of the value."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


def _label_of(text: str) -> str:
    if not fits_skill_name(text):
        raise _Faults(["is a lower-case letter or digit, then up to 63 of those, `_` or `-`"])
    return text


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceTable(_Table):
    """One place that skills come from. Earlier sources win where two have a skill of one name."""

    name: Annotated[str, AfterValidator(_label_of)] = Field(
        description="The label by which callers and diagnostics know it; unique."
    )
    kind: Literal["directory"] = Field(default="directory", description="What kind of place it is.")
    path: Path = Field(description="The directory, relative to the file that names it.")
    layout: Layout = Field(default=Layout.FLAT, description="`flat`: one level of folders; `nested`: any depth.")
    profile: Profile = Field(default=Profile.LENIENT, description="`lenient` keeps and warns, `strict` refuses.")
    single_files: bool = Field(
        default=False, strict=True, description="Whether `<name>.md` in the directory itself is a skill."
    )


class ServerTable(_Table):
    """How the server runs."""

    insecure: bool = Field(
        default=False, strict=True, description="Listen beyond this machine without TLS and access rules."
    )
    listen: str = Field(default=DEFAULT_LISTEN, description="`HOST:PORT`, port 0 for any, or `unix:PATH`.")
    data_dir: Path | None = Field(default=None, description="Where state is kept; none for a folder that is removed.")
    token_key_file: Path | None = Field(default=None, description="Keys of tokens, hex, a line each: the first signs.")
    poll_s: float = Field(
        default=60.0,
        gt=0,
        strict=True,
        allow_inf_nan=False,
        description="Seconds between two whole looks at every source.",
    )
    drain_s: float = Field(
        default=10.0,
        ge=0,
        strict=True,
        allow_inf_nan=False,
        description="Seconds that calls under way have to end at a stop.",
    )

    @field_validator("listen")
    @classmethod
    def _listen_is_possible_and_safe(cls, listen: str, info: ValidationInfo) -> str:
        if listen.startswith(_UNIX):
            path = listen.removeprefix(_UNIX)
            if not path or "\0" in path or len(path.encode(errors="surrogateescape")) > _LONGEST_UNIX_PATH:
                raise _Faults([f"is {_UNIX} with a path of 1 to {_LONGEST_UNIX_PATH} bytes"])
            return listen
        place = _PLACE.fullmatch(listen)
        if place is None or int(place["port"]) > 0xFFFF:
            raise _Faults([f"is {listen}; it must be HOST:PORT, [IPV6]:PORT or unix:PATH"])
        # Where `insecure` itself is at fault, that one is told and this one has to wait.
        if not info.data.get("insecure", True) and not is_of_this_machine(listen):
            fault = (
                f"is {listen}; without TLS and access rules the server listens on loopback or a unix socket only: "
                "use 127.0.0.1:PORT or unix:PATH, or say --insecure"
            )
            raise _Faults([fault])
        return listen


class Settings(_Table):
    """A whole skillsvc.toml."""

    server: ServerTable = ServerTable()
    limits: dict[str, object] = Field(default={}, description="Limits to lower, by name.")
    source: tuple[SourceTable, ...] = ()

    @field_validator("source")
    @classmethod
    def _labels_are_unique(cls, source: tuple[SourceTable, ...]) -> tuple[SourceTable, ...]:
        labels = [table.name for table in source]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            raise _Faults([f"has two of the name {label}; give each its own" for label in twice])
        return source

    @field_validator("limits")
    @classmethod
    def _limits_are_lower(cls, limits: dict[str, object]) -> dict[str, object]:
        faults = list(_faults_of_limits(limits))
        if faults:
            raise _Faults(faults)
        return limits

    def make_limits(self) -> Limits:
        """Return the limits in force."""
        return Limits(**self.limits)  # type: ignore[arg-type] # names and types were looked at

    def directories(self) -> tuple[DirectorySettings, ...]:
        """Return how each directory is read, strongest first."""
        return tuple(
            DirectorySettings(
                path=str(source.path),
                reading=ReadingSettings(
                    label=source.name,
                    layout=source.layout,
                    profile=source.profile,
                    single_files=source.single_files,
                    tier=Tier.EXPLICIT,
                ),
            )
            for source in self.source
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line says; None is not said. `layout` and `profile` are those of all `skills_dirs`."""

    skills_dirs: tuple[Path, ...] = ()
    layout: str | None = None
    profile: str | None = None
    listen: str | None = None
    data_dir: Path | None = None
    workers: int = 1
    insecure: bool = False


def settle(config: Path | None, options: Options) -> Settings:
    """Return the settings of a file, if there is one, with those of the command line over them.

    Raises:
        SettingsRefused: The file cannot be read, is no TOML, or something that is said cannot be; all faults at once.
    """
    faults = list(_faults_of_options(config, options))
    tables: dict[str, object] = {}
    try:
        tables = {} if config is None else read_tables(config)
        settings = make_settings(_overridden(tables, options))
    except SettingsRefused as refused:
        raise SettingsRefused([*faults, *refused.faults]) from refused
    if config is not None and not settings.source:
        faults.append(f"nothing to serve: {config} has no [[source]], and there is no --skills-dir")
    if faults:
        raise SettingsRefused(faults)
    return settings


def read_tables(config: Path) -> dict[str, object]:
    """Return the tables of a file; relative paths in it are made relative to its folder.

    Raises:
        SettingsRefused: It cannot be read, or is no TOML.
    """
    try:
        tables = tomllib.loads(config.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsRefused([f"{config} cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise SettingsRefused([f"{config} is not UTF-8 at byte {error.start}"]) from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsRefused([f"{config} is no TOML: {error}"]) from error
    return _anchored(tables, config.parent)


def make_settings(tables: Mapping[str, object]) -> Settings:
    """Return the settings of tables.

    Raises:
        SettingsRefused: Something in them cannot be; all faults at once.
    """
    try:
        return Settings.model_validate(tables)
    except ValidationError as error:
        raise SettingsRefused([sentence for fault in error.errors() for sentence in _sentences(fault)]) from error


def _faults_of_options(config: Path | None, options: Options) -> Iterator[str]:
    if options.workers != 1:
        yield "--workers must be 1 until processes share one log"
    if not options.skills_dirs:
        if config is None:
            yield "nothing to serve: name a directory with --skills-dir, or a file with --config"
        for name, value in (("layout", options.layout), ("profile", options.profile)):
            if value is not None:
                yield f"--{name} is for the directories of --skills-dir; a [[source]] has its own"


def _overridden(tables: Mapping[str, object], options: Options) -> dict[str, object]:
    """Return the tables with the options over them."""
    said = {"listen": options.listen, "data_dir": options.data_dir, "insecure": options.insecure or None}
    server = {name: value for name, value in said.items() if value is not None}
    read = {"layout": options.layout, "profile": options.profile}
    # Labels are counted, so that no path of this machine enters a name (rules.md 2).
    sources = [
        {"name": f"dir-{number}", "path": path, **{name: value for name, value in read.items() if value is not None}}
        for number, path in enumerate(options.skills_dirs, start=1)
    ]
    overridden = dict(tables)
    # What is no table, or no list of them, is left for the validation to tell.
    if server and isinstance(table := tables.get("server", {}), dict):
        overridden["server"] = {**table, **server}
    if sources and isinstance(named := tables.get("source", []), list):
        overridden["source"] = [*named, *sources]
    return overridden


def _faults_of_limits(limits: Mapping[str, object]) -> Iterator[str]:
    kinds = {field.name: type(field.default) for field in fields(Limits)}
    for name, value in limits.items():
        if name not in kinds:
            yield f"{name} is not known"
        elif not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
            yield f"{name} must be a number"
        elif kinds[name] is int and not isinstance(value, int):
            yield f"{name} is {value}; it must be a whole number"
        else:
            try:
                Limits(**{name: value})  # type: ignore[arg-type] # the type was just looked at
            except ValueError as error:
                yield str(error)


_PLAIN: Mapping[str, str] = {
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "enum": "must be {expected}",
    "extra_forbidden": "is not known",
    "finite_number": "must be finite",
    "float_type": "must be a number",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "literal_error": "must be {expected}",
    "missing": "is missing",
    "model_type": "must be a table",
    "path_type": "must be text",
    "string_type": "must be text",
    "tuple_type": "must be tables, each begun by [[source]]",
}
"""How the faults that pydantic finds are told, by its stable types."""


def _sentences(fault: ErrorDetails) -> Iterator[str]:
    where = _where(fault["loc"])
    context = fault.get("ctx", {})
    wrong = context.get("error")
    if isinstance(wrong, _Faults):
        yield from (f"{where} {sentence}" for sentence in wrong.faults)
    else:
        yield f"{where} {_PLAIN.get(fault['type'], fault['msg']).format_map(context)}"


def _where(path: tuple[int | str, ...]) -> str:
    """Return what a fault is about, as the file spells it: `[[source]] 2: layout`, `[server] listen`."""
    match path:
        case ("source", int() as index, *rest):
            table = f"[[source]] {index + 1}"
        case ("source", *rest):
            table = "[[source]]"
        case ("server" | "limits" as name, *rest):
            table = f"[{name}]"
        case _:
            table, rest = "", list(path)
    return " ".join(filter(None, (table, ".".join(map(str, rest)))))


def _anchored(tables: dict[str, object], folder: Path) -> dict[str, object]:
    """Return the tables with their paths below the folder of the file that holds them."""
    anchored = dict(tables)
    server = tables.get("server")
    if isinstance(server, dict):
        anchored["server"] = {
            key: folder / value if key in {"data_dir", "token_key_file"} and isinstance(value, str) else value
            for key, value in server.items()
        }
    sources = tables.get("source")
    if isinstance(sources, list):
        anchored["source"] = [
            {**source, "path": folder / source["path"]}
            if isinstance(source, dict) and isinstance(source.get("path"), str)
            else source
            for source in sources
        ]
    return anchored
