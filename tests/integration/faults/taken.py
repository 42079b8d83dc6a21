"""What is taken from a server, or from what it serves from, as long as a context lasts."""

import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults.scene import Scene


@contextmanager
def forbidden(path: Path) -> Iterator[None]:
    """Let nobody read, write or enter; the server is one whom that binds, whoever runs the tests."""
    mode = path.stat().st_mode & 0o7777
    path.chmod(0)
    try:
        yield
    finally:
        path.chmod(mode)


@contextmanager
def doing(scene: Scene, what: str) -> Iterator[None]:
    """Have the provider do something else than to give what it has."""
    scene.places.plugin.do(what)
    try:
        yield
    finally:
        scene.places.plugin.do("give")


@contextmanager
def limited(scene: Scene, what: int, most: int) -> Iterator[None]:
    """Let the server have no more than so much of a resource."""
    pid = scene.server.process.pid
    soft, hard = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (most, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, what, (soft, hard))


def garble(folder: Path, pattern: str) -> Mapping[Path, bytes]:
    """Make rubbish of all files below a folder; return what they were."""
    sound = {path: path.read_bytes() for path in folder.rglob(pattern) if path.is_file()}
    assert sound
    write({path: bytes(byte ^ 0xFF for byte in data) for path, data in sound.items()})
    return sound


def write(contents: Mapping[Path, bytes]) -> None:
    """Write files anew."""
    for path, data in contents.items():
        # Objects of git may not be written to.
        path.unlink()
        path.write_bytes(data)
