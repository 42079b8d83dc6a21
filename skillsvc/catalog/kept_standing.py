"""What is kept over restarts of how sources stand: the age of what is served must not begin anew with the process.

It is a help for operators and never a source of truth: where it is lost, ages begin with the process.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from skillsvc.catalog.standing import Standing
from skillsvc.sources.kept_file import KeptFile

_FORMAT: Final = "how-sources-stand-1"
_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastKnown:
    """How a source stood.

    `behind_since` is since when not all of it was seen, None where it was; `seen_at` is when it was last wholly seen,
    None where it never was; `revision` is what was seen last.
    """

    behind_since: datetime | None
    seen_at: datetime | None
    revision: str


def recalled(standing: Standing, last: LastKnown) -> Standing:
    """Return how a source stands that this process has not looked at yet, with what an earlier one has kept of it."""
    behind = standing.unreachable
    if behind is not None and last.behind_since is not None:
        behind = replace(behind, since=min(behind.since, last.behind_since))
    return replace(standing, served=replace(standing.served, revision=last.revision), unreachable=behind)


def known_of(standing: Standing, seen_at: datetime | None) -> LastKnown:
    """Return what is kept over a restart of how a source stands."""
    behind = standing.unreachable
    return LastKnown(
        behind_since=None if behind is None else behind.since, seen_at=seen_at, revision=standing.served.revision
    )


class KeptStanding:
    """How the sources of one layer stood, in a file. One thread at a time."""

    def __init__(self, path: Path) -> None:
        """Prepare; nothing is read or written yet."""
        self._file = KeptFile(path, fingerprint=_FORMAT)
        self._noted: Mapping[str, LastKnown] = {}
        self._written: Mapping[str, LastKnown] = {}
        self._written_at: datetime | None = None

    def read(self) -> dict[str, LastKnown]:
        """Return what was kept, by the label of each source; nothing where it cannot be had."""
        data = self._file.read()
        if data is None:
            return {}
        return {
            label: LastKnown(behind_since=_moment(behind_since), seen_at=_moment(seen_at), revision=revision)
            for label, (behind_since, seen_at, revision) in json.loads(data).items()
        }

    def note(self, known: Mapping[str, LastKnown], now: datetime) -> None:
        """Keep this: at once, but within a minute where sources were merely seen once more, as all are all the time."""
        self._noted = known
        is_due = self._written_at is None or not timedelta() <= now - self._written_at < _EVERY
        if known != self._written and (is_due or _but_when(known) != _but_when(self._written)):
            self._write(now)

    def close(self) -> None:
        """Write down what was noted and not written yet."""
        if self._noted != self._written:
            self._write(None)

    def _write(self, now: datetime | None) -> None:
        self._written, self._written_at = self._noted, now
        kept = {
            label: (_text(each.behind_since), _text(each.seen_at), each.revision) for label, each in self._noted.items()
        }
        self._file.write(json.dumps(kept).encode())


def _but_when(known: Mapping[str, LastKnown]) -> Mapping[str, tuple[datetime | None, bool, str]]:
    """Return what is worth being written at once: all but when a source was seen."""
    return {label: (each.behind_since, each.seen_at is None, each.revision) for label, each in known.items()}


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
