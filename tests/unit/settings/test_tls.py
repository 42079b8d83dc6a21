"""What is listened on besides, and how: what can be said, and what leaves a server open is refused."""

from pathlib import Path

import pytest

from skillsvc.service.certificate_files import CertificateFiles
from skillsvc.service.connections import Connections
from skillsvc.settings.settings import make_settings
from skillsvc.settings.settling import settings_of
from skillsvc.settings.toml_file import TomlFile
from tests.unit.settings.faults import faults_of

TLS: dict[str, object] = {"cert_file": "server.pem", "key_file": "server.key"}
MUTUAL: dict[str, object] = {**TLS, "client": "required", "client_ca_file": "clients.pem"}
IDENTITY: dict[str, object] = {"certificates": True}
ACCESS: list[object] = [{"name": "agents", "kind": "spiffe", "names": "spiffe://example.org/*"}]
NOBODY_IDENTIFIED = (
    "is identified, which lets nobody in: give an [[access]], and [identity.tokens] or an [[identity.issuer]], "
    "since no certificate comes by a socket"
)
ADMIN_NEEDS = "[admin] listen is for operators of other machines, which needs TLS and access rules"


def test_nothing_said_is_plaintext_without_further_listeners() -> None:
    settings = make_settings({})
    assert settings.tls is None
    assert settings.admin.listen is None
    assert settings.admin.socket == "owner"
    assert settings.health.listen is None
    assert settings.connections.connections() == Connections()
    # A call that has no deadline has ended before the grace of its connection has.
    assert settings.connections.age_grace_s > settings.make_limits().call_without_deadline_s


def test_relative_files_are_relative_to_the_file(tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    config.write_text(
        """
        [tls]
        cert_file = "tls/server.pem"
        key_file = "/etc/server.key"
        client = "required"
        client_ca_file = "clients.pem"
        [admin]
        tls = { cert_file = "admin.pem", key_file = "admin.key" }
        """
    )
    settings = settings_of(TomlFile.read(config))
    assert settings.tls is not None
    assert settings.tls.files() == CertificateFiles(
        certificate=tmp_path / "tls/server.pem",
        key=Path("/etc/server.key"),
        client_authorities=tmp_path / "clients.pem",
    )
    assert settings.admin.tls is not None
    assert settings.admin.tls.files() == CertificateFiles(
        certificate=tmp_path / "admin.pem", key=tmp_path / "admin.key", client_authorities=None
    )


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({"tls": 1}, "[tls] must be a table"),
        ({"tls": {"key_file": "key"}}, "[tls] cert_file is missing"),
        ({"tls": {"cert_file": "cert"}}, "[tls] key_file is missing"),
        ({"tls": {**TLS, "client": "sometimes"}}, "[tls] client must be 'none' or 'required'"),
        (
            {"tls": {**TLS, "client": "optional"}},
            "[tls] client is optional, which gRPC for Python cannot do; say 'none' or 'required'",
        ),
        (
            {"tls": {**TLS, "client": "required"}},
            "[tls] client_ca_file is missing: client = 'required' needs the authorities to believe",
        ),
        (
            {"tls": {**TLS, "client_ca_file": "clients.pem"}},
            "[tls] client_ca_file is not used unless client = 'required' is said",
        ),
        ({"tls": {**TLS, "cert": "a"}}, "[tls] cert is not known; is cert_file meant?"),
        ({"admin": {"tls": {"cert_file": "cert"}}}, "[admin] tls.key_file is missing"),
        ({"admin": {"socket": "local"}}, "[admin] socket must be 'owner', 'identified' or 'off'"),
        ({"admin": {"socket": "identified"}}, f"[admin] socket {NOBODY_IDENTIFIED}"),
        (
            {"admin": {"socket": "identified"}, "tls": MUTUAL, "identity": IDENTITY, "access": ACCESS},
            f"[admin] socket {NOBODY_IDENTIFIED}",
        ),
        ({"health": {"listen": "unix:a"}}, "[health] listen is unix:a; it must be HOST:PORT or [IPV6]:PORT"),
        ({"health": {"listen": "80"}}, "[health] listen is 80; it must be HOST:PORT or [IPV6]:PORT"),
        ({"connections": {"age_s": 0}}, "[connections] age_s must be more than 0"),
        ({"connections": {"idle_s": "long"}}, "[connections] idle_s must be a number"),
        ({"connections": {"age": 1}}, "[connections] age is not known; is age_s meant?"),
    ],
    ids=repr,
)
def test_a_fault_names_its_place_and_what_would_do(tables: dict[str, object], fault: str) -> None:
    assert faults_of(tables) == [fault]


@pytest.mark.parametrize("listen", ["0.0.0.0:50051", "[::]:50051", "skills.example.org:443"])
def test_tls_and_access_rules_together_let_other_machines_in(listen: str) -> None:
    guarded: dict[str, object] = {"tls": MUTUAL, "identity": IDENTITY, "access": ACCESS}
    settings = make_settings({"server": {"listen": listen}, **guarded})
    assert settings.server.listen == listen
    assert not settings.is_open_to_anybody()
    for missing in guarded:
        said = {key: held for key, held in guarded.items() if key != missing}
        if missing != "identity":
            faults = faults_of({"server": {"listen": listen}, **said})
            assert any("without TLS and access rules" in fault for fault in faults)


@pytest.mark.parametrize("access", [[], (), 0, None])
def test_no_access_rule_is_none(access: object) -> None:
    faults = faults_of({"server": {"listen": "0.0.0.0:1"}, "tls": TLS, "access": access})
    assert any("without TLS and access rules" in fault for fault in faults)


@pytest.mark.parametrize("said", [{}, {"tls": TLS}])
def test_what_insecure_lets_in_is_known_to_be_open(said: dict[str, object]) -> None:
    assert make_settings({"server": {"listen": "0.0.0.0:1", "insecure": True}, **said}).is_open_to_anybody()
    assert not make_settings(said).is_open_to_anybody()


@pytest.mark.parametrize("insecure", [False, True])
@pytest.mark.parametrize("said", [{}, {"tls": TLS}], ids=["nothing", "tls"])
@pytest.mark.parametrize("listen", ["127.0.0.1:1", "0.0.0.0:1"])
def test_operators_of_other_machines_need_tls_and_access_rules_whatever_is_said(
    listen: str, said: dict[str, object], *, insecure: bool
) -> None:
    (fault,) = faults_of({"server": {"insecure": insecure}, "admin": {"listen": listen}, **said})
    assert fault.startswith(ADMIN_NEEDS)


@pytest.mark.parametrize("said", [{"tls": MUTUAL}, {}], ids=["the same", "its own"])
def test_operators_call_with_the_same_certificates_or_their_own(said: dict[str, object]) -> None:
    admin: dict[str, object] = {"listen": "0.0.0.0:50052", **({} if said else {"tls": MUTUAL})}
    settings = make_settings({**said, "admin": admin, "identity": IDENTITY, "access": ACCESS})
    assert settings.admin.listen == "0.0.0.0:50052"


def test_probes_may_come_from_other_machines() -> None:
    assert make_settings({"health": {"listen": "0.0.0.0:50053"}}).health.listen == "0.0.0.0:50053"


def test_times_are_those_of_the_table() -> None:
    table = {
        "age_s": 1.0,
        "age_grace_s": 2,
        "idle_s": 3,
        "keepalive_s": 4,
        "keepalive_timeout_s": 5,
        "least_ping_s": 6,
        "handshake_s": 7,
    }
    options = dict(make_settings({"connections": table}).connections.connections().options())
    assert options == {
        "grpc.max_connection_age_ms": 1_000,
        "grpc.max_connection_age_grace_ms": 2_000,
        "grpc.max_connection_idle_ms": 3_000,
        "grpc.keepalive_time_ms": 4_000,
        "grpc.keepalive_timeout_ms": 5_000,
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.http2.min_recv_ping_interval_without_data_ms": 6_000,
        "grpc.server_handshake_timeout_ms": 7_000,
    }
    # What grpc takes for no end at all.
    assert max(dict(Connections(age_s=1e12).options()).values()) == 2**31 - 1
