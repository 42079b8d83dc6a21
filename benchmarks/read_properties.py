"""Read the properties of each skill of a folder with skills-ref. Runs in an environment where that is installed."""

import json
import sys
import time
from pathlib import Path

from skills_ref import read_properties  # type: ignore[import-not-found] # is there where this runs


def main(folder: Path) -> None:
    """Print how many skills were read, and in how many seconds."""
    begun = time.perf_counter()
    skills = [read_properties(skill) for skill in sorted(folder.iterdir())]
    print(json.dumps({"skills": len(skills), "seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
