"""What all tables of a skillsvc.toml are made of: their base, and the kinds of their values."""

from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, WithJsonSchema

from skillsvc.domain.caps import fits_skill_name
from skillsvc.settings.listening import fault_of_place
from skillsvc.settings.refusal import Faults


class Table(BaseModel):
    """A table: it cannot be changed, and what it does not know is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _plain(text: str) -> str:
    if not text.isprintable():
        raise Faults(["holds a control character"])
    if not text:
        raise Faults(["is empty"])
    return text


def _label(text: str) -> str:
    if not fits_skill_name(text):
        raise Faults(["is a lower-case letter or digit, then up to 63 of those, `_` or `-`"])
    return text


def _place(path: Path) -> Path:
    if "\0" in str(path):
        raise Faults(["holds a NUL"])
    return path


def _host_port(text: str) -> str:
    if fault := fault_of_place(text):
        raise Faults([fault])
    return text


Flag: TypeAlias = Annotated[bool, Strict()]
Text: TypeAlias = Annotated[str, AfterValidator(_plain)]
"""A line of printable text."""
Label: TypeAlias = Annotated[
    str, AfterValidator(_label), WithJsonSchema({"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"})
]
File: TypeAlias = Annotated[Path, AfterValidator(_place)]
"""A path; a relative one is relative to the file that names it."""
HostPort: TypeAlias = Annotated[str, AfterValidator(_host_port)]
"""Where to listen."""
Seconds: TypeAlias = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
Rate: TypeAlias = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
"""So many a second."""
Count: TypeAlias = Annotated[int, Strict(), Field(gt=0)]
