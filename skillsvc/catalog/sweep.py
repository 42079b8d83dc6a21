"""Sweeping: the blobs of a store that nothing names any more are removed."""

import itertools
from collections.abc import Callable, Sequence

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.content.blobs import BlobStore
from skillsvc.sources.source import never


class BlobSweep:
    """Sweeps one store. There is one for each store, and it knows all that names blobs there.

    That is every retained generation of every layer, and what each refresh counts on, served or not. It runs on the
    thread on which these look, between their looks: what a look has taken in is named when it is over.
    """

    def __init__(
        self,
        current: Current,
        refreshes: Sequence[Refresh],
        *,
        blobs: BlobStore,
        stopped: Callable[[], bool] = never,
    ) -> None:
        """Prepare.

        Args:
            current: All layers that are served from the store.
            refreshes: All that take skills into it.
            blobs: The store.
            stopped: As soon as it says so, no more is removed.
        """
        self._current = current
        self._refreshes = tuple(refreshes)
        self._blobs = blobs
        self._stopped = stopped
        self._unused: frozenset[str] = frozenset()

    def sweep(self) -> None:
        """Remove the blobs that nothing names, and that nothing named at the last sweep either.

        The delay leaves an answer that is under way the blobs of a generation that was dropped meanwhile. Nothing is
        removed before each refresh has looked once: until then it is not known what the sources still hold.

        Raises:
            Unavailable: STORE_UNREACHABLE.
        """
        if not all(refresh.has_looked for refresh in self._refreshes):
            return
        named: set[str] = set()
        for layer in self._current.layers.values():
            for generation in layer.generations:
                for row in generation.rows:
                    named.update(row.bundle.blobs)
        for refresh in self._refreshes:
            for bundle in refresh.bundles():
                named.update(bundle.blobs)
        unused = frozenset(self._blobs.digests()) - named
        self._blobs.remove(itertools.takewhile(lambda _: not self._stopped(), unused & self._unused))
        self._unused = unused
