"""Settings: what the operator says, by a TOML file and the command line, checked once and refused where unsafe."""

import ipaddress
import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from skillsvc.domain.caps import fits_skill_name
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.parsing.findings import Profile
from skillsvc.sources.directory import DirectorySettings
from skillsvc.sources.discovery import Layout

DEFAULT_LISTEN = "127.0.0.1:50051"


class SettingsRefused(Exception):
    """The settings cannot be used; the message says which, why and what would do."""


def is_of_this_machine(listen: str) -> bool:
    """Tell whether only callers of this machine can reach an address: a unix socket, or a loopback address."""
    if listen.startswith("unix:"):
        return True
    host = re.sub(r":\d+\Z", "", listen).strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _label_of(text: str) -> str:
    if not fits_skill_name(text):
        msg = "a source's name is a lower-case letter or digit, then up to 63 of those, `_` or `-`"
        raise ValueError(msg)
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
    single_files: bool = Field(default=False, description="Whether `<name>.md` in the directory itself is a skill.")


class ServerTable(_Table):
    """How the server runs."""

    listen: str = Field(default=DEFAULT_LISTEN, description="`HOST:PORT`, port 0 for any, or `unix:PATH`.")
    data_dir: Path | None = Field(default=None, description="Where state is kept; none for a folder that is removed.")
    token_key_file: Path | None = Field(default=None, description="Keys of tokens, hex, a line each: the first signs.")
    insecure: bool = Field(default=False, description="Listen beyond this machine without TLS and access rules.")
    poll_s: float = Field(default=60.0, gt=0, description="Seconds between two whole looks at every source.")
    drain_s: float = Field(default=10.0, ge=0, description="Seconds that calls under way have to end at a stop.")

    @model_validator(mode="after")
    def _listen_is_safe(self) -> Self:
        if not self.insecure and not is_of_this_machine(self.listen):
            msg = (
                f"listen is {self.listen}: without TLS and access rules the server listens on loopback or a unix "
                "socket only; use 127.0.0.1:PORT or unix:PATH, or say --insecure"
            )
            raise ValueError(msg)
        return self


class Settings(_Table):
    """A whole skillsvc.toml."""

    server: ServerTable = ServerTable()
    limits: dict[str, float] = Field(default={}, description="Limits to lower, by name.")
    source: tuple[SourceTable, ...] = ()

    @model_validator(mode="after")
    def _labels_are_unique(self) -> Self:
        labels = [source.name for source in self.source]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            msg = f"two sources are called {', '.join(twice)}; every source needs a name of its own"
            raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _limits_are_lower(self) -> Self:
        self.make_limits()
        return self

    def make_limits(self) -> Limits:
        """Return the limits in force."""
        try:
            return Limits(
                **{name: value if name.endswith("_s") else int(value) for name, value in self.limits.items()}  # type: ignore[arg-type] # names are checked by the constructor
            )
        except TypeError as error:
            known = ", ".join(Limits.__dataclass_fields__)
            msg = f"limits names what is no limit; there are {known}"
            raise ValueError(msg) from error

    def directories(self) -> tuple[DirectorySettings, ...]:
        """Return how each directory is read, strongest first."""
        return tuple(
            DirectorySettings(
                label=source.name,
                path=str(source.path),
                layout=source.layout,
                profile=source.profile,
                single_files=source.single_files,
                tier=Tier.EXPLICIT,
            )
            for source in self.source
        )


def read_settings(path: Path) -> Settings:
    """Return the settings of a file; relative paths in it are relative to its folder.

    Raises:
        SettingsRefused: It cannot be read, is no TOML, or says something that cannot be; all faults at once.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsRefused(f"{path} cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsRefused(f"{path} is no TOML: {error}") from error
    return make_settings(_anchored(tables, path.parent))


def make_settings(tables: dict[str, object]) -> Settings:
    """Return the settings of tables; SettingsRefused as of `read_settings`."""
    try:
        return Settings.model_validate(tables)
    except ValidationError as error:
        faults = (
            f"{'.'.join(str(part) for part in fault['loc']) or 'settings'}: {fault['msg']}" for fault in error.errors()
        )
        raise SettingsRefused("\n".join(faults)) from error


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
