"""Faults that come and go as they like, several at once, while places publish and readers loop over the server."""

import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack

import pytest

from tests.integration.faults.network import BY_ENTRY, CONTENT, FAULTS, INDEX, at_work
from tests.integration.faults.scene import Scene, assert_behind
from tests.integration.faults.taken import doing, forbidden
from tests.simulators.fronts import Fault, Front

STEPS = 10


def faults_of(scene: Scene, label: str) -> list[tuple[str, AbstractContextManager[None]]]:
    """Return what may happen to a place, and the state that it is in then."""
    if label == "house":
        now = scene.places.house.at(scene.published["house"])
        return [("STALE", forbidden(now)), ("PARTIAL", forbidden(now / "house-a"))]
    if label == "plugin":
        return [("STALE", doing(scene, what)) for what in ("raise", "babble", "break one")]
    front = scene.places.fronts[label]
    broken = [("STALE", INDEX[label], fault) for fault in FAULTS.values()]
    if label in CONTENT:
        broken += [("PARTIAL" if label in BY_ENTRY else "STALE", CONTENT[label], fault) for fault in FAULTS.values()]
    return [
        *((state, at_work(breaking(within, fault), front)) for state, within, fault in broken),
        *(("STALE", at_work(do, front)) for do in (Front.refuse, Front.expire)),
    ]


def breaking(within: str, fault: Fault) -> Callable[[Front], None]:
    return lambda front: front.break_answers(within, fault)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_comes_and_goes_each_place_stands_as_it_must(scene: Scene, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same walk each time
    labels = list(scene.places.all)
    at_fault: dict[str, tuple[str, ExitStack, int]] = {}
    with ExitStack() as healing:
        for _ in range(STEPS):
            scene.expect_change(*labels, since=held(at_fault))
            label = chance.choice(labels)
            if label in at_fault:
                at_fault.pop(label)[1].close()
            else:
                state, fault = chance.choice(faults_of(scene, label))
                stack = healing.enter_context(ExitStack())
                stack.enter_context(fault)
                at_fault[label] = state, stack, scene.published[label]
                # What is broken of a house is broken of its present version.
                if label != "house":
                    scene.publish(label)
            others = [each for each in labels if each not in at_fault and chance.random() < 1 / 3]
            scene.publish(*others)
            states = {label: state for label, (state, _, _) in at_fault.items()}
            assert_behind(scene.refresh(*labels), states)
            scene.expect_behind(states, held(at_fault))
        scene.expect_change(*labels, since=held(at_fault))
    scene.expect_recovered(*labels)


def held(at_fault: Mapping[str, tuple[str, ExitStack, int]]) -> dict[str, int]:
    return {label: version for label, (_, _, version) in at_fault.items()}
