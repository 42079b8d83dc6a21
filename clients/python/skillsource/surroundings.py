"""What a client is given of the world around it: time, chance, budgets."""

import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from skillsource.cache import Cache
from skillsource.mirror import awake_and_asleep
from skillsource.retrying import Throttle
from skillsource.values import Dropped

READ_TIMEOUT_S = 10.0
ACTIVATE_TIMEOUT_S = 60.0
CACHE_BYTES = 64 * 1024 * 1024


def new_request_id() -> str:
    """Return an id that no other request has."""
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all clients of one connection share.

    Attributes:
        cache: Holds what was read.
        throttle: Stops repeating where most calls fail.
        read_timeout_s: Seconds for a whole read, all its pages and ranges, where the call does not say.
        activate_timeout_s: Seconds for an activation, all its attempts, where the call does not say.
        on_dropped: Told of everything that an answer holds and may not.
        clock: Seconds that only grow, for deadlines.
        watch_clock: The same, also while the machine sleeps, for how long a followed catalog is vouched for.
        chance: A number from 0 up to 1, differing each time.
        new_request_id: A text of at most 128 bytes, differing each time everywhere.
    """

    cache: Cache = field(default_factory=lambda: Cache(CACHE_BYTES))
    throttle: Throttle = field(default_factory=Throttle)
    read_timeout_s: float = READ_TIMEOUT_S
    activate_timeout_s: float = ACTIVATE_TIMEOUT_S
    on_dropped: Callable[[Dropped], None] | None = None
    clock: Callable[[], float] = time.monotonic
    watch_clock: Callable[[], float] = awake_and_asleep
    chance: Callable[[], float] = random.random
    new_request_id: Callable[[], str] = new_request_id
