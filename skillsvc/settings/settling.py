"""Settling: the settings of a file with those of the command line over them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skillsvc.settings.mingling import mingled
from skillsvc.settings.places import Anchored, has_places
from skillsvc.settings.refusal import Place, Position, SettingsRefused, Told
from skillsvc.settings.settings import Settings, make_settings
from skillsvc.settings.telling import name_of
from skillsvc.settings.toml_file import TomlFile

_PATHS_OF_SERVER = frozenset({"data_dir", "token_key_file"})
_PATHS_OF_TLS = frozenset({"cert_file", "key_file", "client_ca_file"})
_PATHS_OF_READINESS = frozenset({"network_inventory"})
_PATHS_OF_ISSUER = frozenset({"jwks_file", "ca_file"})
_PATHS_OF_SOURCE = frozenset({"path", "ca_file", "ssh_key_file", "known_hosts_file"})
_PATHS_OF_AUTH = frozenset({"password_file", "token_file"})


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
    try:
        settings = _settings_of(None if config is None else TomlFile.read(config), options)
    except SettingsRefused as refused:
        raise SettingsRefused([*faults, *refused.faults]) from refused
    if config is not None and not settings.source and not settings.conventional.labels():
        faults.append(f"nothing to serve: {config} has no [[source]], and there is no --skills-dir")
    if faults:
        raise SettingsRefused(faults)
    return settings


def settings_of(file: TomlFile) -> Settings:
    """Return the settings of a file alone, which may have no sources; raises as `settle`."""
    return _settings_of(file, Options())


def _settings_of(file: TomlFile | None, options: Options) -> Settings:
    if file is None:
        return _apart(make_settings(_overridden({}, options)), _nowhere)
    sources = file.tables.get("source", [])
    of_file = len(sources) if isinstance(sources, list) else 0
    said = _said(options)

    def find(place: Place) -> Position | None:
        match place:
            case ("server", str() as key, *_) if key in said:
                return None
            case ("source", int() as index, *_) if index >= of_file:
                return None
            case _:
                return Position(path=str(file.path), line=file.line_of(place))

    return _apart(make_settings(_overridden(_anchored(file.tables, file.path.parent), options), find), find)


def _apart(settings: Settings, find: Callable[[Place], Position | None]) -> Settings:
    """Return settings of which no directory lies with the folders of others; raises SettingsRefused."""
    names = {"source": [{"name": source.name} for source in settings.source]}
    told = [
        Told(f"{name_of(place, names)} {sentence}", find(place))
        for index, sentence in mingled(settings.source)
        for place in [("source", index, "path")]
    ]
    if told:
        raise SettingsRefused(map(str, sorted(told, key=Told.order)))
    return settings


def _nowhere(_place: Place) -> None:
    """Say that nothing is of a file."""


def _faults_of_options(config: Path | None, options: Options) -> Iterator[str]:
    if options.workers != 1:
        yield "--workers must be 1 until processes share one log"
    if not options.skills_dirs:
        if config is None:
            yield "nothing to serve: name a directory with --skills-dir, or a file with --config"
        for name, value in (("layout", options.layout), ("profile", options.profile)):
            if value is not None:
                yield f"--{name} is for the directories of --skills-dir; a [[source]] has its own"


def _said(options: Options) -> Mapping[str, object]:
    """Return the keys of [server] that options say."""
    said = {"listen": options.listen, "data_dir": options.data_dir, "insecure": options.insecure or None}
    return {name: value for name, value in said.items() if value is not None}


def _overridden(tables: Mapping[str, object], options: Options) -> dict[str, object]:
    """Return the tables with the options over them."""
    server = _said(options)
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


def _anchored(tables: Mapping[str, object], folder: Path) -> dict[str, object]:
    """Return the tables with their paths below the folder of the file that holds them."""
    anchored = dict(tables)
    if "server" in tables:
        anchored["server"] = _below(folder, tables["server"], _PATHS_OF_SERVER)
    if "tls" in tables:
        anchored["tls"] = _below(folder, tables["tls"], _PATHS_OF_TLS)
    if "readiness" in tables:
        anchored["readiness"] = _below(folder, tables["readiness"], _PATHS_OF_READINESS)
    admin = tables.get("admin")
    if isinstance(admin, dict) and "tls" in admin:
        anchored["admin"] = {**admin, "tls": _below(folder, admin["tls"], _PATHS_OF_TLS)}
    identity = tables.get("identity")
    if isinstance(identity, dict):
        anchored["identity"] = _anchored_identity(identity, folder)
    conventional = tables.get("conventional")
    if isinstance(conventional, dict):
        anchored["conventional"] = _below(folder, {"workspace": ".", **conventional}, frozenset({"workspace"}))
    sources = tables.get("source")
    if isinstance(sources, list):
        anchored["source"] = [_anchored_source(source, folder) for source in sources]
    return anchored


def _anchored_identity(identity: dict[str, object], folder: Path) -> dict[str, object]:
    anchored = dict(identity)
    if "tokens" in identity:
        anchored["tokens"] = _below(folder, identity["tokens"], frozenset({"file"}))
    if isinstance(issuers := identity.get("issuer"), list):
        anchored["issuer"] = [_below(folder, issuer, _PATHS_OF_ISSUER) for issuer in issuers]
    return anchored


def _anchored_source(source: object, folder: Path) -> object:
    if isinstance(source, dict) and isinstance(path := source.get("path"), str) and has_places(path):
        source = {**source, "path": Anchored(path, str(folder))}
    source = _below(folder, source, _PATHS_OF_SOURCE)
    if isinstance(source, dict) and "auth" in source:
        source = {**source, "auth": _below(folder, source["auth"], _PATHS_OF_AUTH)}
    return source


def _below(folder: Path, table: object, keys: frozenset[str]) -> object:
    if not isinstance(table, dict):
        return table
    return {key: folder / value if key in keys and isinstance(value, str) else value for key, value in table.items()}
