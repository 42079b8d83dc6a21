"""The commands against a server of another machine, as far as they know: by TLS, and as who they show to be."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509

from skillsvc.service.identities.static_tokens import line_of
from tests.integration.commands import Done, skillsvc
from tests.integration.test_tls_serve import EXAMPLES, Serving, serving
from tests.simulators.authority import Authority, Files, Issued

OPERATOR = "spiffe://example.org/operators/one"
AGENT = "spiffe://example.org/agents/one"
TOKEN = "t" * 43
OPERATORS_TOKEN = "o" * 43
CERTIFICATES = """
[server]
listen = "127.0.0.1:0"
data_dir = "data"
[tls]
cert_file = "server.pem"
key_file = "server.key"
client = "required"
client_ca_file = "clients.pem"
[admin]
listen = "127.0.0.1:0"
[identity]
certificates = true
[[access]]
name = "agents"
kind = "spiffe"
names = "spiffe://example.org/agents/*"
[[access]]
name = "operators"
kind = "spiffe"
names = "spiffe://example.org/operators/*"
roles = ["admin"]
[[source]]
name = "house"
path = "{skills}"
"""
TOKENS = """
[server]
listen = "127.0.0.1:0"
data_dir = "data"
[tls]
cert_file = "server.pem"
key_file = "server.key"
[admin]
listen = "127.0.0.1:0"
[identity.tokens]
file = "tokens"
[[access]]
name = "robots"
kind = "token"
names = "ci"
[[access]]
name = "operators"
kind = "token"
names = "ops"
roles = ["admin"]
[[source]]
name = "house"
path = "{skills}"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server, and what its callers have: files of theirs in a folder."""

    server: Serving
    folder: Path
    clients: Authority

    @property
    def admin(self) -> str:
        return self.server.addresses["remote_admin"]

    @property
    def address(self) -> str:
        return self.server.addresses["address"]

    def show(self, uri: str) -> list[str]:
        """Return the options of a caller with a certificate of a SPIFFE id."""
        return self.put("caller", self.clients.issue(x509.UniformResourceIdentifier(uri), subject="caller"))

    def put(self, name: str, issued: Issued) -> list[str]:
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        certificate.write_bytes(issued.certificate)
        key.write_bytes(issued.key)
        return ["--ca-file", str(self.folder / "ca.pem"), "--cert-file", str(certificate), "--key-file", str(key)]


@pytest.fixture(scope="module")
def mutual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    """A server whose callers have certificates."""
    yield from _remote(tmp_path_factory.mktemp("mutual"), CERTIFICATES, is_mutual=True)


@pytest.fixture(scope="module")
def bearer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    """A server whose callers have tokens."""
    yield from _remote(tmp_path_factory.mktemp("bearer"), TOKENS, is_mutual=False)


def _remote(folder: Path, config: str, *, is_mutual: bool) -> Iterator[Remote]:
    authority, clients = Authority(), Authority("clients")
    Files(folder).put(authority.issue(), clients=clients.certificate if is_mutual else b"")
    (folder / "ca.pem").write_bytes(authority.certificate)
    (folder / "tokens").write_text(f"{line_of('ci', TOKEN)}\n{line_of('ops', OPERATORS_TOKEN)}\n")
    (folder / "skillsvc.toml").write_text(config.format(skills=EXAMPLES))
    with serving(folder / "skillsvc.toml") as server:
        yield Remote(server=server, folder=folder, clients=clients)


def answered(done: Done) -> list[list[str]]:
    assert (done.status, done.complained) == (0, "")
    return [line.split("\t") for line in done.lines]


def test_each_command_of_operators_reaches_the_admin_listener(mutual: Remote) -> None:
    shown = ["--admin", mutual.admin, *mutual.show(OPERATOR)]
    assert [line[:3] for line in answered(skillsvc("sources", *shown))] == [["house", "directory", "COMPLETE"]]
    assert answered(skillsvc("refresh", "house", *shown, "--json"))
    skillsvc("diagnostics", *shown)
    held = answered(skillsvc("generations", *shown))
    assert answered(skillsvc("diff", held[-1][0], held[0][0], *shown))
    assert [line[0] for line in answered(skillsvc("partitions", *shown))] == ["deployment"]
    assert answered(skillsvc("revoke", "nothing", *shown))
    assert answered(skillsvc("lift", "nothing", *shown)) == [["nothing may be published again"]]
    told = dict(line[:2] for line in answered(skillsvc("access", "explain", "--spiffe", AGENT, *shown)))
    assert (told["access"], told["reads"]) == ("by the rule agents", f"the deployment (12 skills), {AGENT}")


def test_the_commands_of_readers_have_the_same_options(mutual: Remote) -> None:
    shown = ["--address", mutual.address, *mutual.show(AGENT)]
    assert len(answered(skillsvc("list", *shown))) == 12
    assert skillsvc("body", "csv-check", *shown).status == 0
    assert skillsvc("info", *shown).status == 0


def test_tokens_come_from_files_or_the_environment(bearer: Remote) -> None:
    (bearer.folder / "mine").write_text(f"{OPERATORS_TOKEN}\n")
    believing = ["--ca-file", str(bearer.folder / "ca.pem")]
    assert answered(skillsvc("sources", "--admin", bearer.admin, *believing, "--token-file", bearer.folder / "mine"))
    assert answered(skillsvc("sources", "--admin", bearer.admin, *believing, SKILLSVC_TOKEN=OPERATORS_TOKEN))
    variables = {"SKILLSVC_CA_FILE": str(bearer.folder / "ca.pem"), "SKILLSVC_TOKEN_FILE": str(bearer.folder / "mine")}
    assert answered(skillsvc("sources", SKILLSVC_ADMIN=bearer.admin, **variables))
    assert answered(skillsvc("list", "--address", bearer.address, *believing, SKILLSVC_TOKEN=TOKEN))
    # The file that is named comes before whatever is around.
    file = ["--token-file", str(bearer.folder / "mine")]
    assert answered(skillsvc("sources", "--admin", bearer.admin, *believing, *file, SKILLSVC_TOKEN=TOKEN))


def test_no_token_is_ever_an_argument(bearer: Remote) -> None:
    done = skillsvc("sources", "--admin", bearer.admin, "--token", TOKEN)
    assert done.status == 2
    assert "No such option" in done.complained


def complaint(done: Done, status: int) -> str:
    assert (done.status, done.printed) == (status, b"")
    (line,) = done.complained.splitlines()
    return line.removeprefix("skillsvc: ")


def test_whoever_lacks_the_role_is_told_so_in_words(mutual: Remote, bearer: Remote) -> None:
    words = "the call needs the role admin, which no access rule of the server gives to whoever this is (ROLE_MISSING)"
    assert complaint(skillsvc("sources", "--admin", mutual.admin, *mutual.show(AGENT)), 1) == words
    believing = ["--ca-file", str(bearer.folder / "ca.pem")]
    assert complaint(skillsvc("sources", "--admin", bearer.admin, *believing, SKILLSVC_TOKEN=TOKEN), 1) == words


def test_whoever_shows_nothing_or_what_is_wrong_is_told_so(bearer: Remote) -> None:
    believing = ["--ca-file", str(bearer.folder / "ca.pem")]
    for asked in (["sources", "--admin", bearer.admin], ["list", "--address", bearer.address]):
        assert complaint(skillsvc(*asked, *believing), 1) == (
            f"{asked[-1]} wants to know who asks: --cert-file with --key-file or --token-file say so "
            "(CREDENTIALS_MISSING)"
        )
        assert complaint(skillsvc(*asked, *believing, SKILLSVC_TOKEN="x" * 43), 1) == (
            "the credentials are not valid (CREDENTIALS_INVALID)"
        )


@pytest.mark.parametrize("command", ["list", "sources"])
def test_a_server_that_is_not_believed_is_told_from_one_that_is_not_there(mutual: Remote, command: str) -> None:
    address = mutual.admin if command == "sources" else mutual.address
    where = ["--admin" if command == "sources" else "--address", address]
    shown = mutual.show(OPERATOR)
    other = mutual.folder / "other.pem"
    other.write_bytes(Authority("other").certificate)
    assert complaint(skillsvc(command, *where, *shown[2:], "--ca-file", other), 3) == (
        f"the certificate of {address} is of no authority that is believed here: --ca-file names those that are "
        "(UNAVAILABLE)"
    )
    # By a name that it is not issued for.
    elsewhere = address.replace("127.0.0.1", "127.0.0.2")
    assert "no server answers at" in complaint(skillsvc(command, where[0], elsewhere, *shown), 3)


@pytest.mark.parametrize("shows", [False, True])
def test_a_server_that_wants_a_certificate_says_so(mutual: Remote, *, shows: bool) -> None:
    strange = mutual.put("stranger", Authority("strange").issue(subject="stranger"))
    shown = strange if shows else ["--ca-file", str(mutual.folder / "ca.pem")]
    assert complaint(skillsvc("sources", "--admin", mutual.admin, *shown), 3) == (
        f"{mutual.admin} wants a client certificate that it believes: --cert-file and --key-file show one (UNAVAILABLE)"
    )


@pytest.mark.parametrize("command", ["list", "sources"])
def test_a_key_of_another_certificate_is_told(mutual: Remote, command: str) -> None:
    address = mutual.admin if command == "sources" else mutual.address
    where = ["--admin" if command == "sources" else "--address", address]
    shown = mutual.show(OPERATOR)
    other = mutual.put("other", mutual.clients.issue(subject="other"))
    assert complaint(skillsvc(command, *where, *shown[:-1], other[-1]), 3) == (
        f"the key in --key-file is not that of the certificate in --cert-file, so that {address} was shown neither "
        "(UNAVAILABLE)"
    )


def test_plaintext_where_tls_is_spoken_is_told(bearer: Remote) -> None:
    assert complaint(skillsvc("list", "--address", bearer.address), 3) == (
        f"what listens at {bearer.address} speaks TLS: --ca-file says by whom it is believed (UNAVAILABLE)"
    )


def test_tls_where_plaintext_is_spoken_is_told(bearer: Remote) -> None:
    plain = bearer.folder / "plain.toml"
    plain.write_text(f'[server]\nlisten = "127.0.0.1:0"\n[[source]]\nname = "house"\npath = "{EXAMPLES}"\n')
    with serving(plain) as server:
        address = server.addresses["address"]
        done = skillsvc("sources", "--admin", address, "--ca-file", bearer.folder / "ca.pem", "--timeout", "5")
        # An address that may be another machine's is never asked in plaintext.
        elsewhere = address.replace("127.0.0.1", "0.0.0.0")  # noqa: S104 - nobody listens there, it is but asked
        asked = skillsvc("list", "--address", elsewhere, "--timeout", "5")
    assert complaint(done, 3) == f"what listens at {address} does not speak TLS (UNAVAILABLE)"
    assert complaint(asked, 3) == f"what listens at {elsewhere} does not speak TLS (UNAVAILABLE)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cert-file", "a.pem"], "--cert-file and --key-file come together"),
        (["--key-file", "a.pem"], "--cert-file and --key-file come together"),
        (["--ca-file", "nowhere.pem"], "nowhere.pem cannot be read: No such file or directory"),
        (["--token-file", "nowhere"], "nowhere cannot be read: No such file or directory"),
    ],
)
@pytest.mark.parametrize("command", ["list", "sources"])
def test_files_that_cannot_be_used_are_told_before_anybody_is_asked(
    command: str, options: list[str], words: str
) -> None:
    where = ["--admin" if command == "sources" else "--address", "example.org:1"]
    assert complaint(skillsvc(command, *where, *options), 2) == words


@pytest.mark.parametrize("command", ["list", "sources"])
def test_a_file_that_holds_nothing_of_the_kind_is_told(tmp_path: Path, command: str) -> None:
    (tmp_path / "empty").write_text("")
    where = ["--admin" if command == "sources" else "--address", "example.org:1"]
    told = complaint(skillsvc(command, *where, "--ca-file", tmp_path / "empty"), 2)
    assert told == f"{tmp_path / 'empty'} cannot be used: TLS: ca holds no certificate in PEM"
    told = complaint(skillsvc(command, *where, SKILLSVC_TOKEN="two words"), 2)  # noqa: S106 - no token at all
    assert told.startswith("the token is empty, or holds more than visible ASCII characters")


def test_a_file_and_a_server_are_not_explained_at_once(mutual: Remote) -> None:
    file = mutual.folder / "skillsvc.toml"
    said = ["access", "explain", str(file), "--spiffe", AGENT]
    assert complaint(skillsvc(*said, "--admin", mutual.admin), 2).startswith("say FILE")
    assert skillsvc(*said, "--project", "p").status == 1
    # What the environment says of servers is not meant where a file is.
    assert skillsvc(*said, SKILLSVC_ADMIN=mutual.admin).status == 0


def test_an_explanation_is_of_the_rules_in_force_and_not_of_the_file(mutual: Remote) -> None:
    shown = ["--admin", mutual.admin, *mutual.show(OPERATOR)]
    file = mutual.folder / "changed.toml"
    written = (mutual.folder / "skillsvc.toml").read_text()
    file.write_text(written.replace("/agents/*", "/nobody/*"))
    by_file = skillsvc("access", "explain", file, "--spiffe", AGENT)
    by_server = skillsvc("access", "explain", "--spiffe", AGENT, *shown)
    assert (by_file.status, by_server.status) == (1, 0)
    assert answered(by_server)[1] == ["access", "by the rule agents"]
    refused = skillsvc("access", "explain", "--token-name", "ci", "--project", "p", *shown)
    assert (refused.status, refused.complained) == (1, "")
    assert refused.lines[:3] == [
        "identity\ttoken:ci",
        "credential\trefused: there are no static tokens here",
        "access\trefused: no access rule matches",
    ]
