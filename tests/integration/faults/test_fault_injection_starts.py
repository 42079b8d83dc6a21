"""A server that begins while nothing can be had: what was served is served, and said to be behind, until it can."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.conftest import RunningServer, Serve
from tests.integration.faults.scene import Scene, begun, prepared
from tests.integration.faults.taken import forbidden, garble


def stopped(server: RunningServer) -> None:
    assert server.stop() == 0


def killed(server: RunningServer) -> None:
    server.process.kill()
    server.process.wait()


def forgetful(server: RunningServer) -> None:
    """Leave nothing of use of what is known of sources; the log and the blobs are as they were."""
    stopped(server)
    garble(server.data_dir / "sources", "*")


@pytest.mark.parametrize("end", [stopped, killed, forgetful])
def test_a_server_that_begins_while_all_is_down_serves_the_last_good(
    serve: Serve, tmp_path: Path, end: Callable[[RunningServer], None]
) -> None:
    with prepared(tmp_path) as places:
        with begun(places, tmp_path, serve) as scene:
            scene.expect_whole()
        end(scene.server)
        for label, place in places.all.items():
            if label != "house":
                place.publish(2)
        for front in places.fronts.values():
            front.refuse()
        places.plugin.do("raise")
        with ExitStack() as healing:
            healing.enter_context(forbidden(places.house.folder))
            with begun(places, tmp_path, serve) as scene:
                assert_all_behind(scene)
                healing.close()
                for front in places.fronts.values():
                    front.heal()
                places.plugin.do("give")
                scene.published = {label: 1 if label == "house" else 2 for label in places.all}
                scene.expect_recovered(*places.all)


def assert_all_behind(scene: Scene) -> None:
    held = dict.fromkeys(scene.places.all, 1)
    scene.expect_behind(dict.fromkeys(held, "STALE"), held)
    assert all(report.last_error for report in scene.sources().values())
    scene.expect_change(*held)
