"""A process that puts blobs until it is killed: `python -m tests.integration.putting FOLDER SEED`.

It writes one byte to its output before each put, so that its killer knows how far it is.
"""

import os
import random
import sys

from skillsvc.content.blobs import FileBlobStore


def main() -> None:
    """Put small and large blobs, at one stroke and in pieces, some of them again."""
    chance = random.Random(sys.argv[2])  # noqa: S311 - the same blobs in every run; no secret
    with FileBlobStore(sys.argv[1]) as store:
        while True:
            data = chance.randbytes(chance.choice((0, 1, 5_000, 300_000)))
            # Now, with the bytes at hand: the kill that follows shall come within the put.
            os.write(sys.stdout.fileno(), b".")
            if chance.random() < 0.5:
                store.put(data)
            else:
                with store.writer() as writer:
                    piece = len(data) // 500 + 1
                    for start in range(0, len(data), piece):
                        writer.write(data[start : start + piece])
                    writer.commit()


if __name__ == "__main__":
    main()
