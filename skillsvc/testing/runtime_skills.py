"""Skills that a program registers itself: a provider in memory."""

import logging
import threading
from collections.abc import Callable

from skillsvc.sources.provider import Candidate, ProviderContext, ProviderObservation

_log = logging.getLogger(__name__)


class RuntimeSkills:
    """A provider whose skills are registered and taken back while it is asked. Any thread may call.

    Each name is had by whoever registered it first.
    """

    def __init__(self, context: ProviderContext) -> None:
        """Begin with none."""
        self._context = context
        self._lock = threading.Lock()
        self._skills: dict[str, Candidate] = {}
        self._observation = ProviderObservation()

    def register(self, candidate: Candidate) -> Callable[[], None]:
        """Add a skill; return what takes it back: nothing where the name was taken already, or the second time."""
        with self._lock:
            if candidate.name in self._skills:
                _log.warning("a skill %s is registered already; the first one stays", candidate.name)
                return _nothing_to_take_back
            self._skills[candidate.name] = candidate
            self._renew()
        self._context.invalidate()

        def take_back() -> None:
            with self._lock:
                if self._skills.get(candidate.name) is not candidate:
                    return
                del self._skills[candidate.name]
                self._renew()
            self._context.invalidate()

        return take_back

    def observe(self) -> ProviderObservation:
        """Return what is registered: the same object while that is the same."""
        return self._observation

    def close(self) -> None:
        """Forget all."""
        with self._lock:
            self._skills.clear()
            self._renew()

    def _renew(self) -> None:
        self._observation = ProviderObservation(skills=tuple(self._skills.values()))


def _nothing_to_take_back() -> None:
    """Leave the first one as it is."""
