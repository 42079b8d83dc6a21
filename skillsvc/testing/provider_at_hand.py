"""A provider at hand: asked as the service asks it, over a store in a folder, with what it tells counted."""

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.sources.provider import Factory, Provider, ProviderContext
from skillsvc.sources.provider_source import ProviderSettings, ProviderSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation

LABEL = "provided"


class ProviderAtHand:
    """A provider behind the source that stands for it in the service. A context manager: it closes the provider."""

    def __init__(
        self, factory: Factory, *, folder: Path, options: Mapping[str, object], timeout_s: float, limits: Limits
    ) -> None:
        """Prepare.

        Args:
            factory: Makes the provider.
            folder: Where the store is to be; it must exist.
            options: What the provider is told.
            timeout_s: How many seconds it has for one look.
            limits: The limits in force.
        """
        self._factory = factory
        self._blobs = FileBlobStore(str(folder / "blobs"))
        self._told = threading.Semaphore(0)
        self._stopped = False
        self.provider: Provider | None = None
        self.source = ProviderSource(
            ProviderSettings(
                provider="at-hand",
                reading=ReadingSettings(label=LABEL, tier=Tier.REGISTERED),
                options=options,
                timeout_s=timeout_s,
            ),
            limits=limits,
            blobs=self._blobs,
            make=self._make,
            tell=self._told.release,
            clock=time.monotonic,
            stopped=lambda: self._stopped,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.source.close()
        self._blobs.close()

    def look(self) -> Observation:
        """Look once."""
        return self.source.observe()

    def is_told(self, within_s: float) -> bool:
        """Wait until the provider says that its skills changed, and count that once; tell whether it did in time."""
        return self._told.acquire(timeout=within_s)

    def stop(self) -> None:
        """Tell the provider that what is under way is wanted no more."""
        self._stopped = True

    def _make(self, context: ProviderContext) -> Provider:
        self.provider = self._factory(context)
        return self.provider


def wait_until(condition: Callable[[], bool], within_s: float) -> bool:
    """Wait until a condition holds; tell whether it did in time."""
    ends = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.01)
    return True
