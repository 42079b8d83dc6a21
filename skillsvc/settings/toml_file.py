"""A TOML file that was read: its tables, and on which line each thing in it stands."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import tomlkit
from tomlkit.exceptions import ParseError

from skillsvc.settings.refusal import Place, SettingsRefused
from skillsvc.settings.toml_lines import lines_of

_LONGEST = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class TomlFile:
    """A file and its tables. It has no slots, since its lines are found when they are first asked for."""

    path: Path
    text: str
    tables: Mapping[str, object]

    @classmethod
    def read(cls, path: Path) -> "TomlFile":
        """Read a file.

        Raises:
            SettingsRefused: It cannot be read, or is no TOML.
        """
        try:
            with path.open("rb") as file:
                data = file.read(_LONGEST + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its name holds a NUL"
            raise SettingsRefused([f"{path} cannot be read: {reason}"]) from error
        if len(data) > _LONGEST:
            raise SettingsRefused([f"{path} is longer than {_LONGEST} bytes"])
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise SettingsRefused([f"{path}:{line}: is not UTF-8 at byte {error.start} of the file"]) from error
        try:
            tables = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            why = "it is nested too deep" if isinstance(error, RecursionError) else error
            raise SettingsRefused([f"{path}{_line_of_fault(text)}: is no TOML: {why}"]) from error
        return cls(path=path, text=text, tables=tables)

    def line_of(self, place: Place) -> int:
        """Return the line on which a place begins, or the nearest place around it that is in the file."""
        lines = self._lines
        return next(lines[place[:size]] for size in range(len(place), -1, -1) if place[:size] in lines)

    @cached_property
    def _lines(self) -> Mapping[Place, int]:
        return lines_of(self.text)


def _line_of_fault(text: str) -> str:
    """Return `:LINE` where a text stops to be TOML; the standard library tells that in its sentence alone."""
    try:
        tomlkit.parse(text)
    except ParseError as error:
        return f":{error.line}"
    except (tomlkit.exceptions.TOMLKitError, RecursionError):
        return ""
    return ""
