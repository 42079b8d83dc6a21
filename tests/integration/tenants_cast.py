"""Who is in the play of `test_isolation_model.py`, what they may be given and may ask: as hypothesis draws it."""

from typing import Any, NamedTuple

from hypothesis import strategies as st
from skillsource.v1 import skill_source_pb2 as pb

from tests.simulators.tenants_model import LEARNED, OF_ALL, Grant, mark

ALICE, BOB, CAROL, TEAM = ((f"token:{name}", "") for name in ("alice", "bob", "carol", "team"))
ALICE_PLUM, ALICE_QUINCE = (ALICE[0], "plum"), (ALICE[0], "quince")
BOB_PLUM, CAROL_PLUM = (BOB[0], "plum"), (CAROL[0], "plum")
FED = (ALICE_QUINCE, BOB_PLUM)
HELD = (ALICE, ALICE_PLUM, BOB, CAROL, CAROL_PLUM, TEAM)
EVERY_LAYER = (OF_ALL, *FED, *HELD)
PRINCIPALS = {whose[0] for whose in EVERY_LAYER if whose != OF_ALL}
PROJECTS = ("", "plum", "quince")

CALLERS = ("alice", "narrow-alice", "bob", "carol", "stranger")
EVERYBODY = (*CALLERS, "forger", "")
"""Also one whose token is nobody's, and one who shows none."""
GRANTS: dict[str, Grant | None] = {
    "alice": Grant(ALICE[0]),
    "narrow-alice": Grant(ALICE[0], projects=("plum",), allow=frozenset("ab")),
    "bob": Grant(BOB[0], projects=("pl*",), further=(TEAM,), roles=frozenset({"reader", "reporter"})),
    "carol": Grant(CAROL[0], further=(ALICE, BOB)),
    "stranger": None,
}
OWN_NAME = {whose: f"u-{mark(whose)}" for whose in EVERY_LAYER}
OWN_SOURCE = {whose: f"s-{mark(whose)}" for whose in FED}
OTHERWISE: tuple[dict[str, Any], ...] = (
    {"allow": frozenset("ab")},
    {"full": True},
    {"invoker": "model"},
    {"collection": "lab"},
    {"project": "plum"},
    {"project": ""},
)
"""What one may ask for with a page token that was given for something else."""
INVOKERS = {"any": pb.INVOCATION_FILTER_ANY, "model": pb.INVOCATION_FILTER_MODEL}

SHARED = ("a", "b", "c", "d")
# Most of what is drawn has to be there, allowed and alone: else nearly every answer would be that there is nothing.
NAME = st.sampled_from((*SHARED * 4, *OWN_NAME.values()))
SOURCE = st.sampled_from((*("",) * 6, "main", "spare", "spare", LEARNED, LEARNED, *OWN_SOURCE.values()))
SOME_NAMES = st.sampled_from(["abcd", "abc", "bcd", "ad", "bc", "c", ""]).map(frozenset)
VERSION = st.integers(1, 3)
PROJECT = st.sampled_from(("", *PROJECTS))
ALLOW = st.sampled_from(
    (None, None, None, *map(frozenset, ("a", "b", "ab", "bcd", ("c", OWN_NAME[ALICE], OWN_NAME[BOB_PLUM]), ""))),
)
PAST = st.sampled_from((*(None,) * 12, 0, 1, 2, 4, 7, 11, 16, 25))
"""Which of what was told to anybody is shown again, counted from the latest."""
SELDOM = st.sampled_from((*(False,) * 7, True))
WHOSE = st.sampled_from(EVERY_LAYER)
NUMBER = st.none() | st.integers(1, 4)
HELD_LAYERS = st.lists(st.sampled_from((*HELD, FED[0])), min_size=1, max_size=2, unique=True)
GRANT = st.builds(
    Grant,
    principal=st.sampled_from(sorted(PRINCIPALS)),
    projects=st.sampled_from([("*",), ("*",), ("*",), ("plum",), ("q*",), ()]),
    further=st.lists(st.sampled_from((*FED, *HELD)), max_size=2, unique=True).map(tuple),
    allow=ALLOW,
    roles=st.sampled_from([*(("reader",), ("reader", "reporter")) * 4, ("reporter",)]).map(frozenset),
)


class Asked(NamedTuple):
    """What an activation asks for, but for its request id."""

    project: str
    name: str
    source: str
    allow: frozenset[str] | None
    token: str
    exactly: bool


class Aim(NamedTuple):
    """A text of some layer, which all ask for by its name, and how."""

    at: int
    qualified: bool
    project: str
    allow: frozenset[str] | None
    token: int | None
    exactly: bool


AIMS = st.lists(
    st.tuples(st.integers(0, 99), st.booleans(), PROJECT, ALLOW, PAST, st.booleans()).map(lambda aim: Aim(*aim)),
    min_size=2,
    max_size=4,
)
