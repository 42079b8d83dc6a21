"""Places that never come to an end, under a server that waits for each of them for a short time alone."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from skillsource.v1.admin_pb2 import SOURCE_STANDING_COMPLETE

from tests.hostile.waiting import wait_until
from tests.integration.faults.network import INDEX, REMOTE, at_work
from tests.integration.faults.scene import Scene
from tests.integration.faults.taken import doing
from tests.simulators import fronts
from tests.simulators.fronts import Fault, Front


@pytest.fixture(scope="module")
def timeout_s() -> float:
    return 8.0


@pytest.mark.parametrize("fault", [fronts.dripping, fronts.hanging])
def test_servers_that_never_come_to_an_end_leave_the_last_good_and_hold_up_nobody(scene: Scene, fault: Fault) -> None:
    at = {front: INDEX[label] for label, front in scene.places.fronts.items()}
    scene.suffer(REMOTE, "STALE", at_work(lambda front: front.break_answers(at[front], fault), *at))


def test_servers_that_accept_and_never_shake_hands_leave_the_last_good(scene: Scene) -> None:
    scene.suffer(REMOTE, "STALE", at_work(Front.stall, *scene.places.fronts.values()))


def test_a_provider_that_hangs_leaves_the_last_good_and_is_looked_at_when_it_comes_back(scene: Scene) -> None:
    @contextmanager
    def hanging() -> Iterator[None]:
        with doing(scene, "hang"):
            yield
        # It comes back in its own time, and nobody has to ask then.
        wait_until(lambda: scene.sources()["plugin"].state == SOURCE_STANDING_COMPLETE)

    scene.suffer(["plugin"], "STALE", hanging())
