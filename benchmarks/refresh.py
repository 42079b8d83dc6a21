"""F4: a refresh after one change among many skills, against a plain stat walk of the same tree.

A whole look is what the server does every so often; a look at what the kernel says has changed is what it does at once.
Both end with the change published and on stable storage. The walk keeps nothing and runs in a fresh interpreter.
"""

import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from statistics import median

from benchmarks.apart import Cost, apart, timed
from benchmarks.bench import Bench
from benchmarks.catalogs import LABEL, open_catalog
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.tree import TreeShape, name_of
from skillsvc.catalog.refresh import Refresh

_SETTLED_S = 0.2
"""So long after its last change a file need not be read again."""


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F4."""
    tree = bench.tree(TreeShape(skills=bench.skills))
    path = f"{name_of(bench.skills // 2)}/SKILL.md"
    ways: dict[str, Mapping[str, Collection[str]] | None] = {
        "a whole look": None,
        "a look at the changed path": {LABEL: [path]},
    }
    looks: dict[str, list[Cost]] = {way: [] for way in ways}
    walks: list[Cost] = []
    original = (tree / path).read_bytes()
    with open_catalog(tree, bench.data_folder()) as catalog:
        catalog.refresh.look()
        try:
            for number in range(bench.rounds):
                os.sync()
                walks.append(apart(walk, tree))
                for way, changed in ways.items():
                    looks[way].append(
                        _look(catalog.refresh, tree / path, original + f"{way} {number}\n".encode(), changed)
                    )
                told = ", ".join(f"{way} {costs[-1].wall_s * 1000:.0f} ms" for way, costs in looks.items())
                bench.tell(f"F4 round {number + 1}: walk {walks[-1].wall_s * 1000:.0f} ms, {told}")
        finally:
            (tree / path).write_bytes(original)
    for way, costs in looks.items():
        yield from _figures(f"Refresh after 1 change among {bench.skills:,}: {way}", costs, walks)


def _figures(what: str, looks: list[Cost], walks: list[Cost]) -> Iterator[Figure]:
    yield Figure(
        number="F4",
        what=what,
        unit="times a plain stat walk",
        rounds=ratios([look.wall_s for look in looks], [walk.wall_s for walk in walks]),
        bound=at_most(2.0),
        measured={
            "look_ms": median(look.wall_s for look in looks) * 1000,
            "walk_ms": median(walk.wall_s for walk in walks) * 1000,
        },
    )
    yield Figure(
        number="F4",
        what=what,
        unit="times the walk's processor time",
        rounds=ratios([look.cpu_s for look in looks], [walk.cpu_s for walk in walks]),
    )


def _look(refresh: Refresh, file: Path, content: bytes, changed: Mapping[str, Collection[str]] | None) -> Cost:
    file.write_bytes(content)
    time.sleep(_SETTLED_S)
    with timed() as cost:
        published = refresh.look(changed)
    assert published is not None, "a changed skill is published"
    return cost


def walk(tree: Path) -> Cost:
    """Walk once to warm up, and once more."""
    _stat_all(tree)
    with timed() as cost:
        _stat_all(tree)
    return cost


def _stat_all(tree: Path) -> None:
    for folder, _folders, files in os.walk(tree):
        for file in files:
            os.stat(os.path.join(folder, file))  # noqa: PTH116, PTH118 - the plainest walk there is
