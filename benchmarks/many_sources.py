"""Many sources: 200 directories with 50 skills each, against a plain stat walk of all of them.

Measured is what a server does beside answering: its start until every source has been looked at, on an empty data
folder and on a full one; a round of looks that find nothing changed, which is what it does each minute; and one change,
from the moment at which the kernel has told of it until the new generation is on stable storage and published.
"""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from benchmarks.apart import Cost, apart, timed
from benchmarks.bench import Bench
from benchmarks.catalogs import now
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.refresh import walk
from benchmarks.tree import TreeShape, make_tree, name_of
from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.reports import Declared, SourceKey
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.cli.serving import keeping_all
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.store.data_folder import DataFolder
from skillsvc.store.sqlite import SqliteStore

SOURCES = 200
_POLL_S = 60.0
"""The time between two looks at a source where nobody says otherwise."""
_SETTLED_S = 0.2
"""So long after its last change a file need not be read again."""
_WITHIN_S = 600.0


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure all of it."""
    folder = bench.folder / "sources"
    make_sources(folder, bench.skills)
    data = bench.data_folder()
    walks: list[Cost] = []
    costs: dict[str, list[Cost]] = {"cold": [], "warm": [], "round": [], "change": []}
    for number in range(bench.rounds):
        os.sync()
        walks.append(apart(walk, folder))
        costs["cold"].append(apart(start, folder, bench.data_folder(), bench.skills))
        # The first one fills it.
        costs["warm"].append(apart(start, folder, data, bench.skills))
        polled, changed = apart(keep_fresh, folder, data, bench.skills, number)
        costs["round"].append(polled)
        costs["change"].append(changed)
        told = ", ".join(f"{what} {each[-1].wall_s * 1000:.0f} ms" for what, each in costs.items())
        bench.tell(f"sources round {number + 1}: walk {walks[-1].wall_s * 1000:.0f} ms, {told}")
    of_all = f"{SOURCES} sources, {bench.skills:,} skills"
    yield _figure(f"{of_all}: start on an empty data folder", costs["cold"], walks)
    yield _figure(f"{of_all}: start on a full data folder", costs["warm"][1:] or costs["warm"], walks[1:] or walks)
    yield _figure(f"{of_all}: looks at all, nothing changed", costs["round"], walks)
    yield Figure(
        number="sources",
        what=f"{of_all}: looks at all, nothing changed",
        unit="times the walk's processor time",
        rounds=ratios([each.cpu_s for each in costs["round"]], [each.cpu_s for each in walks]),
        note="once a minute",
        measured={"cpu_s_a_minute": median(each.cpu_s for each in costs["round"]) * 60.0 / _POLL_S},
    )
    yield _figure(f"{of_all}: one change", costs["change"], walks, bound=2.0)


def _figure(what: str, costs: list[Cost], walks: list[Cost], bound: float | None = None) -> Figure:
    return Figure(
        number="sources",
        what=what,
        unit="times a plain stat walk",
        rounds=ratios([each.wall_s for each in costs], [each.wall_s for each in walks]),
        bound=None if bound is None else at_most(bound),
        measured={
            "ms": median(each.wall_s for each in costs) * 1000,
            "cpu_ms": median(each.cpu_s for each in costs) * 1000,
            "walk_ms": median(each.wall_s for each in walks) * 1000,
        },
    )


def make_sources(folder: Path, skills: int) -> None:
    """Write a tree, and deal its skills out to the sources."""
    tree = make_tree(folder / "tree", TreeShape(skills=skills))
    for number in range(skills):
        source = folder / _label(number % SOURCES)
        source.mkdir(exist_ok=True)
        (tree / name_of(number)).rename(source / name_of(number))
    tree.rmdir()


def _label(number: int) -> str:
    return f"source-{number:03}"


def start(folder: Path, data: Path, skills: int) -> Cost:
    """Start as a server does, until every source has been looked at."""
    with _loop(folder, data) as (loop, current), timed() as cost, keeping_all(), _running(loop):
        assert loop.first_look.wait(_WITHIN_S), "every source is looked at"
        assert len(current.layers[DEPLOYMENT].present.names) == skills, "every skill is kept"
    return cost


def keep_fresh(folder: Path, data: Path, skills: int, number: int) -> tuple[Cost, Cost]:
    """Return the costs of a round of looks that find nothing changed, and of one change."""
    with _loop(folder, data) as (loop, current), keeping_all(), _running(loop):
        assert loop.first_look.wait(_WITHIN_S), "every source is looked at"
        with timed() as polled:
            loop.look_now(DEPLOYMENT).result(_WITHIN_S)
        label, name = _label(skills // 2 % SOURCES), name_of(skills // 2)
        document = folder / label / name / "SKILL.md"
        original = document.read_bytes()
        published = threading.Event()
        current.subscribe(published.set)
        try:
            document.write_bytes(original + f"{number}\n".encode())
            time.sleep(_SETTLED_S)
            with timed() as changed:
                loop.tell(SourceKey(partition=DEPLOYMENT, label=label), [f"{name}/SKILL.md"])
                assert published.wait(_WITHIN_S), "a changed skill is published"
        finally:
            document.write_bytes(original)
    return polled, changed


@contextmanager
def _running(loop: RefreshLoop) -> Iterator[None]:
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        yield
    finally:
        loop.stop()
        thread.join()


@contextmanager
def _loop(folder: Path, data: Path) -> Iterator[tuple[RefreshLoop, Current]]:
    limits = Limits()
    stopping = threading.Event()
    with (
        DataFolder.open(data) as data_folder,
        FileBlobStore(str(data_folder.blobs)) as blobs,
        closing(SqliteStore(data_folder.database, random_bytes=os.urandom)) as store,
    ):
        current = Current(store, limits)

        def open_layer(partition: Partition) -> Refresh:
            current.open_layer(partition, now())
            return Refresh(
                current,
                partition,
                (),
                blobs=blobs,
                limits=limits,
                now=now,
                clock=time.monotonic,
                stopped=stopping.is_set,
            )

        loop = RefreshLoop(
            open_layer,
            sweep=BlobSweep(current, blobs=blobs, now=now),
            sweep_every_s=_WITHIN_S,
            stopping=stopping,
            clock=time.monotonic,
            now=now,
            chance=random.SystemRandom().random,
        )
        sources = [
            DirectorySource(
                DirectorySettings(path=str(path), reading=ReadingSettings(label=path.name)),
                limits=limits,
                blobs=blobs,
                stopped=stopping.is_set,
            )
            for path in sorted(folder.iterdir())
        ]
        loop.replace({DEPLOYMENT: [Declared(source=each, kind="directory", poll_s=_POLL_S) for each in sources]})
        yield loop, current
