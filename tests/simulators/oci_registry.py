"""A real registry on the loopback, Debian's docker-registry, and the token server that it may send its callers to."""

import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.patience import PATIENCE_S
from tests.simulators.git_repository import run
from tests.simulators.ports import own_port
from tests.simulators.web_server import Answer, Asked, Send, WebServer, page, serving

USERNAME, PASSWORD = "reader", "open-sesame"  # of registries that live as long as a test
_USERS: Final = "reader:$2y$05$kTpt8gfRUUqttjYjoN595.0OkdEPoIoNkQxpfhbkDXRN0VijRO9uC\n"
"""What the registry reads: the password in bcrypt, the only way that it takes."""
NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Spares the reading of the system's authorities."""
_PROGRAM: Final = "/usr/bin/docker-registry"
SERVICE: Final = "registry.example"
ISSUER: Final = "tokens.example"

MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
INDEX: Final = "application/vnd.oci.image.index.v1+json"
TAR: Final = "application/vnd.oci.image.layer.v1.tar"
TAR_GZIP: Final = "application/vnd.agentskills.skill.content.v1.tar+gzip"
_CONFIG: Final = b"{}"


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """A layer, as it is pushed. What is None is as it has to be."""

    data: bytes
    media_type: str = TAR_GZIP
    title: str = ""
    unpack: bool = False
    size: int | None = None
    digest: str | None = None

    @property
    def descriptor(self) -> dict[str, Any]:
        annotations = {"org.opencontainers.image.title": self.title} if self.title else {}
        if self.unpack:
            annotations["io.deis.oras.content.unpack"] = "true"
        return {
            "mediaType": self.media_type,
            "digest": f"sha256:{sha256(self.data).hexdigest() if self.digest is None else self.digest}",
            "size": len(self.data) if self.size is None else self.size,
            "annotations": annotations,
        }


def manifest_of(layers: Sequence[Pushed], **fields: object) -> bytes:
    """Return the manifest of an artifact."""
    config = {
        "mediaType": "application/vnd.oci.empty.v1+json",
        "digest": f"sha256:{sha256(_CONFIG).hexdigest()}",
        "size": len(_CONFIG),
    }
    return json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "artifactType": "application/vnd.agentskills.skill.v1",
            "config": config,
            "layers": [layer.descriptor for layer in layers],
            **fields,
        }
    ).encode()


def index_of(*entries: Mapping[str, object]) -> bytes:
    """Return an index of manifests."""
    return json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()


@dataclass
class RegistryServer:
    """A registry that runs. Its methods push as its owner would, by plain requests."""

    port: int
    storage: Path
    process: "subprocess.Popen[bytes]"
    credentials: tuple[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def name(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def push(self, repository: str, tag: str, *layers: Pushed, **fields: object) -> str:
        """Push an artifact; return the digest of its manifest."""
        for data in (_CONFIG, *(layer.data for layer in layers)):
            self.push_blob(repository, data)
        return self.push_manifest(repository, tag, manifest_of(layers, **fields))

    def push_blob(self, repository: str, data: bytes) -> None:
        """Push a blob."""
        begun = self._ask("POST", f"/v2/{repository}/blobs/uploads/")
        to = urlsplit(begun.headers["location"])
        digest = f"sha256:{sha256(data).hexdigest()}"
        self._ask("PUT", f"{to.path}?{to.query}&digest={digest}", data, "application/octet-stream")

    def push_manifest(self, repository: str, tag: str, data: bytes, media_type: str = MANIFEST) -> str:
        """Push a manifest; return its digest, as `sha256:…`."""
        self._ask("PUT", f"/v2/{repository}/manifests/{tag}", data, media_type)
        return f"sha256:{sha256(data).hexdigest()}"

    def delete_manifest(self, repository: str, digest: str) -> None:
        """Delete a manifest, and the tags that stand for it."""
        self._ask("DELETE", f"/v2/{repository}/manifests/{digest}")

    def blob(self, digest: str) -> Path:
        """Return where the registry keeps a blob."""
        digest = digest.removeprefix("sha256:")
        return self.storage / "docker/registry/v2/blobs/sha256" / digest[:2] / digest / "data"

    def stop(self) -> None:
        """Take the registry down."""
        self.process.terminate()
        self.process.wait()

    def _ask(self, method: str, path: str, data: bytes = b"", media_type: str = "") -> httpx.Response:
        headers = {**self.headers, **({"Content-Type": media_type} if media_type else {})}
        with httpx.Client(trust_env=False, verify=NO_TLS, auth=self.credentials, timeout=PATIENCE_S) as client:
            answer = client.request(method, f"http://{self.name}{path}", content=data, headers=headers)
        assert answer.status_code in {200, 201, 202}, answer.text
        return answer


@contextmanager
def serving_registry(
    folder: Path, *, users: bool = False, tokens: "TokenServer | None" = None, port: int = 0
) -> Iterator[RegistryServer]:
    """Run a registry with its storage below `folder`, which may hold that of one before it.

    With `users` it lets `USERNAME` in alone, with `tokens` whoever shows one of those. Its port stays its own after
    `RegistryServer.stop`, until the context ends: another one may be run there, with `port`.
    """
    with own_port() as free, _running(folder, port or free, users=users, tokens=tokens) as server:
        yield server


@contextmanager
def _running(folder: Path, port: int, *, users: bool, tokens: "TokenServer | None") -> Iterator[RegistryServer]:
    folder.mkdir(exist_ok=True)
    storage = folder / "storage"
    settings: dict[str, Any] = {
        "version": 0.1,
        "log": {"level": "error", "accesslog": {"disabled": True}},
        "storage": {"filesystem": {"rootdirectory": str(storage)}, "delete": {"enabled": True}},
        "http": {"addr": f"127.0.0.1:{port}"},
    }
    if users:
        (folder / "users").write_text(_USERS)
        settings["auth"] = {"htpasswd": {"realm": "registry", "path": str(folder / "users")}}
    if tokens is not None:
        settings["auth"] = {
            "token": {
                "realm": tokens.realm,
                "service": SERVICE,
                "issuer": ISSUER,
                "rootcertbundle": str(tokens.certificate),
            }
        }
    # JSON is YAML.
    (folder / "config.yml").write_text(json.dumps(settings))
    if not Path(_PROGRAM).exists():
        raise RuntimeError("docker-registry is missing; `make tools` installs it")
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [_PROGRAM, "serve", str(folder / "config.yml")],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={"PATH": os.environ["PATH"]},
        )
    server = RegistryServer(
        port=port,
        storage=storage,
        process=process,
        credentials=(USERNAME, PASSWORD) if users else None,
        headers={} if tokens is None else {"Authorization": f"Bearer {tokens.issue('push,pull,delete', '*')}"},
    )
    try:
        _wait_for(server, folder / "log")
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()


def _wait_for(server: RegistryServer, log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and server.process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S):
            return
        time.sleep(0.02)
    raise AssertionError(f"the registry did not start: {log.read_text()}")


class TokenServer:
    """Gives tokens that registries of `serving_registry` know. `asked` is what was asked of it."""

    def __init__(self, folder: Path, server: WebServer) -> None:
        """Serve on `server`, with a key made in `folder`."""
        self.certificate = folder / "tokens.pem"
        self._key = folder / "tokens-key.pem"
        self._server = server
        self.realm = server.url("/token")
        self.lasts_s = 300
        self.who: dict[str, str] = {}
        """What `Authorization` may be, and what it may do; "" is whoever shows nothing."""
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", self._key.name)
        run("openssl", "req", "-x509", *key, "-subj", "/CN=tokens", "-days", "30", "-out", "tokens.pem", cwd=folder)
        server.answers["/token"] = self._answer

    @property
    def asked(self) -> list[Asked]:
        """What was asked so far."""
        return [asked for asked in self._server.asked if asked.path.startswith("/token?")]

    def issue(self, actions: str, repository: str) -> str:
        """Return a token for these actions on a repository, `*` for any."""
        now = int(time.time())
        names = [repository] if repository != "*" else _ANY
        chain = b64encode(b64decode("".join(self.certificate.read_text().splitlines()[1:-1]))).decode()
        claims = {
            "iss": ISSUER,
            "sub": "somebody",
            "aud": SERVICE,
            "exp": now + 600,
            "nbf": now - 60,
            "iat": now,
            "jti": str(time.monotonic_ns()),
            "access": [{"type": "repository", "name": name, "actions": actions.split(",")} for name in names],
        }
        signed = _encoded({"typ": "JWT", "alg": "ES256", "x5c": [chain]}) + b"." + _encoded(claims)
        return (signed + b"." + urlsafe_b64encode(self._signature(signed)).rstrip(b"=")).decode()

    def _signature(self, data: bytes) -> bytes:
        done = subprocess.run(
            ["/usr/bin/openssl", "dgst", "-sha256", "-sign", str(self._key)],
            input=data,
            check=True,
            capture_output=True,
        )
        # A sequence of two integers, each with its length in one byte.
        one_at, one_bytes = 4, done.stdout[3]
        two_at = one_at + one_bytes + 2
        return b"".join(
            int.from_bytes(part, "big").to_bytes(32, "big")
            for part in (done.stdout[one_at : one_at + one_bytes], done.stdout[two_at:])
        )

    def _answer(self, asked: Asked, send: Send, ending: threading.Event) -> bool:
        wanted = parse_qs(urlsplit(asked.path).query)
        allowed = self.who.get(asked.headers.get("authorization", ""))
        if allowed is None or wanted.get("service") != [SERVICE]:
            return page(b"{}", status=401, tagged=False)(asked, send, ending)
        [scope] = wanted["scope"]
        _, repository, actions = scope.split(":")
        given = ",".join(set(actions.split(",")) & set(allowed.split(",")))
        data = json.dumps({"token": self.issue(given, repository), "expires_in": self.lasts_s})
        return page(data, tagged=False)(asked, send, ending)


_ANY: Final = ("skills/a", "skills/b")


def _encoded(value: Mapping[str, object]) -> bytes:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


def relaying(registry: RegistryServer) -> Answer:
    """Answer what the registry answers, so that a test sees what was asked, and may answer some of it itself."""

    def answer(asked: Asked, send: Send, _: threading.Event) -> bool:
        headers = {key: text for key, text in asked.headers.items() if key not in {"host", "connection"}}
        with httpx.Client(trust_env=False, verify=NO_TLS, timeout=PATIENCE_S) as client:
            found = client.request(asked.method, f"http://{registry.name}{asked.path}", headers=headers)
        lines = "".join(f"{key}: {text}\r\n" for key, text in found.headers.items())
        send(f"HTTP/1.1 {found.status_code} Said\r\n{lines}\r\n".encode() + found.content)
        return True

    return answer


class Repository:
    """A repository that no other test has, and the relay by which a source reaches it.

    The relay sees all that is asked, and answers some of it itself where its `answers` say so.
    """

    def __init__(self, registry: RegistryServer, relay: WebServer) -> None:
        self.registry = registry
        self.relay = relay
        self.name = f"skills/r{next(registry.numbers)}"
        relay.otherwise = relaying(registry)

    @property
    def reference(self) -> str:
        """The tag that tests push."""
        return f"127.0.0.1:{self.relay.port}/{self.name}:1"

    @property
    def manifest(self) -> str:
        """The path of its manifest."""
        return f"/v2/{self.name}/manifests/1"

    def pinned(self, digest: str) -> str:
        """Return the reference of a digest."""
        return f"127.0.0.1:{self.relay.port}/{self.name}@{digest}"

    def blob(self, layer: Pushed) -> str:
        """Return the path of a layer."""
        return f"/v2/{self.name}/blobs/sha256:{sha256(layer.data).hexdigest()}"

    def push(self, *layers: Pushed, tag: str = "1") -> str:
        """Push an artifact; return the digest of its manifest."""
        return self.registry.push(self.name, tag, *layers)

    def push_index(self, data: bytes) -> str:
        """Push an index under the tag."""
        return self.registry.push_manifest(self.name, "1", data, INDEX)


@contextmanager
def serving_tokens(folder: Path) -> Iterator[TokenServer]:
    """Give tokens as long as the context lasts."""
    folder.mkdir(exist_ok=True)
    with serving() as server:
        yield TokenServer(folder, server)
