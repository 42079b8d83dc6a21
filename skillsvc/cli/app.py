"""The command line: what `skillsvc` does, one command a function (contract.md, "Command line")."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Annotated

import typer

from skillsvc.cli.logs import log_to_stderr
from skillsvc.domain.errors import SkillsvcError
from skillsvc.parsing.findings import Profile
from skillsvc.service.server import CannotListen
from skillsvc.settings import Settings, SettingsRefused, make_settings, read_settings
from skillsvc.sources.discovery import Layout

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def serve(  # noqa: PLR0917 - typer reads the options of a command from its signature
    config: Annotated[Path | None, typer.Option(help="Read settings from this TOML file.")] = None,
    skills_dir: Annotated[list[Path] | None, typer.Option(help="Serve this directory; may be repeated.")] = None,
    layout: Annotated[Layout, typer.Option(help="How deep skills lie in the --skills-dir directories.")] = Layout.FLAT,
    profile: Annotated[Profile, typer.Option(help="Keep and warn, or refuse.")] = Profile.LENIENT,
    listen: Annotated[str | None, typer.Option(help="HOST:PORT, port 0 for any, or unix:PATH.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Keep state here; else in a folder that is removed.")] = None,
    workers: Annotated[int, typer.Option(help="Processes; 1 is all there is yet.")] = 1,
    insecure: Annotated[bool, typer.Option("--insecure", help="Listen beyond this machine without TLS.")] = False,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Serve skills until SIGTERM or SIGINT."""
    log_to_stderr(log_level)
    if workers != 1:
        _refuse("--workers must be 1 until processes share one log")
    try:
        settings = _settings(config, skills_dir or [], layout, profile, listen, data_dir, insecure=insecure)
        from skillsvc.cli.serving import serve as serve_settings  # noqa: PLC0415 - grpc takes a while to come in

        serve_settings(settings, lambda address: print(f"listening on {address}", flush=True))
    except (SettingsRefused, CannotListen) as error:
        _refuse(str(error))
    except SkillsvcError as error:
        _refuse(error.message)


@app.command()
def version() -> None:
    """Print the version."""
    print(version_of("skillsvc"))


def main() -> None:
    """Run the command line."""
    app()


def _settings(  # noqa: PLR0917 - the options of one command
    config: Path | None,
    skills_dirs: list[Path],
    layout: Layout,
    profile: Profile,
    listen: str | None,
    data_dir: Path | None,
    *,
    insecure: bool,
) -> Settings:
    """Return the settings of the file with those of the command line over them."""
    tables = read_settings(config).model_dump(exclude_unset=True) if config is not None else {}
    server = {"listen": listen, "data_dir": data_dir, "insecure": insecure or None}
    tables["server"] = {
        **tables.get("server", {}),
        **{key: value for key, value in server.items() if value is not None},
    }
    # Labels are counted, so that no path of this machine enters a name (rules.md 2).
    tables["source"] = [
        *tables.get("source", ()),
        *(
            {"name": f"dir-{number}", "path": path, "layout": layout, "profile": profile}
            for number, path in enumerate(skills_dirs, start=1)
        ),
    ]
    if not tables["source"]:
        raise SettingsRefused("nothing to serve: name a directory with --skills-dir, or a file with --config")
    return make_settings(tables)


def _refuse(message: str) -> None:
    print(f"skillsvc: {message}", file=sys.stderr)
    raise typer.Exit(2)
