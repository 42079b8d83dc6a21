"""Asking a server: the client of one command, and what its errors come to."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from skillsvc.cli.names import check_address, near
from skillsvc.cli.output import FAILED, NO_ANSWER, USAGE, complain, fail
from skillsvc.cli.proving import Proof

if TYPE_CHECKING:
    from skillsource import Client, Dropped, Generation, NotFound, SkillsourceError, Unavailable

DEFAULT_ADDRESS = "127.0.0.1:50051"

Address = Annotated[
    str, typer.Option(envvar="SKILLSVC_ADDRESS", metavar="HOST:PORT|unix:PATH", help="Where the server listens.")
]
Project = Annotated[str, typer.Option(metavar="PROJECT", help="The project whose catalog is read.")]
Json = Annotated[bool, typer.Option("--json", help="Print the contract's message as JSON.")]
Who = Literal["any", "model", "user"]
Timeout = Annotated[
    float | None, typer.Option(min=0.001, metavar="SECONDS", help="Time that the whole answer may take.")
]

_READ_TIMEOUT_S = 10.0
_ACTIVATE_TIMEOUT_S = 60.0
"""The default deadlines of the contract (contract.md, "Time and retries")."""
_NAMES_LOOKED_AT = 1_000
"""A page of a listing: more would cost more than a guess is worth."""
DIGEST_SHOWN = 12
"""Hex digits by which a person tells a digest from others."""


@contextmanager
def asking(address: str, project: str, timeout: float | None, proof: Proof, *, skill: str = "") -> "Iterator[Client]":
    """Give the client of a server; what fails with it ends the command with one line.

    A server of another machine is asked by TLS, one of this machine where `proof` says so.

    Args:
        address: Where the server listens.
        project: The project whose catalog is read.
        timeout: Seconds for an answer; None for what the contract thinks right.
        proof: What the server is shown, and whether it is believed.
        skill: The skill that is asked for; where there is none of the name, those of near names are told.
    """
    check_address(address)
    from skillsource import NotFound, SkillsourceError, connect  # noqa: PLC0415 - gRPC takes long to come in
    from skillsource.channel import is_local  # noqa: PLC0415 - as above

    tls = proof.tls() if proof.speaks_tls or not is_local(address) else None
    try:
        with connect(
            address,
            project=project,
            token=proof.token(),
            tls=tls,
            read_timeout=timeout or _READ_TIMEOUT_S,
            activate_timeout=timeout or _ACTIVATE_TIMEOUT_S,
            on_dropped=_tell_dropped,
        ) as client:
            try:
                yield client
            except NotFound as error:
                if error.reason != "SKILL_NOT_FOUND":
                    raise
                fail(_with_near_names(error, skill, client), FAILED)
    except SkillsourceError as error:
        fail(sentence_of(error, address, proof, by_tls=tls is not None), status_of(error))


def tell_incomplete(generation: "Generation") -> None:
    """Say which sources an answer lacks or has an older state of: nothing is left out quietly."""
    for source in generation.unreachable_sources:
        since = "" if source.since is None else f" since {source.since:%Y-%m-%d %H:%M:%S} UTC"
        complain(f"the source {source.source} is {source.state}{since}")


def state_of(generation: "Generation") -> str:
    """Return the state that an answer came from, as it is told to people."""
    return f"generation {generation.sequence} {generation.digest[:DIGEST_SHOWN]}"


def sentence_of(error: "SkillsourceError", address: str, proof: Proof, *, by_tls: bool) -> str:
    """Return what an error of a call to an address comes to, in one sentence."""
    from skillsource import DeadlineExceeded, Exhausted, PermissionDenied, Unauthenticated, Unavailable  # noqa: PLC0415 - as above

    match error:
        case Unavailable(reason=""):
            why = _why_unavailable(error, address, proof, by_tls=by_tls)
            return f"{why or f'no server answers at {address}'} ({error.code})"
        case Exhausted(retry_after_s=float(seconds)) if seconds > 0:
            return f"{error.message}; try again in {ceil(seconds * 10) / 10:g} s ({error.reason or error.code})"
        case DeadlineExceeded():
            return f"no answer from {address} in time ({error.code}); --timeout gives more"
        case PermissionDenied(reason="ROLE_MISSING"):
            return f"{error.message}, which no access rule of the server gives to whoever this is ({error.reason})"
        case Unauthenticated(reason="CREDENTIALS_MISSING"):
            # Where TLS is not spoken, as on a socket, no certificate can be shown.
            by = "--cert-file with --key-file or --token-file say so" if by_tls else "--token-file says so"
            return f"{address} wants to know who asks: {by} ({error.reason})"
        case _:
            told = error.reason or error.code
            return f"{error.message} ({told})" if told else error.message


def _why_unavailable(error: "Unavailable", address: str, proof: Proof, *, by_tls: bool) -> str | None:
    from skillsource import HandshakeFailed  # noqa: PLC0415 - as above
    from skillsource.handshakes import fault_of  # noqa: PLC0415 - as above

    from skillsvc.cli.handshakes import WITHIN_S, told  # noqa: PLC0415 - as above

    if isinstance(error, HandshakeFailed):
        return told(error.fault, address)
    # Operators have a channel of their own, which judges nothing.
    fault = fault_of(address, proof.tls() if by_tls else None, within_s=WITHIN_S)
    return None if fault is None else told(fault, address)


def status_of(error: "SkillsourceError") -> int:
    """Return the exit status that an error of a call comes to."""
    from skillsource import DeadlineExceeded, InvalidArgument, Unavailable  # noqa: PLC0415 - as above

    match error:
        case Unavailable() | DeadlineExceeded():
            return NO_ANSWER
        case InvalidArgument():
            return USAGE
        case _:
            return FAILED


def _with_near_names(error: "NotFound", skill: str, client: "Client") -> str:
    from skillsource import SkillsourceError  # noqa: PLC0415 - as above

    try:
        meant = near(skill, (listed.name for listed in islice(client.iter_skills(), _NAMES_LOOKED_AT)))
    except SkillsourceError:
        # What was asked has its answer; that the guess has none is of no interest.
        meant = []
    guess = f"; did you mean {' or '.join(meant)}?" if meant else ""
    return f"{error.message}{guess} ({error.reason})"


def _tell_dropped(dropped: "Dropped") -> None:
    complain(f"the server sent what it may not send: {dropped.field} {dropped.name}: {dropped.why}")
