"""Commands about a configuration: what they are, and what they say of themselves."""

from skillsvc.cli.config_commands import config


def test_every_command_says_what_it_does_and_gives_an_example() -> None:
    names = []
    for command in config.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        said, example, call = (command.callback.__doc__ or "").partition("Example: ")
        assert said
        assert example
        assert call.startswith(f"skillsvc config {name} ")
        names.append(name)
    assert names == ["check", "show", "schema", "import"]
