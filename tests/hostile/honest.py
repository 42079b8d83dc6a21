"""An honest catalog in memory, behind the wire: what a lie is told against, and what a client is tried with."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.playing import Player, Script, refuse

NOTHING: Mapping[str, str] = MappingProxyType({})
RANGE_BYTES = 1024 * 1024
MOST_BODY_BYTES_IN_A_TEXT = 1_000

Request = TypeVar("Request", bound=Message)


def sha256(data: bytes) -> str:
    """Return the digest as the contract writes it."""
    return hashlib.sha256(data).hexdigest()


class Refusal(Exception):
    """An error of the contract, which ends the call."""

    def __init__(self, code: grpc.StatusCode, reason: str, **metadata: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.metadata = metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeAsset:
    """One asset of a skill."""

    name: str
    data: bytes
    executable: bool = False

    def message(self) -> skill_pb2.Asset:
        """Return its entry in an inventory."""
        return skill_pb2.Asset(
            name=self.name,
            size=len(self.data),
            executable=self.executable,
            digest=sha256(self.data),
            media_type="text/plain",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeSkill:
    """One skill, as its files say."""

    name: str
    description: str = "Does something."
    body: str = "Do it."
    assets: tuple[FakeAsset, ...] = ()
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    allowed_tools: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        """What SKILL.md holds."""
        return f"---\nname: {self.name}\ndescription: {self.description}\n---\n{self.body}"

    @property
    def digest(self) -> str:
        """Digest of all of it, in an encoding of this file's own."""
        return sha256(repr(self).encode())

    def message(self, *, full: bool) -> skill_pb2.Skill:
        """Return its entry in a listing."""
        skill = skill_pb2.Skill(
            name=self.name,
            description=self.description,
            description_bytes=len(self.description.encode()),
            has_assets=bool(self.assets),
            origin=skill_pb2.TIER_EXPLICIT,
            trust=skill_pb2.TRUST_ALLOWED,
            invocation=skill_pb2.Invocation(model=True, user=True),
            digest=self.digest,
        )
        if full:
            skill.license = self.license
            skill.compatibility = self.compatibility
            skill.metadata.update(self.metadata)
            skill.allowed_tools.extend(self.allowed_tools)
            skill.body_bytes = len(self.body.encode())
            skill.asset_count = len(self.assets)
        return skill


@dataclass(frozen=True, slots=True)
class State:
    """One generation."""

    sequence: int
    skills: Mapping[str, FakeSkill]

    def message(self) -> pb.Generation:
        """Return how it is named."""
        digest = sha256("".join(skill.digest for skill in self.skills.values()).encode())
        generation = pb.Generation(token=f"state-{self.sequence}", sequence=self.sequence, digest=digest, complete=True)
        generation.published_at.seconds = 1_700_000_000 + self.sequence
        return generation

    def skill(self, name: str) -> FakeSkill:
        """Return a skill, named with or without its source."""
        skill = self.skills.get(name.rpartition("/")[2])
        if skill is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "SKILL_NOT_FOUND")
        return skill


class Honest:
    """Serves skills, one generation after another."""

    def __init__(self, *skills: FakeSkill, page_skills: int = 1000, range_bytes: int = RANGE_BYTES) -> None:
        self._page_skills = page_skills
        self._range_bytes = range_bytes
        self._changed = threading.Condition()
        self._states: list[State] = []
        self._held_from = 0
        self._ends = 0
        self.activations: dict[str, pb.ActivateResponse] = {}
        self.publish(*skills)

    def publish(self, *skills: FakeSkill) -> None:
        """Serve these skills from now on."""
        with self._changed:
            by_name = {skill.name: skill for skill in sorted(skills, key=lambda skill: skill.name)}
            self._states.append(State(len(self._states) + 1, MappingProxyType(by_name)))
            self._changed.notify_all()

    def forget(self) -> None:
        """Hold no generation but the present one."""
        self._held_from = len(self._states) - 1

    def end_watches(self) -> None:
        """Send every watcher away."""
        with self._changed:
            self._ends += 1
            self._changed.notify_all()

    def script(self) -> Script:
        """Return what answers each method."""
        return {
            "GetServerInfo": unary(pb.GetServerInfoRequest, self.server_info),
            "ListSkills": unary(pb.ListSkillsRequest, self.list_skills),
            "SkillBody": unary(pb.SkillBodyRequest, self.skill_body),
            "ListAssets": unary(pb.ListAssetsRequest, self.list_assets),
            "ReadAsset": unary(pb.ReadAssetRequest, self.read_asset),
            "Activate": unary(pb.ActivateRequest, self.activate),
            "WatchCatalog": self.watch,
        }

    def server_info(self, request: pb.GetServerInfoRequest) -> pb.GetServerInfoResponse:
        """Answer GetServerInfo."""
        del request
        return pb.GetServerInfoResponse(version="0", contract=1, features=["SkillBody"])

    def list_skills(self, request: pb.ListSkillsRequest) -> pb.ListSkillsResponse:
        """Answer ListSkills; a page token is the state and the last name."""
        token, _, last = request.page_token.partition("/")
        state = self.state(token) if token else self._named(request.consistency)
        generation = state.message()
        if request.if_none_match == generation.digest and not token:
            return pb.ListSkillsResponse(generation=generation, not_modified=True)
        skills = [skill for name, skill in state.skills.items() if allows(request, name)]
        rest = [skill for skill in skills if skill.name > last]
        page = rest[: min(request.page_size or self._page_skills, self._page_skills)]
        return pb.ListSkillsResponse(
            generation=generation,
            skills=[skill.message(full=request.view == pb.SKILL_VIEW_FULL) for skill in page],
            next_page_token=f"{generation.token}/{page[-1].name}" if len(rest) > len(page) else "",
            total_size=len(skills),
        )

    def skill_body(self, request: pb.SkillBodyRequest) -> pb.SkillBodyResponse:
        """Answer SkillBody."""
        state = self._named(request.consistency)
        skill = state.skill(request.name)
        data = (skill.document if request.form == pb.BODY_FORM_DOCUMENT else skill.body).encode()
        answer = pb.SkillBodyResponse(generation=state.message(), digest=sha256(data))
        if request.if_none_match == answer.digest:
            answer.not_modified = True
            return answer
        end = request.offset + min(request.max_bytes or self._range_bytes, self._range_bytes)
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        answer.body = data[request.offset : end].decode()
        answer.total_bytes = len(data)
        answer.next_offset = end if end < len(data) else 0
        return answer

    def list_assets(self, request: pb.ListAssetsRequest) -> pb.ListAssetsResponse:
        """Answer ListAssets."""
        state = self._named(request.consistency)
        assets = sorted(state.skill(request.name).assets, key=lambda asset: asset.name)
        return pb.ListAssetsResponse(generation=state.message(), assets=[asset.message() for asset in assets])

    def read_asset(self, request: pb.ReadAssetRequest) -> pb.ReadAssetResponse:
        """Answer ReadAsset."""
        state = self._named(request.consistency)
        asset = next((it for it in state.skill(request.skill).assets if it.name == request.asset), None)
        if asset is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "ASSET_NOT_FOUND")
        answer = pb.ReadAssetResponse(
            generation=state.message(), digest=sha256(asset.data), media_type="text/plain", executable=asset.executable
        )
        if request.if_none_match == answer.digest:
            answer.not_modified = True
            return answer
        end = request.offset + min(request.max_bytes or self._range_bytes, self._range_bytes)
        answer.data = asset.data[request.offset : end]
        answer.offset = request.offset
        answer.total_bytes = len(asset.data)
        answer.next_offset = end if end < len(asset.data) else 0
        return answer

    def activate(self, request: pb.ActivateRequest) -> pb.ActivateResponse:
        """Answer Activate, a repeated request id as it was the first time."""
        if request.request_id in self.activations:
            return self.activations[request.request_id]
        state = self._named(request.consistency)
        skill = state.skill(request.name)
        body = skill.body.encode()
        end = min(len(body), MOST_BODY_BYTES_IN_A_TEXT)
        while end < len(body) and body[end] & 0xC0 == 0x80:
            end -= 1
        answer = pb.ActivateResponse(
            generation=state.message(),
            activation_id=f"activation-{len(self.activations)}",
            name=skill.name,
            text=body[:end].decode(),
            body_digest=sha256(body),
            truncated=end < len(body),
            next_offset=end if end < len(body) else 0,
            assets=[asset.message() for asset in sorted(skill.assets, key=lambda asset: asset.name)],
        )
        self.activations[request.request_id] = answer
        return answer

    def watch(self, request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        """Answer WatchCatalog."""
        asked = pb.WatchCatalogRequest.FromString(request)
        context.add_callback(self._wake)
        ends = self._ends
        try:
            seen = self.state(asked.since) if asked.since else None
        except Refusal:
            seen = None
        first = True
        while context.is_active():
            state = self._states[-1]
            if first or state is not seen:
                yield difference(seen, state).SerializeToString()
                first, seen = False, state
            elif self._ends > ends:
                yield pb.WatchCatalogResponse(generation=state.message(), going_away=True).SerializeToString()
                return
            else:
                with self._changed:
                    if self._states[-1] is seen and self._ends == ends and context.is_active():
                        self._changed.wait()

    def state(self, token: str) -> State:
        """Return the state that a token names."""
        sequence = int(token.removeprefix("state-")) if token.startswith("state-") else 0
        if not 1 <= sequence <= len(self._states):
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "TOKEN_MALFORMED")
        if sequence <= self._held_from:
            current = self._states[-1].message().token
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "GENERATION_EXPIRED", current_token=current)
        return self._states[sequence - 1]

    def _named(self, consistency: pb.Consistency) -> State:
        return self.state(consistency.at_exactly) if consistency.at_exactly else self._states[-1]

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


def unary(kind: type[Request], answer: Callable[[Request], Message]) -> Player:
    """Return a player that answers messages with messages."""

    def play(request: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            return answer(kind.FromString(request)).SerializeToString()
        except Refusal as refusal:
            return refuse(context, refusal.code, refusal.reason, metadata=refusal.metadata)

    return play


def allows(request: pb.ListSkillsRequest, name: str) -> bool:
    """Tell whether a request is not narrowed to other names."""
    return not request.HasField("allow") or name in request.allow.names


def difference(before: State | None, after: State) -> pb.WatchCatalogResponse:
    """Return the event that leads from one state to another."""
    event = pb.WatchCatalogResponse(generation=after.message(), heartbeat_interval_ms=30_000)
    if before is None:
        event.resync = True
        return event
    for name, skill in after.skills.items():
        if name not in before.skills:
            event.added.append(skill.message(full=False))
        elif before.skills[name] != skill:
            event.modified.append(skill.message(full=False))
    event.removed.extend(sorted(before.skills.keys() - after.skills.keys()))
    return event
