"""Every fault of a network at every kind of place that is reached over one, under a server that readers loop over.

The readers judge each answer: see `Readers`. What a test says is how a source stands once the fault was met; that
nothing else moves, that all is told, and that it passes without a restart, holds for each: see `Scene.suffer`.
"""

from collections.abc import Callable

import pytest
from skillsource.v1.admin_pb2 import SOURCE_STANDING_COMPLETE

from tests.hostile.waiting import wait_until
from tests.integration.faults.network import BY_ENTRY, CONTENT, FAULTS, INDEX, REMOTE, at_work
from tests.integration.faults.scene import Scene
from tests.simulators.fronts import Fault, Front


@pytest.mark.parametrize("label", REMOTE)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_an_index_that_cannot_be_had_or_used_leaves_the_last_good(scene: Scene, label: str, fault: Fault) -> None:
    front = scene.places.fronts[label]
    scene.suffer([label], "STALE", at_work(lambda front: front.break_answers(INDEX[label], fault), front))


@pytest.mark.parametrize("label", CONTENT)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_content_that_cannot_be_had_or_used_leaves_the_last_good(scene: Scene, label: str, fault: Fault) -> None:
    front = scene.places.fronts[label]
    state = "PARTIAL" if label in BY_ENTRY else "STALE"
    scene.suffer([label], state, at_work(lambda front: front.break_answers(CONTENT[label], fault), front))


@pytest.mark.parametrize("label", REMOTE)
@pytest.mark.parametrize("do", [Front.refuse, Front.expire, Front.babble])
def test_a_server_that_is_down_or_not_to_be_trusted_leaves_the_last_good(
    scene: Scene, label: str, do: Callable[[Front], object]
) -> None:
    scene.suffer([label], "STALE", at_work(do, scene.places.fronts[label]))


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_is_fetched_on_need_is_out_of_reach_and_never_wrong(scene: Scene, fault: Fault) -> None:
    front = scene.places.fronts["needed"]
    scene.expect_change("needed")
    with at_work(lambda front: front.break_answers("/content/", fault), front):
        scene.publish("needed")
        (report,) = scene.refresh("needed").values()
        # All that the index says was seen.
        assert (report.state, report.last_error) == (SOURCE_STANDING_COMPLETE, "")
        scene.expect_behind({}, {})
    scene.expect_whole()


def test_what_passes_is_seen_to_have_passed_by_itself(scene: Scene) -> None:
    held = {label: scene.published[label] for label in REMOTE}
    scene.expect_change(*REMOTE)
    with at_work(Front.refuse, *scene.places.fronts.values()):
        scene.publish(*REMOTE)
        scene.refresh(*REMOTE)
        scene.expect_behind(dict.fromkeys(REMOTE, "STALE"), held)
        scene.expect_change(*REMOTE, since=held)
    # Nobody asks for a look: what failed is tried again soon.
    wait_until(lambda: all(each.state == SOURCE_STANDING_COMPLETE for each in scene.sources().values()))
    scene.expect_whole()
