"""Settings of a file and of options: which wins, and that every fault is told at once, with its line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skillsvc.parsing.findings import Profile
from skillsvc.settings.settling import Options, settings_of, settle
from skillsvc.settings.sources import SOURCE_TABLES, GitTable, HttpTable
from skillsvc.settings.toml_file import TomlFile
from skillsvc.sources.discovery import Layout
from tests.unit.settings.faults import faults_of_options

ROOT = Path(__file__).parents[3]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "skillsvc.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_relative_paths_of_a_file_are_relative_to_the_file(tmp_path: Path, written: Callable[[str], Path]) -> None:
    config = written(
        """
            [server]
            data_dir = "data"
            token_key_file = "/etc/skillsvc/keys"
            listen = "unix:skillsvc.sock"
            [conventional]
            project = true
            [[source]]
            name = "house"
            path = "skills/house"
            [[source]]
            name = "other"
            path = "/srv/other"
            [[source]]
            name = "git"
            kind = "git"
            url = "ssh://git@example.org/a"
            ca_file = "ca.pem"
            ssh_key_file = "id"
            known_hosts_file = "known"
            auth = { token_file = "secret" }
            [[source]]
            name = "http"
            kind = "http"
            url = "https://example.org/a"
            auth = { username = "me", password_file = "secret" }
        """
    )
    settings = settings_of(TomlFile.read(config))
    assert settings.server.data_dir == tmp_path / "data"
    assert settings.server.token_key_file == Path("/etc/skillsvc/keys")
    assert settings.conventional.workspace == tmp_path
    assert [source.path for source in settings.directories()] == [str(tmp_path / "skills/house"), "/srv/other"]
    *_, git, http = settings.source
    assert isinstance(git, GitTable)
    assert (git.ca_file, git.ssh_key_file, git.known_hosts_file) == (
        tmp_path / "ca.pem",
        tmp_path / "id",
        tmp_path / "known",
    )
    assert git.auth is not None
    assert git.auth.token_file == tmp_path / "secret"
    assert isinstance(http, HttpTable)
    assert http.auth is not None
    assert http.auth.password_file == tmp_path / "secret"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"[server", ":1: is no TOML: "),
        (b"a = 1\na = 2", ":2: is no TOML: "),
        (b"# \xc3\xa9\r\n[a]\r\nb =\r\n", ":3: is no TOML: "),
        (b'[a]\nb = """\n1\n', ":3: is no TOML: "),
        (b"a = [\n1,\n\nb = 2\n", ":4: is no TOML: "),
        (b"a = " + b"[" * 10_000, ":1: is no TOML: it is nested too deep"),
        (b'[server]\nlisten = "\xff"', ":2: is not UTF-8 at byte 19 of the file"),
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


def test_a_file_that_is_endless_is_refused() -> None:
    (fault,) = faults_of_options(Options(), Path("/dev/zero"))
    assert fault.startswith("/dev/zero is longer than ")


def test_every_fault_is_told_with_its_line_and_in_the_order_of_the_file(
    written: Callable[[str], Path],
) -> None:
    config = written(
        """\
# é
server.poll_s = 0
server.lisen = "x"

[[source]]
name = "tools"
layout = \'\'\'
deep\'\'\'

[limits]
asset_bites = 3
[[source]]
name = "tools"
kind = "git"
url = "https://example.org/a"
auth = { username = "x" }
allow_addresses = [
  "10.0.0.0/8", # [

  "10/8/8",
]
[source.limits]
heartbeat_s = 3
asset_bytes = 16_777_217
[[source]]
kind = "gti"
"""
    )
    told = [fault.removeprefix(f"{config}:").split(": ", 1) for fault in faults_of_options(Options(), config)]
    assert [(int(line), fault) for line, fault in told] == [
        (2, "[server] poll_s must be more than 0"),
        (3, "[server] lisen is not known; is listen meant?"),
        (5, "[[source]] 1 tools: path is missing"),
        (7, "[[source]] 1 tools: layout must be 'flat' or 'nested'"),
        (11, "[limits] asset_bites is not known; is asset_bytes meant?"),
        (13, "[[source]] 2 tools: name is tools, as that of another source; give each its own"),
        (16, "[[source]] 2 tools: auth must have one of password_env, password_file, token_env and token_file"),
        (
            20,
            "[[source]] 2 tools: allow_addresses.2 must be a host, an address, or a network such as 10.1.0.0/16",
        ),
        (23, "[[source]] 2 tools: limits.heartbeat_s is a limit of the server as a whole"),
        (
            24,
            "[[source]] 2 tools: limits.asset_bytes is 16777217; at most 16777216, as for the server, is possible",
        ),
        (26, "[[source]] 3 kind must be one of 'directory', 'git', 'http', 'well_known', 'oci', 'provider'"),
    ]


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
    config = written("x = 1")
    faults = faults_of_options(Options(workers=2, layout="nested", profile="strict"), config)
    assert faults == [
        "--workers must be 1 until processes share one log",
        "--layout is for the directories of --skills-dir; a [[source]] has its own",
        "--profile is for the directories of --skills-dir; a [[source]] has its own",
        f"{config}:1: x is not known",
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
        "[[source]] 2 dir-1: name is dir-1, as that of another source; give each its own"
    ]


def test_the_file_on_the_page_of_the_configuration_is_taken(written: Callable[[str], Path]) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    _, _, example = page.partition("```toml\n")
    settings = settle(written(example.partition("```")[0]), Options())
    assert [place.label for place in settings.directories()] == ["house", "vendor"]


def test_the_example_shows_every_kind_and_every_part_of_it_is_taken(written: Callable[[str], Path]) -> None:
    example = (ROOT / "examples" / "skillsvc.toml").read_text()
    whole = "\n".join(line if line.startswith("# ") else line.removeprefix("#") for line in example.splitlines())
    assert {source.kind for source in settings_of(TomlFile.read(written(whole))).source} == set(SOURCE_TABLES)
