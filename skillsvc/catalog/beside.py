"""Work beside: each piece in a thread of its own that holds up no end of the process, and all of them counted."""

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)


def begin_thread(name: str, work: Callable[[], None]) -> None:
    """Do work in a thread that ends with the process, if not before."""
    threading.Thread(target=work, name=name, daemon=True).start()


class Beside:
    """Begins work, and knows how much of it is under way. Any thread may call."""

    def __init__(self, begin: Callable[[str, Callable[[], None]], None] = begin_thread) -> None:
        """Begin with none; `begin` begins work of a name, and raises RuntimeError where the machine has no room."""
        self._begin = begin
        self._changed = threading.Condition()
        self._under_way = 0

    @property
    def under_way(self) -> int:
        """How much is not over yet."""
        with self._changed:
            return self._under_way

    def begin(self, name: str, work: Callable[[], None]) -> bool:
        """Begin work; False where that is not possible now."""

        def do() -> None:
            try:
                work()
            finally:
                self._count(-1)

        self._count(1)
        try:
            self._begin(name, do)
        except RuntimeError:
            # So it says where the machine has no thread left; it may have one later.
            _log.exception("%s could not be begun", name)
            self._count(-1)
            return False
        return True

    def wait(self, timeout_s: float) -> bool:
        """Wait until all is over; False where that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._under_way, timeout_s)

    def _count(self, more: int) -> None:
        with self._changed:
            self._under_way += more
            self._changed.notify_all()
