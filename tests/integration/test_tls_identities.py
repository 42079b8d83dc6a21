"""Certificates all the way: what a client's certificate says reaches the access rules, of agents and of operators."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from google.protobuf.message import Message
from grpc_channelz.v1 import channelz_pb2
from skillsource.v1 import admin_pb2
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.access import Access, AccessRule, IdentityKind, Match, Role
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.patterns import Pattern
from skillsvc.service.identities.identities import Identities, Ways
from skillsvc.service.tls_credentials import Credentials
from tests.integration.admin_in_process import SERVICE as ADMIN
from tests.integration.in_process import SERVICE, InProcess, Refusal, in_process, refusal_of
from tests.patience import PATIENCE_S
from tests.simulators.authority import Authority, Files, Issued, channel_to
from tests.simulators.scripted_looks import ScriptedLooks, report
from tests.simulators.skills import skill_row

AGENT = "spiffe://example.org/agent"
OPERATOR = "spiffe://example.org/operator"
OF_AGENT = Partition(principal=AGENT, project="")
OF_SUBJECT = Partition(principal="cert:CN=desk", project="")
CHANNELZ = "grpc.channelz.v1.Channelz"


def rule(name: str, kind: IdentityKind, whose: str, *roles: Role) -> AccessRule:
    return AccessRule(name=name, match=Match(kind=kind, names=(Pattern(whose),)), roles=frozenset(roles))


RULES = (
    rule("agents", IdentityKind.CERTIFICATE_SPIFFE, AGENT, Role.READER),
    rule("operators", IdentityKind.CERTIFICATE_SPIFFE, OPERATOR, Role.ADMIN),
    rule("desks", IdentityKind.CERTIFICATE_SUBJECT, "CN=desk", Role.READER),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """A server, what its callers believe, and what makes their certificates."""

    server: InProcess
    authority: Authority
    clients: Authority
    admin_address: str

    def shown(self, *uris: str, subject: str = "somebody") -> Issued:
        return self.clients.issue(*(x509.UniformResourceIdentifier(uri) for uri in uris), subject=subject)

    async def call(self, path: str, request: Message, shown: Issued, *, admin: bool = False) -> bytes:
        address = self.admin_address if admin else self.server.address
        async with channel_to(address, self.authority, shown) as channel:
            method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{path}")
            return await method(request.SerializeToString(), timeout=PATIENCE_S)

    async def refused(self, path: str, request: Message, shown: Issued, *, admin: bool = False) -> Refusal:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.call(path, request, shown, admin=admin)
        return refusal_of(caught.value)

    async def names(self, shown: Issued) -> list[str]:
        answer = await self.call(f"{SERVICE}/ListSkills", pb.ListSkillsRequest(), shown)
        return [skill.name for skill in pb.ListSkillsResponse.FromString(answer).skills]


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
async def mesh(tmp_path: Path) -> AsyncIterator[Mesh]:
    async with meshed(tmp_path) as made:
        yield made


@asynccontextmanager
async def meshed(folder: Path) -> AsyncIterator[Mesh]:
    authority, clients = Authority(), Authority("clients")
    put = Files(folder).put(authority.issue(), clients=clients.certificate)
    looks = ScriptedLooks()
    looks.feed(DEPLOYMENT, report("house"))
    async with in_process(
        partitions=(DEPLOYMENT, OF_AGENT, OF_SUBJECT),
        looks=looks,
        credentials=Credentials(put, now=now),
        identities=Identities(Ways(certificates=True), Access(rules=RULES), now=now),
    ) as server:
        for partition, name in ((DEPLOYMENT, "common"), (OF_AGENT, "of-agent"), (OF_SUBJECT, "of-desk")):
            server.publish(skill_row(server.world.blobs, name), partition=partition)
        admin_address = await server.server.start_remote_admin("127.0.0.1:0", Credentials(put, now=now))
        yield Mesh(server=server, authority=authority, clients=clients, admin_address=admin_address)


async def test_each_certificate_sees_what_its_principal_has(mesh: Mesh) -> None:
    assert await mesh.names(mesh.shown(AGENT)) == ["common", "of-agent"]
    assert await mesh.names(mesh.shown(subject="desk")) == ["common", "of-desk"]
    # A SPIFFE id is all that counts where there is one.
    assert await mesh.names(mesh.shown(AGENT, subject="desk")) == ["common", "of-agent"]


async def test_names_that_look_like_a_spiffe_id_are_none(mesh: Mesh) -> None:
    looks_alike = mesh.clients.issue(x509.DNSName(AGENT), x509.RFC822Name(AGENT), subject=AGENT)
    refusal = await mesh.refused(f"{SERVICE}/ListSkills", pb.ListSkillsRequest(), looks_alike)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING")
    # To a subject that has a rule such names add nothing.
    desk = mesh.clients.issue(x509.DNSName(AGENT), subject="desk")
    assert await mesh.names(desk) == ["common", "of-desk"]


@pytest.mark.parametrize("uris", [(AGENT, OPERATOR), (AGENT, "https://example.org"), ("spiffe://", AGENT)])
async def test_a_certificate_with_several_uris_is_nobodys(mesh: Mesh, uris: tuple[str, ...]) -> None:
    refusal = await mesh.refused(f"{SERVICE}/ListSkills", pb.ListSkillsRequest(), mesh.shown(*uris, subject="desk"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_INVALID")


async def test_operators_of_other_machines_call_by_their_certificate(mesh: Mesh) -> None:
    here = admin_pb2.ListSourcesRequest(partition=admin_pb2.Partition(deployment=True))
    answer = await mesh.call(f"{ADMIN.full_name}/ListSources", here, mesh.shown(OPERATOR), admin=True)
    assert [source.name for source in admin_pb2.ListSourcesResponse.FromString(answer).sources] == ["house"]


@pytest.mark.parametrize("uri", [AGENT, "spiffe://example.org/nobody"])
async def test_nobody_else_is_an_operator(mesh: Mesh, uri: str) -> None:
    for path, request in (
        (f"{ADMIN.full_name}/ListSources", admin_pb2.ListSourcesRequest()),
        (f"{CHANNELZ}/GetServers", channelz_pb2.GetServersRequest()),
    ):
        refusal = await mesh.refused(path, request, mesh.shown(uri), admin=True)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING")


async def test_an_operator_is_no_reader(mesh: Mesh) -> None:
    refusal = await mesh.refused(f"{SERVICE}/ListSkills", pb.ListSkillsRequest(), mesh.shown(OPERATOR))
    assert refusal.reason == "ROLE_MISSING"


async def test_the_socket_of_the_data_folder_asks_nobody_who_they_are(mesh: Mesh, tmp_path: Path) -> None:
    address = await mesh.server.server.start_admin(tmp_path / "admin.sock")
    async with grpc.aio.insecure_channel(address, (("grpc.use_local_subchannel_pool", 1),)) as channel:
        method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
        method = channel.unary_unary(f"/{ADMIN.full_name}/ListSources")
        request = admin_pb2.ListSourcesRequest(partition=admin_pb2.Partition(deployment=True))
        answer = await method(request.SerializeToString(), timeout=PATIENCE_S)
    assert admin_pb2.ListSourcesResponse.FromString(answer).sources


async def test_channelz_tells_operators_of_connections_and_agents_nothing(mesh: Mesh) -> None:
    operator = mesh.shown(OPERATOR)
    calls, after, has_all = 0, 0, False
    while not has_all:
        # A page has a hundred servers, and a process of tests may have had more.
        request = channelz_pb2.GetServersRequest(start_server_id=after)
        told = await mesh.call(f"{CHANNELZ}/GetServers", request, operator, admin=True)
        page = channelz_pb2.GetServersResponse.FromString(told)
        calls += sum(server.data.calls_started for server in page.server)
        has_all = page.end or not page.server
        after = max((server.ref.server_id for server in page.server), default=0) + 1
    assert calls
    absent = channelz_pb2.GetServerRequest(server_id=2**40)
    refusal = await mesh.refused(f"{CHANNELZ}/GetServer", absent, operator, admin=True)
    assert refusal.code is grpc.StatusCode.NOT_FOUND
    for shown in (operator, mesh.shown(AGENT)):
        refusal = await mesh.refused(f"{CHANNELZ}/GetServers", channelz_pb2.GetServersRequest(), shown)
        assert refusal.code is grpc.StatusCode.UNIMPLEMENTED
