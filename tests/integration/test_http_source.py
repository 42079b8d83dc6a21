"""A manifest as a source, over a real server: what is fetched and when, what is not, and what stands meanwhile."""

import json
from collections.abc import Callable, Iterator
from errno import ENOSPC
from pathlib import Path
from typing import Any, NoReturn

import pytest

from skillsvc.content.credentials import Basic, CredentialsMissing
from skillsvc.content.stopping import Abandoned, never
from skillsvc.content.urls import UrlRefused
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier, Trust
from skillsvc.sources.remote_blobs import RemoteBlobs
from skillsvc.sources.source import Observation, Outcome
from skillsvc.sources.web.bringing import MOST_PARSED, Web
from skillsvc.sources.web.http import HttpSettings, HttpSource
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.web_index import READING, hex_of, manifest, remote, serve_pages, web
from tests.simulators.web_server import Answer, WebServer, behind, page, redirect, reset, serving, silent, truncated
from tests.unit.sources.trees import skill

PLACE = "layer/source"
INDEX = "/skills/manifest.json"
BODY = "# Tides\r\nRead the table.\n"
SCRIPT = b"#!/bin/sh\necho ebb\n"
HASTY_S = 3.0
"""How long a look waits that somebody lets wait for ever: far longer than all else in it takes."""
ANN = Basic(username="ann", password="s3cret")  # noqa: S106 - of a test


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture
def elsewhere() -> Iterator[WebServer]:
    with serving() as server:
        yield server


class Look:
    """A source, what it stands on, and looks at it."""

    def __init__(self, folder: Path, **settings: Any) -> None:  # noqa: ANN401 - of WebSettings
        self.blobs = MemoryBlobStore()
        self.remote = RemoteBlobs(self.blobs)
        self.folder = folder
        self.settings = settings
        self.stopped = False
        self.made: list[HttpSource] = []
        self.source = self.make()

    def make(self) -> HttpSource:
        """Return the source as another process would make it."""
        source = HttpSource(
            HttpSettings(web=web(**self.settings), reading=READING),
            limits=Limits(),
            blobs=self.blobs,
            folder=self.folder,
            remote=self.remote,
            place=PLACE,
            stopped=lambda: self.stopped,
        )
        self.made.append(source)
        return source

    def __call__(self, **arguments: Any) -> Observation:  # noqa: ANN401 - of observe
        return self.source.observe(**arguments)


Begin = Callable[..., Look]


def full() -> NoReturn:
    """Take nothing, as a store on a full disk does."""
    raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the store is full") from OSError(ENOSPC, "full")


@pytest.fixture
def begin(server: WebServer, tmp_path: Path) -> Iterator[Begin]:
    looks: list[Look] = []

    def begin(**settings: Any) -> Look:  # noqa: ANN401 - of WebSettings
        look = Look(settings.pop("folder", tmp_path), **{"url": server.url(INDEX), **settings})
        looks.append(look)
        return look

    yield begin
    for look in looks:
        for source in look.made:
            source.close()


def names(seen: Observation) -> list[str]:
    return [found.bundle.skill.name for found in seen.found]


def said(seen: Observation) -> list[tuple[DiagnosticCode, str]]:
    return [(each.code, each.skill) for each in seen.diagnostics]


def test_an_entry_lacking_an_id_is_left_out_and_the_others_are_registered(server: WebServer, begin: Begin) -> None:
    """Row 11 of the merged list."""
    server.answers[INDEX] = page(manifest({"id": "a"}, {"name": "nameless"}, {"id": "b", "version": "2"}))
    seen = begin()()
    assert (seen.outcome, names(seen)) == (Outcome.WHOLE, ["a", "b"])
    assert (seen.tier, seen.trust) == (Tier.REGISTERED, Trust.ASK)
    assert said(seen) == [(DiagnosticCode.ENTRY_LEFT_OUT, "")]
    assert all(found.bundle.body is None and found.bundle.document is None for found in seen.found)
    assert seen.revision == hex_of(manifest({"id": "a"}, {"name": "nameless"}, {"id": "b", "version": "2"}))


def chain(server: WebServer) -> Answer:
    """Eleven redirects."""
    for number in range(11):
        server.answers[f"/skills/{number}"] = redirect(f"{number + 1}" if number < 10 else "manifest.json")
    return redirect("0")


@pytest.mark.parametrize(
    "failing",
    [
        lambda _: page(b"no", status=500),
        lambda _: page(b"no", status=404),
        lambda _: page(b"gone", status=410),
        lambda _: page(b'{"skills": []}' + b" " * (4 * 1024 * 1024)),
        chain,
        lambda _: redirect("http://127.0.0.2/elsewhere"),
        lambda _: reset,
        lambda _: silent,
        lambda _: truncated(b'{"skills": []}'),
        lambda _: page(b"<html>Please log in</html>"),
        lambda _: page(b'{"skills": [{"id": "a"}'),
        lambda _: page(b"{}"),
        lambda _: page(b"\xff"),
        lambda _: page(b"\x1f\x8b", content_encoding="gzip"),
    ],
)
def test_a_manifest_that_cannot_be_had_or_is_none_fails_the_look_and_the_next_one_is_whole(
    server: WebServer, begin: Begin, failing: Callable[[WebServer], Answer]
) -> None:
    sound = page(manifest({"id": "a"}))
    server.answers[INDEX] = sound
    answer = failing(server)
    look = begin(timeout_s=HASTY_S) if answer is silent else begin()
    before = look()
    server.answers[INDEX] = answer
    failed = look(held=before.found)
    assert (failed.outcome, failed.found) == (Outcome.FAILED, ())
    [(code, _)] = said(failed)
    assert code in {DiagnosticCode.SOURCE_UNREACHABLE, DiagnosticCode.INDEX_MALFORMED}
    # Whatever differs from one look to the next, what is told does not: it would be news each time.
    assert look(held=before.found) == failed
    server.answers[INDEX] = sound
    assert look(held=before.found) == before


def test_nothing_is_sent_read_or_told_again_where_nothing_changed(server: WebServer, begin: Begin) -> None:
    serve_pages(server, {"/skills/a.md": skill("a"), "/skills/run.sh": SCRIPT})
    entry = {
        "id": "a",
        "document": remote("a.md", skill("a")),
        "assets": [{"name": "run.sh", **remote("run.sh", SCRIPT, sized=False)}],
    }
    server.answers[INDEX] = page(manifest(entry))
    look = begin()
    seen = look()
    assert server.paths() == [INDEX, "/skills/a.md", "/skills/run.sh"]
    for _ in range(2):
        assert look(held=seen.found) is seen
    assert server.paths()[3:] == [INDEX] * 2
    assert "if-none-match" in server.asked[-1].headers


def test_a_server_without_validators_is_asked_for_the_manifest_alone(server: WebServer, begin: Begin) -> None:
    server.answers[INDEX] = page(manifest({"id": "a", "document": remote("a.md", skill("a"))}), tagged=False)
    server.answers["/skills/a.md"] = page(skill("a"), tagged=False)
    look = begin()
    seen = look()
    assert look() is seen
    assert server.paths() == [INDEX, "/skills/a.md", INDEX]


def test_what_has_no_digest_is_asked_for_again_and_seen_when_it_changes(server: WebServer, begin: Begin) -> None:
    server.answers[INDEX] = page(manifest({"id": "a", "body": {"url": "a.txt"}}))
    server.answers["/skills/a.txt"] = page(BODY)
    look = begin()
    seen = look()
    assert look() is seen
    assert "if-none-match" in server.asked[-1].headers
    server.answers["/skills/a.txt"] = page("other")
    changed = look()
    [found] = changed.found
    assert found.bundle.body is not None
    assert (found.bundle.body.digest, found.bundle.body.size) == (hex_of("other"), 5)
    assert found.bundle != seen.found[0].bundle
    assert look() is changed


def test_only_what_changed_is_fetched_and_made_anew(server: WebServer, begin: Begin) -> None:
    def tell(of_b: str) -> None:
        serve_pages(server, {"/skills/a.md": skill("a"), "/skills/b.md": skill("b", of_b)})
        server.answers[INDEX] = page(
            manifest(
                {"id": "a", "document": remote("a.md", skill("a"))},
                {"id": "b", "document": remote("b.md", skill("b", of_b))},
                {"id": "c", "body": remote("c.txt", BODY)},
            )
        )

    tell("One.")
    look = begin()
    before = look()
    server.asked.clear()
    tell("Two.")
    after = look()
    assert server.paths() == [INDEX, "/skills/b.md"]
    assert [one is two for one, two in zip(before.found, after.found, strict=True)] == [True, False, True]


def test_a_document_is_read_by_its_frontmatter_and_the_entry_fills_it_up(server: WebServer, begin: Begin) -> None:
    document = "---\nname: a\ndescription: Of the document.\n---\nBody\n"
    server.answers["/skills/a.md"] = page(document)
    server.answers[INDEX] = page(
        manifest(
            {
                "id": "a",
                "description": "Of the entry.",
                "version": "3",
                "disable-model-invocation": True,
                "document": remote("a.md", document),
            }
        )
    )
    [found] = begin()().found
    bundle = found.bundle
    assert (bundle.skill.description, bundle.skill.version) == ("Of the document.", "3")
    assert not bundle.skill.model_invocable
    assert bundle.document is not None
    assert bundle.document.digest == hex_of(document)
    assert bundle.body is not None
    assert bundle.body.digest == hex_of("Body")
    assert found.diagnostics == ()


class TestOnNeed:
    """What waits until somebody needs it."""

    @pytest.fixture(autouse=True)
    def entry(self, server: WebServer) -> None:
        serve_pages(server, {"/skills/a.txt": BODY, "/skills/run.sh": SCRIPT})
        server.answers[INDEX] = page(
            manifest(
                {
                    "id": "a",
                    "body": remote("a.txt", BODY),
                    "assets": [{"name": "run.sh", "executable": True, **remote("run.sh", SCRIPT)}],
                }
            )
        )

    def test_a_look_fetches_nothing_of_it_and_tells_it_all_the_same(self, server: WebServer, begin: Begin) -> None:
        look = begin()
        seen = look()
        assert server.paths() == [INDEX]
        assert (seen.outcome, seen.diagnostics) == (Outcome.WHOLE, ())
        [found] = seen.found
        assert found.bundle.document is None
        assert found.bundle.body is not None
        assert found.bundle.body.digest == hex_of(BODY)
        [asset] = found.bundle.assets
        assert (asset.name, asset.size, asset.digest, asset.executable) == ("run.sh", len(SCRIPT), hex_of(SCRIPT), True)
        assert list(found.bundle.blobs) == [hex_of(BODY), hex_of(SCRIPT)]
        assert look() is seen
        assert look.blobs.lost() == frozenset()

    def test_it_is_the_same_bundle_whether_it_is_here_or_not(self, begin: Begin) -> None:
        look = begin()
        [before] = look().found
        look.remote.bring(PLACE, hex_of(BODY))
        [after] = look.make().observe().found
        assert after.bundle == before.bundle

    def test_what_is_too_large_to_be_served_is_not_offered_and_bounds_no_fetch(
        self, server: WebServer, begin: Begin
    ) -> None:
        endless = {**remote("endless", BODY), "name": "x", "size": 10**12}
        server.answers[INDEX] = page(
            manifest({"id": "a", "body": remote("a.txt", BODY)}, {"id": "b", "assets": [endless]})
        )
        server.answers["/skills/a.txt"] = page(BODY)
        look = begin()
        assert [found.place for found in look().found] == ["a"]
        look.remote.bring(PLACE, hex_of(BODY))
        assert server.paths() == [INDEX, "/skills/a.txt"]

    def test_what_has_another_size_than_the_index_says_is_not_brought(self, server: WebServer, begin: Begin) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "body": {**remote("a.txt", BODY), "size": 1000}}))
        server.answers["/skills/a.txt"] = page(BODY)
        look = begin()
        look()
        with pytest.raises(Unavailable):
            look.remote.bring(PLACE, hex_of(BODY))
        assert not look.blobs.has(hex_of(BODY))

    def test_it_is_offered_and_brought(self, begin: Begin) -> None:
        look = begin()
        look()
        for digest, data in ((hex_of(BODY), BODY.encode()), (hex_of(SCRIPT), SCRIPT)):
            assert look.remote.offers(PLACE, digest)
            look.remote.bring(PLACE, digest)
            assert look.blobs.read(digest) == data

    def test_after_a_restart_it_is_known_before_anybody_answers(self, server: WebServer, begin: Begin) -> None:
        look = begin()
        [found] = look().found
        look.source.close()
        look.remote = RemoteBlobs(look.blobs)
        server.answers[INDEX] = page(b"", status=500)
        look.source = look.make()
        assert look(held=[found]).outcome is Outcome.FAILED
        look.remote.bring(PLACE, hex_of(BODY))
        assert look.blobs.has(hex_of(BODY))

    def test_after_a_restart_without_the_last_index_it_is_out_of_reach_and_not_lost(
        self, server: WebServer, begin: Begin
    ) -> None:
        look = begin(folder=None)
        [found] = look().found
        look.source.close()
        look.remote = RemoteBlobs(look.blobs)
        server.answers[INDEX] = page(b"", status=500)
        look.source = look.make()
        look(held=[found])
        assert look.remote.offers(PLACE, hex_of(BODY))


class TestWhoMayServe:
    """An index must not lead this server elsewhere (G27)."""

    def test_an_entry_that_does_is_left_out_before_anything_is_fetched(
        self, server: WebServer, elsewhere: WebServer, begin: Begin
    ) -> None:
        serve_pages(server, {"/skills/sound.md": skill("sound")})
        server.answers[INDEX] = page(
            manifest(
                {"id": "../../x", "document": remote("sound.md", skill("sound"))},
                {
                    "id": "leads-away",
                    "document": remote("sound.md", "x"),
                    "assets": [{"name": "z", "url": elsewhere.url("/z")}],
                },
                {"id": "climbs", "assets": [{"name": "../../../y", "url": "y"}]},
                {"id": "meta", "body": {"url": "http://169.254.169.254/latest/meta-data"}},
                {"id": "local", "body": {"url": "file:///etc/passwd"}},
                {"id": "with-password", "body": {"url": f"http://ann:b@127.0.0.1:{server.port}/x"}},
                {"id": "sound", "document": remote("sound.md", skill("sound"))},
            )
        )
        seen = begin()()
        assert (seen.outcome, names(seen)) == (Outcome.WHOLE, ["sound"])
        left_out = {"../../x", "leads-away", "climbs", "meta", "local", "with-password"}
        assert set(said(seen)) == {(DiagnosticCode.ENTRY_LEFT_OUT, name) for name in left_out}
        assert server.paths() == [INDEX, "/skills/sound.md"]
        assert elsewhere.asked == []

    def test_a_host_that_is_named_may_and_gets_no_credentials(
        self, server: WebServer, elsewhere: WebServer, begin: Begin
    ) -> None:
        server.answers[INDEX] = behind(
            "ann", "s3cret", page(manifest({"id": "a", "document": remote(elsewhere.url("/a.md"), skill("a"))}))
        )
        elsewhere.answers["/a.md"] = page(skill("a"))
        look = begin(credentials=lambda: ANN, redirect_hosts=frozenset({"127.0.0.1"}))
        assert names(look()) == ["a"]
        assert "authorization" in server.asked[0].headers
        assert "authorization" not in elsewhere.asked[0].headers


class TestWhatCannotBeHad:
    """An entry of which something cannot be had stands as it is held."""

    @pytest.mark.parametrize(
        "failing", [page(b"no", status=500), page(b"other bytes"), reset, silent, truncated(b"x" * 100)]
    )
    def test_its_last_good_stands_and_the_others_are_as_they_are(
        self, server: WebServer, begin: Begin, failing: Answer
    ) -> None:
        def tell(text: str, answer: Answer) -> None:
            server.answers["/skills/a.md"] = answer
            server.answers["/skills/b.md"] = page(skill("b", text))
            entries = [{"id": name, "document": remote(f"{name}.md", skill(name, text))} for name in "ab"]
            server.answers[INDEX] = page(manifest(*entries))

        look = begin(timeout_s=HASTY_S) if failing is silent else begin()
        tell("One.", page(skill("a", "One.")))
        seen = look()
        tell("Two.", failing)
        for _ in range(2):
            seen = look(held=seen.found)
        assert seen.outcome is Outcome.PARTIAL
        assert [found.bundle.skill.description for found in seen.found] == ["One.", "Two."]
        assert (DiagnosticCode.ENTRY_UNREACHABLE, "a") in said(seen)
        assert not look.blobs.has(hex_of(b"other bytes"))
        server.answers["/skills/a.md"] = page(skill("a", "Two."))
        seen = look(held=seen.found)
        assert (seen.outcome, seen.diagnostics) == (Outcome.WHOLE, ())

    def test_it_is_told_of_the_entry_and_not_of_a_folder(self, server: WebServer, begin: Begin) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "document": {"url": "a.md"}}))
        server.answers["/skills/a.md"] = page(b"no", status=404)
        [told] = begin()().diagnostics
        assert (told.code, told.skill) == (DiagnosticCode.ENTRY_UNREACHABLE, "a")
        host = server.origin.removeprefix("http://")
        assert told.message == f"what its entry names cannot be had: {host} answers with the status 404"

    def test_a_store_that_takes_nothing_is_told_as_what_it_is(
        self, server: WebServer, begin: Begin, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "document": {"url": "a.md"}}))
        server.answers["/skills/a.md"] = page(skill("a"))
        look = begin()
        monkeypatch.setattr(look.blobs, "writer", full)
        seen = look()
        [told] = seen.diagnostics
        assert (seen.outcome, told.code, told.skill) == (Outcome.PARTIAL, DiagnosticCode.STORE_UNREACHABLE, "a")
        assert told.message == "could not be taken in: the store is full (ENOSPC)"
        monkeypatch.undo()
        assert look().outcome is Outcome.WHOLE

    def test_bodies_stand_too(self, server: WebServer, begin: Begin) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "body": {"url": "a.txt"}}))
        server.answers["/skills/a.txt"] = page(BODY)
        look = begin()
        before = look()
        server.answers["/skills/a.txt"] = page(b"", status=500)
        failed = look(held=before.found)
        assert (failed.outcome, failed.found) == (Outcome.PARTIAL, before.found)

    @pytest.mark.parametrize("body", [b"\xff\xfe", b"a\0b"])
    def test_a_body_that_is_no_text_is_left_out(self, server: WebServer, begin: Begin, body: bytes) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "body": {"url": "a.txt"}}))
        server.answers["/skills/a.txt"] = page(body)
        seen = begin()()
        assert (seen.outcome, seen.found) == (Outcome.WHOLE, ())
        assert said(seen) == [(DiagnosticCode.ENTRY_LEFT_OUT, "a")]

    def test_a_body_that_is_too_large_is_left_out(self, server: WebServer, begin: Begin) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "body": {"url": "a.txt"}}))
        server.answers["/skills/a.txt"] = page(bytes(1024 * 1024 + 1))
        assert said(begin()()) == [(DiagnosticCode.ENTRY_LEFT_OUT, "a")]

    def test_a_size_that_is_not_so_is_a_fault(self, server: WebServer, begin: Begin) -> None:
        named = {**remote("a.md", skill("a")), "size": 7}
        server.answers[INDEX] = page(manifest({"id": "a", "document": named}))
        server.answers["/skills/a.md"] = page(skill("a"))
        assert begin()().outcome is Outcome.PARTIAL

    def test_what_takes_all_the_time_comes_last_the_next_time(self, server: WebServer, begin: Begin) -> None:
        entries = [{"id": name, "document": remote(f"{name}.md", skill(name))} for name in "abc"]
        server.answers[INDEX] = page(manifest(*entries))
        serve_pages(server, {f"/skills/{name}.md": skill(name) for name in "bc"})
        server.answers["/skills/a.md"] = silent
        look = begin(timeout_s=HASTY_S)
        look()
        assert names(look()) == ["b", "c"]

    def test_a_blob_that_the_store_lost_is_fetched_again(self, server: WebServer, begin: Begin) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "document": remote("a.md", skill("a"))}))
        server.answers["/skills/a.md"] = page(skill("a"))
        look = begin()
        seen = look()
        look.blobs.blobs[hex_of(skill("a"))] = b"damaged"
        with pytest.raises(DataLoss):
            look.blobs.read(hex_of(skill("a")))
        assert look(held=seen.found).found == seen.found
        assert look.blobs.read(hex_of(skill("a"))) == skill("a").encode()


class TestAccess:
    """What one may see tells nobody else anything (G29)."""

    def test_the_last_index_is_not_used_with_other_credentials_or_of_another_url(
        self, server: WebServer, begin: Begin
    ) -> None:
        server.answers[INDEX] = behind("ann", "s3cret", page(manifest({"id": "a"})))
        server.answers["/other"] = page(manifest({"id": "a"}))
        assert names(begin(credentials=lambda: ANN, access="ann")()) == ["a"]
        stranger = begin(access="bob")()
        assert (stranger.outcome, stranger.found) == (Outcome.FAILED, ())
        begin(url=server.url("/other"), access="ann")()
        assert all("if-none-match" not in asked.headers for asked in server.asked)

    def test_the_last_index_is_used_by_the_same(self, server: WebServer, begin: Begin) -> None:
        server.answers[INDEX] = page(manifest({"id": "a"}))
        before = begin()()
        assert begin()() == before
        assert "if-none-match" in server.asked[-1].headers

    @pytest.mark.parametrize(
        "damage", [lambda data: data[:-1], lambda _: b"", lambda _: b"[]\n{}", lambda data: b"x" + data]
    )
    def test_one_that_is_damaged_is_fetched_again(
        self, server: WebServer, begin: Begin, tmp_path: Path, damage: Callable[[bytes], bytes]
    ) -> None:
        server.answers[INDEX] = page(manifest({"id": "a"}))
        before = begin()()
        kept = tmp_path / "index"
        kept.write_bytes(damage(kept.read_bytes()))
        assert begin()() == before
        assert "if-none-match" not in server.asked[-1].headers

    def test_what_another_source_brought_is_nobodys_who_merely_knows_its_digest(
        self, server: WebServer, begin: Begin
    ) -> None:
        secret = skill("a", "Of another tenant.")
        server.answers[INDEX] = page(manifest({"id": "a", "document": remote("not-there", secret)}))
        look = begin()
        look.blobs.put(secret.encode())
        seen = look()
        assert (seen.outcome, seen.found) == (Outcome.PARTIAL, ())
        assert said(seen) == [(DiagnosticCode.ENTRY_UNREACHABLE, "a")]

    @pytest.mark.parametrize("part", ["body", "assets"])
    def test_nor_is_it_on_need_before_the_source_itself_has_given_it_and_after_a_restart(
        self, server: WebServer, begin: Begin, part: str
    ) -> None:
        named = remote("a.txt", BODY)
        server.answers[INDEX] = page(
            manifest({"id": "a", part: [{"name": "x", **named}] if part == "assets" else named})
        )
        look = begin()
        seen = look()
        look.blobs.put(BODY.encode())
        for _ in range(2):
            assert look.remote.owes(PLACE, hex_of(BODY))
            with pytest.raises(Unavailable):
                look.remote.bring(PLACE, hex_of(BODY))
            look.source.close()
            look.remote = RemoteBlobs(look.blobs)
            look.source = look.make()
            assert look(held=seen.found) == seen
        server.answers["/skills/a.txt"] = page(BODY)
        look.remote.bring(PLACE, hex_of(BODY))
        assert not look.remote.owes(PLACE, hex_of(BODY))

    def test_what_was_given_on_need_is_its_own_after_a_restart_and_in_generations_that_are_retained(
        self, server: WebServer, begin: Begin
    ) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "body": remote("a.txt", BODY)}))
        server.answers["/skills/a.txt"] = page(BODY)
        look = begin()
        seen = look()
        look.remote.bring(PLACE, hex_of(BODY))
        look.source.close()
        look.remote = RemoteBlobs(look.blobs)
        look.source = look.make()
        look(held=seen.found)
        assert not look.remote.owes(PLACE, hex_of(BODY))
        server.answers[INDEX] = page(manifest({"id": "b"}))
        look(held=seen.found)
        assert not look.remote.owes(PLACE, hex_of(BODY))
        look.remote.bring(PLACE, hex_of(BODY))
        assert server.paths().count("/skills/a.txt") == 1

    def test_what_is_served_of_a_source_is_not_asked_for_again_after_a_restart(
        self, server: WebServer, begin: Begin
    ) -> None:
        server.answers[INDEX] = page(manifest({"id": "a", "document": remote("a.md", skill("a"))}))
        server.answers["/skills/a.md"] = page(skill("a"))
        look = begin()
        before = look()
        look.source.close()
        look.source = look.make()
        assert look(held=before.found) == before
        assert server.paths() == [INDEX, "/skills/a.md", INDEX]

    def test_credentials_are_read_at_each_look(self, server: WebServer, begin: Begin) -> None:
        server.answers[INDEX] = behind("ann", "s3cret", page(manifest({"id": "a"})))
        right = False

        def credentials() -> Basic:
            if not right:
                raise CredentialsMissing("the variable PASSWORD of the environment holds no secret")
            return ANN

        look = begin(credentials=credentials)
        missing = look()
        assert missing.outcome is Outcome.FAILED
        assert "PASSWORD" in missing.diagnostics[0].message
        assert server.asked == []
        right = True
        assert names(look()) == ["a"]


def test_a_look_that_is_stopped_is_abandoned(server: WebServer, begin: Begin) -> None:
    look = begin()

    def stop(*_: object) -> bool:
        look.stopped = True
        return False

    server.answers[INDEX] = stop
    with pytest.raises(Abandoned):
        look()
    look.stopped = False
    server.answers[INDEX] = page(json.dumps({"skills": [{"id": "a", "body": {"url": "a"}}]}))
    server.answers["/skills/a"] = stop
    with pytest.raises(Abandoned):
        look()


def test_so_is_what_an_index_of_countless_urls_takes() -> None:
    stopped: list[bool] = []
    way = Web(web("http://host.example/"), stopped=lambda: bool(stopped))
    urls = way.urls_of("http://host.example/x/")
    assert urls.resolve("a") == "http://host.example/x/a"
    stopped.append(True)
    with pytest.raises(Abandoned):
        urls.resolve("a")


def test_of_an_index_no_more_urls_are_parsed_than_take_a_moment_and_plain_ones_are_not() -> None:
    urls = Web(web("http://host.example/"), stopped=never).urls_of("http://host.example/x/")
    for number in range(MOST_PARSED):
        assert urls.resolve(f"?{number}") == f"http://host.example/x/?{number}"
    with pytest.raises(UrlRefused):
        urls.resolve("?more")
    assert urls.resolve("a/b.md") == "http://host.example/x/a/b.md"
