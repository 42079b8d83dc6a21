"""Asking a server as its operator: by TLS where it lets them call, or by the socket in its data folder.

The path to that socket may be of any length. No client stands between: what is asked for and told here are the
contract's messages (admin.proto).
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Final, TypeVar, cast
from urllib.parse import quote, unquote, urlsplit

import typer

from skillsvc.cli.asking import sentence_of, status_of
from skillsvc.cli.names import check_address
from skillsvc.cli.operator_words import MomentsUnreal, check_moments
from skillsvc.cli.output import FAILED, USAGE, fail
from skillsvc.cli.proving import NOTHING_SHOWN, Proof
from skillsvc.store.data_folder import ADMIN_SOCKET

if TYPE_CHECKING:
    import grpc
    from google.protobuf.message import Message
    from skillsource.v1 import admin_pb2

    Asked = (
        admin_pb2.ListSourcesRequest
        | admin_pb2.ListDiagnosticsRequest
        | admin_pb2.ListPartitionsRequest
        | admin_pb2.GetGenerationRequest
        | admin_pb2.DiffGenerationsRequest
        | admin_pb2.ListEnablementRequest
        | admin_pb2.ExplainAccessRequest
    )
    _Answer = TypeVar("_Answer", bound=Message)
    _List = TypeVar(
        "_List",
        admin_pb2.ListSourcesResponse,
        admin_pb2.ListDiagnosticsResponse,
        admin_pb2.ListPartitionsResponse,
        admin_pb2.GetGenerationResponse,
        admin_pb2.DiffGenerationsResponse,
        admin_pb2.ListEnablementResponse,
        admin_pb2.ExplainAccessResponse,
    )

DataDir = Annotated[
    Path | None,
    typer.Option(envvar="SKILLSVC_DATA_DIR", metavar="DIR", help="The data folder of the server that is asked."),
]
AdminAddress = Annotated[
    str,
    typer.Option(
        envvar="SKILLSVC_ADMIN",
        metavar="HOST:PORT|unix:PATH",
        help="Where it lets operators call, by TLS or by a socket; else in DIR.",
    ),
]
PrincipalOption = Annotated[
    str,
    typer.Option("--partition", metavar="PRINCIPAL", help="Whose partition; else the layer that all callers share."),
]
ProjectOption = Annotated[
    str, typer.Option("--project", metavar="PROJECT", help="The principal's project; of `local` where none is named.")
]
Timeout = Annotated[float, typer.Option(min=0.001, metavar="SECONDS", help="Time that each answer may take.")]
ANSWER_S: Final = 10.0
"""What that is where nothing else is said."""
_SERVICE: Final = "skillsource.v1.CatalogAdminService"
_FOLDER: Final = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_LOCAL: Final = "local"
_MOST_PAGES: Final = 2_000
_MOST_BYTES: Final = 512 * 1024 * 1024
"""Of all pages of an answer: more than any server of ours tells, and less than takes this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """The admin service of one server: each call has `timeout` seconds, and `metadata` that says who makes it."""

    channel: "grpc.Channel"
    address: str
    timeout: float
    proof: Proof = NOTHING_SHOWN
    metadata: tuple[tuple[str, str], ...] = ()
    by_tls: bool = False

    def ask(self, request: "Message", into: "type[_Answer]") -> "_Answer":
        """Call what a request is named after, and return the answer; an error ends the command with one line."""
        import grpc  # noqa: PLC0415 - takes long to come in
        from google.protobuf.message import DecodeError  # noqa: PLC0415 - as above
        from skillsource.status import error_of  # noqa: PLC0415 - as above

        call = self.channel.unary_unary(
            f"/{_SERVICE}/{request.DESCRIPTOR.name.removesuffix('Request')}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=bytes,
        )
        try:
            answer = into.FromString(call(request, timeout=self.timeout, metadata=self.metadata))
            check_moments(answer)
        except grpc.RpcError as raised:
            # Whatever a channel raises is a call as well.
            ended = cast("grpc.Call", raised)
            error = error_of(ended.code().name, ended.details(), ended.trailing_metadata() or (), target=self.address)
            fail(sentence_of(error, self.address, self.proof, by_tls=self.by_tls), status_of(error))
        except (DecodeError, MomentsUnreal):
            fail(f"what answers at {self.address} does not speak the contract", FAILED)
        return answer

    def ask_all(self, request: "Asked", into: "type[_List]") -> "_List":
        """Return the pages of a list as one answer."""
        whole = into()
        pages, size = 0, 0
        while True:
            page = self.ask(request, into)
            pages, size = pages + 1, size + page.ByteSize()
            whole.MergeFrom(page)
            request.page_token = page.next_page_token
            if not page.next_page_token:
                whole.ClearField("next_page_token")
                return whole
            if pages >= _MOST_PAGES or size > _MOST_BYTES:
                fail(f"what answers at {self.address} has no end", FAILED)


@contextmanager
def operating(data_dir: Path | None, admin: str, timeout: float, proof: Proof) -> Iterator[Operator]:
    """Give the admin service of a server, found by its data folder or by the address where operators call."""
    if admin and urlsplit(admin).scheme != "unix":
        with _by_tls(admin, timeout, proof) as operator:
            yield operator
        return
    path = _path_of(data_dir, admin)
    try:
        folder = os.open(path.parent, _FOLDER)
    except OSError as error:
        fail(f"{path.parent} is no folder that can be used: {error.strerror}", USAGE)
    try:
        import grpc  # noqa: PLC0415 - takes long to come in

        # By the descriptor: the path may be longer than an address of a socket.
        target = f"unix:/proc/self/fd/{folder}/{quote(path.name)}"
        with closing(grpc.insecure_channel(target, options=(("grpc.enable_http_proxy", 0),))) as channel:
            yield Operator(
                channel=channel, address=f"unix:{path}", timeout=timeout, proof=proof, metadata=_metadata(proof)
            )
    finally:
        os.close(folder)


@contextmanager
def _by_tls(address: str, timeout: float, proof: Proof) -> Iterator[Operator]:
    check_address(address)
    import grpc  # noqa: PLC0415 - takes long to come in
    from skillsource.channel import MAX_ANSWER_BYTES  # noqa: PLC0415 - as above

    tls, metadata = proof.tls(), _metadata(proof)
    # Nobody else is let in there by a server of ours, so that nothing is ever sent in plaintext.
    believing = grpc.ssl_channel_credentials(tls.ca, tls.key, tls.cert)
    options = (("grpc.max_receive_message_length", MAX_ANSWER_BYTES),)
    with closing(grpc.secure_channel(address, believing, options)) as channel:
        yield Operator(channel=channel, address=address, timeout=timeout, proof=proof, metadata=metadata, by_tls=True)


def _metadata(proof: Proof) -> tuple[tuple[str, str], ...]:
    """Return what says who calls; a token that fits into no header ends the command."""
    from skillsource import SkillsourceError  # noqa: PLC0415 - gRPC takes long to come in
    from skillsource.channel import credentials_of  # noqa: PLC0415 - as above

    try:
        return credentials_of(proof.token())()
    except SkillsourceError as error:
        fail(error.message, USAGE)


def partition_of(principal: str, project: str) -> "admin_pb2.Partition":
    """Return the partition that a command is about; without either word the deployment's."""
    from skillsource.v1 import admin_pb2  # noqa: PLC0415 - protobuf takes long to come in

    if not principal and not project:
        return admin_pb2.Partition(deployment=True)
    return admin_pb2.Partition(principal=principal or _LOCAL, project=project)


def _path_of(data_dir: Path | None, admin: str) -> PurePath:
    if admin:
        # As the server tells it, and gRPC reads it: with `%20` for a space.
        split = urlsplit(admin)
        if not PurePath(unquote(split.path)).name:
            fail(f"{admin} is no address of a socket: say unix:PATH", USAGE)
        return PurePath(unquote(split.path))
    if data_dir is None:
        fail(
            "which server? Say --data-dir DIR, its data folder, or --admin HOST:PORT or unix:PATH, as it logs when it "
            "serves",
            USAGE,
        )
    return data_dir / ADMIN_SOCKET
