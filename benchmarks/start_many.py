"""10,000 partitions of a real server: how long it takes to start over them, and what memory they take, served or not.

Each belongs to a caller of its own, who shows a static token; what they own was published once by RefreshPartitions.
F5 is what a partition takes in memory by itself; this is what an operator sees of the process.
"""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import grpc
from skillsource.v1 import admin_pb2, skill_source_pb2

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most
from benchmarks.many_partitions import PARTITIONS, SHARED
from benchmarks.servers import Running, skillsvc_of
from skillsvc.service.identities.static_tokens import line_of

_AT_ONCE = 500
"""Partitions that are published by one call."""
_IN_FLIGHT = 32
_MIB = 1024 * 1024
_IDLE_MIB = 160.0
_SERVED_MIB = 256.0
"""The memory that docs/operations.md states."""
_CONFIG = """
[server]
listen = "127.0.0.1:0"
data_dir = "{data}"
[identity.tokens]
file = "{tokens}"
[[access]]
name = "tenants"
kind = "token"
[[source]]
name = "house"
path = "{tree}"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A start: until it listened, by the clock and of processor time; and resident bytes then, and after all calls."""

    seconds: float
    cpu_s: float
    idle_bytes: int
    served_bytes: int
    serving_s: float


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure what a start over all of them takes, and what serving them does."""
    data = bench.data_folder()
    tokens = data / "tokens"
    tokens.write_text("".join(f"{line_of(_tenant(number), _token(number))}\n" for number in range(PARTITIONS)))
    config = data / "skillsvc.toml"
    config.write_text(_CONFIG.format(data=data / "state", tokens=tokens, tree=bench.tree(SHARED)))
    with skillsvc_of(config) as running:
        bare = _resident_bytes(running)
        _publish(data / "state" / "admin.sock")
    told = [_round(config) for _ in range(bench.rounds)]
    for number, each in enumerate(told):
        bench.tell(
            f"start10000 round {number + 1}: {each.seconds:.2f} s, {each.idle_bytes / _MIB:.0f} MiB, "
            f"{each.served_bytes / _MIB:.0f} MiB after {each.serving_s:.1f} s of calls"
        )
    what = f"`skillsvc serve` over {PARTITIONS:,} partitions of one skill each, beside {SHARED.skills:,} shared skills"
    yield Figure(
        number="start10000",
        what=f"{what}: from nothing to listening",
        unit="s",
        rounds=tuple(each.seconds for each in told),
        note="interpreter and first look included",
        measured={"processor_s": median(each.cpu_s for each in told)},
    )
    yield Figure(
        number="start10000",
        what="Memory of the process then, before anybody has called",
        unit="MiB",
        rounds=tuple(each.idle_bytes / _MIB for each in told),
        bound=at_most(_IDLE_MIB),
        note="resident",
        measured={"without_partitions_mib": bare / _MIB},
    )
    yield Figure(
        number="start10000",
        what=f"Memory of the process after each of {PARTITIONS:,} callers has read its own skill",
        unit="MiB",
        rounds=tuple(each.served_bytes / _MIB for each in told),
        bound=at_most(_SERVED_MIB),
        note="resident, with the default budget of layers",
        measured={"calls_a_second": PARTITIONS / median(each.serving_s for each in told)},
    )


def _round(config: Path) -> Started:
    begun = time.perf_counter()
    with skillsvc_of(config) as running:
        seconds = time.perf_counter() - begun
        cpu_s, idle = running.cpu_s, _resident_bytes(running)
        begun = time.perf_counter()
        asyncio.run(_serve_each(running.address))
        serving_s = time.perf_counter() - begun
        return Started(
            seconds=seconds,
            cpu_s=cpu_s,
            idle_bytes=idle,
            served_bytes=_resident_bytes(running),
            serving_s=serving_s,
        )


def _publish(socket: Path) -> None:
    """Let each tenant own a skill, as an operator does that."""
    with grpc.insecure_channel(f"unix:{socket}") as channel:
        call = channel.unary_unary(
            "/skillsource.v1.CatalogAdminService/RefreshPartitions",
            request_serializer=admin_pb2.RefreshPartitionsRequest.SerializeToString,
            response_deserializer=admin_pb2.RefreshPartitionsResponse.FromString,
        )
        for first in range(0, PARTITIONS, _AT_ONCE):
            contents = [_content(number) for number in range(first, min(first + _AT_ONCE, PARTITIONS))]
            answer = call(admin_pb2.RefreshPartitionsRequest(partitions=contents), timeout=120)
            assert all(each.verdict == admin_pb2.PARTITION_VERDICT_PUBLISHED for each in answer.partitions)


async def _serve_each(address: str) -> None:
    """Let each tenant read its own skill once."""
    async with grpc.aio.insecure_channel(address) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
        call = channel.unary_unary("/skillsource.v1.SkillSourceService/SkillBody")
        turns = asyncio.Semaphore(_IN_FLIGHT)

        async def read(number: int) -> None:
            async with turns:
                raw = await call(
                    skill_source_pb2.SkillBodyRequest(name=_tenant(number)).SerializeToString(),
                    metadata=(("authorization", f"Bearer {_token(number)}"),),
                    timeout=60,
                )
            assert _tenant(number) in skill_source_pb2.SkillBodyResponse.FromString(raw).body

        await asyncio.gather(*(read(number) for number in range(PARTITIONS)))


def _content(number: int) -> admin_pb2.PartitionContent:
    text = f"What {_tenant(number)} learned."
    skill = admin_pb2.LearnedSkill(name=_tenant(number), description=text, body=text * 20)
    return admin_pb2.PartitionContent(
        partition=admin_pb2.Partition(principal=f"token:{_tenant(number)}"), skills=[skill]
    )


def _tenant(number: int) -> str:
    return f"tenant-{number}"


def _token(number: int) -> str:
    """Return the token of a tenant, which is no secret to anybody: the server is gone in a minute."""
    return f"{_tenant(number)}-".ljust(40, "x")


def _resident_bytes(running: Running) -> int:
    for line in Path(f"/proc/{running.process.pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel tells no resident bytes")
