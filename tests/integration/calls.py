"""Calls to a server as anybody can make them with the messages alone: what arrives is judged as it is.

The client would clamp, drop and verify on its own. A test of what the *server* sends must not be helped.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

SERVICE = "skillsource.v1.SkillSourceService"
PATIENCE_S = 50.0
"""How long a watch waits for what must come: shorter than from one periodic look to the next."""
_Answer = TypeVar("_Answer", bound=Message)


class Watching:
    """A stream of WatchCatalog."""

    def __init__(self, events: Iterator[pb.WatchCatalogResponse]) -> None:
        self._events = events

    def next(self) -> pb.WatchCatalogResponse:
        """Return the next event."""
        return next(self._events)

    def until(self, wanted: Callable[[pb.WatchCatalogResponse], bool]) -> pb.WatchCatalogResponse:
        """Return the first event that is wanted; the deadline of the stream ends the waiting."""
        while not wanted(event := self.next()):
            pass
        return event


class Caller:
    """Calls one server, blocking."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    def call(self, request: Message, into: type[_Answer]) -> _Answer:
        """Call what a request is named after, and return the answer."""
        rpc = type(request).__name__.removesuffix("Request")
        method = self._channel.unary_unary(
            f"/{SERVICE}/{rpc}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=into.FromString,
        )
        answer: _Answer = method(request, timeout=PATIENCE_S)
        return answer

    def refused(self, request: Message, into: type[Message]) -> tuple[grpc.StatusCode, str, str]:
        """Call, and return how that was refused: code, reason, message."""
        try:
            self.call(request, into)
        except grpc.RpcError as error:
            status = rpc_status.from_call(error)  # type: ignore[arg-type] # every such error is a call, too
            info = error_details_pb2.ErrorInfo()
            assert status is not None
            assert any(detail.Unpack(info) for detail in status.details)
            return error.code(), info.reason, status.message
        raise AssertionError(f"{type(request).__name__} was answered")

    @contextmanager
    def watch(self, since: str = "", within_s: float = PATIENCE_S) -> Iterator["Watching"]:
        """Watch the catalog."""
        method = self._channel.unary_stream(
            f"/{SERVICE}/WatchCatalog",
            request_serializer=pb.WatchCatalogRequest.SerializeToString,
            response_deserializer=pb.WatchCatalogResponse.FromString,
        )
        stream = method(pb.WatchCatalogRequest(since=since), timeout=within_s)
        try:
            yield Watching(stream)
        finally:
            stream.cancel()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition of what is served holds, judged whenever that changes."""
        with self.watch() as watching:
            watching.until(lambda _: condition())

    def generation(self) -> pb.Generation:
        """Return the present state."""
        return self.call(pb.ListSkillsRequest(page_size=1), pb.ListSkillsResponse).generation

    def skills(self, page_size: int = 0) -> list[skill_pb2.Skill]:
        """Return all skills with all they say, of one state."""
        skills: list[skill_pb2.Skill] = []
        request = pb.ListSkillsRequest(view=pb.SKILL_VIEW_FULL, page_size=page_size)
        while True:
            page = self.call(request, pb.ListSkillsResponse)
            skills.extend(page.skills)
            request.page_token = page.next_page_token
            if not page.next_page_token:
                assert len(skills) == page.total_size
                return skills

    def skill(self, name: str) -> skill_pb2.Skill:
        """Return one skill as it is listed."""
        [skill] = [skill for skill in self.skills() if skill.name == name]
        return skill

    def names(self) -> list[str]:
        """Return the names that are listed."""
        return [skill.name for skill in self.skills()]

    def body(self, name: str) -> str:
        """Return a body, put together and verified."""
        return self._text(name, pb.BODY_FORM_BODY).decode()

    def document(self, name: str) -> bytes:
        """Return a SKILL.md as it was read, put together and verified."""
        return self._text(name, pb.BODY_FORM_DOCUMENT)

    def _text(self, name: str, form: pb.BodyForm) -> bytes:
        request = pb.SkillBodyRequest(name=name, form=form)
        text = b""
        while True:
            answer = self.call(request, pb.SkillBodyResponse)
            text += answer.body.encode()
            request.offset = answer.next_offset
            if not answer.next_offset:
                assert (len(text), hashlib.sha256(text).hexdigest()) == (answer.total_bytes, answer.digest)
                return text

    def assets(self, name: str) -> list[skill_pb2.Asset]:
        """Return the inventory of a skill."""
        return list(self.call(pb.ListAssetsRequest(name=name), pb.ListAssetsResponse).assets)

    def asset(self, skill: str, asset: str) -> bytes:
        """Return the bytes of an asset, put together and verified."""
        request = pb.ReadAssetRequest(skill=skill, asset=asset)
        data = b""
        while True:
            answer = self.call(request, pb.ReadAssetResponse)
            data += answer.data
            request.offset = answer.next_offset
            if not answer.next_offset:
                assert (len(data), hashlib.sha256(data).hexdigest()) == (answer.total_bytes, answer.digest)
                return data
