"""What a provider gives is judged as a whole: one fault, and nothing of it is taken."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from typing_extensions import override

from skillsvc.content.stopping import Abandoned, never
from skillsvc.domain.limits import Limits
from skillsvc.sources.provided import Malformed, parse_observation, tree_of
from skillsvc.sources.provider import Candidate, ProviderObservation
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.scripted_provider import candidate


class Endless(Sequence[Candidate]):
    """Candidates without end, whatever their length says."""

    @override
    def __len__(self) -> int:
        return 1

    @override
    def __getitem__(self, index: Any) -> Any:
        return candidate("a")

    @override
    def __iter__(self) -> Iterator[Candidate]:
        while True:
            yield candidate("a")


class Text(str):
    __slots__ = ()


def observation(**fields: Any) -> ProviderObservation:  # noqa: ANN401 - values of any kind
    return ProviderObservation(**fields)


def of(**fields: Any) -> ProviderObservation:  # noqa: ANN401 - values of any kind
    return ProviderObservation(skills=[candidate("sound"), candidate(**{"name": "odd", **fields})])


MALFORMED: Mapping[str, object] = {
    "nothing": None,
    "a number": 3,
    "a mapping": {},
    "the class": ProviderObservation,
    "candidates alone": [candidate("a")],
    "complete as a number": observation(complete=1),
    "complete as nothing": observation(complete=None),
    "a revision of bytes": observation(revision=b"1"),
    "skills as nothing": observation(skills=None),
    "skills as text": observation(skills="ab"),
    "skills as a generator": observation(skills=(each for each in [candidate("a")])),
    "skills without end": observation(skills=Endless()),
    "no candidate": observation(skills=[candidate("a"), None]),
    "a name of another grammar": of(name="Odd"),
    "a name that is two": of(name="depot/odd"),
    "an empty name": of(name=""),
    "a name that is no text": of(name=b"odd"),
    "a name of a class of its own": of(name=Text("odd")),
    "another provider's": of(provider="other"),
    "a provider that is none": of(provider=None),
    "a rank as text": of(rank="1"),
    "a rank as a boolean": of(rank=True),
    "a rank as a fraction": of(rank=0.5),
    "a document as text": of(document="---"),
    "no document": of(document=None),
    "files as a list": of(files=[("a", b"")]),
    "a file as text": of(files={"a": "text"}),
    "a file's name as bytes": of(files={b"a": b""}),
    "a file that climbs": of(files={"../a": b""}),
    "a file at the root": of(files={"/a": b""}),
    "a file without a name": of(files={"": b""}),
    "a file in SKILL.md's place": of(files={"SKILL.md": b""}),
    "an executable that is no file": of(executable=["a"]),
    "executables as text": of(files={"a": b""}, executable="a"),
    "an executable that is no text": of(files={"a": b""}, executable=[b"a"]),
}


@pytest.mark.parametrize("given", MALFORMED.values(), ids=MALFORMED)
def test_a_fault_anywhere_refuses_the_whole(given: object) -> None:
    with pytest.raises(Malformed) as refused:
        parse_observation(given, label="depot", limits=Limits(layer_skills=50))
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    "files", [{"a": b"", "a/b": b""}, {"a/b": b"", "a": b""}, {"SKILL.md/x": b""}], ids=["over", "under", "in SKILL.md"]
)
def test_files_that_cannot_lie_beside_each_other_are_refused(files: dict[str, bytes]) -> None:
    provided = parse_observation(of(files=files), label="depot", limits=Limits())
    with pytest.raises(Malformed):
        tree_of(provided, blobs=MemoryBlobStore(), limits=Limits(), stopped=never)


def test_a_candidate_may_say_whose_it_is() -> None:
    provided = parse_observation(of(provider="depot"), label="depot", limits=Limits())
    assert set(provided.names) == {"sound", "odd"}


def test_a_tree_is_not_made_to_its_end_where_that_is_stopped() -> None:
    provided = parse_observation(of(), label="depot", limits=Limits())
    blobs = MemoryBlobStore()
    with pytest.raises(Abandoned):
        tree_of(provided, blobs=blobs, limits=Limits(), stopped=lambda: True)
    assert blobs.blobs == {}
