"""What the last look before a restart knew of each skill's files, so that the next one reads changed files alone.

What a file's stamp proves, it proves over a restart too: an edit of the same size in the same second moves the change
time, and what had not settled when it was read is read again whatever its stamp says (`content/confined.py`). The
skills themselves are not kept here. They are taken from what is served, by the digest of the bundle; where that is
another, or the store has not all of its blobs, the skill is read.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final

from skillsvc.content.blobs import BlobStore
from skillsvc.content.stamps import FileStamp
from skillsvc.content.tree import Entry, EntryKind, FileCopy, Stamp
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import DataLoss, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Bundle, Found
from skillsvc.sources.discovery import SkillPlace
from skillsvc.sources.intake import Taken
from skillsvc.sources.kept_file import KeptFile

_EVERY_S: Final = 60.0


class StatCache:
    """The file of one source. One thread at a time."""

    def __init__(self, path: Path, *, fingerprint: str, clock: Callable[[], float], every_s: float = _EVERY_S) -> None:
        """Prepare; nothing is read or written yet.

        Args:
            path: The file; its folder is made where it is missing.
            fingerprint: Of all that what was taken depends on beside the files (`fingerprint_of`).
            clock: Tells seconds that only grow.
            every_s: How often at most it is written while looks go on.
        """
        self._file = KeptFile(path, fingerprint=fingerprint)
        self._clock = clock
        self._every_s = every_s
        self._due = clock() + every_s
        self._latest: Mapping[str, Taken] = {}
        self._written: Mapping[str, Taken] = self._latest

    def load(self, held: Sequence[Found], blobs: BlobStore) -> Mapping[str, Taken]:
        """Return what is known of each place, by place: of skills that are held, whole in the store, or were refused.

        Raises nothing. A look that takes this for its last one finds what a look that knows nothing would.
        """
        found = {each.place: each for each in held}
        try:
            known = {place: _decode(known, found.get(place), blobs) for place, known in self._read().items()}
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, DataLoss, Unavailable):
            # A store that cannot be asked has nothing for sure.
            known = {}
        self._written = {place: taken for place, taken in known.items() if taken is not None}
        return self._written

    def note(self, taken: Mapping[str, Taken]) -> None:
        """Take what a look came to; write it where that has not been done for a while."""
        self._latest = taken
        if taken is not self._written and self._clock() >= self._due:
            self.close()
            self._due = self._clock() + self._every_s

    def close(self) -> None:
        """Write what is not written yet. Raises nothing; may be called again, and more noted afterwards."""
        if self._latest is self._written:
            return
        self._written = self._latest
        self._file.write(json.dumps(dict(_encode(self._latest)), separators=(",", ":")).encode())

    def _read(self) -> Mapping[str, list[Any]]:
        kept = self._file.read()
        known = {} if kept is None else json.loads(kept)
        return known if isinstance(known, dict) else {}


def fingerprint_of(version: str, settings: object, limits: Limits) -> str:
    """Return a digest of what a reading depends on beside the files: the program, its settings and its limits.

    `settings` is the dataclass of the source's settings.
    """
    form = [
        SkillPlace._fields,
        Taken._fields,
        FileStamp._fields,
        [field.name for field in fields(FileCopy)],
        [field.name for field in fields(Diagnostic)],
    ]
    depends = [form, version, asdict(settings), asdict(limits)]  # type: ignore[call-overload] # a dataclass, see above
    return hashlib.sha256(json.dumps(depends, default=_plain, sort_keys=True).encode()).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value)


def _encode(taken: Mapping[str, Taken]) -> Iterator[tuple[str, list[Any]]]:
    for place, each in taken.items():
        # What was not seen is read again anyway.
        if each.seen and each.stamps:
            yield place, _encode_one(each)


def _encode_one(taken: Taken) -> list[Any]:
    found = taken.found
    copies = {path: (copy.digest, copy.size, copy.executable, copy.settled) for path, copy in taken.copies.items()}
    return [
        taken.place._replace(document=None, manifest=None),
        _entry(taken.place.document),
        _entry(taken.place.manifest),
        found.bundle.digest if found is not None else "",
        _said(found.diagnostics if found is not None else ()),
        _said(taken.diagnostics),
        taken.stamps,
        copies,
        taken.settled,
        taken.folders,
        taken.set_aside,
        _said(taken.said_of_files),
        _said(taken.left_out),
    ]


def _decode(known: list[Any], held: Found | None, blobs: BlobStore) -> Taken | None:
    """Return what was taken, None where what was found is not what is held, or is not whole in the store."""
    place, document, manifest, bundle, said, refused, stamps, copies, settled, folders, set_aside, of_files, left = (
        known
    )
    place = SkillPlace._make(place)._replace(document=_entry_from(document), manifest=_entry_from(manifest))
    found = None
    if bundle:
        if held is None or held.bundle.digest != bundle or not _keeps(blobs, held.bundle):
            return None
        found = replace(
            held, collection=place.collection, collection_line=place.collection_line, diagnostics=_said_from(said)
        )
        if found == held:
            # The very object where it is equal: whoever compares then sees at once that nothing is new.
            found = held
    stamped = {path: _stamp_from(stamp) for path, stamp in stamps.items()}
    return Taken(
        place=place,
        found=found,
        diagnostics=_said_from(refused),
        stamps=stamped,
        copies={
            path: FileCopy(digest=digest, size=size, executable=executable, stamp=_sure(stamped[path]), settled=steady)
            for path, (digest, size, executable, steady) in copies.items()
        },
        settled=settled,
        folders=tuple(folders),
        set_aside=tuple(set_aside),
        said_of_files=_said_from(of_files),
        left_out=_said_from(left),
    )


def _keeps(blobs: BlobStore, bundle: Bundle) -> bool:
    """Tell whether a store has all blobs of a bundle, each of its size: one that was cut is read from the source."""
    document = () if bundle.document is None else (bundle.document,)
    return all(blobs.has(each.digest) and blobs.size(each.digest) == each.size for each in (*document, *bundle.assets))


def _entry(entry: Entry | None) -> list[str] | None:
    return None if entry is None else [entry.name, entry.kind.name]


def _entry_from(entry: list[str] | None) -> Entry | None:
    return None if entry is None else Entry(entry[0], EntryKind[entry[1]])


def _stamp_from(stamp: Any) -> Stamp | None:  # noqa: ANN401 - whatever JSON holds
    return FileStamp(*stamp) if isinstance(stamp, list) else stamp


def _sure(stamp: Stamp | None) -> Stamp:
    if stamp is None:
        raise ValueError("a copy has a stamp")
    return stamp


def _said(diagnostics: Sequence[Diagnostic]) -> list[list[str]]:
    return [[each.severity.name, each.code.value, each.message, each.skill, each.source] for each in diagnostics]


def _said_from(said: list[list[str]]) -> tuple[Diagnostic, ...]:
    # Most have nothing to say.
    return (
        ()
        if not said
        else tuple(
            Diagnostic(
                severity=Severity[severity], code=DiagnosticCode(code), message=message, skill=skill, source=source
            )
            for severity, code, message, skill, source in said
        )
    )
