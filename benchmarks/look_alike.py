"""Whether time tells apart what must look alike: unknown, not allowed, hidden by a rule, another's, revoked and off.

They are asked for in an order of chance, by real calls one after the other, so that whatever else the machine does
meets all alike. For each, the figure is how often one of its calls took longer than one for an unknown skill, beyond
one half: who guesses by time is right so much more often than a coin (rules.md 7).
"""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import grpc
from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.apart import apart
from benchmarks.bench import Bench
from benchmarks.catalogs import now, open_catalog
from benchmarks.figures import Figure, at_most
from benchmarks.skill_body import RPC, SHAPE
from benchmarks.tree import name_of
from skillsvc.catalog.learned import Learned, LearnedLayers, LearnedSkill
from skillsvc.domain.access import Grant, Role
from skillsvc.domain.enablement import Audience, State
from skillsvc.domain.partition import Partition
from skillsvc.service.call import OfThisMachine
from skillsvc.service.server import Parts, Server

_CALLS = 3_000
_OWN = Partition("token:one", "")
_OTHER = Partition("token:other", "")
_HIDDEN = name_of(2)
_DISABLED = name_of(3)
_REQUESTS = {
    "unknown": pb.SkillBodyRequest(name="skill-nowhere"),
    "not allowed": pb.SkillBodyRequest(name=name_of(1), allow={"names": [name_of(0)]}),
    "hidden": pb.SkillBodyRequest(name=_HIDDEN),
    "another's": pb.SkillBodyRequest(name="another"),
    "revoked": pb.SkillBodyRequest(name="revoked"),
    "disabled": pb.SkillBodyRequest(name=_DISABLED),
}


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure it."""
    rounds: dict[str, list[float]] = {kind: [] for kind in _REQUESTS if kind != "unknown"}
    for number in range(bench.rounds):
        took = apart(times, bench.tree(SHAPE), bench.data_folder())
        for kind, told in rounds.items():
            told.append(abs(_longer(took[kind], took["unknown"]) - 0.5))
        bench.tell(f"alike round {number + 1}: " + ", ".join(f"{kind} {told[-1]:.3f}" for kind, told in rounds.items()))
    for kind, told in rounds.items():
        yield Figure(
            number="alike",
            what=f"SkillBody of a skill that is {kind}, against one that is unknown",
            unit="beyond a coin",
            rounds=tuple(told),
            bound=at_most(0.05),
            note=f"{_CALLS:,} calls each",
        )


def _longer(these: Sequence[float], others: Sequence[float]) -> float:
    """Return how often one of these is longer than one of the others, equal ones counted half."""
    ranked = sorted([(each, True) for each in these] + [(each, False) for each in others])
    ranks = sum(rank for rank, (_each, is_these) in enumerate(ranked, 1) if is_these)
    return (ranks - len(these) * (len(these) + 1) / 2) / (len(these) * len(others))


def times(tree: Path, data: Path) -> dict[str, list[float]]:
    """Return the seconds of each call, by what it asked for."""
    with open_catalog(tree, data) as catalog:
        catalog.refresh.look()
        parts = catalog.parts
        learned = LearnedLayers(parts.current, blobs=parts.blobs, limits=parts.limits, now=now)
        learned.replace([_holding(_OWN, "own", "revoked"), _holding(_OTHER, "another", "more")])
        parts.current.revoke(_OWN, "revoked", now())
        parts.enablements.say(Audience(_OWN), (_DISABLED,), State.DISABLED, now())
        visible = {row.name for row in parts.current.layers[Partition("", "")].present.listed} - {_HIDDEN}
        grant = Grant(
            principal=_OWN.principal,
            roles=frozenset({Role.READER}),
            allow=frozenset(visible | {"own", "another", "revoked", "skill-nowhere"}),
            rule="one",
        )
        return asyncio.run(_times(replace(parts, identities=OfThisMachine(grant))))


async def _times(parts: Parts) -> dict[str, list[float]]:
    server = Server(parts)
    address = await server.start("127.0.0.1:0")
    server.serve()
    order = list(_REQUESTS) * _CALLS
    random.Random(1).shuffle(order)  # noqa: S311 - an order, no secret
    took: dict[str, list[float]] = {kind: [] for kind in _REQUESTS}
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            method: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(RPC)
            for kind in order:
                request = _REQUESTS[kind].SerializeToString()
                begun = time.perf_counter()
                try:
                    await method(request)
                except grpc.aio.AioRpcError as error:
                    took[kind].append(time.perf_counter() - begun)
                    if error.code() is not grpc.StatusCode.NOT_FOUND:
                        raise
                else:
                    raise AssertionError(kind)
    finally:
        await server.drain(0)
    return took


def _holding(partition: Partition, *names: str) -> Learned:
    skills = tuple(LearnedSkill(name=name, description=f"Of {name}.", body="Do it.") for name in names)
    return Learned(partition=partition, skills=skills)
