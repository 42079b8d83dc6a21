"""F3: a cold build of many skills, against reading and parsing the same files, and against skills-ref.

A build is all that a server does before it first answers: look at the directory, read, hash and parse, keep every file
by digest, merge, put all on stable storage, and publish. The floor reads the same files, parses each frontmatter once
with libyaml, and keeps nothing. Each side runs in a fresh interpreter; all files are in the page cache for both.
"""

import json
import os
import subprocess
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import yaml

from benchmarks.apart import Cost, apart, timed
from benchmarks.bench import Bench
from benchmarks.catalogs import open_catalog
from benchmarks.figures import Figure, at_most, ratios
from benchmarks.tree import TreeShape
from skillsvc.cli.serving import keeping_all

_REQUIREMENTS = Path(__file__).parents[1] / "requirements" / "bench.txt"
_READ_PROPERTIES = Path(__file__).with_name("read_properties.py")


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure F3."""
    shape = TreeShape(skills=bench.skills)
    plain = bench.tree(shape)
    builds, floors = _in_turns(bench, plain, shape)
    yield from _against_floor(builds, floors, f"Cold build of {bench.skills:,} skills without assets")
    yield _against_skills_ref(bench, plain, median(build.wall_s for build in builds))

    shape = TreeShape(skills=bench.skills, assets=2)
    builds, floors = _in_turns(bench, bench.tree(shape), shape)
    yield from _against_floor(builds, floors, f"Cold build of {bench.skills:,} skills with two assets each")


def _in_turns(bench: Bench, tree: Path, shape: TreeShape) -> tuple[list[Cost], list[Cost]]:
    builds: list[Cost] = []
    floors: list[Cost] = []
    for number in range(bench.rounds):
        # What others have yet to write would be written by our own sync.
        os.sync()
        floors.append(apart(read_and_parse, tree, with_assets=shape.assets > 0))
        builds.append(apart(build, tree, bench.data_folder(), shape.skills))
        bench.tell(f"F3 round {number + 1}: floor {floors[-1].wall_s:.2f} s, build {builds[-1].wall_s:.2f} s")
    return builds, floors


def _against_floor(builds: list[Cost], floors: list[Cost], what: str) -> Iterator[Figure]:
    yield Figure(
        number="F3",
        what=what,
        unit="times scandir, read and one libyaml parse",
        rounds=ratios([build.wall_s for build in builds], [floor.wall_s for floor in floors]),
        bound=at_most(2.0),
        measured={
            "build_s": median(build.wall_s for build in builds),
            "floor_s": median(floor.wall_s for floor in floors),
        },
    )
    yield Figure(
        number="F3",
        what=what,
        unit="times the floor's processor time",
        rounds=ratios([build.cpu_s for build in builds], [floor.cpu_s for floor in floors]),
        measured={
            "build_cpu_s": median(build.cpu_s for build in builds),
            "floor_cpu_s": median(floor.cpu_s for floor in floors),
        },
    )


def build(tree: Path, data: Path, skills: int) -> Cost:
    """Build a catalog in an empty data folder, as a server that starts."""
    with open_catalog(tree, data) as catalog:
        with timed() as cost, keeping_all():
            published = catalog.refresh.look()
        assert published is not None, "an empty catalog becomes one with skills"
        assert len(published.names) == skills, "every skill of the tree is kept"
    return cost


def read_and_parse(tree: Path, *, with_assets: bool) -> Cost:
    """Read the same files, and parse each frontmatter once."""
    with timed() as cost, os.scandir(tree) as folders:
        for folder in folders:
            if with_assets:
                _read_assets(folder.path)
            with open(f"{folder.path}/SKILL.md", "rb") as file:  # noqa: PTH123 - the floor takes no detour
                document = file.read()
            yaml.load(document.split(b"---\n", 2)[1], yaml.CSafeLoader)
    return cost


def _read_assets(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                _read_assets(entry.path)
            elif entry.name != "SKILL.md":
                with open(entry.path, "rb") as file:  # noqa: PTH123 - the floor takes no detour
                    file.read()


def _against_skills_ref(bench: Bench, tree: Path, build_s: float) -> Figure:
    """Compare with skills-ref: it needs so long that the noise of one round is small, so the median build stands."""
    with _skills_ref() as python:
        seconds: list[float] = []
        for number in range(min(bench.rounds, 3)):
            answer = subprocess.run([python, _READ_PROPERTIES, tree], check=True, capture_output=True, text=True)
            told = json.loads(answer.stdout)
            assert told["skills"] == bench.skills, "skills-ref reads every skill of the tree"
            seconds.append(told["seconds"])
            bench.tell(f"F3 round {number + 1}: skills-ref {seconds[-1]:.2f} s")
    return Figure(
        number="F3",
        what=f"Cold build of {bench.skills:,} skills without assets",
        unit="of skills-ref 0.1.1 reading the same properties",
        rounds=tuple(build_s / each for each in seconds),
        bound=at_most(1 / 8),
        note="the median build against each run of skills-ref",
        measured={"build_s": build_s, "skills_ref_s": median(seconds)},
    )


@contextmanager
def _skills_ref() -> Iterator[Path]:
    """Install skills-ref apart from what we depend on, and give its Python."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--requirement", _REQUIREMENTS], check=True)
        yield python
