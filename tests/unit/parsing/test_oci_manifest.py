"""Manifests as the tools of the field write them, and as nobody should."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from skillsvc.parsing.oci_manifest import (
    MOST_LAYERS,
    Descriptor,
    Layer,
    LayerForm,
    Manifest,
    ManifestRefused,
    parse_digest,
    parse_manifest,
)

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
INDEX = "application/vnd.oci.image.index.v1+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
Annotations = Mapping[str, str]
_KEYS = {
    "title": "org.opencontainers.image.title",
    "unpack": "io.deis.oras.content.unpack",
    "attests": "vnd.docker.reference.type",
}
ONE, TWO, THREE = ("1" * 64, "2" * 64, "3" * 64)


def entry(media_type: str, digest: str = ONE, *, size: int = 5, annotations: Annotations | None = None) -> Any:  # noqa: ANN401 (any JSON)
    return {
        "mediaType": media_type,
        "digest": f"sha256:{digest}",
        "size": size,
        "annotations": {_KEYS[key]: text for key, text in (annotations or {}).items()},
    }


def manifest(*layers: dict[str, Any], **fields: Any) -> bytes:  # noqa: ANN401 (any JSON)
    return json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": {}, "layers": layers, **fields}).encode()


def index(*manifests: dict[str, Any], **fields: Any) -> bytes:  # noqa: ANN401 (any JSON)
    return json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, **fields}).encode()


@pytest.mark.parametrize(
    ("media_type", "annotations", "form", "place"),
    [
        ("application/vnd.agentskills.skill.content.v1.tar+gzip", {}, LayerForm.TAR_GZIP, ""),
        ("application/vnd.agent.skill.content.v1.tar+gzip", {"title": "s.tar.gz"}, LayerForm.TAR_GZIP, ""),
        ("application/vnd.oci.image.layer.v1.tar+gzip", {}, LayerForm.TAR_GZIP, ""),
        ("application/vnd.docker.image.rootfs.diff.tar.gzip", {}, LayerForm.TAR_GZIP, ""),
        ("application/x-tar+gzip", {}, LayerForm.TAR_GZIP, ""),
        ("application/vnd.oci.image.layer.v1.tar+gzip", {"title": "s", "unpack": "true"}, LayerForm.TAR_GZIP, "s"),
        ("application/vnd.acme.folder", {"title": "s", "unpack": "true"}, LayerForm.TAR_GZIP, "s"),
        ("application/vnd.oci.image.layer.v1.tar", {}, LayerForm.TAR, ""),
        ("application/vnd.oci.image.layer.v1.tar", {"title": "skills.tar"}, LayerForm.TAR, ""),
        ("application/vnd.acme.skill.v1.tar", {"title": "skills"}, LayerForm.TAR, ""),
        ("application/tar", {}, LayerForm.TAR, ""),
        ("Application/X-Tar; charset=binary", {}, LayerForm.TAR, ""),
        ("application/vnd.oci.image.layer.v1.tar", {"title": "s/SKILL.md"}, LayerForm.FILE, "s/SKILL.md"),
        ("text/markdown", {"title": "s/SKILL.md"}, LayerForm.FILE, "s/SKILL.md"),
        ("text/markdown", {"title": "s/SKILL.md", "unpack": "false"}, LayerForm.FILE, "s/SKILL.md"),
        ("application/vnd.acme.guitar", {"title": "a"}, LayerForm.FILE, "a"),
    ],
)
def test_a_layer_is_what_its_type_and_title_say(
    media_type: str, annotations: dict[str, str], form: LayerForm, place: str
) -> None:
    assert parse_manifest(manifest(entry(media_type, annotations=annotations))) == Manifest(
        layers=(Layer(digest=ONE, size=5, form=form, place=place),)
    )


@pytest.mark.parametrize("media_type", [MANIFEST, DOCKER_MANIFEST], ids=["oci", "docker"])
def test_either_manifest_is_read(media_type: str) -> None:
    data = manifest(entry("a/tar"), mediaType=media_type, artifactType="application/vnd.agentskills.skill.v1")
    assert isinstance(parse_manifest(data), Manifest)


def test_a_manifest_need_not_say_what_it_is() -> None:
    data = json.dumps({"schemaVersion": 2, "layers": []}).encode()
    assert parse_manifest(data) == Manifest(layers=())


def test_the_layer_that_stands_for_none_is_none() -> None:
    assert parse_manifest(manifest(entry("application/vnd.oci.empty.v1+json"))) == Manifest(layers=())


@pytest.mark.parametrize(
    "entries",
    [
        [entry(MANIFEST, TWO)],
        [entry(DOCKER_MANIFEST, TWO)],
        [entry(MANIFEST, TWO), entry(MANIFEST, TWO)],
        [entry(MANIFEST, TWO), entry(MANIFEST, ONE, annotations={"attests": "attestation-manifest"})],
        [entry(INDEX, ONE), entry(MANIFEST, TWO)],
    ],
    ids=range(5),
)
def test_an_index_of_one_artifact_stands_for_it(entries: list[dict[str, Any]]) -> None:
    assert parse_manifest(index(*entries)) == Descriptor(digest=TWO, size=5)
    assert parse_manifest(index(*entries, mediaType=DOCKER_LIST)) == Descriptor(digest=TWO, size=5)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no JSON"),
        (b"<html>", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"schemaVersion": ' + b"9" * 5000 + b"}", "no JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "version 2"),
        (b'{"schemaVersion": 1, "fsLayers": []}', "version 2"),
        (b'{"schemaVersion": 2}', "neither"),
        (manifest(manifests=[]), "in one"),
        (index(), "index of 0"),
        (index(entry(MANIFEST, ONE), entry(MANIFEST, TWO), entry(MANIFEST, THREE)), "index of 3"),
        (index(entry(INDEX, ONE)), "index of 0"),
        (index(entry(MANIFEST), mediaType=MANIFEST), "something else"),
        (manifest(mediaType=INDEX), "something else"),
        (manifest(mediaType="application/vnd.oci.artifact.manifest.v1+json"), "something else"),
        (manifest(mediaType=7), "something else"),
        (manifest(layers=None), "no list"),
        (manifest(layers={}), "no list"),
        (manifest(layers=["x"]), "no list"),
        (index(manifests=[None]), "no list"),
        (manifest(*[entry("a/tar")] * (MOST_LAYERS + 1)), "more than 1024"),
        (manifest({}), "media type"),
        (manifest({"mediaType": 1}), "media type"),
        (manifest({"mediaType": "a/tar"}), "without digest"),
        (manifest({"mediaType": "a/tar", "digest": 1, "size": 1}), "without digest"),
        (manifest({"mediaType": "a/tar", "digest": f"sha256:{ONE}"}), "without digest"),
        (manifest({"mediaType": "a/tar", "digest": f"sha256:{ONE}", "size": True}), "without digest"),
        (manifest({"mediaType": "a/tar", "digest": f"sha256:{ONE}", "size": 1.0}), "without digest"),
        (manifest(entry("a/tar", size=-1)), "without digest"),
        (manifest(entry("a/tar", "1" * 63)), "SHA-256"),
        (manifest({"mediaType": "a/tar", "digest": f"sha512:{ONE * 2}", "size": 1}), "SHA-256"),
        (manifest({**entry("a/tar"), "annotations": "x"}), "annotations"),
        (manifest(entry("application/vnd.oci.image.layer.v1.tar+zstd")), "packed"),
        (manifest(entry("application/vnd.acme.skill.tar+xz", annotations={"title": "s.tar.xz"})), "packed"),
        (manifest(entry("text/markdown")), "neither an archive nor has a title"),
        (manifest(entry("text/markdown", annotations={"title": ""})), "neither an archive nor has a title"),
    ],
    ids=range(37),
)
def test_what_is_no_manifest_of_files_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ManifestRefused, match=words):
        parse_manifest(data)


def test_annotations_that_are_no_text_say_nothing() -> None:
    layer = {**entry("text/markdown"), "annotations": {_KEYS["title"]: 1}}
    with pytest.raises(ManifestRefused, match="title"):
        parse_manifest(manifest(layer))


@pytest.mark.parametrize(
    ("text", "digest"), [(f"sha256:{ONE}", ONE), (ONE, ""), ("", ""), (f"sha256:{ONE}\n", ""), (f"sha256:{ONE}0", "")]
)
def test_a_digest_is_whole_or_none(text: str, digest: str) -> None:
    assert parse_digest(text) == digest
