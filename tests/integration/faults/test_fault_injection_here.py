"""Faults on the server's own machine, at every kind of place, under a server that readers loop over.

Directories that may not be read, providers that fail, repositories and caches that are damaged. What holds for each is
said by `Scene.suffer` and `Readers`.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.integration.faults.scene import Scene
from tests.integration.faults.taken import doing, forbidden, garble, write


@pytest.mark.parametrize("what", ["raise", "exit", "babble", "break one"])
def test_a_provider_that_fails_leaves_the_last_good(scene: Scene, what: str) -> None:
    scene.suffer(["plugin"], "STALE", doing(scene, what))


def test_a_provider_that_has_not_all_leaves_the_last_good_of_the_rest(scene: Scene) -> None:
    scene.suffer(["plugin"], "PARTIAL", doing(scene, "leave one out"), publishing=False)


@contextmanager
def away(path: Path, text: str | None = None) -> Iterator[None]:
    """Have something not there, and a file with this text in its place."""
    aside = path.rename(path.with_name("aside"))
    if text is not None:
        path.write_text(text)
    try:
        yield
    finally:
        aside.replace(path)


def held_by(scene: Scene) -> Path:
    """Return where the directory's present version is."""
    return scene.places.house.at(scene.published["house"])


UNSEEN: dict[str, tuple[str, Callable[[Scene], AbstractContextManager[None]]]] = {
    "it may not be read": ("STALE", lambda scene: forbidden(held_by(scene))),
    "what it lies in may not be read": ("STALE", lambda scene: forbidden(scene.places.house.folder)),
    "the folder of a skill may not be read": ("PARTIAL", lambda scene: forbidden(held_by(scene) / "house-a")),
    "a SKILL.md may not be read": ("PARTIAL", lambda scene: forbidden(held_by(scene) / "house-a/SKILL.md")),
    "an asset may not be read": ("PARTIAL", lambda scene: forbidden(held_by(scene) / "house-b/version.txt")),
    "it is gone": ("STALE", lambda scene: away(scene.places.house.root)),
    "it is a file": ("STALE", lambda scene: away(scene.places.house.root, "No directory.")),
}


@pytest.mark.parametrize(("state", "fault"), UNSEEN.values(), ids=UNSEEN)
def test_a_directory_that_cannot_be_seen_leaves_the_last_good(
    scene: Scene, state: str, fault: Callable[[Scene], AbstractContextManager[None]]
) -> None:
    scene.suffer(["house"], state, fault(scene), publishing=False)


def test_a_repository_that_is_damaged_leaves_the_last_good(scene: Scene) -> None:
    @contextmanager
    def damaged() -> Iterator[None]:
        scene.publish("tools")
        sound = garble(scene.places.tools.repository.bare / "objects", "??/*")
        try:
            yield
        finally:
            write(sound)

    scene.suffer(["tools"], "STALE", damaged(), publishing=False)


def exchange(cache: Path, make: Callable[[Path], object]) -> None:
    shutil.rmtree(cache)
    make(cache)


CACHES: dict[str, Callable[[Path], object]] = {
    "its objects are rubbish": lambda cache: garble(cache / "objects", "*"),
    "its HEAD is rubbish": lambda cache: (cache / "HEAD").write_bytes(b"\xff\x00"),
    "its settings are rubbish": lambda cache: (cache / "config").write_text("[[["),
    "its settings lead elsewhere": lambda cache: (cache / "config").write_text("[core]\n\tworktree = /\n"),
    "its list of shallow commits is rubbish": lambda cache: (cache / "shallow").write_text("rubbish\n"),
    "a fetch was killed": lambda cache: (cache / "fetching").touch(),
    "it is gone": shutil.rmtree,
    "it is a file": lambda cache: exchange(cache, Path.touch),
    "it is a link that leads nowhere": lambda cache: exchange(cache, lambda at: at.symlink_to("nowhere")),
}


@pytest.mark.parametrize("damage", CACHES.values(), ids=CACHES)
def test_a_cache_that_is_damaged_is_made_anew_and_nothing_is_behind(
    scene: Scene, damage: Callable[[Path], object]
) -> None:
    (cache,) = (scene.server.data_dir / "sources/tools").glob("*.git")
    damage(cache)
    # Nothing of it is needed as long as nothing is new.
    scene.expect_recovered("tools")
    scene.expect_change("tools")
    scene.publish("tools")
    scene.expect_recovered("tools")
