"""SIGHUP before a server can do anything about it: it is remembered, since by default it would end the process."""

import signal
from types import FrameType


class HangUps:
    """Takes each SIGHUP from its making on, until somebody else handles the signal; `any` tells whether one came."""

    def __init__(self) -> None:
        """Begin to take them."""
        self.any = False
        signal.signal(signal.SIGHUP, self._note)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        # No more than this: a handler runs in the middle of anything.
        self.any = True
