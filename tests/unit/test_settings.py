"""Settings: what can be said, what is refused, and that every fault is told at once in the words of the file."""

import tomllib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from skillsvc.domain.limits import Limits
from skillsvc.parsing.findings import Profile
from skillsvc.settings import (
    DEFAULT_LISTEN,
    Options,
    SettingsRefused,
    is_of_this_machine,
    make_settings,
    read_tables,
    settle,
)
from skillsvc.sources.discovery import Layout

SOURCE = {"name": "house", "path": "skills"}

OF_THIS_MACHINE = [
    "127.0.0.1:50051",
    "127.0.0.1:0",
    "127.8.9.10:1",
    "localhost:50051",
    "[::1]:50051",
    "[0:0:0:0:0:0:0:1]:1",
    "[::ffff:127.0.0.1]:1",
    "[::ffff:7f00:1]:1",
    "unix:skillsvc.sock",
    "unix:/run/skillsvc.sock",
    "unix:///run/skillsvc.sock",
]

BEYOND_THIS_MACHINE = [
    "0.0.0.0:50051",
    "10.0.0.1:50051",
    "128.0.0.1:50051",
    "[::]:50051",
    "[0:0:0:0:0:0:0:0]:1",
    "[::ffff:0.0.0.0]:1",
    "[::ffff:10.0.0.1]:1",
    "[::ffff:a00:1]:1",
    "[fe80::1]:1",
    "example.org:50051",
    "localhost.example.org:50051",
    "localhost.:50051",
    "LOCALHOST:50051",
    "ip6-localhost:50051",
    # Other spellings of addresses, which a resolver may read in its own way.
    "127.1:50051",
    "2130706433:50051",
    "0127.0.0.1:50051",
    "0x7f.0.0.1:50051",
]

NO_ADDRESS = [
    "",
    "50051",
    ":50051",
    "localhost",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:x",
    "127.0.0.1:-1",
    "127.0.0.1:65536",
    "127.0.0.1:500510",
    "127.0.0.1:\u0661",
    "127.0.0.1:1 ",
    "127.0.0.1:1\n",
    "127.0.0.1:1,0.0.0.0:2",
    "::1",
    "::1:50051",
    "::",
    "[::1]",
    "[::1%lo]:1",
    "[127.0.0.1:1",
    "*:50051",
    "ipv4:0.0.0.0:50051",
    "ipv4:127.0.0.1:1",
    "dns:///localhost:1",
    "http://127.0.0.1:1",
    "unix-abstract:skillsvc",
    "unix:",
    "unix:a\0b",
    "unix:" + "x" * 108,
]


def faults_of(tables: dict[str, object]) -> list[str]:
    with pytest.raises(SettingsRefused) as caught:
        make_settings(tables)
    return list(caught.value.faults)


def faults_of_options(options: Options, config: Path | None = None) -> list[str]:
    with pytest.raises(SettingsRefused) as caught:
        settle(config, options)
    return list(caught.value.faults)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "skillsvc.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("listen", OF_THIS_MACHINE)
def test_loopback_and_unix_sockets_are_listened_on(listen: str) -> None:
    assert is_of_this_machine(listen)
    assert make_settings({"server": {"listen": listen}}).server.listen == listen


@pytest.mark.parametrize("listen", BEYOND_THIS_MACHINE)
def test_any_other_address_is_refused_unless_insecure_is_said(listen: str) -> None:
    assert not is_of_this_machine(listen)
    (fault,) = faults_of({"server": {"listen": listen}})
    assert fault.startswith(f"[server] listen is {listen}; without TLS and access rules")
    assert "127.0.0.1:PORT" in fault
    assert make_settings({"server": {"listen": listen, "insecure": True}}).server.listen == listen


@pytest.mark.parametrize("insecure", [False, True])
@pytest.mark.parametrize("listen", NO_ADDRESS, ids=ascii)
def test_what_is_no_address_is_refused_in_any_case(listen: str, *, insecure: bool) -> None:
    (fault,) = faults_of({"server": {"listen": listen, "insecure": insecure}})
    assert fault.startswith("[server] listen is ")


def test_nothing_said_is_a_server_on_loopback_with_the_default_limits() -> None:
    settings = make_settings({})
    assert settings.server.listen == DEFAULT_LISTEN == "127.0.0.1:50051"
    assert not settings.server.insecure
    assert settings.make_limits() == Limits()
    assert settings.directories() == ()


def test_every_fault_is_told_at_once() -> None:
    faults = faults_of(
        {
            "server": {"listen": "0.0.0.0:1", "lisen": "x", "poll_s": 0, "drain_s": "soon"},
            "limits": {"asset_bytes": 2**40, "asset_bites": 1},
            "source": [{"name": "a"}, {"name": "B", "path": "b", "layout": "deep", "depth": 3}],
            "sources": [],
        }
    )
    assert [fault.partition(" is 0.0.0.0")[0] for fault in faults] == [
        "[server] listen",
        "[server] poll_s must be more than 0",
        "[server] drain_s must be a number",
        "[server] lisen is not known",
        "[limits] the limit asset_bytes is 1099511627776; at most 67108864 (the cap of the contract) is possible",
        "[limits] asset_bites is not known",
        "[[source]] 1 path is missing",
        "[[source]] 2 name is a lower-case letter or digit, then up to 63 of those, `_` or `-`",
        "[[source]] 2 layout must be 'flat' or 'nested'",
        "[[source]] 2 depth is not known",
        "sources is not known",
    ]


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({"server": []}, "[server] must be a table"),
        ({"limits": 1}, "[limits] must be a table"),
        ({"source": {}}, "[[source]] must be tables, each begun by [[source]]"),
        ({"source": ["skills"]}, "[[source]] 1 must be a table"),
        ({"source": [{**SOURCE, "kind": "git"}]}, "[[source]] 1 kind must be 'directory'"),
        ({"source": [{**SOURCE, "profile": "loose"}]}, "[[source]] 1 profile must be 'lenient' or 'strict'"),
        ({"source": [{**SOURCE, "single_files": "yes"}]}, "[[source]] 1 single_files must be true or false"),
        ({"source": [{**SOURCE, "path": 1}]}, "[[source]] 1 path must be text"),
        ({"server": {"insecure": "yes"}}, "[server] insecure must be true or false"),
        ({"server": {"insecure": 1}}, "[server] insecure must be true or false"),
        ({"server": {"listen": 50051}}, "[server] listen must be text"),
        ({"server": {"data_dir": 1}}, "[server] data_dir must be text"),
        ({"server": {"poll_s": "60"}}, "[server] poll_s must be a number"),
        ({"server": {"poll_s": float("inf")}}, "[server] poll_s must be finite"),
        ({"server": {"drain_s": -0.5}}, "[server] drain_s must be at least 0"),
    ],
    ids=repr,
)
def test_a_fault_names_its_place_and_what_would_do(tables: dict[str, object], fault: str) -> None:
    assert faults_of(tables) == [fault]


@pytest.mark.parametrize("name", ["", "A", "-a", "_a", "a b", "a/b", "a\n", "é", "a" * 65])
def test_a_label_that_is_no_name_is_refused(name: str) -> None:
    (fault,) = faults_of({"source": [{"name": name, "path": "skills"}]})
    assert fault.startswith("[[source]] 1 name is a lower-case letter or digit")


def test_two_sources_of_one_name_are_refused() -> None:
    tables: dict[str, object] = {"source": [SOURCE, {**SOURCE, "path": "other"}, SOURCE, {"name": "b", "path": "b"}]}
    assert faults_of(tables) == ["[[source]] has two of the name house; give each its own"]


@pytest.mark.parametrize(("name", "default"), [(field.name, getattr(Limits(), field.name)) for field in fields(Limits)])
def test_a_limit_can_be_lowered(name: str, default: float) -> None:
    assert getattr(make_settings({"limits": {name: default - 1}}).make_limits(), name) == default - 1


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("description_bytes", 801, "the limit description_bytes is 801; at most 800 (the cap of the contract)"),
        ("body_bytes", 2**20 + 1, "the limit body_bytes is 1048577; at most 1048576 (the cap of the contract)"),
        ("assets", 1025, "the limit assets is 1025; at most 1024 (the cap of the contract)"),
        ("assets", 0, "the limit assets is 0; it must be more than 0"),
        ("assets", -1, "the limit assets is -1; it must be more than 0"),
        ("assets", 10.0, "assets is 10.0; it must be a whole number"),
        ("assets", True, "assets must be a number"),
        ("assets", "10", "assets must be a number"),
        ("heartbeat_s", float("nan"), "heartbeat_s must be a number"),
        ("heartbeat_s", float("inf"), "heartbeat_s must be a number"),
        ("heartbeat_s", 0, "the limit heartbeat_s is 0; it must be more than 0"),
        ("nothing", 1, "nothing is not known"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(name: str, value: object, fault: str) -> None:
    (told,) = faults_of({"limits": {name: value}})
    assert told.startswith(f"[limits] {fault}")


def test_relative_paths_of_a_file_are_relative_to_the_file(tmp_path: Path, written: Callable[[str], Path]) -> None:
    tables = read_tables(
        written(
            """
            [server]
            data_dir = "data"
            token_key_file = "/etc/skillsvc/keys"
            listen = "unix:skillsvc.sock"
            [[source]]
            name = "house"
            path = "skills/house"
            [[source]]
            name = "other"
            path = "/srv/other"
            """
        )
    )
    settings = make_settings(tables)
    assert settings.server.data_dir == tmp_path / "data"
    assert settings.server.token_key_file == Path("/etc/skillsvc/keys")
    assert [source.path for source in settings.directories()] == [str(tmp_path / "skills/house"), "/srv/other"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"[server", " is no TOML: "),
        (b"a = 1\na = 2", " is no TOML: "),
        (b'[server]\nlisten = "\xff"', " is not UTF-8 at byte 19"),
    ],
)
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "skillsvc.toml"
    path.write_bytes(content)
    (told,) = faults_of_options(Options(), path)
    assert told.startswith(f"{path}{fault}")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert faults_of_options(Options(), tmp_path / "none.toml") == [
        f"{tmp_path / 'none.toml'} cannot be read: No such file or directory"
    ]
    assert faults_of_options(Options(), tmp_path) == [f"{tmp_path} cannot be read: Is a directory"]


def test_options_win_over_the_file(tmp_path: Path, written: Callable[[str], Path]) -> None:
    config = written(
        """
        [server]
        listen = "127.0.0.1:1"
        data_dir = "one"
        poll_s = 5
        [limits]
        assets = 3
        [[source]]
        name = "house"
        path = "house"
        profile = "strict"
        """
    )
    options = Options(
        skills_dirs=(Path("a"), Path("b")), layout="nested", listen="[::1]:0", data_dir=Path("two"), insecure=True
    )
    settings = settle(config, options)
    assert (settings.server.listen, settings.server.data_dir) == ("[::1]:0", Path("two"))
    assert settings.server.insecure
    assert (settings.server.poll_s, settings.make_limits().assets) == (5, 3)
    read = [(place.label, place.path, place.reading.layout, place.reading.profile) for place in settings.directories()]
    assert read == [
        ("house", str(tmp_path / "house"), Layout.FLAT, Profile.STRICT),
        ("dir-1", "a", Layout.NESTED, Profile.LENIENT),
        ("dir-2", "b", Layout.NESTED, Profile.LENIENT),
    ]


def test_what_no_option_says_is_left_to_the_file(written: Callable[[str], Path]) -> None:
    config = written('[server]\nlisten = "0.0.0.0:1"\ninsecure = true\n[[source]]\nname = "a"\npath = "a"\n')
    settings = settle(config, Options())
    assert settings.server.insecure
    assert settings.server.listen == "0.0.0.0:1"


def test_an_option_can_make_the_address_of_a_file_unsafe(written: Callable[[str], Path]) -> None:
    config = written('[server]\nlisten = "127.0.0.1:1"\n[[source]]\nname = "a"\npath = "a"\n')
    (fault,) = faults_of_options(Options(listen="0.0.0.0:1"), config)
    assert fault.startswith("[server] listen is 0.0.0.0:1; without TLS")


@pytest.mark.parametrize("text", ["server = 1", "source = 1", 'server = 1\nsource = "x"'])
def test_tables_that_are_none_are_told_though_options_lie_over_them(written: Callable[[str], Path], text: str) -> None:
    faults = faults_of_options(Options(skills_dirs=(Path("a"),), listen="127.0.0.1:0"), written(text))
    assert all(" must be " in fault for fault in faults)


def test_faults_of_options_and_of_the_file_come_together(written: Callable[[str], Path]) -> None:
    faults = faults_of_options(Options(workers=2, layout="nested", profile="strict"), written("x = 1"))
    assert faults == [
        "--workers must be 1 until processes share one log",
        "--layout is for the directories of --skills-dir; a [[source]] has its own",
        "--profile is for the directories of --skills-dir; a [[source]] has its own",
        "x is not known",
    ]


def test_a_server_needs_something_to_serve(written: Callable[[str], Path]) -> None:
    assert faults_of_options(Options()) == [
        "nothing to serve: name a directory with --skills-dir, or a file with --config"
    ]
    config = written("")
    assert faults_of_options(Options(), config) == [
        f"nothing to serve: {config} has no [[source]], and there is no --skills-dir"
    ]


def test_a_counted_label_may_not_be_taken_by_the_file(written: Callable[[str], Path]) -> None:
    config = written('[[source]]\nname = "dir-1"\npath = "a"\n')
    assert faults_of_options(Options(skills_dirs=(Path("b"),)), config) == [
        "[[source]] has two of the name dir-1; give each its own"
    ]


def test_the_file_on_the_page_of_the_configuration_is_taken() -> None:
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    _, _, example = page.read_text().partition("```toml\n")
    settings = make_settings(tomllib.loads(example.partition("```")[0]))
    assert [place.label for place in settings.directories()] == ["house", "vendor"]


def test_settings_cannot_be_changed() -> None:
    settings = make_settings({})
    with pytest.raises(ValueError, match="frozen"):
        settings.server = settings.server
