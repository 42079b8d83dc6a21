"""Measure the figures of docs/performance.md: `python -m benchmarks [F1 F3 …]`."""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    cold_build,
    fairness,
    git_looks,
    identities,
    list_skills,
    look_alike,
    many_partitions,
    many_sources,
    refresh,
    repeated_read,
    search,
    skill_body,
    start_many,
    under_publishing,
)
from benchmarks.bench import Bench
from benchmarks.figures import Figure

RESULTS = Path(__file__).with_name("results.json")
FIGURES: dict[str, Callable[[Bench], Iterable[Figure]]] = {
    "F1": skill_body.measure,
    "F2": list_skills.measure,
    "F3": cold_build.measure,
    "F4": refresh.measure,
    "git": git_looks.measure,
    "F5": many_partitions.measure_memory,
    "F6": under_publishing.measure,
    "F7": many_partitions.measure_publishing,
    "F8": search.measure,
    "F10": repeated_read.measure,
    "alike": look_alike.measure,
    "fairness": fairness.measure,
    "identities": identities.measure,
    "sources": many_sources.measure,
    "start10000": start_many.measure,
}


def main() -> int:
    """Measure, print a table, write the results; 1 where a bound is not kept."""
    asked = _arguments()
    console = Console(stderr=True)
    begun = time.perf_counter()

    def tell(message: str) -> None:
        console.print(f"[dim]{time.perf_counter() - begun:6.1f} s  {message}[/dim]", highlight=False)

    with tempfile.TemporaryDirectory(prefix="skillsvc-bench-", dir=asked.folder) as folder:
        bench = Bench(folder=Path(folder), skills=asked.skills, rounds=asked.rounds, seconds=asked.seconds, tell=tell)
        figures = [figure for number in asked.figures or FIGURES for figure in FIGURES[number](bench)]
    Console(width=None if sys.stdout.isatty() else 160).print(_table(figures))
    RESULTS.write_text(json.dumps(_results(asked, figures), indent=2) + "\n", encoding="utf-8")
    return 0 if all(figure.met is not False for figure in figures) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("figures", nargs="*", choices=[*FIGURES, []], help="which to measure; all by default")
    parser.add_argument("--skills", type=int, default=10_000, help="skills of the large tree (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each comparison (%(default)s)")
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds of load a side and round (%(default)s)")
    parser.add_argument(
        "--folder", type=Path, help="a folder on a real disk for trees and data; else the temporary one"
    )
    return parser.parse_args()


def _table(figures: Iterable[Figure]) -> Table:
    table = Table(title="Figures: the median of the rounds is held against the bound")
    for heading in ("", "What", "Unit"):
        table.add_column(heading)
    for heading in ("Min", "Median", "Max", "Bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Met")
    for figure in figures:
        what = f"{figure.what} ({figure.note})" if figure.note else figure.what
        table.add_row(
            figure.number,
            what,
            figure.unit,
            f"{min(figure.rounds):.3g}",
            f"{figure.median:.3g}",
            f"{max(figure.rounds):.3g}",
            str(figure.bound or ""),
            {None: "", True: "[green]yes[/green]", False: "[red]no[/red]"}[figure.met],
        )
    return table


def _results(asked: argparse.Namespace, figures: Iterable[Figure]) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "grpcio": version("grpcio"),
        "protobuf": version("protobuf"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "skills": asked.skills,
        "rounds": asked.rounds,
        "seconds": asked.seconds,
        "figures": [figure.as_json() for figure in figures],
    }


if __name__ == "__main__":
    sys.exit(main())
