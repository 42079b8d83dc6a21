"""Repeating what the channel may not repeat: calls that change something, made safe by their `request_id`.

The policy is the one that the channel has for reads (contract.md, "Time and retries").
"""

import threading
from collections.abc import Callable, Mapping

from skillsource.errors import DeadlineExceeded, Unavailable
from skillsource.methods import Answer, Call, Method, Operation, Pause

ATTEMPTS = 4
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0
TOKENS = 10
"""How many failures in a row, less one half, stop all repeating."""
TOKENS_BACK = 0.1
"""What each success gives back."""


class Throttle:
    """Stops repeating where most calls fail, as gRPC's own retry throttling does: more calls would not help then."""

    def __init__(self) -> None:
        self._tokens: float = TOKENS
        self._lock = threading.Lock()

    def failed(self) -> None:
        """Count a failure."""
        with self._lock:
            self._tokens = max(self._tokens - 1, 0)

    def succeeded(self) -> None:
        """Count a success."""
        with self._lock:
            self._tokens = min(self._tokens + TOKENS_BACK, TOKENS)

    @property
    def open(self) -> bool:
        """Whether repeating is worth while."""
        return self._tokens > TOKENS / 2


def ask_again(
    method: Method, fields: Mapping[str, object], throttle: Throttle, chance: Callable[[], float]
) -> Operation[Answer]:
    """Call, and where the server is unavailable, call again with the same `request_id`.

    Args:
        method: The RPC.
        fields: Its request, with a `request_id`.
        throttle: Shared by all calls to one server.
        chance: A number from 0 up to 1, differing each time, so that clients do not come back all at once.
    """
    call = Call(method.path, method.encode(fields))
    attempt = 1
    while True:
        try:
            data = yield call
        except Unavailable as error:
            throttle.failed()
            pause = _pause_s(attempt, error, chance)
            if pause is None or not throttle.open:
                raise
            try:
                yield Pause(pause)
            except DeadlineExceeded:
                # That the server was unavailable says more than that no time is left to try again.
                raise error from error.__cause__
            attempt += 1
        else:
            throttle.succeeded()
            return method.decode(data)


def _pause_s(attempt: int, error: Unavailable, chance: Callable[[], float]) -> float | None:
    """Return how long to wait before the next attempt, or None for no further one."""
    if attempt >= ATTEMPTS:
        return None
    if error.pushback_ms is not None:
        return None if error.pushback_ms < 0 else error.pushback_ms / 1000
    return min(FIRST_PAUSE_S * 2.0 ** (attempt - 1), LONGEST_PAUSE_S) * (0.8 + 0.4 * chance())
