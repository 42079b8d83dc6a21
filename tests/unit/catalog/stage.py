"""A loop on a test's own thread: whenever it waits, the next thing happens that the test wrote down."""

import os
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from typing_extensions import override

from skillsvc.catalog.beside import Beside
from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.reports import Declared, SourceKey
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.sources.source import Source
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import START
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.scripted_source import ScriptedSource
from tests.simulators.skills import skill_row

POLL_S = 60.0
_Kept = TypeVar("_Kept")


class Stage:
    """Sources `one` and `two` of the deployment layer. Looks end when they are told to; time passes when it is told to.

    `published_at` has the second of each generation but the first, `looking` the labels of the looks under way. With
    `in_threads` looks are made as ever, at their own times.
    """

    def __init__(self, *, poll_s: float = POLL_S, limits: Limits | None = None, in_threads: bool = False) -> None:
        self.now = 0.0
        self.pause = 0.0
        self.blobs = MemoryBlobStore()
        self.log = MemoryLayerLog(os.urandom)
        self.limits = limits or Limits()
        self.current = Current(self.log, self.limits)
        self.stopping = threading.Event()
        self.one, self.two = ScriptedSource("one"), ScriptedSource("two")
        self.poll_s = poll_s
        self._work: list[tuple[str, Callable[[], None]]] = []
        self._script: list[Callable[[], object]] = []
        self.has_room = True
        self.published_at: list[float] = []
        self.loop = RefreshLoop(
            self._open_layer,
            borrow_layer=partial(self._open_layer, held=True),
            sweep=BlobSweep(self.current, blobs=self.blobs, now=self.time, stopped=self.stopping.is_set),
            sweep_every_s=1_000.0,
            stopping=self.stopping,
            clock=time.monotonic if in_threads else lambda: self.now,
            now=self.time,
            chance=lambda: 0.5,
            beside=None if in_threads else Beside(self._begin),
            woken=None if in_threads else _Waiting(self),
        )
        self.replace(self.one, self.two)
        self._sequence = 1
        self.current.subscribe(self._note_published)

    def time(self) -> datetime:
        return START + timedelta(seconds=self.now)

    def _open_layer(self, partition: Partition, *, held: bool = False) -> Refresh:
        self.current.open_layer(partition, self.time(), held=held)
        return Refresh(
            self.current,
            partition,
            (),
            blobs=self.blobs,
            limits=self.limits,
            now=self.time,
            clock=lambda: self.now,
            stopped=self.stopping.is_set,
            remembers=not held,
        )

    def _note_published(self) -> None:
        sequence = self.current.layers[DEPLOYMENT].present.sequence
        if sequence != self._sequence:
            self._sequence = sequence
            self.published_at.append(self.now)

    def _begin(self, name: str, work: Callable[[], None]) -> None:
        if not self.has_room:
            raise RuntimeError("can't start new thread")
        if name == "the sweep":
            work()
        else:
            self._work.append((name.removeprefix("the look at "), work))

    def replace(self, *sources: Source) -> None:
        """Declare these sources of the deployment layer."""
        self.loop.replace({DEPLOYMENT: self.declared(*sources)})

    def declared(self, *sources: Source) -> list[Declared]:
        return [Declared(source=each, kind="scripted", poll_s=self.poll_s) for each in sources]

    def skill(self, name: str, body: str = "Do it.") -> Row:
        return skill_row(self.blobs, name, body=body)

    @property
    def looking(self) -> list[str]:
        return [name for name, _work in self._work]

    @property
    def names(self) -> tuple[str, ...]:
        return self.current.layers[DEPLOYMENT].present.names

    def finish(self, *labels: str) -> Callable[[], None]:
        """Return what lets the oldest look at each of these sources end."""

        def do() -> None:
            for label in labels:
                at = self.looking.index(label)
                _name, work = self._work.pop(at)
                work()

        return do

    def finish_all(self) -> None:
        while self._work:
            self._work.pop(0)[1]()

    def tell(self, label: str, *paths: str) -> Callable[[], None]:
        return lambda: self.loop.tell(SourceKey(partition=DEPLOYMENT, label=label), paths)

    def wait(self) -> None:
        """Let the time pass for which the loop would wait."""
        self.now += self.pause

    def play(self, *script: Callable[[], object]) -> None:
        """Run the loop until all of this has happened, each when it waits; then it is stopped, and looks end."""
        self._script = list(script)
        self.loop.run()

    def happen(self, pause: float | None) -> None:
        """Let the next thing happen."""
        self.pause = 0.0 if pause is None else pause
        if self._script:
            self._script.pop(0)()
        else:
            self.loop.stop()
            self.finish_all()


class _Waiting(threading.Condition):
    """Waits by letting something happen."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage

    @override
    def wait_for(self, predicate: Callable[[], _Kept], timeout: float | None = None) -> _Kept:
        held = predicate()
        if not held:
            self._stage.happen(timeout)
        return predicate()
