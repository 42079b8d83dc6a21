"""The command line: what `skillsvc` does, one command a function (contract.md, "Command line").

What takes long to come in (gRPC, protobuf, pydantic, rich) is imported where it is used, so that help and completion
are at hand at once.
"""

import signal
from functools import partial
from importlib.metadata import version as version_of
from json import dumps
from os import environ
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup
from typing_extensions import override

from skillsvc.cli import (
    access_commands,
    catalog_commands,
    config_commands,
    enablement_commands,
    generation_commands,
    outcome_commands,
    partition_commands,
    skill_commands,
    source_commands,
)
from skillsvc.cli.hang_ups import HangUps
from skillsvc.cli.output import FAILED, USAGE, complain, print_line

LayoutName = Literal["flat", "nested"]
ProfileName = Literal["lenient", "strict"]

SeverityName = Literal["note", "warning", "error"]


class _Commands(TyperGroup):
    """The commands, whose faults are told in this command line's words alone."""

    @override
    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            # What checks a choice for typer puts this before its sentence.
            error.message = error.message.removeprefix("Value error, ")
            raise


def _print_version(asked: bool) -> None:
    if asked:
        print_line(version_of("skillsvc"))
        raise typer.Exit


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def skillsvc(
    context: typer.Context,
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Serve agent skills over gRPC, and look at what is served.

    Commands that ask a server end with status 1 where the answer is no, 2 where the command is not right, 3 where no
    server answers.
    """
    # gRPC's core would write lines of its own between ours, which tell of the same faults.
    environ.setdefault("GRPC_VERBOSITY", "NONE")
    if context.invoked_subcommand != "serve":
        # Ctrl-C and a reader that has seen enough end a command at once and quietly, as they end others.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


@app.command()
def serve(
    *,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Read settings from this TOML file.")] = None,
    skills_dir: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="Serve this directory; may be repeated.")
    ] = None,
    layout: Annotated[
        LayoutName | None, typer.Option(help="How deep skills lie in each --skills-dir; else flat.")
    ] = None,
    profile: Annotated[
        ProfileName | None, typer.Option(help="What a breach does in each --skills-dir: warn, or refuse; else lenient.")
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT|unix:PATH", help="Listen here, else on 127.0.0.1:50051; port 0 picks one."),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep state here, else in a folder that is removed at the end.")
    ] = None,
    workers: Annotated[int, typer.Option(metavar="N", help="Processes; 1 is all there is yet.")] = 1,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond this machine without TLS, or access rules.")
    ] = False,
    log_level: Annotated[Literal["debug", "info", "warning", "error"], typer.Option(help="What is logged.")] = "info",
) -> None:
    """Serve skills until SIGTERM or SIGINT; SIGHUP has the file read anew.

    Prints `listening on ADDRESS` once it is ready; logs go to standard error.

    Example: skillsvc serve --skills-dir ~/my-skills --layout nested
    """
    hang_ups = HangUps()
    from skillsvc.settings.refusal import SettingsRefused  # noqa: PLC0415 - see above
    from skillsvc.settings.settling import Options, settle  # noqa: PLC0415 - see above

    options = Options(
        skills_dirs=tuple(skills_dir or ()),
        layout=layout,
        profile=profile,
        listen=listen,
        data_dir=data_dir,
        workers=workers,
        insecure=insecure,
    )
    try:
        settings = settle(config, options)
    except SettingsRefused as refused:
        for fault in refused.faults:
            complain(fault)
        raise typer.Exit(USAGE) from None
    from skillsvc.cli.starting import start  # noqa: PLC0415 - see above

    start(settings, log_level, read_anew=partial(settle, config, options), hang_ups=hang_ups)


@app.command()
def check(
    *,
    directories: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR", exists=True, file_okay=False, help="What to look at, strongest first."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Look at the sources of this TOML file, before each DIR.")
    ] = None,
    layout: Annotated[LayoutName | None, typer.Option(help="How deep skills lie in each DIR; else flat.")] = None,
    profile: Annotated[
        ProfileName | None, typer.Option(help="What a breach does in each DIR: warn, or refuse; else lenient.")
    ] = None,
    single_files: Annotated[
        bool, typer.Option("--single-files", help="Take <name>.md in each DIR for a skill, too.")
    ] = False,
    min_severity: Annotated[SeverityName, typer.Option(help="Print no lesser diagnostics; all are counted.")] = "note",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what a server would make of directories.

    Prints every diagnostic of every skill, with the folder below its source in brackets, and why a skill is not ready,
    by the [readiness] of a file. Several directories are taken
    in order of precedence. One that is a skill itself is looked at as a skill in a folder of that name. Needs no server
    and writes nothing. Of a file, directories alone are looked at; what is passed over is told on standard error. Ends
    with status 1 where a skill, or the look at a source, was refused.

    Example: skillsvc check ~/my-skills --layout nested
    """
    from skillsvc.cli import checking  # noqa: PLC0415 - see above
    from skillsvc.settings.refusal import SettingsRefused  # noqa: PLC0415 - see above
    from skillsvc.settings.settling import Options  # noqa: PLC0415 - see above

    options = Options(skills_dirs=tuple(directories or ()), layout=layout, profile=profile)
    try:
        found = checking.settle_sources(config, options, environ, single_files=single_files)
    except SettingsRefused as refused:
        for fault in refused.faults:
            complain(fault)
        raise typer.Exit(USAGE) from None
    for sentence in found.passed_over:
        complain(sentence)
    report = checking.check(found.sources, found.limits, found.tables, found.vouched)
    checking.print_report(report, least=min_severity, json=json)
    if report.has_errors:
        raise typer.Exit(FAILED)


app.command("list")(catalog_commands.list_skills)
app.command()(catalog_commands.collections)
app.command()(skill_commands.show)
app.command()(skill_commands.body)
app.command()(skill_commands.assets)
app.command()(skill_commands.read)
app.command()(catalog_commands.search)
app.command()(catalog_commands.capabilities)
app.command()(skill_commands.activate)
app.command()(outcome_commands.report)
app.command("best-match")(outcome_commands.best_match)
app.command()(catalog_commands.render)
app.command()(catalog_commands.watch)
app.command()(catalog_commands.info)
app.command()(source_commands.sources)
app.command()(source_commands.refresh)
app.command()(source_commands.diagnostics)
app.command()(generation_commands.generations)
app.command()(generation_commands.diff)
app.command()(partition_commands.partitions)
app.command()(partition_commands.revoke)
app.command()(partition_commands.lift)
app.add_typer(config_commands.config, name="config")
app.add_typer(access_commands.access, name="access")
app.add_typer(enablement_commands.enablement, name="enablement")


@app.command()
def version(*, json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Print the version."""
    number = version_of("skillsvc")
    print_line(dumps({"version": number}) if json else number)


def main() -> None:
    """Run the command line."""
    app(prog_name="skillsvc")
