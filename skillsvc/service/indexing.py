"""Indexing: the indexes of layers are built beside the serving, and follow what is published; nobody publishes slower.

What is quickly done is done when a search asks for it, which waits a moment: a small layer, or a few changes of a large
one. Large layers that have been searched, and those that are there at the start, are followed as they change. Until an
index has caught up the plain rule answers (`catalog/plain_search.py`).

A body that comes after its skill was listed, since a source has it elsewhere, is taken into the index when it has come.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from skillsvc.catalog.current import Current
from skillsvc.catalog.layer_index import LayerIndex, followed, indexed
from skillsvc.catalog.layer_indexes import Indexed, LayerIndexes
from skillsvc.catalog.reports import SourceKey
from skillsvc.catalog.weights import weigh
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import Bundle
from skillsvc.domain.view import View
from skillsvc.parsing.words import Words
from skillsvc.service.changes import Changes

LARGE = 500
"""Skills of a layer from which on its index is made and followed without being asked for, and waited for by nobody."""
_MOST_COUNTED = 20_000
_WAIT_S = 2.0
_UNTIL_LOOKED_AGAIN_S = 3600.0

_log = logging.getLogger(__name__)


class _Closing(Exception):
    """The server ends: what is being built is wanted by nobody."""


class Indexing:
    """Builds indexes, and has those that are built. Lives on the event loop."""

    def __init__(
        self,
        current: Current,
        body_of: Callable[[SourceKey, Bundle], str | None],
        *,
        at_most_bytes: int,
        wait_s: float = _WAIT_S,
    ) -> None:
        """Begin with none.

        Args:
            current: What is published.
            body_of: Returns the body of a source's bundle, None where it is not at hand; called in threads.
            at_most_bytes: Memory for all indexes.
            wait_s: How many seconds a search waits at most for an index that is quickly made.
        """
        self._current = current
        self._body_of = body_of
        self._wait_s = wait_s
        self._indexes = LayerIndexes(at_most_bytes)
        self._coming: dict[Partition, asyncio.Future[None]] = {}
        self._followed: set[Partition] = set()
        self._brought: dict[Partition, set[str]] = {}
        self.is_closing = threading.Event()
        """Set once nothing is built any more."""
        # A pool each, so that no small layer waits for minutes of a large one's.
        self._quick = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="indexes")
        self._words = {True: Words(), False: Words()}
        self._following: asyncio.Task[None] | None = None

    def follow(self, changes: Changes) -> None:
        """Begin to build the indexes of the large layers that there are, and to follow them."""
        self._followed |= {
            partition for partition, layer in self._current.layers.items() if len(layer.present.listed) >= LARGE
        }
        self._following = asyncio.ensure_future(self._follow(changes))

    async def of(self, view: View) -> tuple[LayerIndex, ...] | None:
        """Return the index of each layer of a view at the view's own generation; None where one is not there in time.

        Of an older generation nothing is built: whoever asks for one would have the present one's index go.
        """
        found = self._found(view.layers)
        if found is not None:
            return found
        quick: set[asyncio.Future[None]] = set()
        behind = [layer for layer in view.layers if self._indexes.find(layer) is None]
        for layer in behind:
            held = self._current.layers.get(layer.partition)
            if held is None or held.present is not layer or self._indexes.is_too_large(layer):
                return None
        for layer in behind:
            is_quick = self._is_quick(layer)
            coming = self._begin(layer)
            if is_quick:
                quick.add(coming)
        if len(quick) < len(behind):
            return None
        await asyncio.wait(quick, timeout=self._wait_s)
        return self._found(view.layers)

    def take_in(self, partition: Partition, digest: str) -> None:
        """Have a body taken into the index of a layer, by its digest or its document's: it has come."""
        held = self._indexes.latest(partition)
        is_coming = partition in self._coming
        if is_coming or (held is not None and held.index.unread):
            self._brought.setdefault(partition, set()).add(digest)
        if not is_coming and partition in self._brought:
            layer = self._current.layers.get(partition)
            if layer is not None and not self.is_closing.is_set():
                _ = self._begin(layer.present)

    def latest(self, view: View) -> tuple[LayerIndex, ...]:
        """Return the indexes that the layers of a view have, of whichever of their generations."""
        held = (self._indexes.latest(layer.partition) for layer in view.layers)
        return tuple(each.index for each in held if each is not None)

    async def close(self) -> None:
        """Follow no more, and leave what is being built."""
        self.is_closing.set()
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])
        for pool in (self._quick, self._slow):
            pool.shutdown(wait=True, cancel_futures=True)
        if self._coming:
            await asyncio.wait(self._coming.values())

    def _found(self, layers: Sequence[Generation]) -> tuple[LayerIndex, ...] | None:
        found = tuple(index for layer in layers if (index := self._indexes.find(layer)) is not None)
        return found if len(found) == len(layers) else None

    async def _follow(self, changes: Changes) -> None:
        while True:
            count = changes.count
            layers = self._current.layers
            self._indexes.drop_some_but(layers)
            for partition in tuple(self._followed):
                layer = layers.get(partition)
                if layer is None:
                    # Whoever searches it again has it followed again.
                    self._followed.discard(partition)
                    self._indexes.drop(partition)
                elif self._indexes.find(layer.present) is None and not self._indexes.is_too_large(layer.present):
                    _ = self._begin(layer.present)
            await changes.beyond(count, _UNTIL_LOOKED_AGAIN_S)

    def _is_quick(self, layer: Generation) -> bool:
        """Tell whether there is little to do; of the largest layers that is not even counted."""
        if len(layer.listed) < LARGE:
            return True
        latest = self._indexes.latest(layer.partition)
        if latest is None or len(layer.listed) > _MOST_COUNTED:
            return False
        slots = latest.index.slots
        return sum(row.bundle.digest not in slots for row in layer.listed) < LARGE

    def _begin(self, layer: Generation) -> asyncio.Future[None]:
        """Begin to build the index of a layer, where that is not under way for any of its generations."""
        partition = layer.partition
        coming = self._coming.get(partition)
        if coming is None:
            coming = self._coming[partition] = asyncio.ensure_future(self._build(layer))
        return coming

    async def _build(self, layer: Generation) -> None:
        partition = layer.partition
        latest = self._indexes.latest(partition)
        brought = self._brought.pop(partition, frozenset[str]())
        quick = self._is_quick(layer)
        pool, words = (self._quick if quick else self._slow), self._words[quick]
        loop = asyncio.get_running_loop()
        try:
            made = await loop.run_in_executor(pool, lambda: self._made(layer, latest, words, brought))
        except (_Closing, RuntimeError, asyncio.CancelledError):
            if not self.is_closing.is_set():
                raise
            return
        except Exception:  # noqa: BLE001 - searches go on without it, and whoever looks after the server must hear of it
            _log.exception("an index of a layer could not be built")
            return
        finally:
            del self._coming[partition]
        held = self._current.layers.get(partition)
        if held is None:
            return
        self._indexes.keep(made)
        if len(layer.listed) >= LARGE:
            self._followed.add(partition)
        is_behind = partition in self._followed and held.present.digest != layer.digest
        if (is_behind or partition in self._brought) and not self.is_closing.is_set():
            _ = self._begin(held.present)

    def _made(
        self, layer: Generation, latest: Indexed | None, words: Words, brought: Collection[str] = frozenset()
    ) -> Indexed:
        sources = _sources_of(layer) if latest is None else {**_sources_of(latest.generation), **_sources_of(layer)}
        before = frozenset[str]() if latest is None else latest.index.unread
        unread: set[str] = set()

        def weights_of(bundle: Bundle) -> Mapping[str, int]:
            if self.is_closing.is_set():
                raise _Closing
            # Lets go of the interpreter: whoever answers callers would else wait 5 ms for it at each of their turns.
            time.sleep(0)
            body = self._body_of(SourceKey(layer.partition, sources[bundle.digest]), bundle)
            if body is None:
                unread.add(bundle.digest)
            return weigh(bundle.skill, body or "", words)

        def said_of(bundle: Bundle) -> Mapping[str, int]:
            return weigh(bundle.skill, "", words) if bundle.digest in before else weights_of(bundle)

        if latest is None:
            index = indexed(layer, weights_of)
        else:
            bundles = (latest.index.bundles[latest.index.slots[digest]] for digest in before)
            anew = {bundle.digest for bundle in bundles if _text_of(bundle) in brought}
            index = followed(latest.index, layer, weights_of, said_of=said_of, anew=anew)
        return Indexed(layer, replace(index, unread=index.unread | (unread & index.slots.keys())))


def _text_of(bundle: Bundle) -> str:
    """Return the digest of what holds the body of a bundle, "" where nothing does."""
    text = bundle.document or bundle.body
    return "" if text is None else text.digest


def _sources_of(layer: Generation) -> Mapping[str, str]:
    """Return the sources of the listed skills by the digests of their bundles."""
    return {row.bundle.digest: row.source for row in layer.listed}
