"""Work done in a process of its own, so that nothing that this process holds makes it slower, and what it cost."""

import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@dataclass(slots=True)
class Cost:
    """Seconds by the clock, and seconds of processor time of all threads of this process."""

    wall_s: float = 0.0
    cpu_s: float = 0.0


@contextmanager
def timed() -> Iterator[Cost]:
    """Measure what happens inside; the cost is filled in at the end."""
    gc.collect()
    cost = Cost()
    wall, cpu = time.perf_counter(), time.process_time()
    yield cost
    cost.wall_s, cost.cpu_s = time.perf_counter() - wall, time.process_time() - cpu


def apart(work: Callable[_Given, _Result], *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
    """Do work, a function of a module, in a fresh interpreter, and return what it returns."""
    with ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(work, *args, **kwargs).result()


def cpu_seconds_of(pid: int) -> float:
    """Return the processor time that a process has taken so far."""
    # The name of the program, in parentheses, may hold anything.
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
