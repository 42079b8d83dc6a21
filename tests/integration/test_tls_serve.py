"""A server of the command line with TLS: agents, operators and probes each by their own address, on one file."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from grpc_health.v1 import health_pb2
from skillsource import TlsOptions, connect
from skillsource.errors import SkillsourceError
from skillsource.v1 import admin_pb2

from tests.hostile.waiting import wait_until
from tests.integration.commands import SKILLSVC, Done, environment, skillsvc
from tests.patience import PATIENCE_S
from tests.simulators.authority import Authority, Files, Issued

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"
AGENT = "spiffe://example.org/agents/one"
OPERATOR = "spiffe://example.org/operators/one"
CONFIG = """
[server]
listen = "{listen}"
data_dir = "data"
[tls]
cert_file = "server.pem"
key_file = "server.key"
client = "required"
client_ca_file = "clients.pem"
[admin]
listen = "127.0.0.1:0"
[health]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A server that is serving, by the addresses that it logged."""

    process: "subprocess.Popen[str]"
    addresses: dict[str, str]
    log: Path


@contextmanager
def serving(config: Path) -> Iterator[Serving]:
    log = config.parent / "log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*SKILLSVC, "serve", "--config", config],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(),
        )
    assert process.stdout is not None
    try:
        assert process.stdout.readline().startswith("listening on "), log.read_text()
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        yield Serving(process=process, addresses=next(line for line in lines if line["message"] == "serving"), log=log)
    finally:
        process.send_signal(signal.SIGTERM)
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 0, log.read_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A configuration, its files, and who may call."""

    config: Path
    files: Files
    authority: Authority
    clients: Authority

    def shown(self, uri: str) -> Issued:
        return self.clients.issue(x509.UniformResourceIdentifier(uri), subject="caller")

    def credentials(self, uri: str) -> TlsOptions:
        shown = self.shown(uri)
        return TlsOptions(ca=self.authority.certificate, cert=shown.certificate, key=shown.key)


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    authority, clients, files = Authority(), Authority("clients"), Files(tmp_path)
    files.put(authority.issue(), clients=clients.certificate)
    config = tmp_path / "skillsvc.toml"
    config.write_text(CONFIG.format(listen="127.0.0.1:0", skills=EXAMPLES))
    return Setting(config=config, files=files, authority=authority, clients=clients)


def check(setting: Setting) -> Done:
    return skillsvc("config", "check", setting.config)


def test_agents_operators_and_probes_have_each_their_own(setting: Setting) -> None:
    with serving(setting.config) as server:
        with connect(server.addresses["address"], tls=setting.credentials(AGENT)) as client:
            assert len(client.list_skills().skills) == 12
        with (
            connect(server.addresses["address"], tls=setting.credentials(OPERATOR)) as client,
            pytest.raises(SkillsourceError) as caught,
        ):
            client.list_skills()
        assert caught.value.reason == "ROLE_MISSING"
        operator = setting.shown(OPERATOR)
        believing = grpc.ssl_channel_credentials(setting.authority.certificate, operator.key, operator.certificate)
        with grpc.secure_channel(server.addresses["remote_admin"], believing) as channel:
            sources: grpc.UnaryUnaryMultiCallable[bytes, bytes]
            sources = channel.unary_unary("/skillsource.v1.CatalogAdminService/ListSources")
            asked = admin_pb2.ListSourcesRequest(partition=admin_pb2.Partition(deployment=True))
            told = admin_pb2.ListSourcesResponse.FromString(sources(asked.SerializeToString(), timeout=PATIENCE_S))
            assert [source.name for source in told.sources] == ["house"]
        with grpc.insecure_channel(server.addresses["health"]) as channel:
            health: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")
            status = health_pb2.HealthCheckResponse.FromString(health(b"", timeout=PATIENCE_S)).status
            assert status == health_pb2.HealthCheckResponse.SERVING
        # The socket in the data folder is as it was.
        done = skillsvc("sources", "--data-dir", setting.config.parent / "data")
        assert (done.status, done.complained) == (0, "")


def test_an_exchange_of_the_files_needs_no_signal(setting: Setting) -> None:
    with serving(setting.config) as server:
        again = Authority("again")
        setting.files.put(again.issue(), clients=setting.clients.certificate)
        shown = setting.shown(AGENT)
        tls = TlsOptions(ca=again.certificate, cert=shown.certificate, key=shown.key)
        with connect(server.addresses["address"], tls=tls) as client:
            assert client.list_skills().total_size == 12
        assert "certificates are taken in" in server.log.read_text()


def test_with_tls_and_access_rules_it_listens_beyond_this_machine_and_warns_of_nothing(setting: Setting) -> None:
    setting.config.write_text(CONFIG.format(listen="0.0.0.0:0", skills=EXAMPLES))
    with serving(setting.config) as server:
        _, _, port = server.addresses["address"].rpartition(":")
        with connect(f"localhost:{port}", tls=setting.credentials(AGENT)) as client:
            assert client.list_skills().total_size == 12
    log = server.log.read_text()
    assert '"level": "warning"' not in log
    assert "callers come by IPv4 and by IPv6" in log


def test_certificates_that_cannot_be_used_start_nothing_and_are_told_by_a_check(setting: Setting) -> None:
    assert check(setting).status == 0
    setting.files.exchange(setting.files.key, setting.authority.issue().key)
    done = skillsvc("serve", "--config", setting.config)
    assert (done.status, done.printed) == (2, b"")
    assert done.complained == "skillsvc: [tls] cannot be used: the key is not that of the certificate\n"
    done = check(setting)
    assert done.status == 1
    assert "[tls] cannot be used: the key is not that of the certificate" in done.printed.decode() + done.complained


def test_a_change_of_the_tables_is_told_and_waits_for_the_next_start(setting: Setting) -> None:
    with serving(setting.config) as server:
        setting.config.write_text(setting.config.read_text() + "[connections]\nage_s = 60\n")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the configuration is read anew" in server.log.read_text())
        assert "[connections] has changed; it is taken in at the next start" in server.log.read_text()
