"""What a provider gave, judged as a whole and turned into a tree: what is malformed is refused with the whole of it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from operator import attrgetter

from skillsvc.content.blobs import BlobStore
from skillsvc.content.stopping import Abandoned
from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.domain import caps
from skillsvc.domain.limits import Limits
from skillsvc.parsing.text import one_line, shown
from skillsvc.sources.discovery import DOCUMENT
from skillsvc.sources.provider import Candidate, ProviderObservation

_REVISION_BYTES = 256
_FURTHER = "+"
"""Begins the folders of candidates that are not the first of their name: no skill's name begins so."""


class Malformed(Exception):
    """What a provider gave is no observation. The message says what of it, and holds no text of the provider's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provided:
    """An observation that is sound: skills by their places, first those that are the first of their name."""

    skills: Mapping[str, Candidate]
    complete: bool
    revision: str

    @property
    def names(self) -> Collection[str]:
        """The names of the candidates."""
        return {candidate.name for candidate in self.skills.values()}


def parse_observation(given: object, *, label: str, limits: Limits) -> Provided:
    """Return what a provider's answer says; runs code of the provider's where this hides in what it gave.

    Args:
        given: The answer, whatever it is.
        label: The name of the source.
        limits: The limits in force.

    Raises:
        Malformed: It is no observation, or one of its candidates is none.
    """
    if not isinstance(given, ProviderObservation):
        raise Malformed(f"observe returned {_kind(given)}, not a ProviderObservation")
    if type(given.complete) is not bool:
        raise Malformed(f"complete is {_kind(given.complete)}, not a bool")
    if type(given.revision) is not str:
        raise Malformed(f"revision is {_kind(given.revision)}, not a str")
    sound = [_candidate(each, index, label) for index, each in enumerate(_listed(given.skills, limits))]
    return Provided(
        skills=dict(sorted(_places(sorted(sound, key=attrgetter("rank"))), key=lambda placed: placed[0].count("/"))),
        complete=given.complete,
        revision=caps.cut_text(one_line(given.revision), _REVISION_BYTES),
    )


def tree_of(provided: Provided, *, blobs: BlobStore, limits: Limits, stopped: Callable[[], bool]) -> StoredTree:
    """Return the tree of what was provided, its bytes put into the store.

    Raises:
        Malformed: The files of a candidate cannot lie beside each other.
        Abandoned: It was stopped.
        Unavailable: The store cannot take them.
    """
    files: dict[str, StoredFile] = {}
    for place, candidate in provided.skills.items():
        if stopped():
            raise Abandoned
        files[f"{place}/{DOCUMENT}"] = _stored(candidate.document, blobs, limits.document_bytes)
        for path, data in candidate.files.items():
            stored = _stored(data, blobs, limits.asset_bytes)
            files[f"{place}/{path}"] = stored._replace(executable=path in candidate.executable)
    try:
        return StoredTree(files, blobs=blobs)
    except ValueError as error:
        raise Malformed("a candidate has a file where another one needs a folder") from error


def _stored(data: bytes, blobs: BlobStore, max_bytes: int) -> StoredFile:
    """Put a file into the store; one that is too large has no need to be there, its size alone refuses it."""
    digest = blobs.put(data) if len(data) <= max_bytes else sha256(data).hexdigest()
    return StoredFile(digest=digest, size=len(data))


def _places(ranked: Sequence[Candidate]) -> Iterator[tuple[str, Candidate]]:
    """Yield candidates with their places: the first of a name lies shallower, and so stands before the others.

    A place changes with the candidates of one name alone, whatever else comes and goes.
    """
    seen: dict[str, int] = {}
    for candidate in ranked:
        seen[candidate.name] = number = seen.get(candidate.name, 0) + 1
        yield candidate.name if number == 1 else f"{_FURTHER}{number:06}/{candidate.name}", candidate


def _listed(given: object, limits: Limits) -> list[object]:
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise Malformed(f"skills is {_kind(given)}, not a sequence of candidates")
    candidates = list(islice(given, limits.layer_skills + 1))
    if len(candidates) > limits.layer_skills:
        raise Malformed(f"there are more than {limits.layer_skills} candidates")
    return candidates


def _candidate(given: object, index: int, label: str) -> Candidate:
    """Return a candidate of plain values."""
    if not isinstance(given, Candidate):
        raise Malformed(f"skills[{index}] is {_kind(given)}, not a Candidate")
    name = given.name
    if type(name) is not str or not caps.fits_skill_name(name):
        raise Malformed(
            f"skills[{index}] has a name that is none: a lower-case letter or digit, then up to 63 of those, `_` or `-`"
        )
    if type(given.provider) is not str or given.provider not in {"", label}:
        raise Malformed(f"{name} says that it is of another provider than {label}")
    if type(given.rank) is not int:
        raise Malformed(f"the rank of {name} is {_kind(given.rank)}, not an int")
    if type(given.document) is not bytes:
        raise Malformed(f"the document of {name} is {_kind(given.document)}, not bytes")
    files = _files(given.files, name)
    return Candidate(
        name=name,
        document=given.document,
        files=files,
        executable=_executable(given.executable, files, name),
        rank=given.rank,
    )


def _files(given: object, name: str) -> Mapping[str, bytes]:
    if not isinstance(given, Mapping):
        raise Malformed(f"files of {name} is {_kind(given)}, not a mapping of paths to bytes")
    files = dict(given)
    for path, data in files.items():
        if type(path) is not str or not caps.fits_asset_name(path) or path == DOCUMENT:
            raise Malformed(f"a file of {name} has a path that is none, or {DOCUMENT}'s")
        if type(data) is not bytes:
            raise Malformed(f"the file {shown(path)} of {name} is {_kind(data)}, not bytes")
    return files


def _executable(given: object, files: Collection[str], name: str) -> frozenset[str]:
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise Malformed(f"executable of {name} is {_kind(given)}, not a set of paths")
    paths = list(given)
    if any(type(path) is not str or path not in files for path in paths):
        raise Malformed(f"executable of {name} holds what is no path of its files")
    return frozenset(paths)


def _kind(value: object) -> str:
    """Return what a value is, in words of ours where its type's name could be anything."""
    return "None" if value is None else shown(type(value).__name__)
