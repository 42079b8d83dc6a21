"""Examining settings: whether what they name is there on this machine."""

from pathlib import Path

from skillsvc.settings.examining import Remark, examine
from skillsvc.settings.settings import make_settings
from skillsvc.settings.sought import seek


def remarks(tables: dict[str, object], **environment: str) -> list[Remark]:
    settings = make_settings(tables)
    return list(examine(settings, seek(settings, environment), environment))


def of_source(source: dict[str, object], **environment: str) -> list[tuple[str, str, bool]]:
    found = remarks({"source": [{"name": "a", **source}]}, **environment)
    assert all(remark.place[:2] == ("source", 0) for remark in found)
    return [(".".join(map(str, place[2:])), sentence, is_mistake) for place, sentence, is_mistake in found]


def http(**said: object) -> dict[str, object]:
    return {"kind": "http", "url": "https://example.org", **said}


def file(path: Path, mode: int = 0o600) -> Path:
    path.write_text("secret")
    path.chmod(mode)
    return path


def test_a_directory_need_not_be_there_but_must_be_one(tmp_path: Path) -> None:
    assert of_source({"path": tmp_path}) == []
    assert of_source({"path": tmp_path / "none"}) == [
        ("path", "is not there; it counts as empty until it comes", False)
    ]
    assert of_source({"path": file(tmp_path / "file")}) == [("path", "is no directory", True)]


def test_what_nobody_can_look_at_is_told_as_such(tmp_path: Path) -> None:
    # Refused to everybody, also to a superuser, whom modes do not bind.
    beyond = tmp_path / ("x" * 300) / "x"
    assert of_source({"path": beyond}) == [("path", "cannot be read", True)]
    assert of_source(http(ca_file=beyond)) == [("ca_file", "cannot be read", True)]
    assert of_source(http(auth={"token_file": beyond})) == [("auth.token_file", "cannot be read", True)]


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    assert of_source(http(ca_file=file(tmp_path / "ca", 0o644))) == []
    assert of_source(http(ca_file=tmp_path / "none")) == [("ca_file", "is not there", True)]
    assert of_source(http(ca_file=tmp_path)) == [("ca_file", "is no file", True)]
    git: dict[str, object] = {"kind": "git", "url": "git@example.org:a", "ssh_key_file": tmp_path / "id"}
    assert of_source({**git, "known_hosts_file": tmp_path / "known"}) == [
        ("known_hosts_file", "is not there", True),
        ("ssh_key_file", "is not there", True),
    ]


def test_a_secret_that_anybody_may_read_is_warned_of(tmp_path: Path) -> None:
    open_to_all = file(tmp_path / "open", 0o644)
    warning = "holds a secret, and anybody may read or write it (chmod o-rw)"
    assert of_source(http(auth={"token_file": file(tmp_path / "closed", 0o640)})) == []
    assert of_source(http(auth={"token_file": open_to_all})) == [("auth.token_file", warning, False)]
    assert of_source(http(auth={"token_file": tmp_path / "none"})) == [("auth.token_file", "is not there", True)]
    known = file(tmp_path / "known", 0o644)
    git: dict[str, object] = {
        "kind": "git",
        "url": "git@example.org:a",
        "ssh_key_file": open_to_all,
        "known_hosts_file": known,
    }
    assert of_source(git) == [("ssh_key_file", warning, False)]


def test_a_variable_that_is_named_must_be_set() -> None:
    basic = http(auth={"username": "me", "password_env": "GIVEN"})
    unset = ("auth.password_env", "names GIVEN, which is not set in this environment", True)
    assert of_source(basic, GIVEN="x") == []
    assert of_source(basic, GIVEN="") == [unset]
    assert of_source(basic) == [unset]
    assert of_source(http(auth={"token_env": "GIVEN"}))[0][0] == "auth.token_env"


def test_a_secret_that_is_sent_in_the_clear_is_warned_of() -> None:
    warned = [("auth", "is sent without TLS, for all on the way to read", False)]
    auth = {"token_env": "GIVEN"}
    assert of_source(http(url="http://example.org", auth=auth), GIVEN="x") == warned
    oci: dict[str, object] = {"kind": "oci", "reference": "example.org/a:b", "auth": auth}
    assert of_source({**oci, "plain_http": True}, GIVEN="x") == warned
    assert of_source(oci, GIVEN="x") == []
    assert of_source(http(url="http://example.org")) == []


def test_a_provider_must_be_brought_by_a_package() -> None:
    ((key, sentence, is_mistake),) = of_source({"kind": "provider", "provider": "none-such"})
    assert (key, is_mistake) == ("provider", True)
    assert sentence.startswith("cannot be: no installed package has the provider 'none-such'")


def test_keys_of_tokens_are_read_as_a_start_reads_them(tmp_path: Path) -> None:
    source = {"name": "a", **http()}
    (remark,) = remarks({"server": {"token_key_file": file(tmp_path / "keys")}, "source": [source]})
    assert remark.place == ("server", "token_key_file")
    assert remark.is_mistake
    (tmp_path / "good").touch(mode=0o600)
    (tmp_path / "good").write_text("00" * 32 + "\n")
    assert remarks({"server": {"token_key_file": tmp_path / "good"}, "source": [source]}) == []


def test_a_home_that_is_not_known_is_warned_of() -> None:
    said: dict[str, object] = {"conventional": {"user": True}}
    warning = Remark(
        ("conventional", "user"),
        "cannot be found wholly: HOME is not set to a path in this environment",
        is_mistake=False,
    )
    assert remarks(said, HOME="/me") == []
    assert remarks(said) == remarks(said, XDG_CONFIG_HOME="/etc/me") == [warning]


def test_what_is_left_out_or_withheld_is_warned_of(tmp_path: Path) -> None:
    skills = tmp_path / ".agents" / "skills"
    skills.mkdir(parents=True)
    said: dict[str, object] = {
        "source": [{"name": "a", "path": skills}, {"name": "b", "path": skills}],
        "conventional": {"user": True, "project": True},
    }
    assert remarks(said, HOME=str(tmp_path)) == [
        Remark(("source", 1, "path"), "b is left out: it is the same directory as a", is_mistake=False),
        Remark(("conventional",), "user-agents is left out: it is the same directory as a", is_mistake=False),
        Remark(
            ("conventional", "project"),
            "is of a workspace that is not trusted, so its skills are withheld; say trusted = true to trust it",
            is_mistake=False,
        ),
    ]


def test_a_file_without_sources_is_warned_of_since_a_server_of_it_alone_does_not_start() -> None:
    warning = Remark(("source",), "is missing: nothing is served of this file without a --skills-dir", is_mistake=False)
    assert remarks({}) == [warning]
    assert remarks({"conventional": {"user": True}}, HOME="/me") == []
