"""What a provider is given: its name, its options, and the two ways between it and whoever asks it."""

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType


class Context:
    """See `ProviderContext`. Whoever asks the provider learns by `calm` whether it said meanwhile that all changed."""

    def __init__(
        self, *, name: str, options: Mapping[str, object], tell: Callable[[], None], stopped: Callable[[], bool]
    ) -> None:
        """Prepare; `tell` is told of each change that comes while nobody asks."""
        self._name = name
        self._options = MappingProxyType(dict(options))
        self._tell = tell
        self._stopped = stopped
        self._lock = threading.Lock()
        self._asking = False
        self._changed = False
        self._given_up = False
        self._closed = False

    @property
    def name(self) -> str:
        """The name of the source."""
        return self._name

    @property
    def options(self) -> Mapping[str, object]:
        """What the configuration says to the provider."""
        return self._options

    def invalidate(self) -> None:
        """Say that the skills changed."""
        with self._lock:
            if self._closed:
                return
            self._changed = True
            if self._asking:
                # Whoever asks sees to it. A provider that says so each time it is asked would be asked without end.
                return
        self._tell()

    def stopped(self) -> bool:
        """Tell whether what is under way is wanted no more."""
        return self._given_up or self._closed or self._stopped()

    @property
    def closed(self) -> bool:
        """Whether it is inert."""
        return self._closed

    def begin(self) -> None:
        """Begin to ask."""
        with self._lock:
            self._asking, self._changed, self._given_up = True, False, False

    def calm(self) -> bool:
        """End asking; tell whether nothing changed since it began."""
        with self._lock:
            self._asking = False
            return not self._changed

    def give_up(self) -> None:
        """End asking, and say that nobody waits for what is under way."""
        with self._lock:
            self._asking, self._given_up = False, True

    def close(self) -> bool:
        """Be inert from now on; tell whether it was not so before."""
        with self._lock:
            was_open, self._closed = not self._closed, True
        return was_open
