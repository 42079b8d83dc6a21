"""Over TLS: who is believed, who is not, and what goes along."""

from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
import skillsource
from skillsource import HandshakeFault, TlsOptions
from skillsource.handshakes import Handshakes

from tests.hostile.faces import Connect
from tests.hostile.honest import Honest
from tests.hostile.lie import CATALOG, FIRST
from tests.hostile.playing import Server

TLS = Path(__file__).parent / "tls"
AUTHORITY, STRANGER = TLS / "authority.pem", TLS / "stranger.pem"
AGENT = TlsOptions.read(ca=AUTHORITY, cert=TLS / "agent.pem", key=TLS / "agent-key.pem")
STRANGE = TlsOptions.read(ca=STRANGER)
APART = TlsOptions.read(ca=AUTHORITY, cert=TLS / "agent.pem", key=TLS / "server-key.pem")
TIMEOUT_S = 2.0


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach this machine itself: gRPC sends what goes over TLS through a proxy that the environment names."""
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


def serving(name: str = "server", *, asks_for_certificates: bool = False) -> Server:
    pair = ((TLS / f"{name}-key.pem").read_bytes(), (TLS / f"{name}.pem").read_bytes())
    authority = AUTHORITY.read_bytes() if asks_for_certificates else None
    credentials = grpc.ssl_server_credentials([pair], authority, asks_for_certificates)
    return Server(Honest(*CATALOG).script(), credentials=credentials)


def test_a_server_of_the_authority_is_read_and_gets_the_token(connect: Connect) -> None:
    with serving() as server:
        client = connect(server.address, tls=TlsOptions.read(ca=AUTHORITY), token=lambda: "secret")
        assert client.skill_body("first").text == FIRST.body
        assert {asked.metadata["authorization"] for asked in server.asked} == {"Bearer secret"}


@pytest.mark.parametrize(
    ("name", "tls"),
    [
        ("server", TlsOptions.read(ca=STRANGER)),
        ("server", TlsOptions()),
        ("elsewhere", TlsOptions.read(ca=AUTHORITY)),
        ("server", None),
    ],
    ids=["of another authority", "of none that gRPC knows", "of another name", "plaintext"],
)
def test_a_server_that_is_not_believed_gets_nothing(connect: Connect, name: str, tls: TlsOptions | None) -> None:
    with serving(name) as server:
        client = connect(server.address, tls=tls, token="secret")  # noqa: S106 - a test has none
        with pytest.raises((skillsource.Unavailable, skillsource.DeadlineExceeded)):
            client.skill_body("first", timeout=TIMEOUT_S)
        assert server.asked == []


def test_a_client_proves_itself_where_the_server_asks(connect: Connect) -> None:
    with serving(asks_for_certificates=True) as server:
        assert connect(server.address, tls=AGENT).skill_body("first").text == FIRST.body
        with pytest.raises((skillsource.Unavailable, skillsource.DeadlineExceeded)):
            connect(server.address, tls=TlsOptions.read(ca=AUTHORITY)).skill_body("first", timeout=TIMEOUT_S)


@pytest.mark.parametrize(
    ("name", "asks", "tls", "fault"),
    [
        ("server", False, STRANGE, HandshakeFault.NOT_BELIEVED),
        ("server", False, TlsOptions(), HandshakeFault.NOT_BELIEVED),
        ("elsewhere", False, TlsOptions.read(ca=AUTHORITY), HandshakeFault.OF_ANOTHER_ADDRESS),
        ("server", False, None, HandshakeFault.SPEAKS_TLS),
        ("server", True, TlsOptions.read(ca=AUTHORITY), HandshakeFault.CALLER_WANTED),
        ("server", True, APART, HandshakeFault.KEY_OF_ANOTHER),
    ],
)
def test_what_is_to_be_mended_is_told(
    connect: Connect, name: str, tls: TlsOptions | None, fault: HandshakeFault, *, asks: bool
) -> None:
    with serving(name, asks_for_certificates=asks) as server:
        client = connect(server.address, tls=tls, token="secret")  # noqa: S106 - a test has none
        calls: tuple[Callable[[], object], ...]
        calls = (lambda: client.skill_body("first"), lambda: client.activate("first"))
        for call in calls:
            with pytest.raises(skillsource.HandshakeFailed) as caught:
                call()
            assert caught.value.fault is fault
            assert caught.value.message == fault.value.format(server.address)
            assert caught.value.__cause__ is not None
        assert server.asked == []


def test_tls_where_plaintext_is_spoken_is_told(connect: Connect) -> None:
    with Server(Honest(*CATALOG).script()) as server, pytest.raises(skillsource.HandshakeFailed) as caught:
        connect(server.address, tls=TlsOptions.read(ca=AUTHORITY)).skill_body("first")
    assert caught.value.fault is HandshakeFault.SPEAKS_NO_TLS


def test_a_watch_tells_it_as_well(connect: Connect) -> None:
    with serving() as server:
        client = connect(server.address, tls=STRANGE, follow=True)
        with pytest.raises(skillsource.DeadlineExceeded) as late:
            client.wait_until_following(timeout=TIMEOUT_S)
    assert isinstance(late.value.__cause__, skillsource.HandshakeFailed)


def test_a_client_that_calls_in_vain_tries_a_handshake_every_five_seconds_at_most() -> None:
    now = 0.0
    gone = skillsource.Unavailable("no connection")
    with serving() as server:
        handshakes = Handshakes(server.address, STRANGE, lambda: now)
        first = handshakes.explained(gone, TIMEOUT_S)
    assert isinstance(first, skillsource.HandshakeFailed)
    now = 4.9
    assert isinstance(handshakes.explained(gone, TIMEOUT_S), skillsource.HandshakeFailed)
    now = 5.0
    assert handshakes.explained(gone, TIMEOUT_S) is gone


@pytest.mark.parametrize("error", [skillsource.Draining("soon"), skillsource.Unavailable("x", reason="NEW_REASON")])
def test_what_a_server_says_is_left_as_it_is(error: skillsource.SkillsourceError) -> None:
    with serving() as server:
        assert Handshakes(server.address, STRANGE, lambda: 0.0).explained(error, TIMEOUT_S) is error
