"""Sweeping: the blobs of a store that nothing names any more are removed."""

import itertools
from collections.abc import Callable, Collection
from datetime import datetime

from skillsvc.catalog.current import Current
from skillsvc.catalog.refresh import Refresh
from skillsvc.content.blobs import BlobStore
from skillsvc.content.stopping import never


class BlobSweep:
    """Sweeps one store. There is one for each store, and it is told of all who fill it.

    Blobs are named by every retained generation of every layer, in memory or not, and by what each refresh counts on,
    served or not. What
    a look under way has put or found is named by nothing yet, so the store itself keeps what was used since that look
    began. A sweep is for any thread, one at a time, whatever looks and publishes meanwhile.
    """

    def __init__(
        self,
        current: Current,
        *,
        blobs: BlobStore,
        now: Callable[[], datetime],
        stopped: Callable[[], bool] = never,
    ) -> None:
        """Prepare.

        Args:
            current: All layers that are served from the store.
            blobs: The store.
            now: The time, by which generations are kept no longer.
            stopped: As soon as it says so, no more is removed.
        """
        self._current = current
        self._blobs = blobs
        self._now = now
        self._stopped = stopped
        self._unnamed: frozenset[str] = frozenset()

    def sweep(self, refreshes: Collection[Refresh]) -> None:
        """Drop generations that are too old, and remove blobs that nothing names, nor named at the last sweep.

        The delay leaves an answer that is under way the blobs of a generation that was dropped meanwhile. Nothing is
        removed before every source has been looked at once: until then it is not known what the sources still hold.

        Args:
            refreshes: All that take skills into the store.

        Raises:
            Unavailable: STORE_UNREACHABLE.
        """
        self._current.retire(self._now())
        if not all(refresh.has_looked for refresh in refreshes):
            return
        # In this order: what is admitted after the marks were taken was in use since one of them, and what takes the
        # place of what is named is published before the layers are read.
        unused_since = min(
            [
                self._blobs.mark(),
                *self._current.marks,
                *itertools.chain.from_iterable(each.marks() for each in refreshes),
            ]
        )
        named = set(self._current.blobs())
        for refresh in refreshes:
            for bundle in refresh.bundles():
                named.update(bundle.blobs)
        for layer in self._current.layers.values():
            for generation in layer.generations:
                for row in generation.rows:
                    named.update(row.bundle.blobs)
        unnamed = frozenset(self._blobs.digests()) - named
        going = itertools.takewhile(lambda _: not self._stopped(), unnamed & self._unnamed)
        self._blobs.remove(going, unused_since=unused_since)
        self._unnamed = unnamed
