"""Places of every kind that publish versions, for tests that break them: each has two skills.

A skill tells its version in its description, in its body and in its asset, so that a mix of two shows.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tests.simulators.fronts import Front, before, passing_on
from tests.simulators.git_repository import GitRepository
from tests.simulators.git_servers import serving_http
from tests.simulators.oci_registry import Pushed, RegistryServer, serving_registry
from tests.simulators.packing import tar_gz_of, tarred
from tests.simulators.web_index import manifest, remote, well_known
from tests.simulators.web_server import TLS, Answer, Asked, Send, page
from tests.unit.sources.trees import grow, skill

ASSET: Final = "version.txt"
_NETWORK: Final = f'ca_file = "{TLS / "authority.pem"}"'
_WEB: Final = f'{_NETWORK}\nallow_addresses = ["127.0.0.1"]'


def names_of(label: str) -> tuple[str, str]:
    """Return the names of a place's skills."""
    return f"{label}-a", f"{label}-b"


def said_of(name: str, version: int) -> str:
    """Return what a skill says in its description, its body and its asset."""
    return f"Version {version} of {name}."


def files_of(name: str, version: int) -> dict[str, str]:
    """Return the files of a skill."""
    said = said_of(name, version)
    return {"SKILL.md": skill(name, said, said), ASSET: said}


def _tree(label: str, version: int) -> dict[str, str]:
    return {f"{name}/{path}": text for name in names_of(label) for path, text in files_of(name, version).items()}


class Place(Protocol):
    """A place that skills come from."""

    @property
    def table(self) -> str:
        """How it is declared, but for its name."""

    def publish(self, version: int) -> None:
        """Hold this version from now on, all at once."""


class House:
    """A directory, which is a link to the one of a version."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "house"

    @property
    def table(self) -> str:
        return f'kind = "directory"\npath = "{self.root}"'

    def at(self, version: int) -> Path:
        """Return where a version is."""
        return self.folder / f"{version}"

    def publish(self, version: int) -> None:
        grow(self.at(version), _tree("house", version))
        (self.folder / "next").symlink_to(f"{version}")
        (self.folder / "next").replace(self.root)


class Tools:
    """A repository behind a git server."""

    def __init__(self, folder: Path, origin: str) -> None:
        self.repository = GitRepository(folder / "tools.git", folder.parent / "work")
        self.front_origin = origin

    @property
    def table(self) -> str:
        return f'kind = "git"\nurl = "{self.front_origin}/open/tools.git"\nbranch = "main"\n{_NETWORK}'

    def publish(self, version: int) -> None:
        self.repository.commit(_tree("tools", version))


class Pages:
    """Pages by their paths; what was published once stays."""

    def __init__(self) -> None:
        self._pages: Mapping[str, Answer] = {}

    def put(self, pages: Mapping[str, bytes | str]) -> None:
        """Publish pages."""
        self._pages = {**self._pages, **{path: page(data) for path, data in pages.items()}}

    def __call__(self, asked: Asked, send: Send, ending: Any) -> bool:  # noqa: ANN401 - passed on
        return self._pages.get(asked.path, page(b"", status=404, tagged=False))(asked, send, ending)


class Listed:
    """A manifest whose documents and assets are fetched by each look."""

    def __init__(self, pages: Pages, origin: str) -> None:
        self._pages = pages
        self.table = f'kind = "http"\nurl = "{origin}/index.json"\n{_WEB}'

    def publish(self, version: int) -> None:
        entries: list[dict[str, object]] = []
        for name in names_of("listed"):
            files = {f"/content/{version}/{name}/{path}": text for path, text in files_of(name, version).items()}
            self._pages.put(files)
            document, asset = (remote(path, text, sized=False) for path, text in files.items())
            entries.append({"id": name, "document": document, "assets": [{"name": ASSET, **asset}]})
        self._pages.put({"/index.json": manifest(*entries)})


class Needed:
    """A manifest whose bodies and assets are fetched when somebody needs them."""

    def __init__(self, pages: Pages, origin: str) -> None:
        self._pages = pages
        self.table = f'kind = "http"\nurl = "{origin}/index.json"\n{_WEB}'

    def publish(self, version: int) -> None:
        entries: list[dict[str, object]] = []
        for name in names_of("needed"):
            said, path = said_of(name, version), f"/content/{version}/{name}"
            self._pages.put({path: said})
            file = remote(path, said)
            entries.append({"id": name, "description": said, "body": file, "assets": [{"name": ASSET, **file}]})
        self._pages.put({"/index.json": manifest(*entries)})


class Site:
    """A site with an archive for each skill."""

    def __init__(self, pages: Pages, origin: str) -> None:
        self._pages = pages
        self.table = f'kind = "well_known"\nurl = "{origin}"\n{_WEB}'

    def publish(self, version: int) -> None:
        entries: list[dict[str, object]] = []
        for name in names_of("site"):
            archive = tar_gz_of(*(tarred(path, text.encode()) for path, text in files_of(name, version).items()))
            path = f"/content/{version}/{name}.tar.gz"
            self._pages.put({path: archive})
            entries.append(
                {"name": name, "type": "archive", "description": "Is packed.", **remote(path, archive, sized=False)}
            )
        self._pages.put({"/.well-known/agent-skills/index.json": well_known(*entries)})


class Artifact:
    """An artifact of one layer in a registry."""

    def __init__(self, registry: RegistryServer, origin: str) -> None:
        self._registry = registry
        host = origin.removeprefix("https://")
        self.table = f'kind = "oci"\nreference = "{host}/skills/a:1"\n{_WEB}'

    def publish(self, version: int) -> None:
        members = (tarred(path, text.encode()) for path, text in _tree("artifact", version).items())
        self._registry.push("skills/a", "1", Pushed(data=tar_gz_of(*members)))


class Plugin:
    """A provider that behaves as its file says."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "plugin.json"
        self._does = "give"
        self._version = 0
        self.table = f'kind = "provider"\nprovider = "behaving"\noptions = {{ file = "{self._file}" }}'

    def publish(self, version: int) -> None:
        self._version = version
        self.do(self._does)

    def do(self, what: str) -> None:
        """Behave in this way from now on."""
        self._does = what
        skills = {name: files_of(name, self._version) for name in names_of("plugin")}
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps({"does": what, "skills": skills}))
        new.replace(self._file)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """One of each kind; `fronts` stand before those that are reached over the network."""

    house: House
    tools: Tools
    plugin: Plugin
    fronts: Mapping[str, Front]
    all: Mapping[str, Place]

    def configuration(self, timeout_s: float) -> str:
        """Return how all are declared: nothing is looked at during a test unless it is asked for, or failed."""
        tables = (
            f'[[source]]\nname = "{label}"\n{place.table}\n'
            + ("" if label == "house" else f"timeout_s = {timeout_s}\n")
            for label, place in self.all.items()
        )
        return "\n".join(("[server]\npoll_s = 3600\n", *tables))


@contextmanager
def opened(folder: Path) -> Iterator[Places]:
    """Have the places as long as the context lasts; none has published anything yet."""
    with ExitStack() as opened:
        for name in ("house", "git", "registry", "plugin"):
            (folder / name).mkdir()
        pages = {label: Pages() for label in ("listed", "needed", "site")}
        registry = opened.enter_context(serving_registry(folder / "registry"))
        sound: dict[str, Answer] = {
            "tools": passing_on(opened.enter_context(serving_http(folder / "git", folder / "lighttpd"))),
            **pages,
            "artifact": passing_on(f"http://{registry.name}"),
        }
        fronts = {label: opened.enter_context(before(answer)) for label, answer in sound.items()}
        house, plugin = House(folder / "house"), Plugin(folder / "plugin")
        tools = Tools(folder / "git", fronts["tools"].origin)
        yield Places(
            house=house,
            tools=tools,
            plugin=plugin,
            fronts=fronts,
            all={
                "house": house,
                "tools": tools,
                "listed": Listed(pages["listed"], fronts["listed"].origin),
                "needed": Needed(pages["needed"], fronts["needed"].origin),
                "site": Site(pages["site"], fronts["site"].origin),
                "artifact": Artifact(registry, fronts["artifact"].origin),
                "plugin": plugin,
            },
        )
