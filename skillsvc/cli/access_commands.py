"""Commands about who may call: what an identity would get and why, and tokens for callers that have nothing better."""

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skillsvc.cli.asking import Json
from skillsvc.cli.operating import ANSWER_S, AdminAddress, DataDir, Operator, Timeout, operating
from skillsvc.cli.output import FAILED, USAGE, complain, fail, print_line, print_message, print_pairs, print_table
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving, token_of

if TYPE_CHECKING:
    from skillsource.v1 import admin_pb2 as pb

    from skillsvc.cli.explaining import Shown

access = typer.Typer(no_args_is_help=True, help="Look at who may call: explain, new-token.")

_TOKEN_BYTES = 32


@access.command()
@proving
def explain(
    *,
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The skillsvc.toml; else a server is asked.", show_default=False),
    ] = None,
    spiffe: Annotated[str | None, typer.Option(metavar="ID", help="A client certificate with this SPIFFE id.")] = None,
    subject: Annotated[
        str | None, typer.Option(metavar="DN", help="A client certificate with this subject, as RFC 4514 writes it.")
    ] = None,
    token_name: Annotated[str | None, typer.Option(metavar="NAME", help="A static token of this name.")] = None,
    jwt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The JSON Web Token in this file; - for standard input.")
    ] = None,
    issuer: Annotated[
        str | None, typer.Option(metavar="NAME", help="A JSON Web Token of this [[identity.issuer]], with --sub.")
    ] = None,
    sub: Annotated[str | None, typer.Option(metavar="SUB", help="Whose token of --issuer it is.")] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A claim of the token of --issuer; repeated, one of several values."),
    ] = None,
    project: Annotated[str, typer.Option(metavar="PROJECT", help="The project that is named.")] = "",
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """Say what an identity would get, and why, rule by rule: by the rules in force in a server, or by those of FILE.

    With FILE no server is needed. Of --jwt it is then also told whether the token is good as of now; for that the keys
    of its issuer are read, or fetched. A server is never sent the token, and takes for true what it says. Ends with
    status 1 where the identity would be refused, or may not name the project. With FILE it is told, too, in which
    folders the sources with templates have its skills.

    Example: skillsvc access explain --issuer corp --sub alice --claim org=acme --data-dir /var/lib/skillsvc
    """
    from skillsvc.cli.explaining import (  # noqa: PLC0415 - pydantic and cryptography take long to come in
        NothingToExplain,
        Shown,
    )
    from skillsvc.cli.explanations import is_refused, outcome_of, rules_of  # noqa: PLC0415 - as above

    text = None if jwt is None else token_of(jwt)
    shown = Shown(
        spiffe=spiffe, subject=subject, token=token_name, jwt=text, issuer=issuer, sub=sub, claims=tuple(claim or ())
    )
    if not shown.is_one_way():
        fail("say one of --spiffe, --subject, --token-name, --jwt, and --issuer with --sub", USAGE)
    folders: list[tuple[str, str]] = []
    try:
        if file is None:
            told = _ask(shown, project, operating(data_dir, admin, timeout, proof))
        else:
            _refuse_a_server(context)
            told, folders = _look(shown, project, file)
    except NothingToExplain as error:
        fail(str(error))
    if json:
        print_message(told)
    else:
        print_pairs([*outcome_of(told), *folders])
        if told.rules:
            print_table(("rule", "verdict", "why"), rules_of(told), wrapped=True)
    if is_refused(told):
        raise typer.Exit(FAILED)


@access.command("new-token")
def new_token(
    name: Annotated[str, typer.Argument(metavar="NAME", help='What the token is called: `kind = "token"`, `names`.')],
    *,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a static token: print it, once, and the line for the file of [identity.tokens].

    The token is for the caller, who sends it as `authorization: Bearer TOKEN`; the line is for the server, and names
    the token by its SHA-256. Nothing is kept here.

    Example: skillsvc access new-token ci
    """
    from skillsvc.domain.caps import fits_skill_name  # noqa: PLC0415 - as all that a command needs
    from skillsvc.service.identities.static_tokens import line_of  # noqa: PLC0415 - as above

    if not fits_skill_name(name):
        fail("a name is a lower-case letter or digit, then up to 63 of those, `_` or `-`", USAGE)
    token = token_urlsafe(_TOKEN_BYTES)
    made: dict[str, Any] = {"token": token, "line": line_of(name, token)}
    if json:
        print_line(dumps(made))
    else:
        print_pairs(made.items())


def _ask(shown: "Shown", project: str, operating: AbstractContextManager[Operator]) -> "pb.ExplainAccessResponse":
    from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

    request = pb.ExplainAccessRequest(identity=shown.message(), project=project)
    with operating as operator:
        return operator.ask_all(request, pb.ExplainAccessResponse)


def _look(shown: "Shown", project: str, file: Path) -> "tuple[pb.ExplainAccessResponse, list[tuple[str, str]]]":
    """Return what the rules of a file make of who is shown, and lines of where the folders are."""
    from skillsvc.cli.explaining import explain_access, folders_of  # noqa: PLC0415 - pydantic takes long to come in
    from skillsvc.cli.explanations import partitions_of  # noqa: PLC0415 - as above
    from skillsvc.settings.refusal import SettingsRefused  # noqa: PLC0415 - as above
    from skillsvc.settings.settling import settings_of  # noqa: PLC0415 - as above
    from skillsvc.settings.toml_file import TomlFile  # noqa: PLC0415 - as above

    try:
        settings = settings_of(TomlFile.read(file))
        identity, why_not = shown.identity(settings, datetime.now(UTC))
    except SettingsRefused as refused:
        for fault in refused.faults:
            complain(fault)
        raise typer.Exit(FAILED) from None
    told = explain_access(settings, identity, why_not, project)
    folders = folders_of(settings, tuple(partitions_of(told)))
    return told, [("folder", f"{path} ({source})") for source, path in folders]


def _refuse_a_server(context: typer.Context) -> None:
    """End the command where a file and a server are said; one that the environment names is not meant then."""
    for name, option in (("data_dir", "--data-dir"), ("admin", "--admin")):
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            fail(f"say FILE, whose rules are looked at, or {option}, by which a server is asked for its own", USAGE)
