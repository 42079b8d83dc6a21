"""A registry that fails as registries do: what was last found stays, and nothing false is taken."""

import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.content.stopping import Abandoned
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.errors import DataLoss, ErrorReason, Unavailable
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.contract.source import described
from tests.patience import PATIENCE_S
from tests.simulators.oci_registry import MANIFEST, Pushed, Repository, index_of, manifest_of, relaying
from tests.simulators.oci_sources import MakeOci, folder, making_sources, said
from tests.simulators.packing import skill_file
from tests.simulators.web_server import (
    Answer,
    Asked,
    Send,
    broken,
    dripping,
    garbage,
    page,
    redirect,
    serving,
    silent,
    truncated,
)


def file(name: str, description: str) -> Pushed:
    """Return a layer that is one skill's text."""
    return Pushed(data=skill_file(name, description), media_type="text/markdown", title=f"{name}/SKILL.md")


@pytest.mark.parametrize("layer", [folder, file])
def test_bytes_changed_in_the_registry_are_never_served(
    place: Repository, make: MakeOci, layer: Callable[[str, str], Pushed]
) -> None:
    good, evil = layer("a", "Good."), layer("a", "Evil.")
    place.push(good)
    kept = place.registry.blob(sha256(good.data).hexdigest())
    kept.write_bytes(evil.data[: len(good.data)].ljust(len(good.data)))
    source = make(place.reference)
    for _ in range(2):
        code, message = said(source.observe())
        assert code is DiagnosticCode.ARTIFACT_REFUSED
        assert "another digest or size" in message
    kept.write_bytes(good.data)
    assert described(source.observe()) == [("a", "Good.")]


def test_a_manifest_changed_on_the_way_is_never_believed(place: Repository, make: MakeOci) -> None:
    digest = place.push(folder("a", "Good."))
    place.push(folder("a", "Evil."), tag="evil")
    evil = page(manifest_of([folder("a", "Evil.")]), tagged=False, content_type=MANIFEST, docker_content_digest=digest)
    pinned = place.manifest.replace("/1", f"/{digest}")
    for path, reference in ((place.manifest, place.reference), (pinned, place.pinned(digest))):
        place.relay.answers[path] = evil
        source = make(reference)
        assert said(source.observe())[0] is DiagnosticCode.ARTIFACT_REFUSED
        del place.relay.answers[path]
        assert described(source.observe()) == [("a", "Good.")]


def test_a_manifest_that_differs_from_the_index_is_never_believed(place: Repository, make: MakeOci) -> None:
    digest = place.push(folder("a"), tag="real")
    entry = {"mediaType": MANIFEST, "digest": digest, "size": len(manifest_of([folder("a")])) + 1}
    place.relay.answers[place.manifest] = page(index_of(entry), tagged=False)
    source = make(place.reference)
    assert said(source.observe()) == (
        DiagnosticCode.ARTIFACT_REFUSED,
        "the manifest that came has another digest or size than the index says",
    )
    inner = {**entry, "digest": f"sha256:{sha256(index_of(entry)).hexdigest()}", "size": len(index_of(entry))}
    place.relay.answers[place.manifest] = page(index_of(inner), tagged=False)
    place.relay.answers[place.manifest.replace("/1", f"/{inner['digest']}")] = page(index_of(entry), tagged=False)
    assert said(source.observe()) == (DiagnosticCode.ARTIFACT_REFUSED, "is an index of an index")


slowly = dripping(b"x" * 100, 0.7)
NEVER_ENDING = (silent, slowly)
FAULTS = {
    "broken": (broken, DiagnosticCode.SOURCE_UNREACHABLE, "broke off"),
    "garbage": (garbage, DiagnosticCode.SOURCE_UNREACHABLE, "speaks no HTTP"),
    "500": (page(b"", status=500, tagged=False), DiagnosticCode.SOURCE_UNREACHABLE, "status 500"),
    "429": (page(b"", status=429, tagged=False), DiagnosticCode.SOURCE_UNREACHABLE, "status 429"),
    "403": (page(b"", status=403, tagged=False), DiagnosticCode.SOURCE_UNREACHABLE, "wants other credentials"),
    "html": (page(b"<html>", tagged=False), DiagnosticCode.ARTIFACT_REFUSED, "is no JSON|another digest or size"),
    "truncated": (truncated(b"x" * 50), DiagnosticCode.SOURCE_UNREACHABLE, "broke off"),
    "silent": (silent, DiagnosticCode.SOURCE_UNREACHABLE, "in whole in time"),
    "dripping": (slowly, DiagnosticCode.SOURCE_UNREACHABLE, "in whole in time"),
    "large": (page(b"x" * 5_000_000, tagged=False), DiagnosticCode.SOURCE_UNREACHABLE, "sends more than"),
}


@pytest.mark.parametrize("of_blob", [False, True], ids=["manifest", "blob"])
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_a_registry_keeps_what_was_last_found(
    place: Repository, make: MakeOci, fault: str, *, of_blob: bool
) -> None:
    answer, code, words = FAULTS[fault]
    place.push(folder("a", "One."))
    source = make(place.reference)
    # Whoever waits for ever is sent away soon, wherever it is; nobody else is.
    looking = make(place.reference, timeout_s=0.7) if answer in NEVER_ENDING else source
    before = source.observe()
    changed = folder("a", "Two.")
    place.push(changed)
    path = place.blob(changed) if of_blob else place.manifest
    place.relay.answers[path] = answer
    begun = time.monotonic()
    found, message = said(looking.observe(held=before.found))
    assert found is code
    assert any(word in message for word in words.split("|"))
    assert time.monotonic() - begun < PATIENCE_S / 2
    del place.relay.answers[path]
    assert described(source.observe(held=before.found)) == [("a", "Two.")]


def test_a_look_goes_on_from_where_the_one_before_failed(place: Repository, make: MakeOci) -> None:
    first, second = folder("a"), folder("b")
    place.push(first, second)
    place.relay.answers[place.blob(second)] = broken
    source = make(place.reference)
    said(source.observe())
    del place.relay.answers[place.blob(second)]
    place.relay.asked.clear()
    assert described(source.observe()) == [("a", "Says so."), ("b", "Says so.")]
    assert [path for path in place.relay.paths() if "/blobs/" in path] == [place.blob(second)]


def test_a_look_that_is_told_to_stop_is_abandoned_soon(place: Repository, make: MakeOci) -> None:
    place.push(folder("a"))
    place.relay.answers[place.manifest] = silent
    begun = time.monotonic()
    source = make(
        place.reference,
        own={"stopped": lambda: time.monotonic() - begun > 0.3},
    )
    with pytest.raises(Abandoned):
        source.observe()
    assert time.monotonic() - begun < PATIENCE_S / 2


def test_a_blob_that_the_store_lost_is_fetched_again(place: Repository, make: MakeOci, blobs: MemoryBlobStore) -> None:
    file = Pushed(data=b"x" * 40, media_type="a/b", title="a/file")
    place.push(folder("a"), file)
    source = make(place.reference)
    before = source.observe()
    [asset] = before.found[0].bundle.assets
    blobs.blobs[asset.digest] = b"damaged"
    with pytest.raises(DataLoss):
        blobs.read(asset.digest)
    assert blobs.lost() == {asset.digest}
    assert source.observe(held=before.found) == before
    assert blobs.read(asset.digest) == b"x" * 40


def test_a_folder_that_cannot_be_written_to_keeps_what_was_last_found(
    place: Repository, make: MakeOci, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    place.push(folder("a"))
    source = make(place.reference, own={"folder": tmp_path / "file" / "below"})
    assert said(source.observe()) == (DiagnosticCode.STORE_UNREACHABLE, "could not be taken in (ENOTDIR)")
    (tmp_path / "file").unlink()
    assert described(source.observe()) == [("a", "Says so.")]
    assert [path.name for path in (tmp_path / "file" / "below").iterdir()] == ["layers"]


def test_blobs_elsewhere_are_fetched_from_hosts_that_are_named(place: Repository, make: MakeOci) -> None:
    layer = folder("a")
    place.push(layer)
    with serving() as elsewhere:
        elsewhere.answers["/blob"] = page(layer.data)
        place.relay.answers[place.blob(layer)] = redirect(elsewhere.url("/blob?signed=secret"))
        reference = place.reference
        code, message = said(make(reference).observe())
        assert (code, "redirect_hosts" in message, "secret" in message) == (
            DiagnosticCode.SOURCE_UNREACHABLE,
            True,
            False,
        )
        assert elsewhere.asked == []
        seen = make(reference, redirect_hosts=frozenset({"127.0.0.1"})).observe()
        assert described(seen) == [("a", "Says so.")]
        assert "authorization" not in elsewhere.asked[0].headers


def test_a_private_address_is_not_connected_to_unless_it_is_named(place: Repository, make: MakeOci) -> None:
    place.push(folder("a"))
    source = make(place.reference, allow_addresses=frozenset())
    code, message = said(source.observe())
    assert code is DiagnosticCode.SOURCE_UNREACHABLE
    assert "allow_addresses" in message


def after(seconds: float, now: list[float], answer: Answer) -> Answer:
    """Answer when some time of a clock has passed."""

    def slowly(asked: Asked, send: Send, ending: threading.Event) -> bool:
        now[0] += seconds
        return answer(asked, send, ending)

    return slowly


def test_a_look_is_over_at_its_time_however_many_layers_there_are(place: Repository, make: MakeOci) -> None:
    now = [1000.0]
    layers = [folder(name) for name in "abc"]
    place.push(*layers)

    place.relay.answers[place.manifest] = page(manifest_of(layers), tagged=False)
    source = make(place.reference, timeout_s=5.0, own={"clock": lambda: now[0]})
    for layer in layers:
        place.relay.answers[place.blob(layer)] = after(3.0, now, relaying(place.registry))
    code, message = said(source.observe())
    assert code is DiagnosticCode.SOURCE_UNREACHABLE
    assert "in time" in message
    assert len([asked for asked in place.relay.asked if "/blobs/" in asked.path]) < 3


class _FullStore(MemoryBlobStore):
    """A store that takes nothing any more."""

    is_full = True

    @override
    def put(self, data: bytes, digest: str | None = None) -> str:
        if self.is_full:
            raise Unavailable(ErrorReason.STORE_UNREACHABLE, "the disk is full")
        return super().put(data, digest)


def test_a_store_that_is_full_keeps_what_was_last_found(place: Repository) -> None:
    store = _FullStore()
    place.push(folder("a"))
    with making_sources(store) as make:
        source = make(place.reference)
        assert said(source.observe()) == (
            DiagnosticCode.STORE_UNREACHABLE,
            "could not be taken in: the disk is full",
        )
        store.is_full = False
        assert described(source.observe()) == [("a", "Says so.")]


class _SweptStore(MemoryBlobStore):
    """A store that another thread sweeps between two questions."""

    @override
    def size(self, digest: str) -> int:
        raise DataLoss(ErrorReason.DIGEST_MISMATCH, "not kept")


def test_a_blob_that_is_swept_meanwhile_is_fetched_again(place: Repository) -> None:
    store = _SweptStore()
    one = Pushed(data=skill_file("a"), media_type="text/markdown", title="a/SKILL.md")
    store.put(one.data)
    place.push(one)
    with making_sources(store) as make:
        assert described(make(place.reference).observe()) == [("a", "Says so.")]
    assert place.blob(one) in place.relay.paths()
