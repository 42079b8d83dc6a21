"""The command line: what `skillsvc` does, one command a function (contract.md, "Command line").

What takes long to come in (gRPC, protobuf, pydantic, rich) is imported where it is used, so that help and completion
are at hand at once.
"""

import signal
from importlib.metadata import version as version_of
from os import environ
from pathlib import Path
from typing import Annotated, Literal

import typer

from skillsvc.cli import catalog_commands, skill_commands
from skillsvc.cli.output import FAILED, USAGE, complain, print_line

LayoutName = Literal["flat", "nested"]
ProfileName = Literal["lenient", "strict"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def skillsvc(context: typer.Context) -> None:
    """Serve agent skills over gRPC, and look at what is served.

    Commands that ask a server end with status 1 where the answer is no, 2 where the command is not right, 3 where no
    server answers.
    """
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
    insecure: Annotated[bool, typer.Option("--insecure", help="Listen beyond this machine without TLS.")] = False,
    log_level: Annotated[Literal["debug", "info", "warning", "error"], typer.Option(help="What is logged.")] = "info",
) -> None:
    """Serve skills until SIGTERM or SIGINT.

    Prints `listening on ADDRESS` once it is ready; logs go to standard error.

    Example: skillsvc serve --skills-dir ~/my-skills --layout nested
    """
    from skillsvc.settings import Options, SettingsRefused, settle  # noqa: PLC0415 - see above

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
    # gRPC's core would write lines of its own between those of the log; ours tell of the same faults.
    environ.setdefault("GRPC_VERBOSITY", "NONE")
    from skillsvc.cli.starting import start  # noqa: PLC0415 - see above

    start(settings, log_level)


@app.command()
def check(
    *,
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="The directory to look at.")
    ],
    layout: Annotated[LayoutName, typer.Option(help="How deep skills lie.")] = "flat",
    profile: Annotated[ProfileName, typer.Option(help="What a breach does: warn, or refuse.")] = "lenient",
    single_files: Annotated[bool, typer.Option("--single-files", help="Take <name>.md for a skill, too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell what a server would make of a directory.

    Prints every diagnostic of every skill. Needs no server and writes nothing. Ends with status 1 where a skill, or the
    look at the directory, was refused.

    Example: skillsvc check ~/my-skills --layout nested
    """
    from skillsvc.cli import checking  # noqa: PLC0415 - see above
    from skillsvc.domain.limits import Limits  # noqa: PLC0415 - see above

    settings = checking.make_settings(directory, layout=layout, profile=profile, single_files=single_files)
    report = checking.check(settings, Limits())
    checking.print_report(report, json=json)
    if report.has_errors:
        raise typer.Exit(FAILED)


app.command("list")(catalog_commands.list_skills)
app.command()(skill_commands.show)
app.command()(skill_commands.body)
app.command()(skill_commands.assets)
app.command()(skill_commands.read)
app.command()(catalog_commands.search)
app.command()(skill_commands.activate)
app.command()(catalog_commands.render)
app.command()(catalog_commands.watch)
app.command()(catalog_commands.info)


@app.command()
def version() -> None:
    """Print the version."""
    print_line(version_of("skillsvc"))


def main() -> None:
    """Run the command line."""
    app(prog_name="skillsvc")
