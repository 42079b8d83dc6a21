"""F5 and F7: what a partition costs beside 10,000 others, each with one skill of its own over 1,000 shared ones.

F5 is memory: of a process that has all of them in it, after each was asked for once, against what it had before there
was any. F7 is a publish into one of them and the next answer to its owner, against the same where there are ten.
"""

import ctypes
import gc
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.apart import apart
from benchmarks.bench import Bench
from benchmarks.catalogs import now, open_catalog
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.tree import TreeShape
from skillsvc.catalog.learned import Learned, LearnedLayers, LearnedSkill
from skillsvc.catalog.views import Views
from skillsvc.domain.view import Viewer

PARTITIONS = 10_000
FEW = 10
SHARED = TreeShape(skills=1_000, body_bytes=1_024)
_AT_ONCE = 500
"""Partitions that are filled in one step."""
_PUBLISHES = 100


def measure_memory(bench: Bench) -> Iterator[Figure]:
    """Measure F5."""
    taken: list[Taken] = []
    for number in range(bench.rounds):
        taken.append(apart(memory, bench.tree(SHARED), bench.data_folder()))
        bench.tell(f"F5 round {number + 1}: {taken[-1].layers:,.0f} bytes a layer, {taken[-1].views:,.0f} a view")
    yield Figure(
        number="F5",
        what=f"Memory of {PARTITIONS:,} partitions that share {SHARED.skills:,} skills and own one each",
        unit="KiB a partition",
        rounds=tuple((each.layers + each.views) / 1024 for each in taken),
        bound=at_most(4.0),
        note="resident, with a view of each",
        measured={
            "layer_bytes": median(each.layers for each in taken),
            "view_bytes": median(each.views for each in taken),
        },
    )


def measure_publishing(bench: Bench) -> Iterator[Figure]:
    """Measure F7."""
    told: list[Publishes] = []
    for number in range(bench.rounds):
        told.append(apart(publishes, bench.tree(SHARED), bench.data_folder(), bench.data_folder()))
        bench.tell(f"F7 round {number + 1}: {told[-1].few_s * 1e6:.0f} µs, {told[-1].many_s * 1e6:.0f} µs")
    yield Figure(
        number="F7",
        what=f"Publish into one of {PARTITIONS:,} partitions, and the view of its owner",
        unit=f"times one of {FEW}",
        rounds=ratios([each.many_s for each in told], [each.few_s for each in told]),
        bound=at_most(1.3),
        note=f"medians of {_PUBLISHES} each, in turns",
        measured={
            "few_us": median(each.few_s for each in told) * 1e6,
            "many_us": median(each.many_s for each in told) * 1e6,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Bytes a partition: of its layer, and of the view of its owner once it has been asked for."""

    layers: float
    views: float


def memory(tree: Path, data: Path) -> Taken:
    """Return what the partitions of a fresh catalog take."""
    with open_catalog(tree, data) as catalog:
        catalog.refresh.look()
        current = catalog.parts.current
        learned = LearnedLayers(current, blobs=catalog.parts.blobs, limits=catalog.parts.limits, now=now)
        # What the first one alone costs is no partition's: statements, threads, caches.
        learned.replace([_own(_viewer(PARTITIONS), 0)])
        views = Views(current, catalog.parts.keys)
        views.present(_viewer(PARTITIONS)).view.digest  # noqa: B018 - computed when it is asked for
        before = _resident_bytes()
        fill(learned, PARTITIONS)
        filled = _resident_bytes()
        for number in range(PARTITIONS):
            views.present(_viewer(number)).view.digest  # noqa: B018 - as above
        seen = _resident_bytes()
        return Taken(layers=(filled - before) / PARTITIONS, views=(seen - filled) / PARTITIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishes:
    """Seconds of a publish, the median, where there are few partitions and where there are many."""

    few_s: float
    many_s: float


def publishes(tree: Path, few: Path, many: Path) -> Publishes:
    """Publish in turns to a catalog of few partitions and to one of many."""
    with ExitStack() as stack:
        sides = []
        for data, count in ((few, FEW), (many, PARTITIONS)):
            catalog = stack.enter_context(open_catalog(tree, data))
            catalog.refresh.look()
            parts = catalog.parts
            learned = LearnedLayers(parts.current, blobs=parts.blobs, limits=parts.limits, now=now)
            fill(learned, count)
            views = Views(parts.current, parts.keys)
            for number in range(count):
                views.present(_viewer(number))
            sides.append((learned, views, count))
        took: list[list[float]] = [[], []]
        for turn in range(_PUBLISHES):
            for (learned, views, count), times in zip(sides, took, strict=True):
                viewer = _viewer(turn % count)
                begun = time.perf_counter()
                learned.replace([_own(viewer, turn + 1)])
                views.present(viewer).view.digest  # noqa: B018 - as above
                times.append(time.perf_counter() - begun)
        return Publishes(few_s=median(took[0]), many_s=median(took[1]))


def fill(learned: LearnedLayers, count: int) -> None:
    """Let so many partitions own a skill each."""
    for first in range(0, count, _AT_ONCE):
        learned.replace([_own(_viewer(number), 0) for number in range(first, min(first + _AT_ONCE, count))])


def _viewer(number: int) -> Viewer:
    return Viewer(f"token:tenant-{number}", "")


def _own(viewer: Viewer, version: int) -> Learned:
    text = f"What {viewer.principal} learned in version {version}."
    skill = LearnedSkill(name=viewer.principal.partition(":")[2], description=text, body=text * 20)
    return Learned(partition=viewer.partition, skills=(skill,))


def _resident_bytes() -> int:
    gc.collect()
    # What is free already must not count for what is taken later.
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
