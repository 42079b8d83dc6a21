"""Git objects as anybody may write them, sound or not, and a remote that has them without a network."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pygit2
from pygit2.enums import ObjectType

from skillsvc.sources.git.exchange import FetchAnswer, FetchRequest, FetchStatus

FILE, EXECUTABLE, FOLDER, LINK, SUBMODULE = 0o100644, 0o100755, 0o040000, 0o120000, 0o160000
NOWHERE = "1" * 40


class Placed(NamedTuple):
    """A file, link or submodule: its mode, and its bytes or the id of an object that is not written."""

    mode: int
    content: bytes | str


class ObjectWriter:
    """Writes objects into a bare repository, which is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = pygit2.init_repository(folder, bare=True)

    def write(self, kind: ObjectType, data: bytes) -> str:
        """Write an object and return its id."""
        return str(self.repository.odb.write(kind, data))

    def folder_of(self, entries: Mapping[bytes, tuple[int, str]]) -> str:
        """Write a folder's object, in git's own order."""
        order = sorted(entries, key=lambda name: name + b"/" if entries[name][0] == FOLDER else name)
        lines = (b"%o %s\0%s" % (entries[name][0], name, bytes.fromhex(entries[name][1])) for name in order)
        return self.write(ObjectType.TREE, b"".join(lines))

    def tree_of(self, files: Mapping[str, Placed]) -> str:
        """Write files and the folders that they lie in; return the id of the root. Names may hold surrogates."""
        entries: dict[bytes, tuple[int, str]] = {}
        below: dict[str, dict[str, Placed]] = {}
        for path, (mode, content) in files.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = Placed(mode, content)
            else:
                written = content if isinstance(content, str) else self.write(ObjectType.BLOB, content)
                entries[name.encode("utf-8", "surrogateescape")] = (mode, written)
        for name, inside in below.items():
            entries[name.encode("utf-8", "surrogateescape")] = (FOLDER, self.tree_of(inside))
        return self.folder_of(entries)

    def commit(self, tree: str) -> str:
        """Write a commit of a tree, and return its id."""
        by = b"A <a@example.org> 0 +0000"
        data = b"tree %s\nauthor %s\ncommitter %s\n\nChange\n" % (tree.encode(), by, by)
        return self.write(ObjectType.COMMIT, data)


class LocalRemote:
    """A remote whose objects are copied into the cache at each fetch (`Fetching`). A test commits to it.

    `answers` are given first, one a fetch, whatever the remote has.
    """

    def __init__(self, folder: Path) -> None:
        self.writer = ObjectWriter(folder)
        self.files: dict[str, Placed] = {}
        self.head = ""
        self.asked: list[FetchRequest] = []
        self.fetched = 0
        self.answers: list[FetchAnswer] = []

    def commit(self, files: Mapping[str, str | bytes | Placed | None]) -> str:
        """Change files, None for those that go, and return the commit that the remote then stands at."""
        for path, content in files.items():
            if content is None:
                self.files = {name: placed for name, placed in self.files.items() if not _is_at(name, path)}
            elif isinstance(content, Placed):
                self.files[path] = content
            else:
                self.files[path] = Placed(FILE, content.encode() if isinstance(content, str) else content)
        self.head = self.writer.commit(self.writer.tree_of(self.files))
        return self.head

    def fetch(self, request: FetchRequest) -> FetchAnswer:
        """Do what the process that fetches does."""
        self.asked.append(request)
        if self.answers:
            return self.answers.pop(0)
        if not self.head:
            return FetchAnswer(status=FetchStatus.EMPTY)
        commit = request.commit or self.head
        cache = Path(request.cache)
        if commit == request.known or (cache.exists() and commit in pygit2.Odb(str(cache / "objects"))):
            return FetchAnswer(status=FetchStatus.CURRENT, commit=commit)
        self.fetched += 1
        shutil.copytree(self.writer.folder, cache, copy_function=_replace, dirs_exist_ok=True)
        return FetchAnswer(status=FetchStatus.FETCHED, commit=commit)


def _replace(source: str, target: str) -> None:
    """Copy a file to where one may be: objects may be written to by nobody but a superuser."""
    Path(target).unlink(missing_ok=True)
    shutil.copy2(source, target)


def _is_at(name: str, path: str) -> bool:
    return name == path or name.startswith(f"{path}/")
