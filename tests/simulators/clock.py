"""A clock that a test moves."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 29, 0, 59, 59, 999_999, tzinfo=UTC)


class Clock:
    """Tells the same time until it is moved, and by `monotonic` the seconds that passed meanwhile."""

    def __init__(self) -> None:
        self.time = START
        self._passed = 0.0

    def __call__(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.time += timedelta(seconds=seconds)
        self._passed += seconds

    def put(self, seconds: float) -> None:
        """Put the time forward, or back, while none passes."""
        self.time += timedelta(seconds=seconds)

    def monotonic(self) -> float:
        return self._passed
