"""Proving to a registry who asks: to whom what is shown, and to whom nothing."""

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillsvc.content.credentials import Basic, Bearer, Credentials, CredentialsMissing
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.sources.source import Observation
from tests.contract.source import described
from tests.simulators.oci_registry import (
    PASSWORD,
    USERNAME,
    RegistryServer,
    TokenServer,
    serving_registry,
    serving_tokens,
)
from tests.simulators.oci_sources import MakeOci, folder, said
from tests.simulators.web_server import Answer, Asked, Send, WebServer, page, serving

READER = Basic(username=USERNAME, password=PASSWORD)
READER_SHOWN = f"Basic {b64encode(f'{USERNAME}:{PASSWORD}'.encode()).decode()}"
WRONG = Basic(username=USERNAME, password=PASSWORD[::-1])
FOUND = [("a", "Says so.")]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryServer]:
    """A registry that lets nobody in without a password."""
    with serving_registry(tmp_path_factory.mktemp("guarded"), users=True) as registry:
        registry.push("skills/a", "1", folder("a"))
        yield registry


@pytest.fixture
def tokens(tmp_path: Path) -> Iterator[TokenServer]:
    with serving_tokens(tmp_path / "tokens") as tokens:
        yield tokens


@pytest.fixture
def tokened(tokens: TokenServer, tmp_path: Path) -> Iterator[RegistryServer]:
    """A registry that lets in who shows one of the tokens."""
    with serving_registry(tmp_path / "tokened", tokens=tokens) as registry:
        registry.push("skills/a", "1", folder("a"))
        yield registry


def refused(seen: Observation) -> str:
    """Return what is said of a look that was not let in; no secret is in it."""
    code, message = said(seen)
    assert code is DiagnosticCode.SOURCE_UNREACHABLE
    assert PASSWORD not in message
    assert USERNAME not in message
    return message


def test_a_password_is_shown_where_one_is_asked_for(guarded: RegistryServer, make: MakeOci) -> None:
    seen = make(f"{guarded.name}/skills/a:1", credentials=lambda: READER).observe()
    assert described(seen) == FOUND


@pytest.mark.parametrize(
    ("credentials", "words"),
    [
        (None, "wants a user name and a password"),
        (Bearer(token=PASSWORD), "wants a user name and a password"),
        (WRONG, "status 401: it wants other credentials"),
    ],
    ids=["none", "a-token", "wrong"],
)
def test_who_has_no_password_is_not_let_in(
    guarded: RegistryServer, make: MakeOci, credentials: Credentials | None, words: str
) -> None:
    assert words in refused(make(f"{guarded.name}/skills/a:1", credentials=lambda: credentials).observe())


def test_credentials_are_read_at_each_look(guarded: RegistryServer, make: MakeOci) -> None:
    known: list[Credentials] = []

    def read() -> Credentials:
        if not known:
            raise CredentialsMissing("the file of the credentials cannot be read")
        return known[-1]

    source = make(f"{guarded.name}/skills/a:1", credentials=read)
    assert refused(source.observe()) == "the file of the credentials cannot be read"
    known.append(READER)
    assert described(source.observe()) == FOUND
    known.append(WRONG)
    refused(source.observe())
    known.append(READER)
    assert described(source.observe()) == FOUND


def test_nothing_is_shown_before_it_is_asked_for(make: MakeOci) -> None:
    with serving() as registry:
        refused(make(f"127.0.0.1:{registry.port}/a:1", credentials=lambda: READER).observe())
        assert {asked.headers.get("authorization") for asked in registry.asked} == {None}


def test_a_token_is_had_for_a_password_and_kept(tokened: RegistryServer, tokens: TokenServer, make: MakeOci) -> None:
    tokens.who = {READER_SHOWN: "pull,push"}
    source = make(f"{tokened.name}/skills/a:1", credentials=lambda: READER)
    seen = source.observe()
    assert described(seen) == FOUND
    assert source.observe() is seen
    [asked] = tokens.asked
    assert asked.path == "/token?scope=repository%3Askills%2Fa%3Apull&service=registry.example"


def test_a_token_may_be_had_by_anybody(tokened: RegistryServer, tokens: TokenServer, make: MakeOci) -> None:
    tokens.who = {"": "pull"}
    assert described(make(f"{tokened.name}/skills/a:1").observe()) == FOUND


def test_who_gets_no_token_is_not_let_in(tokened: RegistryServer, tokens: TokenServer, make: MakeOci) -> None:
    tokens.who = {READER_SHOWN: "pull"}
    assert "status 401" in refused(make(f"{tokened.name}/skills/a:1", credentials=lambda: WRONG).observe())
    tokens.who = {READER_SHOWN: "push"}
    assert "status 401" in refused(make(f"{tokened.name}/skills/a:1", credentials=lambda: READER).observe())


def test_a_token_is_asked_for_anew_before_it_ends(tokened: RegistryServer, tokens: TokenServer, make: MakeOci) -> None:
    tokens.who = {"": "pull"}
    now = [1000.0]
    source = make(f"{tokened.name}/skills/a:1", own={"clock": lambda: now[0]})
    seen = source.observe()
    now[0] += tokens.lasts_s - 11
    source.observe()
    assert len(tokens.asked) == 1
    now[0] += 2
    assert source.observe() is seen
    assert len(tokens.asked) == 2


def test_a_token_that_holds_no_more_is_asked_for_anew(
    tokened: RegistryServer, tokens: TokenServer, make: MakeOci, tmp_path: Path
) -> None:
    tokens.who = {"": "pull"}
    source = make(f"{tokened.name}/skills/a:1")
    seen = source.observe()
    tokened.stop()
    # The same registry, which by now believes another key.
    with (
        serving_tokens(tmp_path / "others") as others,
        serving_registry(tmp_path / "tokened", tokens=others, port=tokened.port),
    ):
        others.who = {"": "pull"}
        assert source.observe() is seen
        assert len(others.asked) == 1


def test_a_token_of_the_operator_is_shown_as_it_is(tokened: RegistryServer, tokens: TokenServer, make: MakeOci) -> None:
    token = Bearer(token=tokens.issue("pull", "skills/a"))
    assert described(make(f"{tokened.name}/skills/a:1", credentials=lambda: token).observe()) == FOUND
    assert tokens.asked == []


def asking(challenge: str) -> Answer:
    """Answer as a registry does that asks who asks."""
    return page(b"{}", status=401, tagged=False, www_authenticate=challenge)


def let_in_with(token: str, challenge: str) -> Answer:
    """Answer a manifest without layers to who shows the token."""
    manifest = page(json.dumps({"schemaVersion": 2, "layers": []}), tagged=False)

    def answer(asked: Asked, send: Send, ending: object) -> bool:
        chosen = manifest if asked.headers.get("authorization") == f"Bearer {token}" else asking(challenge)
        return chosen(asked, send, ending)  # type: ignore[arg-type] # handed on

    return answer


@pytest.fixture
def stranger() -> Iterator[WebServer]:
    """A token server on another host than the registry's: the loopback has many."""
    with serving() as stranger:
        stranger.answers["/token"] = page(b'{"token": "given"}', tagged=False)
        yield stranger


@pytest.mark.parametrize(
    ("token_hosts", "shown"), [(frozenset(), None), (frozenset({"LOCALHOST."}), READER_SHOWN)], ids=["other", "named"]
)
def test_a_token_server_elsewhere_gets_credentials_only_where_its_host_is_named(
    make: MakeOci, stranger: WebServer, token_hosts: frozenset[str], shown: str | None
) -> None:
    with serving() as registry:
        challenge = f'Bearer realm="http://localhost:{stranger.port}/token?kept=1",scope="repository:b:push,delete"'
        registry.answers["/v2/a/manifests/1"] = let_in_with("given", challenge)
        source = make(
            f"127.0.0.1:{registry.port}/a:1",
            credentials=lambda: READER,
            token_hosts=token_hosts,
            allow_addresses=frozenset({"127.0.0.1", "localhost"}),
        )
        assert source.observe().diagnostics == ()
    [asked] = stranger.asked
    assert asked.headers.get("authorization") == shown
    assert asked.path == "/token?kept=1&scope=repository%3Aa%3Apull"


def test_a_token_server_is_guarded_like_any_other_address(make: MakeOci, stranger: WebServer) -> None:
    with serving() as registry:
        registry.answers["/v2/a/manifests/1"] = asking(f'Bearer realm="http://127.0.0.2:{stranger.port}/token"')
        source = make(f"127.0.0.1:{registry.port}/a:1", allow_addresses=frozenset({"127.0.0.1"}))
        assert "is not public" in refused(source.observe())
    assert stranger.asked == []


def test_a_registry_with_tls_cannot_name_a_token_server_without(make: MakeOci, stranger: WebServer) -> None:
    with serving(certificate="server") as registry:
        registry.answers["/v2/a/manifests/1"] = asking(f'Bearer realm="{stranger.url("/token")}"')
        authority = str(Path(__file__).parents[2] / "simulators" / "tls" / "authority.pem")
        source = make(f"127.0.0.1:{registry.port}/a:1", plain_http=False, ca_file=authority, credentials=lambda: READER)
        assert "names a token server that speaks no TLS" in refused(source.observe())
    assert stranger.asked == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (page(b"<html>", tagged=False), "is no JSON"),
        (page(b"{}", tagged=False), "holds no token"),
        (page(b'{"token": "a\\r\\nb"}', tagged=False), "holds no token"),
        (page(b" " * 70_000, tagged=False), "more than 65536 bytes"),
        (page(b"", status=500, tagged=False), "status 500"),
        (page(b"", status=302, tagged=False, location="http://127.0.0.2/token"), "redirects to"),
    ],
    ids=range(6),
)
def test_a_token_server_that_gives_none_is_told_of(
    make: MakeOci, stranger: WebServer, answer: Answer, words: str
) -> None:
    stranger.answers["/token"] = answer
    with serving() as registry:
        registry.answers["/v2/a/manifests/1"] = asking(f'Bearer realm="{stranger.url("/token")}"')
        assert words in refused(make(f"127.0.0.1:{registry.port}/a:1", credentials=lambda: READER).observe())


@pytest.mark.parametrize(
    ("challenge", "words"),
    [
        ("Negotiate", "in no way that is known here"),
        ("Bearer", "is no http or https URL"),
        ('Bearer realm="file:///etc/passwd"', "is no http or https URL"),
        ('Bearer realm="http://user:pass@127.0.0.1/"', "is a URL with credentials"),
    ],
    ids=range(4),
)
def test_a_question_that_makes_no_sense_is_told_of(make: MakeOci, challenge: str, words: str) -> None:
    with serving() as registry:
        registry.answers["/v2/a/manifests/1"] = asking(challenge)
        assert words in refused(make(f"127.0.0.1:{registry.port}/a:1", credentials=lambda: READER).observe())
