"""A provider that behaves as a file says, for servers that run in a process of their own.

The file is JSON: `does` says what a look comes to, `skills` are the files of each skill by its name.
"""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillsvc.sources.provider import Candidate, ProviderContext, ProviderObservation

PIECE_S = 0.01


class Behaving:
    """Looks into the file anew at each look."""

    def __init__(self, context: ProviderContext) -> None:
        self._file = Path(str(context.options["file"]))

    def observe(self) -> object:
        while (told := self._told())["does"] == "hang":
            # Deaf: it asks nobody whether it is still waited for.
            time.sleep(PIECE_S)
        if told["does"] == "raise":
            raise RuntimeError("as it was told")
        if told["does"] == "exit":
            raise SystemExit(3)
        if told["does"] == "print":
            print("as it was told", flush=True)  # noqa: T201 - as careless providers do
        if told["does"] == "babble":
            return [told]
        skills = [_candidate(name, files) for name, files in told["skills"].items()]
        if told["does"] == "break one":
            skills[-1] = Candidate(name="../x", document=b"")
        elif told["does"] == "leave one out":
            return ProviderObservation(skills=skills[1:], complete=False)
        return ProviderObservation(skills=skills)

    def close(self) -> None:
        """Hold nothing."""

    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self._file.read_text())
        return told


def _candidate(name: str, files: Mapping[str, str]) -> Candidate:
    encoded = {path: text.encode() for path, text in files.items()}
    return Candidate(name=name, document=encoded.pop("SKILL.md"), files=encoded)


def install(site: Path) -> Path:
    """Make a folder by which a server finds the provider, under the name `behaving`."""
    package = site / "behaving-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: behaving\nVersion: 1\n")
    (package / "entry_points.txt").write_text(f"[skillsvc.sources]\nbehaving = {__name__}:Behaving\n")
    return site
