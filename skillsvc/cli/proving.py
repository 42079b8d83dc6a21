"""Proving: how a command shows a server who asks, and which servers it believes: the same options for all that ask.

What is secret comes from files or the environment: what stands on a command line, others of the machine can read.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from os import environ
from pathlib import Path
from sys import stdin
from typing import TYPE_CHECKING, Annotated, Final

import typer

from skillsvc.cli.output import USAGE, fail

if TYPE_CHECKING:
    from skillsource import TlsOptions

CaFile = Annotated[
    Path | None,
    typer.Option(
        envvar="SKILLSVC_CA_FILE",
        metavar="FILE",
        help="Believe a server by these authorities (PEM); else by those that gRPC comes with.",
    ),
]
CertFile = Annotated[
    Path | None,
    typer.Option(
        envvar="SKILLSVC_CERT_FILE", metavar="FILE", help="Show this client certificate (PEM), with --key-file."
    ),
]
KeyFile = Annotated[
    Path | None, typer.Option(envvar="SKILLSVC_KEY_FILE", metavar="FILE", help="The key of --cert-file (PEM).")
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        envvar="SKILLSVC_TOKEN_FILE",
        metavar="FILE",
        help="Show the bearer token in this file, - for standard input; else that in the variable SKILLSVC_TOKEN.",
    ),
]
TOKEN_VARIABLE: Final = "SKILLSVC_TOKEN"  # noqa: S105 - the name of a variable
_TOKEN_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a command shows and believes. Files are read when they are needed."""

    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None
    token_file: Path | None = None

    @property
    def speaks_tls(self) -> bool:
        """Tell whether the command line says that a server is to be asked by TLS."""
        return any(file is not None for file in (self.ca_file, self.cert_file, self.key_file))

    def tls(self) -> "TlsOptions":
        """Return how a connection is secured; a file that cannot be used ends the command."""
        from skillsource import SkillsourceError, TlsOptions  # noqa: PLC0415 - gRPC takes long to come in

        if (self.cert_file is None) != (self.key_file is None):
            fail("--cert-file and --key-file come together", USAGE)
        try:
            return TlsOptions.read(ca=self.ca_file, cert=self.cert_file, key=self.key_file)
        except OSError as error:
            fail(f"{error.filename} cannot be read: {error.strerror}", USAGE)
        except SkillsourceError as error:
            fail(f"{self._named()} cannot be used: {error.message}", USAGE)

    def token(self) -> str | None:
        """Return the bearer token, None for none; a file that cannot be read ends the command."""
        if self.token_file is None:
            return environ.get(TOKEN_VARIABLE, "").strip() or None
        return token_of(self.token_file)

    def _named(self) -> str:
        return ", ".join(str(file) for file in (self.ca_file, self.cert_file, self.key_file) if file is not None)


NOTHING_SHOWN: Final = Proof()
"""What a command shows where nothing says otherwise."""


def token_of(path: Path) -> str:
    """Return the token in a file, as a header may hold it, too; one that cannot be read ends the command."""
    try:
        with stdin.buffer if str(path) == "-" else path.open("rb") as file:
            return file.read(_TOKEN_BYTES).decode(errors="replace").strip().removeprefix("Bearer ")
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror}", USAGE)


def proving(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of this module in the place of its one parameter `proof`."""
    inner = inspect.signature(command)
    options = {"ca_file": CaFile, "cert_file": CertFile, "key_file": KeyFile, "token_file": TokenFile}

    @functools.wraps(command)
    def outer(**arguments: object) -> None:
        shown = {name: arguments.pop(name) for name in options}
        command(**arguments, proof=Proof(**shown))  # type: ignore[arg-type] # each is what its option says

    further = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in options.items()
    ]
    parameters = list(inner.parameters.values())
    at = list(inner.parameters).index("proof")
    outer.__signature__ = inner.replace(  # type: ignore[attr-defined] # what `inspect` looks for, and so typer
        parameters=[*parameters[:at], *further, *parameters[at + 1 :]]
    )
    kinds = {name: kind for name, kind in command.__annotations__.items() if name != "proof"}
    outer.__annotations__ = {**kinds, **options}
    return outer
