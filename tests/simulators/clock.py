"""A clock that a test moves."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 29, 0, 59, 59, 999_999, tzinfo=UTC)


class Clock:
    """Tells the same time until it is moved."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.time += timedelta(seconds=seconds)
