"""F10: a client that follows the catalog reads an unchanged body again: no call, and how long it takes.

While it reads, the server is stopped by SIGSTOP, so that a call could not be answered: reads that return at all have
made none.
"""

import signal
import time
from collections.abc import Iterator

import skillsource

from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most
from benchmarks.servers import skillsvc
from benchmarks.skill_body import SHAPE
from benchmarks.tree import name_of

_READS = 200_000


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F10."""
    name = name_of(SHAPE.skills // 2)
    microseconds: list[float] = []
    with (
        skillsvc(bench.tree(SHAPE), bench.data_folder()) as server,
        skillsource.connect(server.address, follow=True) as client,
    ):
        _wait_until_following(client)
        read = client.skill_body
        read(name)
        for number in range(bench.rounds):
            server.process.send_signal(signal.SIGSTOP)
            try:
                begun = time.perf_counter()
                for _ in range(_READS):
                    read(name)
                microseconds.append((time.perf_counter() - begun) / _READS * 1e6)
            finally:
                server.process.send_signal(signal.SIGCONT)
            bench.tell(f"F10 round {number + 1}: {microseconds[-1]:.2f} µs")
    yield Figure(
        number="F10",
        what="Repeated read of an unchanged body by the blocking client, following",
        unit="microseconds",
        rounds=tuple(microseconds),
        bound=at_most(5.0),
        note="no call: the server was stopped meanwhile",
    )


def _wait_until_following(client: skillsource.Client) -> None:
    ends = time.monotonic() + 10
    while not client.following:
        assert time.monotonic() < ends, "the stream begins"
        time.sleep(0.01)
