"""Sweeping: no blob that anything names is removed, and what nothing names is."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.catalog.learned import Learned, LearnedLayers, LearnedSkill, document_of
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.content.blobs import BlobStore, FileBlobStore
from skillsvc.domain.errors import DataLoss
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.skill import Found, TextRef, make_bundle
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.scripted_source import ScriptedSource
from tests.simulators.skills import sha256, skill_row
from tests.unit.catalog.house import House


def test_a_sweep_that_is_stopped_removes_no_more(house: House) -> None:
    stray = house.blobs.put(b"of a crash")
    stopped = False
    house.refresh.look()
    sweep = BlobSweep(house.current, blobs=house.blobs, now=house.clock, stopped=lambda: stopped)
    sweep.sweep([house.refresh])
    stopped = True
    sweep.sweep([house.refresh])
    assert house.blobs.has(stray)


def test_a_skill_that_is_back_after_its_blobs_were_swept_is_served_whole(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.hold()
    for number in range(4):
        house.two.hold(house.skill("b", str(number)))
        house.refresh.look()
        house.sweep()
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.sweep()
    house.sweep()
    assert _named(house) <= set(house.blobs.digests())


def test_a_blob_that_nothing_names_is_removed_at_the_second_sweep(house: House) -> None:
    stray = house.blobs.put(b"of a crash")
    house.refresh.look()
    house.sweep()
    assert house.blobs.has(stray)
    house.sweep()
    assert not house.blobs.has(stray)


def test_nothing_is_removed_before_every_refresh_of_the_store_has_looked(house: House) -> None:
    stray = house.blobs.put(b"of a crash")
    other = Partition(principal="local", project="")
    house.current.open_layer(other, house.clock())
    second = Refresh(
        house.current,
        other,
        [three := ScriptedSource("three")],
        blobs=house.blobs,
        limits=Limits(layer_skills=1),
        now=house.clock,
        clock=house.clock.monotonic,
    )
    sweep = BlobSweep(house.current, blobs=house.blobs, now=house.clock)
    house.refresh.look()
    three.hold(house.skill("a"), house.skill("b"))
    for _ in range(3):
        sweep.sweep([house.refresh, second])
    assert house.blobs.has(stray)
    # Refused as too many, so that no generation names them: what looks there counts on them all the same.
    second.look()
    held = set(house.blobs.digests())
    for _ in range(3):
        sweep.sweep([house.refresh, second])
    assert held - set(house.blobs.digests()) == {stray}


def test_a_blob_that_is_named_again_in_between_stays(house: House) -> None:
    skill = house.skill("a")
    house.refresh.look()
    house.sweep()
    house.one.hold(skill)
    house.refresh.look()
    house.sweep()
    assert set(house.blobs.digests()) == _named(house) != set()


def _hold_retained(house: House) -> None:
    house.one.hold(house.skill("a", "Old."))
    house.refresh.look()
    house.one.hold(house.skill("a", "New."))
    house.refresh.look()


def _hold_shadowed(house: House) -> None:
    house.one.hold(house.skill("a"))
    house.two.hold(house.skill("a", "Shadowed."))
    house.refresh.look()


def _hold_repeated(house: House) -> None:
    house.one.hold(house.skill("a"), house.skill("a", "Second of its name.", place="b"))
    house.refresh.look()


def _hold_stale(house: House) -> None:
    _hold_retained(house)
    house.one.outcome = Outcome.FAILED
    house.refresh.look()


def _hold_after_a_restart(house: House) -> None:
    _hold_retained(house)
    house.start()
    house.one.outcome = Outcome.FAILED
    house.refresh.look()


def _hold_unpublished(house: House) -> None:
    house.refresh.look()
    house.one.hold(*(house.skill(f"s{number}") for number in range(4)))
    house.refresh.look()
    assert house.listed == {}


def _hold_refused_and_failed(house: House) -> None:
    _hold_unpublished(house)
    house.one.outcome = Outcome.FAILED
    house.refresh.look()


@pytest.mark.parametrize(
    "prepare",
    [
        _hold_retained,
        _hold_shadowed,
        _hold_repeated,
        _hold_stale,
        _hold_after_a_restart,
        _hold_unpublished,
        _hold_refused_and_failed,
    ],
)
def test_a_blob_that_anything_names_is_never_removed(prepare: Callable[[House], None]) -> None:
    house = House(Limits(layer_skills=3))
    prepare(house)
    held = set(house.blobs.digests())
    for _ in range(3):
        house.sweep()
    assert set(house.blobs.digests()) == held


class Taking(ScriptedSource):
    """A source that looks for the blobs of what it finds, and puts those that are not there, as every intake does."""

    def __init__(self, label: str, blobs: BlobStore) -> None:
        super().__init__(label)
        self._blobs = blobs
        self.data: dict[str, bytes] = {}

    def take(self, *names: str) -> None:
        """Find these skills from now on; they are taken in at the next look."""
        self.data = {f"{name} of {self.label}": f"{name} of {self.label}".encode() for name in names}

    @override
    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        rows = []
        for name, data in self.data.items():
            digest = sha256(data)
            if not self._blobs.has(digest):
                self._blobs.put(data)
            document = TextRef(digest=digest, size=len(data))
            bare = skill_row(MemoryBlobStore(), name.replace(" ", "-"))
            bundle = make_bundle(bare.bundle.skill, document=document, body=document, assets=())
            rows.append(replace(bare, found=replace(bare.found, bundle=bundle)))
        self.hold(*rows)
        return super().observe(changed, held=held)


def test_what_a_look_under_way_found_stays_until_it_is_admitted_and_after(house: House) -> None:
    taking = Taking("one", house.blobs)
    house.refresh.replace([taking, house.two])
    taking.take("a")
    stray = house.blobs.put(b"a of one")
    house.refresh.look({"two": None})
    sighting = house.refresh.look_at("one")
    # Nothing is swept before each has been looked at: the first look of all is over for one of them only here.
    house.refresh.admit([sighting])
    taking.take()
    for number in range(4):
        house.two.hold(house.skill("b", str(number)))
        house.refresh.look()
    house.sweep()
    taking.take("a")
    sighting = house.refresh.look_at("one")
    house.sweep()
    house.sweep()
    assert house.blobs.has(stray)
    house.refresh.admit([sighting])
    house.sweep()
    house.sweep()
    assert house.listed == {"a-of-one": "one", "b": "two"}
    assert stray in set(house.blobs.digests())


def test_what_a_look_found_of_a_source_that_is_gone_goes(house: House) -> None:
    house.refresh.look()
    taking = Taking("one", house.blobs)
    taking.take("a")
    house.refresh.replace([taking, house.two])
    house.refresh.look({"one": None})
    house.refresh.look_at("one")
    house.refresh.replace([house.two])
    for _ in range(3):
        house.refresh.admit([])
        house.two.hold(house.skill("b", "Another."))
        house.refresh.look()
        house.two.hold(house.skill("b"))
        house.refresh.look()
    house.sweep()
    house.sweep()
    assert sha256(b"a of one") not in set(house.blobs.digests())


def test_looks_on_threads_lose_nothing_to_a_sweep_that_never_rests(tmp_path: Path) -> None:
    with FileBlobStore(str(tmp_path)) as blobs:
        house = House()
        house.blobs = blobs
        house.start()
        sources = [Taking(label, blobs) for label in ("one", "two")]
        house.refresh.replace(sources)
        house.refresh.look()
        over = threading.Event()
        admitting = threading.Lock()
        lost: list[str] = []

        def sweep() -> None:
            while not over.is_set():
                house.sweep()

        def look(source: Taking) -> None:
            for number in range(150):
                source.take(f"s{number % 4}")
                sighting = house.refresh.look_at(source.label)
                with admitting:
                    house.refresh.admit([sighting])
                    lost.extend(digest for digest in _named(house) if not _is_kept(blobs, digest))

        threads = [threading.Thread(target=sweep), *(threading.Thread(target=look, args=(each,)) for each in sources)]
        for thread in threads:
            thread.start()
        for thread in threads[1:]:
            thread.join()
        over.set()
        threads[0].join()
        assert lost == []
        house.sweep()
        house.sweep()
        # Four of each come and go, and two generations are kept: what nothing names is removed all the time.
        assert len(set(blobs.digests())) < 8


def test_generations_that_are_too_old_go_with_a_sweep() -> None:
    house = House(Limits(retained_generations=1))
    house.one.hold(house.skill("a"))
    house.refresh.look()
    house.one.hold(house.skill("a", "Edited."))
    house.refresh.look()
    house.clock.advance(house.limits.retained_age_s)
    house.sweep()
    [kept] = house.current.layers[DEPLOYMENT].generations
    assert kept.sequence == 3
    assert [each.sequence for each in house.log.load(DEPLOYMENT).generations] == [3]


def _is_kept(blobs: BlobStore, digest: str) -> bool:
    """Tell whether a blob is there, without using it: `has` would keep it from the sweep."""
    try:
        return blobs.size(digest) > 0
    except DataLoss:
        return False


def _named(house: House) -> set[str]:
    named: set[str] = set()
    for generation in house.current.layers[DEPLOYMENT].generations:
        for each in generation.rows:
            assert each.bundle.document is not None
            named |= {each.bundle.document.digest, *(asset.digest for asset in each.bundle.assets)}
    return named


def test_what_a_layer_names_that_is_not_in_memory_is_kept(house: House) -> None:
    learned = LearnedLayers(house.current, blobs=house.blobs, limits=house.limits, now=house.clock)
    skills = (LearnedSkill(name="a", description="A.", body="Do it."),)
    learned.replace([Learned(partition=Partition(principal="local", project=""), skills=skills)])
    house.start()
    assert Partition(principal="local", project="") not in house.current.layers
    house.refresh.look()
    for _ in range(3):
        house.sweep()
    assert document_digest(skills[0]) in set(house.blobs.digests())


def test_what_is_put_and_not_published_yet_is_kept(house: House) -> None:
    house.refresh.look()
    stray = house.blobs.put(b"of a crash")
    house.sweep()
    with house.current.counting_since(house.blobs.mark()):
        # Found there, and so counted on.
        assert house.blobs.has(stray)
        house.sweep()
        assert house.blobs.has(stray)


def document_digest(skill: LearnedSkill) -> str:
    return sha256(document_of(skill))
