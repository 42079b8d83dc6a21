"""A server as `skillsvc serve` puts it together, whose process also publishes 50 times a second while it is told to.

A line on standard input says to which layer: `other`, of a partition that nobody asks for; `own`, the one that is
served; or `none`. Each is answered by a line: how many generations were published since the last one.
"""

import asyncio
import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.catalogs import now, open_catalog
from skillsvc.catalog.current import Current
from skillsvc.content.blobs import BlobStore
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.skill import TextRef, make_bundle
from skillsvc.service.server import Parts, Server

A_SECOND = 50
_OTHER = Partition(principal="other", project="")
OTHER_SKILLS = 100
"""Skills of the layer that nobody asks for."""


class Publisher:
    """Publishes in a thread of its own: each time one skill has other bytes, kept and synced before it is named."""

    def __init__(self, current: Current, blobs: BlobStore) -> None:
        """Begin with publishing nothing; the layers are open and hold something."""
        self._current = current
        self._blobs = blobs
        self._told = threading.Condition()
        self._partition: Partition | None = None
        self._published = 0

    def turn_to(self, partition: Partition | None) -> int:
        """Publish to a layer from now on, or to none; return how many were published since the last turn."""
        with self._told:
            self._partition, published, self._published = partition, self._published, 0
            self._told.notify()
            return published

    def run(self) -> None:
        """Publish until the process ends."""
        due = 0.0
        while True:
            # What was missed is not made up for: that would be another load.
            due = max(due + 1 / A_SECOND, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
            with self._told:
                self._told.wait_for(lambda: self._partition is not None)
                partition = self._partition
                assert partition is not None, "that is what was waited for"
            self._publish(partition)
            with self._told:
                self._published += 1

    def _publish(self, partition: Partition) -> None:
        rows = self._current.layers[partition].present.rows
        document = os.urandom(2_000)
        digest = self._blobs.put(document)
        self._blobs.sync()
        last = _with_document(rows[-1], TextRef(digest=digest, size=len(document)))
        self._current.publish(partition, (*rows[:-1], last), (), now())


def _with_document(row: Row, document: TextRef) -> Row:
    held = row.bundle
    bundle = make_bundle(held.skill, document=document, body=document, assets=held.assets)
    return make_row(
        source=row.source,
        shadowed=row.shadowed,
        found=replace(row.found, bundle=bundle),
        tier=row.tier,
        trust=row.trust,
    )


async def serve(parts: Parts, publisher: Publisher) -> None:
    """Serve until the process is ended."""
    server = Server(parts)
    address = await server.start("127.0.0.1:0")
    server.serve()
    print(f"listening on {address}", flush=True)
    layers = {"other": _OTHER, "own": DEPLOYMENT, "none": None}
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(publisher.turn_to(layers[line.strip()]), flush=True)


def main(tree: Path, data: Path) -> None:
    """Build a catalog of a tree, give the other layer the first of its skills, and serve."""
    with open_catalog(tree, data) as catalog:
        current = catalog.parts.current
        catalog.refresh.look()
        current.open_layer(_OTHER, now())
        current.publish(_OTHER, current.layers[DEPLOYMENT].present.rows[:OTHER_SKILLS], (), now())
        publisher = Publisher(current, catalog.parts.blobs)
        threading.Thread(target=publisher.run, name="publisher", daemon=True).start()
        asyncio.run(serve(catalog.parts, publisher))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
