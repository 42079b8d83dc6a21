"""Commands about who may call: what an identity would get and why, and tokens for callers that have nothing better."""

from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from secrets import token_urlsafe
from sys import stdin
from typing import Annotated, Any

import typer

from skillsvc.cli.output import FAILED, USAGE, complain, fail, print_line, print_pairs, print_table, print_text

access = typer.Typer(no_args_is_help=True, help="Look at who may call: explain, new-token.")

_TOKEN_BYTES = 32
_JWT_BYTES = 64 * 1024


@access.command()
def explain(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The skillsvc.toml.")],
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
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what an identity would get by a configuration, and why, rule by rule.

    Needs no server. Of --jwt, it is also told whether the token is good as of now; for that the keys of its issuer are
    read, or fetched. Ends with status 1 where the identity would be refused.

    Example: skillsvc access explain skillsvc.toml --issuer corp --sub alice --claim org=acme
    """
    from skillsvc.cli.explaining import (  # noqa: PLC0415 - pydantic and cryptography take long to come in
        NothingToExplain,
        Shown,
        explain_access,
    )
    from skillsvc.settings.refusal import SettingsRefused  # noqa: PLC0415 - as above
    from skillsvc.settings.settling import settings_of  # noqa: PLC0415 - as above
    from skillsvc.settings.toml_file import TomlFile  # noqa: PLC0415 - as above

    text = None if jwt is None else _text_of(jwt)
    shown = Shown(
        spiffe=spiffe, subject=subject, token=token_name, jwt=text, issuer=issuer, sub=sub, claims=tuple(claim or ())
    )
    if not shown.is_one_way():
        fail("say one of --spiffe, --subject, --token-name, --jwt, and --issuer with --sub", USAGE)
    try:
        settings = settings_of(TomlFile.read(file))
        identity, why_not = shown.identity(settings, datetime.now(UTC))
    except SettingsRefused as refused:
        for fault in refused.faults:
            complain(fault)
        raise typer.Exit(FAILED) from None
    except NothingToExplain as error:
        fail(str(error))
    explanation = explain_access(settings, identity, why_not)
    if json:
        print_text(dumps(explanation.plain(), indent=2, ensure_ascii=False) + "\n")
    else:
        print_pairs(explanation.outcome())
        if explanation.rules:
            print_table(("rule", "verdict", "why"), explanation.rules, wrapped=True)
    if explanation.is_refused:
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


def _text_of(path: Path) -> str:
    try:
        with stdin.buffer if str(path) == "-" else path.open("rb") as file:
            return file.read(_JWT_BYTES).decode(errors="replace").strip().removeprefix("Bearer ")
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror}")
