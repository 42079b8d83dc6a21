"""Over TLS: who is believed, who is not, and what goes along."""

from pathlib import Path

import grpc
import pytest
import skillsource
from skillsource import TlsOptions

from tests.hostile.faces import Connect
from tests.hostile.honest import Honest
from tests.hostile.lie import CATALOG, FIRST
from tests.hostile.playing import Server

TLS = Path(__file__).parent / "tls"
AUTHORITY, STRANGER = TLS / "authority.pem", TLS / "stranger.pem"
AGENT = TlsOptions.read(ca=AUTHORITY, cert=TLS / "agent.pem", key=TLS / "agent-key.pem")
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
