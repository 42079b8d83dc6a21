"""Stalls: moments at which the machine itself lets a process wait, whatever server is measured.

On a machine of few processors, others than the two that are measured run now and then: daemons, or whoever shares it.
For some milliseconds of each second one of the processors is theirs. That is near one call in a hundred, where a 99th
percentile begins: without a look at it, a figure tells of the machine. So a process of its own sleeps on each
processor, and notes when it was woken too late.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SLEEP_S: Final = 0.0005
_LATE_S: Final = 0.0005
"""Who only sleeps is woken before all that compute: as a rule within a third of this, also beside a busy server."""
_START_S: Final = 10.0


class Stalls:
    """What was seen: stalls from and to seconds since 1970. Empty until the watching has ended."""

    def __init__(self) -> None:
        """Begin with none."""
        self._seen: list[tuple[float, float]] = []

    def add(self, begun: float, ended: float) -> None:
        """Note one."""
        self._seen.append((begun, ended))

    def meet(self, begun: float, ended: float) -> bool:
        """Tell whether any stall was between two moments."""
        return any(begun < end and ended > begin for begin, end in self._seen)


@contextmanager
def watched() -> Iterator[Stalls]:
    """Watch all processors of this process while what is inside runs."""
    stalls = Stalls()
    watchers = [
        subprocess.Popen([sys.executable, "-m", "benchmarks.stalls", str(processor)], stdout=subprocess.PIPE, text=True)
        for processor in sorted(os.sched_getaffinity(0))
    ]
    try:
        for watcher in watchers:
            assert watcher.stdout is not None
            assert watcher.stdout.readline() == "watching\n"
        yield stalls
    finally:
        for watcher in watchers:
            watcher.send_signal(signal.SIGTERM)
            for begun, ended in json.loads(watcher.communicate(timeout=_START_S)[0]):
                stalls.add(begun, ended)


def main() -> None:
    """Sleep on one processor until SIGTERM, then write when it was woken late."""
    os.sched_setaffinity(0, {int(sys.argv[1])})
    ends: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: ends.append(number))
    print("watching", flush=True)
    late: list[tuple[float, float]] = []
    while not ends:
        begun = time.time()
        time.sleep(_SLEEP_S)
        ended = time.time()
        if ended - begun > _SLEEP_S + _LATE_S:
            late.append((begun, ended))
    json.dump(late, sys.stdout)


if __name__ == "__main__":
    main()
