"""The command line as a whole: its commands, its help, what it brings in."""

import json
import os
import subprocess
import sys
from importlib.metadata import version as version_of
from typing import get_args

from skillsvc.cli.app import LayoutName, ProfileName, app
from skillsvc.cli.asking import DEFAULT_ADDRESS
from skillsvc.parsing.findings import Profile
from skillsvc.settings.listening import DEFAULT_LISTEN
from skillsvc.sources.discovery import Layout

COMMANDS = {
    "access",
    "activate",
    "assets",
    "best-match",
    "body",
    "capabilities",
    "check",
    "collections",
    "config",
    "diagnostics",
    "diff",
    "enablement",
    "generations",
    "info",
    "list",
    "partitions",
    "revoke",
    "lift",
    "read",
    "refresh",
    "render",
    "report",
    "search",
    "serve",
    "show",
    "sources",
    "version",
    "watch",
}
SLOW = ["asyncio", "google.protobuf", "grpc", "pydantic", "rich", "skillsource", "yaml"]


def run(*command: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "100", **variables},
    )
    return done.stdout


def test_help_lists_the_commands_of_the_contract() -> None:
    _, _, listed = run("-m", "skillsvc", "--help").partition("Commands:\n")
    assert {line.split()[0] for line in listed.splitlines()} == COMMANDS


def test_every_command_says_what_it_does_and_gives_an_example() -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        said, example, call = (command.callback.__doc__ or "").partition("Example: ")
        assert said
        assert name == "version" or (example and call.startswith(f"skillsvc {name} "))


def test_the_version_is_told_by_option_and_command_and_as_json() -> None:
    number = version_of("skillsvc")
    assert run("-m", "skillsvc", "--version") == run("-m", "skillsvc", "version") == f"{number}\n"
    assert json.loads(run("-m", "skillsvc", "version", "--json")) == {"version": number}


def test_commands_and_options_are_completed() -> None:
    completed = run(
        "-m",
        "skillsvc",
        _SKILLSVC_COMPLETE="complete_bash",
        COMP_WORDS="skillsvc li",
        COMP_CWORD="1",
    )
    assert sorted(completed.split()) == ["lift", "list"]


def test_help_and_completion_bring_in_nothing_slow() -> None:
    brought = f"import sys, skillsvc.cli.app; print(*(name for name in {SLOW} if name in sys.modules))"
    assert run("-c", brought).split() == []


def test_names_of_options_are_those_of_the_settings() -> None:
    assert get_args(LayoutName) == tuple(layout.value for layout in Layout)
    assert get_args(ProfileName) == tuple(profile.value for profile in Profile)


def test_clients_ask_where_servers_listen_if_nobody_says_otherwise() -> None:
    assert DEFAULT_ADDRESS == DEFAULT_LISTEN
