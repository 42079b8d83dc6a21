"""What a lie is: a script, the call that meets it, and what an honest client makes of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from tests.hostile.honest import FakeAsset, FakeSkill, Honest, Refusal
from tests.hostile.playing import Player, Script, refuse

M = TypeVar("M", bound=Message)

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})

FIRST = FakeSkill(
    name="first",
    description="The first.",
    body="First of all.\n" * 100,
    assets=(FakeAsset(name="a.txt", data=b"a" * 3_000), FakeAsset(name="b.bin", data=b"\xff\x00")),
    license="MIT",
)
SECOND = FakeSkill(name="second", description="The second.", body="Then this.")
CATALOG = (FIRST, SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie:
    """One way of breaking the contract.

    Attributes:
        name: Names the script on the command line, and the test.
        script: Makes what the server plays, anew for each client.
        call: The client's method, as it is called in Python.
        arguments: What it is given, by name.
        error: The error that an honest client raises; None where it returns a value.
        holds: What is true of the value that it returns.
        options: How the client is made.
    """

    name: str
    script: Callable[[], Script]
    call: str
    arguments: Mapping[str, Any] = field(default_factory=lambda: NO_OPTIONS)
    error: str = ""
    holds: Callable[[Any], bool] | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: NO_OPTIONS)


def changed(method: str, kind: type[M], change: Callable[[Any, M], None], *, ranges: int = 1_000) -> Script:
    """Return the script of an honest server with one method changed.

    Args:
        method: The RPC.
        kind: Its request message.
        change: Given the honest answer and the request, does to the answer what it likes.
        ranges: Most bytes of a range.
    """
    honest = Honest(*CATALOG, page_skills=1, range_bytes=ranges)
    answers: Mapping[str, Callable[[Any], Message]] = {
        "ListSkills": honest.list_skills,
        "SkillBody": honest.skill_body,
        "ListAssets": honest.list_assets,
        "ReadAsset": honest.read_asset,
        "Activate": honest.activate,
    }

    def play(request: bytes, context: grpc.ServicerContext) -> bytes:
        asked = kind.FromString(request)
        try:
            answer = answers[method](asked)
        except Refusal as refusal:
            return refuse(context, refusal.code, refusal.reason, metadata=refusal.metadata)
        change(answer, asked)
        return answer.SerializeToString()

    return {**honest.script(), method: play}


def answering(method: str, *answers: Message | bytes) -> Script:
    """Return a script that answers one method with these, the last one again and again."""
    numbers = count()
    encoded = [answer if isinstance(answer, bytes) else answer.SerializeToString() for answer in answers]

    def play(request: bytes, context: grpc.ServicerContext) -> bytes:
        del request, context
        return encoded[min(next(numbers), len(encoded) - 1)]

    return {**Honest(*CATALOG).script(), method: play}


def streaming(*messages: Message | bytes) -> Script:
    """Return a script that answers WatchCatalog with these, and then says nothing until the caller goes."""

    def play(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        del request
        for message in messages:
            yield message if isinstance(message, bytes) else message.SerializeToString()
        context.abort(grpc.StatusCode.UNAVAILABLE, "the end of the script")

    return {**Honest(*CATALOG).script(), "WatchCatalog": play}


def playing(method: str, player: Player) -> Script:
    """Return the script of an honest server with one method played otherwise."""
    return {**Honest(*CATALOG).script(), method: player}
