"""Manifests of artifacts in OCI registries, as far as files are concerned (OCI image spec 1.1, Docker's schema 2).

How skills are packed is not settled between tools, so what layers say decides, and no artifact type is asked for:

- A layer whose media type ends in `tar` or `tar+gzip` (`tar.gzip`) is an archive. Its paths are those of the artifact.
- A layer with the annotation `io.deis.oras.content.unpack` is a folder that ORAS packed, named by the title.
- Any other layer is one file. Its path is the title, `org.opencontainers.image.title`.
- ORAS gives the media type of a layer of an image to a file of which it was told none: so with a title that does not
  end in `.tar` that one is a file.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

MANIFEST_TYPES: Final = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
INDEX_TYPES: Final = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)

MOST_LAYERS: Final = 1024
MANIFEST_BYTES: Final = 4 * 1024 * 1024
"""What registries are asked by the distribution spec to take, and so the most that there are."""

_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_TITLE: Final = "org.opencontainers.image.title"
_UNPACK: Final = "io.deis.oras.content.unpack"
_EMPTY: Final = "application/vnd.oci.empty.v1+json"
_ORAS_FILE: Final = "application/vnd.oci.image.layer.v1.tar"
_ATTESTATION: Final = "vnd.docker.reference.type"
_TAR: Final = re.compile(r"(?:.*[./+])?(?:x-)?tar")
_TAR_GZIP: Final = re.compile(r"(?:.*[./+])?(?:x-)?tar[+.]gzip")
_OTHER_ARCHIVE: Final = re.compile(r".*[./]tar[+.]\w+")


class ManifestRefused(ValueError):
    """A manifest that is none, or of an artifact that cannot be taken. The message holds nothing of it."""


@unique
class LayerForm(Enum):
    """How the bytes of a layer are files."""

    TAR = "tar"
    TAR_GZIP = "tar+gzip"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """Something in a registry: `digest` is 64 hex digits of SHA-256, `size` in bytes."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer(Descriptor):
    """A layer that holds files."""

    form: LayerForm
    place: str
    """A file's path. Of an archive the folder that all its paths must be below, "" for anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The layers of an artifact that hold files, in its order."""

    layers: tuple[Layer, ...]


def parse_manifest(data: bytes) -> Manifest | Descriptor:
    """Return the manifest, or where the one of an index is.

    Raises:
        ManifestRefused: It is malformed, or of a kind that is not known; an index does not have exactly one manifest.
    """
    document = _document(data)
    # One document that is both would be read as one thing here, and scanned as another elsewhere.
    if "manifests" in document and "layers" in document:
        raise ManifestRefused("is a manifest and an index in one")
    if document.get("schemaVersion") != 2:
        raise ManifestRefused("is no manifest of version 2")
    if "manifests" in document:
        _check_type(document, INDEX_TYPES)
        return _only_manifest(_objects(document, "manifests"))
    if "layers" not in document:
        raise ManifestRefused("lists neither layers nor manifests")
    _check_type(document, MANIFEST_TYPES)
    layers = _objects(document, "layers")
    if len(layers) > MOST_LAYERS:
        raise ManifestRefused(f"lists more than {MOST_LAYERS} layers")
    return Manifest(layers=tuple(_layer(each) for each in layers if _media_type(each) != _EMPTY))


def parse_digest(text: str) -> str:
    """Return the 64 hex digits of `sha256:…`, "" for anything else."""
    found = _DIGEST.fullmatch(text)
    return found[1] if found else ""


def _document(data: bytes) -> Mapping[str, object]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ManifestRefused("is no JSON") from error
    if not isinstance(document, dict):
        raise ManifestRefused("is no JSON object")
    return document


def _check_type(document: Mapping[str, object], known: Sequence[str]) -> None:
    # The spec leaves the field out of some documents; the fields beside it have said what it is.
    if document.get("mediaType", known[0]) not in known:
        raise ManifestRefused("says that it is something else than its fields do")


def _only_manifest(entries: Sequence[Mapping[str, object]]) -> Descriptor:
    usable = {found.digest: found for found in (_descriptor(each) for each in entries if _is_usable(each))}
    if len(usable) != 1:
        raise ManifestRefused(f"is an index of {len(usable)} manifests; name one of them by its digest")
    return usable.popitem()[1]


def _is_usable(entry: Mapping[str, object]) -> bool:
    """Tell whether an entry is an artifact, and not what a build tells of one."""
    return _media_type(entry) in MANIFEST_TYPES and _ATTESTATION not in _annotations(entry)


def _layer(layer: Mapping[str, object]) -> Layer:
    where = _descriptor(layer)
    media_type = _media_type(layer)
    annotations = _annotations(layer)
    title = annotations.get(_TITLE, "")
    if annotations.get(_UNPACK) == "true":
        form, place = LayerForm.TAR_GZIP, title
    elif _TAR_GZIP.fullmatch(media_type):
        form, place = LayerForm.TAR_GZIP, ""
    elif _TAR.fullmatch(media_type) and (media_type != _ORAS_FILE or not title or title.endswith(".tar")):
        form, place = LayerForm.TAR, ""
    elif _OTHER_ARCHIVE.fullmatch(media_type):
        raise ManifestRefused("lists a layer packed in a way that is not known here")
    elif title:
        form, place = LayerForm.FILE, title
    else:
        raise ManifestRefused("lists a layer that is neither an archive nor has a title")
    return Layer(digest=where.digest, size=where.size, form=form, place=place)


def _descriptor(entry: Mapping[str, object]) -> Descriptor:
    digest, size = entry.get("digest"), entry.get("size")
    # A boolean is an integer to Python alone.
    if not isinstance(digest, str) or not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise ManifestRefused("lists something without digest or size")
    found = parse_digest(digest)
    if not found:
        raise ManifestRefused("lists something by another digest than SHA-256")
    return Descriptor(digest=found, size=size)


def _media_type(entry: Mapping[str, object]) -> str:
    found = entry.get("mediaType")
    if not isinstance(found, str):
        raise ManifestRefused("lists something without a media type")
    return found.partition(";")[0].strip().lower()


def _annotations(entry: Mapping[str, object]) -> Mapping[str, str]:
    found = entry.get("annotations", {})
    if not isinstance(found, dict):
        raise ManifestRefused("lists something with annotations that are none")
    return {key: value for key, value in found.items() if isinstance(value, str)}


def _objects(document: Mapping[str, object], key: str) -> Sequence[Mapping[str, object]]:
    found = document[key]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ManifestRefused(f"has {key} that are no list of objects")
    return found
