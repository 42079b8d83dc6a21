"""SIGHUP, from the first moment of a server to its last: by default it would end the process."""

import signal
from collections.abc import Callable
from types import FrameType


class HangUps:
    """Takes each SIGHUP from its making on, and remembers one that came before somebody wanted to be told."""

    def __init__(self) -> None:
        """Begin to take them."""
        self._came = False
        self._tell: Callable[[], None] | None = None
        signal.signal(signal.SIGHUP, self._note)

    def tell(self, told: Callable[[], None]) -> None:
        """Call `told` for each from now on, in the middle of anything, and at once where one has come."""
        self._tell = told
        if self._came:
            told()

    def ignore(self) -> None:
        """Take none any more: also a process that is on its way out is not ended by one."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
        if self._tell is not None:
            self._tell()
