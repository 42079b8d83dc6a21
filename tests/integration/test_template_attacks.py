"""Attacks on the folders of tenants: exchanged between each two steps of a look, and as fast as another thread can."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from skillsvc.content.confined import ConfinedRoot
from skillsvc.domain.limits import Limits
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.stepping import Stepped
from tests.unit.sources.trees import LABEL, grow, skill

pytestmark = pytest.mark.timeout(120)

BOTH_WAYS = pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])


class Tenants:
    """`alice/p` has a skill that is hers; `bob`, and a place outside, have one of the same name that says SECRET."""

    def __init__(self, place: Path) -> None:
        self.place, self.root = place, place / "root"
        grow(self.root, {"alice/p/a/SKILL.md": skill("a", "Hers."), "bob/p/a/SKILL.md": skill("a", "SECRET")})
        grow(place / "outside", {"p/a/SKILL.md": skill("a", "SECRET"), "a/SKILL.md": skill("a", "SECRET")})
        self.exchanges: dict[str, tuple[Path, str]] = {
            "the folder for a link to another tenant": (self.root / "alice/p", "../bob/p"),
            "the folder for a link that leaves": (self.root / "alice/p", "../../outside"),
            "the folder for an absolute link": (self.root / "alice/p", str(place / "outside")),
            "what is on the way for another tenant": (self.root / "alice", "bob"),
            "what is on the way for a link that leaves": (self.root / "alice", "../outside"),
        }

    def source(self, *, kernel: bool) -> DirectorySource:
        return DirectorySource(
            DirectorySettings(path=str(self.root), beneath="alice/p", reading=ReadingSettings(label=LABEL)),
            limits=Limits(),
            blobs=MemoryBlobStore(),
            open_root=partial(ConfinedRoot.open, kernel=kernel),
        )

    def exchange(self, name: str) -> Callable[[], None]:
        """Put a link in place of what is there; returns what undoes it."""
        target, link = self.exchanges[name]
        away = self.place / "away"
        target.rename(away)
        target.symlink_to(link)

        def undo() -> None:
            target.unlink()
            away.rename(target)

        return undo


def said(seen: Observation) -> list[str]:
    return [each.bundle.skill.description for each in seen.found]


@BOTH_WAYS
def test_an_exchange_between_any_two_steps_of_a_look_shows_what_is_ones_own_or_nothing(
    tmp_path: Path, *, kernel: bool
) -> None:
    tenants = Tenants(tmp_path)
    outcomes = set()
    for name in tenants.exchanges:
        stepped = Stepped(lambda: tenants.source(kernel=kernel).observe(), "skillsvc.content")
        for step in range(stepped.count()):
            undo: list[Callable[[], None]] = []

            def between(at: int, step: int = step, name: str = name, undo: list[Callable[[], None]] = undo) -> None:
                if at == step:
                    undo.append(tenants.exchange(name))

            seen = stepped.run(between)
            for each in undo:
                each()
            assert said(seen) in (["Hers."], [])
            outcomes.add((seen.outcome, bool(seen.found)))
    assert {(Outcome.WHOLE, True), (Outcome.FAILED, False)} <= outcomes


@BOTH_WAYS
def test_no_other_tenants_skill_is_seen_while_a_folder_is_exchanged_all_the_time(
    tmp_path: Path, *, kernel: bool
) -> None:
    tenants = Tenants(tmp_path)
    source = tenants.source(kernel=kernel)
    counts = {"Hers.": 0, "": 0}
    with exchanging(tenants):
        # It ends when the exchanges have been met, and missed, often enough.
        while min(counts.values()) < 50:
            (one,) = said(source.observe()) or [""]
            counts[one] += 1
    shutil.rmtree(tenants.root / "alice", ignore_errors=True)


@contextmanager
def exchanging(tenants: Tenants) -> Iterator[None]:
    ended = threading.Event()

    def run() -> None:
        while not ended.is_set():
            for name in tenants.exchanges:
                tenants.exchange(name)()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
