"""Watches of several layers, and their replacement."""

import threading
from collections.abc import Collection
from pathlib import Path

from skillsvc.catalog.reports import SourceKey
from skillsvc.cli.watching import Watches
from skillsvc.domain.partition import DEPLOYMENT, Partition
from tests.patience import PATIENCE_S
from tests.unit.sources.trees import grow, skill, source_of

LOCAL = Partition(principal="local", project="")


class Told:
    """What the watches told, by source."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._keys: list[SourceKey] = []

    def tell(self, key: SourceKey, paths: Collection[str]) -> None:
        del paths
        with self._changed:
            self._keys.append(key)
            self._changed.notify_all()

    def wait_for(self, partition: Partition, label: str) -> None:
        """Wait until a source is told of, and forget all that was told so far."""
        with self._changed:
            assert self._changed.wait_for(lambda: SourceKey(partition, label) in self._keys, PATIENCE_S)
            self._keys.clear()


def test_each_layer_is_told_of_its_own_directories_until_others_are_watched(tmp_path: Path) -> None:
    shared, mine, later = (
        source_of(grow(tmp_path / name, {"a/SKILL.md": skill("a")}), label="main") for name in ("one", "two", "three")
    )
    for source in (shared, mine, later):
        source.observe()
    told = Told()
    with Watches(told.tell) as watches:
        watches.replace({DEPLOYMENT: [shared], LOCAL: [mine]})
        # Each is told of once when its watch stands.
        told.wait_for(DEPLOYMENT, "main")
        grow(tmp_path / "two", {"a/SKILL.md": skill("a", "Edited.")})
        told.wait_for(LOCAL, "main")
        watches.replace({DEPLOYMENT: [later]})
        told.wait_for(DEPLOYMENT, "main")
        grow(tmp_path / "three", {"a/SKILL.md": skill("a", "Edited.")})
        told.wait_for(DEPLOYMENT, "main")
    assert not [thread for thread in threading.enumerate() if thread.name == "watch"]
