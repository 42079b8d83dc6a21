"""Viewers: whose layers they see. What views show is in tests/property/test_views.py."""

import pytest

from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.view import Viewer

OWN = Partition("token:alice", "")
PROJECT = Partition("token:alice", "p")
TEAM = Partition("token:team", "")
ALL = Partition("token:all", "")


@pytest.mark.parametrize(
    ("viewer", "partitions"),
    [
        (Viewer("token:alice", ""), (DEPLOYMENT, OWN)),
        (Viewer("token:alice", "p"), (DEPLOYMENT, PROJECT, OWN)),
        (Viewer("token:alice", "", (TEAM, ALL)), (DEPLOYMENT, OWN, TEAM, ALL)),
        (Viewer("token:alice", "p", (ALL, TEAM)), (DEPLOYMENT, PROJECT, OWN, ALL, TEAM)),
        (Viewer("token:alice", "p", (OWN, TEAM)), (DEPLOYMENT, PROJECT, OWN, TEAM)),
        (Viewer("token:alice", "", (PROJECT,)), (DEPLOYMENT, OWN, PROJECT)),
        (Viewer("token:alice", "", (DEPLOYMENT, TEAM)), (DEPLOYMENT, OWN, TEAM)),
    ],
    ids=[
        "no project",
        "a project before one's own",
        "what the rule opens comes last",
        "in its order",
        "one's own opened again counts once",
        "a project opened though none is asked for",
        "the deployment stays the first",
    ],
)
def test_layers_are_seen_strongest_first_and_each_once(viewer: Viewer, partitions: tuple[Partition, ...]) -> None:
    assert viewer.partitions == partitions


def test_a_viewer_is_bound_to_what_is_asked_for_and_not_to_what_the_rule_opens() -> None:
    assert Viewer("token:alice", "p", (TEAM,), frozenset({"a"})).partition == PROJECT
