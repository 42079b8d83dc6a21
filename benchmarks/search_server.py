"""A server as `skillsvc serve` puts it together, of skills to be searched that are on no disk: bodies are made anew."""

import asyncio
import signal
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from typing_extensions import override

from benchmarks.catalogs import now, open_catalog
from benchmarks.texts import Texts, generation_of, row_of, texts_of
from skillsvc.content.blobs import FileBlobStore
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.service.server import Parts, Server


class MadeBodies(FileBlobStore):
    """Bodies by their digests, made when they are read."""

    def __init__(self, root: str, texts: Texts, numbers: Mapping[str, int]) -> None:
        """Make those of `texts`; `numbers` are the skills' by the digests of their bodies."""
        super().__init__(root)
        self._texts = texts
        self._numbers = numbers

    @override
    def read(self, digest: str, offset: int = 0, length: int | None = None) -> bytes:
        """Return a body."""
        data = self._texts.body(self._numbers[digest]).encode()
        return data[offset : None if length is None else offset + length]


async def serve(parts: Parts) -> None:
    """Serve until SIGTERM."""
    server = Server(parts)
    address = await server.start("127.0.0.1:0")
    server.serve()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    print(f"listening on {address}", flush=True)
    await stopping.wait()
    await server.drain(0.0)


def main(count: int, data: Path) -> None:
    """Publish so many skills, and serve them."""
    texts = texts_of(count)
    rows = [row_of(texts, at) for at in range(count)]
    bodies = [row.bundle.body for row in rows]
    numbers = {body.digest: at for at, body in enumerate(bodies) if body is not None}
    made = data / "made"
    made.mkdir()
    with open_catalog(data, data) as catalog, closing(MadeBodies(str(made), texts, numbers)) as blobs:
        catalog.parts.current.publish(DEPLOYMENT, generation_of(rows).rows, (), now())
        asyncio.run(serve(replace(catalog.parts, blobs=blobs)))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
