"""Bearer tokens of a real server: who is let in, who is not, and how keys, tokens and rules change while it runs."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from skillsource.v1 import admin_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.service.identities.static_tokens import line_of
from tests.hostile.waiting import wait_until
from tests.integration.calls import SERVICE
from tests.integration.commands import skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.patience import PATIENCE_S
from tests.simulators.web_server import WebServer, page
from tests.unit.service.identities.making import ISSUER, SigningKey, claims, ec_key, jwks
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration

TOKEN = "t" * 43
ADMIN = admin_pb2.DESCRIPTOR.services_by_name["CatalogAdminService"]
IN, INVALID, MISSING, DENIED = "in", "CREDENTIALS_INVALID", "CREDENTIALS_MISSING", "ROLE_MISSING"
CONFIG = """
[[identity.issuer]]
name = "corp"
issuer = "{issuer}"
audiences = ["skillsvc"]
jwks_url = "{keys}"
allow_addresses = ["127.0.0.0/8"]

[identity.tokens]
file = "tokens"

[[access]]
name = "acme"
kind = "oidc"
issuer = "corp"
claims = {{ org = "acme" }}
principal = "oidc:corp:{{claims.org}}"

[[access]]
name = "robots"
kind = "token"
roles = {roles}

[[source]]
name = "house"
path = "skills"
"""


def reason_of(error: grpc.RpcError) -> str:
    status = rpc_status.from_call(error)  # type: ignore[arg-type] # it is a call, too
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    status.details[0].Unpack(info)
    assert info.reason
    return info.reason


class Guarded:
    """A server that asks who calls."""

    def __init__(self, folder: Path, serve: Serve, keys: WebServer, more: str = "") -> None:
        self.folder = folder
        self.keys = keys
        self.more = more
        grow(folder / "skills", {"kept/SKILL.md": skill("kept")})
        self.write_tokens(line_of("ci", TOKEN))
        self.write_config()
        self.server: RunningServer = serve(config=str(folder / "s.toml"))

    def write_tokens(self, text: str) -> None:
        self._replace("tokens", text)

    def write_config(self, roles: str = '["reader"]') -> None:
        self._replace("s.toml", CONFIG.format(issuer=ISSUER, keys=self.keys.url("/keys"), roles=roles) + self.more)

    def _replace(self, name: str, text: str) -> None:
        aside = self.folder / "aside"
        aside.write_text(text)
        aside.chmod(0o600)
        aside.replace(self.folder / name)

    def answer(self, *headers: tuple[str, str]) -> str:
        """Return what comes of a call with these headers: `IN`, or the reason of the refusal."""
        with grpc.insecure_channel(self.server.address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            method = channel.unary_unary(
                f"/{SERVICE}/ListSkills",
                request_serializer=pb.ListSkillsRequest.SerializeToString,
                response_deserializer=pb.ListSkillsResponse.FromString,
            )
            try:
                answer = method(pb.ListSkillsRequest(), timeout=PATIENCE_S, metadata=headers)
            except grpc.RpcError as error:
                return reason_of(error)
        assert [each.name for each in answer.skills] == ["kept"]
        return IN

    def operates(self, *headers: tuple[str, str]) -> str:
        """Return what comes of a call of an operator by the socket in the data folder: `IN`, or why not."""
        address = f"unix:{self.server.data_dir}/admin.sock"
        with grpc.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            method = channel.unary_unary(
                f"/{ADMIN.full_name}/ListPartitions",
                request_serializer=admin_pb2.ListPartitionsRequest.SerializeToString,
                response_deserializer=admin_pb2.ListPartitionsResponse.FromString,
            )
            try:
                answer = method(admin_pb2.ListPartitionsRequest(), timeout=PATIENCE_S, metadata=headers)
            except grpc.RpcError as error:
                return reason_of(error)
        assert answer.partitions
        return IN

    def bearer(self, token: str) -> str:
        return self.answer(("authorization", f"Bearer {token}"))

    def jwt(self, key: SigningKey, **changed: object) -> str:
        return self.bearer(key.token(now(**changed)))


def now(**changed: object) -> dict[str, object]:
    at = int(time.time())
    return claims(**{"iat": at, "nbf": at, "exp": at + 300, "org": "acme", **changed})


@pytest.fixture
def keys() -> Iterator[WebServer]:
    server = WebServer()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def guarded(tmp_path: Path, serve: Serve, keys: WebServer) -> Guarded:
    keys.answers["/keys"] = page(jwks(KEY.jwk()))
    return Guarded(tmp_path, serve, keys)


KEY = ec_key("first")


def test_who_proves_nothing_is_refused_and_who_proves_something_gets_what_the_rules_say(guarded: Guarded) -> None:
    wait_until(lambda: guarded.jwt(KEY) == IN)
    assert guarded.bearer(TOKEN) == IN
    assert guarded.answer() == MISSING
    assert guarded.answer(("x-forwarded-client-cert", "URI=spiffe://example.org/a")) == MISSING
    assert guarded.jwt(KEY, org="other") == DENIED
    assert guarded.jwt(KEY, exp=1) == INVALID
    assert guarded.jwt(KEY, aud="other") == INVALID
    assert guarded.jwt(KEY, iss="https://evil.example.org") == INVALID
    assert guarded.jwt(ec_key("first")) == INVALID
    assert guarded.bearer(KEY.token(now(), alg="none")) == INVALID
    assert guarded.bearer("x" * 43) == INVALID
    assert guarded.answer(("authorization", f"Bearer {TOKEN}"), ("authorization", f"Bearer {TOKEN}")) == INVALID
    log = guarded.server.log.read_text()
    assert TOKEN not in log
    assert KEY.token().split(".")[0] not in log


def test_tokens_and_rules_change_while_the_server_runs(guarded: Guarded) -> None:
    other = "o" * 43
    assert guarded.bearer(TOKEN) == IN
    guarded.write_tokens(line_of("ci", other))
    wait_until(lambda: guarded.bearer(TOKEN) == INVALID)
    assert guarded.bearer(other) == IN
    guarded.write_tokens("no line of a token")
    guarded.write_config(roles='["reporter"]')
    guarded.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: guarded.bearer(other) == DENIED)


def test_the_keys_of_an_issuer_whose_server_is_down_go_on_to_count(guarded: Guarded) -> None:
    wait_until(lambda: guarded.jwt(KEY) == IN)
    guarded.keys.refuse()
    guarded.write_config(roles='["reporter"]')
    guarded.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: guarded.bearer(TOKEN) == DENIED)
    assert guarded.jwt(KEY) == IN
    for number in range(20):
        assert guarded.jwt(ec_key(f"unknown-{number}")) in {INVALID, "NOT_READY"}


def test_a_token_is_explained_as_the_server_would_judge_it(guarded: Guarded, tmp_path: Path) -> None:
    for token, verdict, status in (
        (KEY.token(now()), "by the rule acme", 0),
        (KEY.token(now(org="other")), "refused: no access rule matches", 1),
        (KEY.token(now(exp=1)), "refused: the JWT ended at 1970-01-01 00:00:01 UTC", 1),
        (ec_key("first").token(now()), "refused: the JWT is not signed by the key it names", 1),
    ):
        (tmp_path / "token").write_text(f"Bearer {token}\n")
        done = skillsvc("access", "explain", guarded.folder / "s.toml", "--jwt", tmp_path / "token")
        assert verdict in done.printed.decode(), done.complained
        assert done.status == status


def test_a_made_token_lets_in_whoever_shows_it(guarded: Guarded) -> None:
    new = json.loads(skillsvc("access", "new-token", "cd", "--json").printed)
    guarded.write_tokens(f"{line_of('ci', TOKEN)}\n{new['line']}\n")
    wait_until(lambda: guarded.bearer(new["token"]) == IN)
    assert guarded.bearer(TOKEN) == IN


def test_the_owner_of_the_data_folder_operates_whatever_the_rules_say(guarded: Guarded) -> None:
    assert guarded.operates() == IN
    assert guarded.operates(("authorization", f"Bearer {TOKEN}")) == IN


def test_who_shares_the_user_of_the_server_may_be_asked_on_its_socket(
    tmp_path: Path, serve: Serve, keys: WebServer
) -> None:
    keys.answers["/keys"] = page(jwks(KEY.jwk()))
    asking = Guarded(tmp_path, serve, keys, more='[admin]\nsocket = "identified"\n')
    assert asking.operates() == MISSING
    assert asking.operates(("authorization", f"Bearer {TOKEN}")) == DENIED
    asking.write_config(roles='["reader", "admin"]')
    asking.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: asking.operates(("authorization", f"Bearer {TOKEN}")) == IN)


def test_the_socket_of_the_data_folder_may_be_left_out(tmp_path: Path, serve: Serve, keys: WebServer) -> None:
    keys.answers["/keys"] = page(jwks(KEY.jwk()))
    closed = Guarded(tmp_path, serve, keys, more='[admin]\nsocket = "off"\n')
    assert closed.bearer(TOKEN) == IN
    assert not (closed.server.data_dir / "admin.sock").exists()
