"""What may be wrong with a network and with those who answer on it, and where each kind of place would meet it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.simulators import fronts
from tests.simulators.fronts import Fault, Front

INDEX = {
    "tools": "/info/refs",
    "listed": "/index.json",
    "needed": "/index.json",
    "site": "/index.json",
    "artifact": "/manifests/",
}
"""What each kind asks for first, at each look."""
CONTENT = {"tools": "/git-upload-pack", "listed": "/content/", "site": "/content/", "artifact": "/blobs/"}
"""What each kind asks for then, where something is new."""
REMOTE = tuple(INDEX)
BY_ENTRY = {"listed", "site"}
"""The kinds whose skills are had one by one, so that a look may come to a part of them."""
FAULTS: dict[str, Fault] = {
    "is reset midway": fronts.reset_midway,
    "is cut short": fronts.cut_short,
    "has other bytes": fronts.tampered,
    "is status 500": fronts.failing,
    "is HTML": fronts.welcoming,
}


@contextmanager
def at_work(do: Callable[[Front], object], *at: Front) -> Iterator[None]:
    """Have a fault at work at some fronts."""
    for front in at:
        do(front)
    try:
        yield
    finally:
        for front in at:
            front.heal()
