"""Commands about a skillsvc.toml: what is wrong with it, what it comes to, what it may say, and where it may come from.

None of them needs a server, and none writes anything but its output.
"""

from os import environ
from pathlib import Path
from typing import Annotated, NoReturn, TypeAlias

import typer

from skillsvc.cli.output import FAILED, complain, count_of, print_line, print_text

config = typer.Typer(no_args_is_help=True, help="Look at a configuration: check, show, schema, import.")

ConfigFile: TypeAlias = Annotated[Path, typer.Argument(metavar="FILE", help="The skillsvc.toml.")]


@config.command()
def check(file: ConfigFile) -> None:
    """Tell every mistake in a configuration, with its line.

    Looks, too, whether what it names is there: files, the environment's variables, packages of providers. Directories
    of skills need not be there yet. Ends with status 1 where there is a mistake; warnings alone are none.

    Example: skillsvc config check skillsvc.toml
    """
    from skillsvc.settings.examining import examine  # noqa: PLC0415 - pydantic takes long to come in
    from skillsvc.settings.refusal import SettingsRefused  # noqa: PLC0415 - as above
    from skillsvc.settings.settling import settings_of  # noqa: PLC0415 - as above
    from skillsvc.settings.sought import seek  # noqa: PLC0415 - as above
    from skillsvc.settings.telling import name_of  # noqa: PLC0415 - as above
    from skillsvc.settings.toml_file import TomlFile  # noqa: PLC0415 - as above

    try:
        read = TomlFile.read(file)
        settings = settings_of(read)
        sought = seek(settings, environ)
    except SettingsRefused as refused:
        for fault in refused.faults:
            print_line(f"error: {fault}")
        print_line(count_of(len(refused.faults), "mistake"))
        raise typer.Exit(FAILED) from None
    remarks = sorted(
        (read.line_of(place), f"{name_of(place, read.tables)} {sentence}", is_mistake)
        for place, sentence, is_mistake in examine(settings, sought, environ)
    )
    for line, sentence, is_mistake in remarks:
        print_line(f"{'error' if is_mistake else 'warning'}: {file}:{line}: {sentence}")
    mistakes = sum(is_mistake for _line, _sentence, is_mistake in remarks)
    warnings = count_of(len(remarks) - mistakes, "warning")
    print_line(f"{count_of(len(settings.source), 'source')}: {count_of(mistakes, 'mistake')}, {warnings}")
    if mistakes:
        raise typer.Exit(FAILED)


@config.command()
def show(file: ConfigFile) -> None:
    """Print the settings in force, defaults included, as TOML.

    No secret is printed: of each, where it is and whether it is there. The query of a URL is masked, and so is what a
    provider is told that may be a secret.

    Example: skillsvc config show skillsvc.toml
    """
    from skillsvc.settings.refusal import SettingsRefused  # noqa: PLC0415 - pydantic takes long to come in
    from skillsvc.settings.settling import settings_of  # noqa: PLC0415 - as above
    from skillsvc.settings.showing import show as shown  # noqa: PLC0415 - as above
    from skillsvc.settings.sought import seek  # noqa: PLC0415 - as above
    from skillsvc.settings.toml_file import TomlFile  # noqa: PLC0415 - as above

    try:
        settings = settings_of(TomlFile.read(file))
        sought = seek(settings, environ)
    except SettingsRefused as refused:
        _refuse(refused.faults)
    print_text(shown(settings, sought, environ))


@config.command()
def schema() -> None:
    """Print the JSON Schema of a configuration, for editors and programs.

    Example: skillsvc config schema > skillsvc.schema.json
    """
    from skillsvc.settings.schema import schema as written  # noqa: PLC0415 - pydantic takes long to come in

    print_text(written())


@config.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The config.toml of ARES; it need not be there.")],
) -> None:
    """Make a configuration of the `[[skill_sources]]` of ARES.

    Prints a skillsvc.toml. What cannot be taken over is left out and told on standard error.

    Example: skillsvc config import ~/.ares/config.toml > skillsvc.toml
    """
    from skillsvc.settings.importing import import_ares  # noqa: PLC0415 - pydantic takes long to come in
    from skillsvc.settings.refusal import SettingsRefused  # noqa: PLC0415 - as above

    try:
        imported = import_ares(file, environ.get("HOME", ""))
    except SettingsRefused as refused:
        _refuse(refused.faults)
    for note in imported.notes:
        complain(note)
    print_text(imported.text)


def _refuse(faults: tuple[str, ...]) -> NoReturn:
    for fault in faults:
        complain(fault)
    raise typer.Exit(FAILED)
