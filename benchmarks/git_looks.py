"""F4 for git: a look at an unchanged ref among many skills against one among few, and a look at one change among many.

The repository is on a real server on loopback. An unchanged ref is one answer of the remote, whatever is below it: so
the cost must not depend on how many skills that is. The process that asks is counted with the rest.
"""

import resource
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.apart import Cost, apart
from benchmarks.bench import Bench
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.refresh import walk
from benchmarks.tree import TreeShape, name_of
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.sources.git.source import GitSettings, GitSource
from skillsvc.sources.reading import ReadingSettings
from tests.simulators.git_repository import GitRepository
from tests.simulators.git_servers import serving_http

_FEW = 10
_LOOKS = 10
"""One look is too short to be measured alone."""


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure all of it."""
    folder = bench.data_folder()
    root = folder / "root"
    root.mkdir()
    tree = bench.tree(TreeShape(skills=bench.skills))
    many = _repository(root, folder / "many", tree)
    _repository(root, folder / "few", bench.tree(TreeShape(skills=_FEW)))
    with serving_http(root, folder / "server") as origin, FileBlobStore(str(folder / "blobs")) as blobs:
        few_source = _source(f"{origin}/open/few.git", folder / "cache-of-few", blobs)
        many_source = _source(f"{origin}/open/many.git", folder / "cache-of-many", blobs)
        few_source.observe()
        with _timed() as first:
            many_source.observe()
        bench.tell(f"git: the first look at {bench.skills:,} skills {first.wall_s:.2f} s")
        costs: dict[str, list[Cost]] = {"few": [], "many": [], "walk": [], "change": []}
        for number in range(bench.rounds):
            costs["few"].append(_looks(few_source))
            costs["many"].append(_looks(many_source))
            costs["walk"].append(apart(walk, tree))
            costs["change"].append(_change(many, many_source, number))
            told = ", ".join(f"{what} {each[-1].wall_s * 1000:.0f} ms" for what, each in costs.items())
            bench.tell(f"git round {number + 1}: {told}")
    measured = {f"{what}_ms": median(cost.wall_s for cost in each) * 1000 for what, each in costs.items()}
    measured["first_ms"] = first.wall_s * 1000
    unchanged = f"A look at an unchanged ref of git, {bench.skills:,} skills"
    yield Figure(
        number="F4",
        what=unchanged,
        unit=f"times one of {_FEW} skills",
        rounds=ratios([cost.wall_s for cost in costs["many"]], [cost.wall_s for cost in costs["few"]]),
        bound=at_most(1.5),
        measured=measured,
    )
    yield Figure(
        number="F4",
        what=unchanged,
        unit="times the processor time of one of few",
        rounds=ratios([cost.cpu_s for cost in costs["many"]], [cost.cpu_s for cost in costs["few"]]),
    )
    yield Figure(
        number="F4",
        what=f"A look at 1 change among {bench.skills:,} skills of git, fetched",
        unit="times a plain stat walk",
        rounds=ratios([cost.wall_s for cost in costs["change"]], [cost.wall_s for cost in costs["walk"]]),
    )


def _repository(root: Path, work: Path, tree: Path) -> GitRepository:
    repository = GitRepository(root / f"{work.name}.git", work)
    shutil.copytree(tree, work, dirs_exist_ok=True)
    repository.commit()
    return repository


def _source(url: str, folder: Path, blobs: FileBlobStore) -> GitSource:
    reading = ReadingSettings(label="git", tier=Tier.REGISTERED)
    settings = GitSettings(url=url, reading=reading, plain_http=True)
    return GitSource(settings, limits=Limits(), blobs=blobs, folder=folder)


def _looks(source: GitSource) -> Cost:
    """Look at what has not changed; the cost is of one look."""
    seen = source.observe()
    with _timed() as cost:
        for _ in range(_LOOKS):
            assert source.observe() is seen, "nothing was read"
    return Cost(wall_s=cost.wall_s / _LOOKS, cpu_s=cost.cpu_s / _LOOKS)


def _change(repository: GitRepository, source: GitSource, number: int) -> Cost:
    name = name_of(number)
    document = repository.work / name / "SKILL.md"
    commit = repository.commit({f"{name}/SKILL.md": document.read_text(encoding="utf-8") + f"Round {number}.\n"})
    with _timed() as cost:
        seen = source.observe()
    assert seen.revision == commit, "the change is seen"
    return cost


@contextmanager
def _timed() -> Iterator[Cost]:
    """Measure what happens inside, in this process and in those that it waited for."""
    cost = Cost()
    wall, cpu = time.perf_counter(), _cpu_s()
    yield cost
    cost.wall_s, cost.cpu_s = time.perf_counter() - wall, _cpu_s() - cpu


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
