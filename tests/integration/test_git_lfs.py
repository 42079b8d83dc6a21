"""Large files of git LFS: fetched from a server on loopback, checked, and never taken from another source."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillsvc.content.credentials import Basic, Bearer
from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.sources.git.source import GitSettings, GitSource
from skillsvc.sources.source import Observation, Outcome
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.integration.git_looks import READING
from tests.simulators.git_objects import LocalRemote
from tests.simulators.web_server import (
    Answer,
    WebServer,
    behind,
    broken,
    endless,
    page,
    redirect,
    serving,
    silent,
    truncated,
)
from tests.unit.sources.trees import skill

BATCH = "/harbor.git/info/lfs/objects/batch"
DATA = bytes(range(256)) * 300
DIGEST = hashlib.sha256(DATA).hexdigest()
READER = Basic(username="reader", password="open-sesame")  # noqa: S106 - a test has none


def pointer(digest: str = DIGEST, size: int = len(DATA)) -> str:
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n"


def download(href: str, **header: str) -> Answer:
    """Answer that the object is at `href`, to be asked for with these headers."""
    action: dict[str, Any] = {"href": href, **({"header": header} if header else {})}
    return said({"objects": [{"oid": DIGEST, "size": len(DATA), "actions": {"download": action}}]})


def said(answer: Mapping[str, Any]) -> Answer:
    return page(json.dumps(answer), content_type="application/vnd.git-lfs+json", tagged=False)


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serving() as web:
        web.answers[BATCH] = download(web.url("/large"))
        web.answers["/large"] = page(DATA)
        yield web


@pytest.fixture
def remote(tmp_path: Path) -> LocalRemote:
    made = LocalRemote(tmp_path / "remote")
    made.commit({"a/SKILL.md": skill("a"), "a/large.bin": pointer(), "b/SKILL.md": skill("b")})
    return made


@pytest.fixture
def blobs() -> MemoryBlobStore:
    return MemoryBlobStore()


@pytest.fixture
def source(server: WebServer, remote: LocalRemote, blobs: MemoryBlobStore, tmp_path: Path) -> GitSource:
    settings = GitSettings(
        url=server.url("/harbor.git"),
        reading=READING,
        lfs=True,
        plain_http=True,
        timeout_s=5.0,
        credentials=lambda: READER,
    )
    return GitSource(settings, limits=Limits(), blobs=blobs, folder=tmp_path / "cache", fetching=remote)


def missing(seen: Observation) -> str:
    """Return what is said of the skill whose file could not be had; what is held stands, and the others are there."""
    assert (seen.outcome, [found.place for found in seen.found]) == (Outcome.PARTIAL, ["b"])
    [diagnostic] = seen.diagnostics
    assert (diagnostic.code, diagnostic.skill) == (DiagnosticCode.FILE_UNREADABLE, "a")
    return diagnostic.message


def test_a_large_file_is_fetched_once(server: WebServer, source: GitSource, blobs: MemoryBlobStore) -> None:
    seen = source.observe()
    [asset] = seen.found[0].bundle.assets
    assert (asset.name, asset.size, asset.digest) == ("large.bin", len(DATA), DIGEST)
    assert blobs.read(DIGEST) == DATA
    assert source.observe() is seen
    asked = json.loads(server.asked[0].body)
    assert (asked["operation"], asked["objects"]) == ("download", [{"oid": DIGEST, "size": len(DATA)}])
    assert server.paths() == [BATCH, "/large"]


def test_a_skill_md_may_be_a_pointer(server: WebServer, source: GitSource, remote: LocalRemote) -> None:
    text = skill("a", "From afar.").encode()
    remote.commit({"a/large.bin": None, "a/SKILL.md": pointer(hashlib.sha256(text).hexdigest(), len(text))})
    server.answers["/large"] = page(text)
    assert source.observe().found[0].bundle.skill.description == "From afar."


def test_what_the_store_has_is_fetched_all_the_same(
    server: WebServer, source: GitSource, blobs: MemoryBlobStore
) -> None:
    blobs.put(DATA)
    server.answers[BATCH] = page(b"", status=404, tagged=False)
    missing(source.observe())


def test_credentials_go_to_the_server_itself_and_to_no_other(server: WebServer, source: GitSource) -> None:
    with serving() as other:
        other.answers["/large"] = page(DATA)
        server.answers[BATCH] = behind("reader", "open-sesame", download(other.url("/large"), X_Signed="yes"))
        assert source.observe().outcome is Outcome.WHOLE
        [asked] = other.asked
        assert asked.headers["x_signed"] == "yes"
        assert "authorization" not in asked.headers


def test_a_token_is_the_password_of_the_user_that_git_takes_it_for(
    server: WebServer, remote: LocalRemote, blobs: MemoryBlobStore, tmp_path: Path
) -> None:
    server.answers[BATCH] = behind("x-access-token", "a-token", download(server.url("/large")))
    server.answers["/large"] = behind("x-access-token", "a-token", page(DATA))
    settings = GitSettings(
        url=server.url("/harbor.git"),
        reading=READING,
        lfs=True,
        plain_http=True,
        credentials=lambda: Bearer(token="a-token"),  # noqa: S106 - a test has none
    )
    source = GitSource(settings, limits=Limits(), blobs=blobs, folder=tmp_path / "cache", fetching=remote)
    assert source.observe().outcome is Outcome.WHOLE


def test_the_servers_own_authorization_stands_before_ours(server: WebServer, source: GitSource) -> None:
    server.answers[BATCH] = download(server.url("/large"), Authorization="Other")
    source.observe()
    assert server.asked[-1].headers["authorization"] == "Other"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (page(DATA[:-1]), "not what the pointer stands for"),
        (page(DATA[:-1] + b"x"), "not what the pointer stands for"),
        (page(DATA + b"x"), "more than"),
        (truncated(DATA), "broke off"),
        (broken, "broke off"),
        (endless, "more than"),
        (silent, "did not come before the time"),
        (page(b"", status=500, tagged=False), "status 500"),
        (redirect("http://elsewhere.example/large"), "redirects"),
    ],
    ids=["short", "wrong", "long", "truncated", "broken", "endless", "silent", "fault", "redirected"],
)
def test_what_is_not_the_file_is_not_taken(
    server: WebServer, source: GitSource, blobs: MemoryBlobStore, answer: Answer, says: str
) -> None:
    server.answers["/large"] = answer
    assert says in missing(source.observe())
    assert not blobs.has(DIGEST)
    server.answers["/large"] = page(DATA)
    assert source.observe().outcome is Outcome.WHOLE


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (page(b"", status=404, tagged=False), "status 404"),
        (page("<html>", tagged=False), "no JSON"),
        (page("[" * 100_000, tagged=False), "no JSON"),
        (said({}), "says nothing of the object"),
        (said({"objects": []}), "says nothing of the object"),
        (said({"objects": [{"oid": DIGEST}]}), "says nothing of the object"),
        (said({"objects": [{"error": {"code": 404, "message": "Secret text."}}]}), "refuses the object with 404"),
        (download("file:///etc/passwd"), "URL"),
        (download("http://169.254.169.254/secrets"), "address"),
        (download("http://user:pass@127.0.0.1/large"), "credentials"),
        (download("http://127.0.0.1/large", **{f"X-{number}": "x" for number in range(33)}), "headers"),
        (download("http://127.0.0.1/large", Bad="a\r\nHost: b"), "cannot be sent"),
    ],
)
def test_an_answer_of_no_use_is_told(server: WebServer, source: GitSource, answer: Answer, says: str) -> None:
    server.answers[BATCH] = answer
    message = missing(source.observe())
    assert says in message
    assert "Secret" not in message
    assert "pass@" not in message


def test_a_look_that_is_stopped_is_abandoned(server: WebServer, remote: LocalRemote, tmp_path: Path) -> None:
    server.answers["/large"] = silent
    settings = GitSettings(url=server.url("/harbor.git"), reading=READING, lfs=True, plain_http=True)
    source = GitSource(
        settings,
        limits=Limits(),
        blobs=MemoryBlobStore(),
        folder=tmp_path / "cache",
        stopped=lambda: "/large" in server.paths(),
        fetching=remote,
    )
    with pytest.raises(Abandoned):
        source.observe()


def test_all_large_files_together_have_one_deadline(server: WebServer, tmp_path: Path) -> None:
    remote = LocalRemote(tmp_path / "slow")
    remote.commit({f"{name}/{file}": text for name in "abcdef" for file, text in _with_large_file(name).items()})
    server.answers["/large"] = silent
    settings = GitSettings(url=server.url("/harbor.git"), reading=READING, lfs=True, plain_http=True, timeout_s=4.0)
    folder = tmp_path / "cache"
    source = GitSource(settings, limits=Limits(), blobs=MemoryBlobStore(), folder=folder, fetching=remote)
    began = time.monotonic()
    seen = source.observe()
    # Had each its own time, it were six times as much.
    assert time.monotonic() - began < 20
    assert (seen.outcome, len(seen.diagnostics)) == (Outcome.PARTIAL, 6)
    assert "did not come before the time" in seen.diagnostics[-1].message


def _with_large_file(name: str) -> Mapping[str, str]:
    return {"SKILL.md": skill(name), "large.bin": pointer()}
