"""The layers of artifacts on their way into the blob store, and what is known of them already.

Layers are parts of one tree and never a history: a path in two of them, or a whiteout, refuses the artifact. What such
an image shows depends on who reads it in which order, and a file that was taken back would still be in its bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from skillsvc.content.archive_paths import ArchiveLimits, ArchivePaths
from skillsvc.content.archives import ArchiveKind, unpack
from skillsvc.content.blobs import BlobStore
from skillsvc.content.sinks import Hashing
from skillsvc.content.spooling import spooled
from skillsvc.content.stored_tree import StoredFile
from skillsvc.content.unpacking import PIECE, Unpacked
from skillsvc.domain.errors import DataLoss
from skillsvc.parsing.oci_manifest import Layer, LayerForm, Manifest, ManifestRefused
from skillsvc.sources.oci.kept_layers import KeptLayers
from skillsvc.sources.oci.registry import Registry

_WHITEOUT: Final = ".wh."
_KINDS: Final = {LayerForm.TAR: ArchiveKind.TAR, LayerForm.TAR_GZIP: ArchiveKind.TAR_GZIP}


class ContentWrong(Exception):
    """What came is not what its digest says. Another look may bring the right bytes."""


class Layers:
    """The layers of one source's artifacts, one artifact after the other. One thread at a time."""

    def __init__(
        self,
        registry: Registry,
        *,
        folder: Path | None,
        limits: ArchiveLimits,
        blobs: BlobStore,
        stopped: Callable[[], bool],
    ) -> None:
        """Prepare; nothing is fetched yet.

        Args:
            registry: Whence layers come.
            folder: What is known of layers is kept there, and they pass through it; None keeps nothing.
            limits: How much an artifact may hold, packed and unpacked.
            blobs: Where the bytes go.
            stopped: Asked often; as soon as it says so, the unpacking is abandoned.
        """
        self._registry = registry
        self._folder = folder
        self._limits = limits
        self._blobs = blobs
        self._stopped = stopped
        self._kept = KeptLayers(folder, registry.repository)
        self._known: Mapping[Layer, Unpacked] | None = None
        self._tried: Mapping[Layer, Unpacked] = {}

    def gather(self, manifest: Manifest) -> Unpacked:
        """Return what all layers hold together; those that are not there are fetched.

        Raises:
            ManifestRefused: The layers cannot be parts of one tree, or are too large.
            ArchiveRefused: One of them is damaged, hostile or too large.
            ContentWrong: One of them is not what the manifest says.
            FetchFailed: One of them cannot be had.
            Abandoned: It was told to stop.
            Unavailable: The store cannot take the bytes.
            OSError: The folder cannot be used.
        """
        if sum(layer.size for layer in manifest.layers) > self._limits.total_bytes:
            raise ManifestRefused(f"lists layers of more than {self._limits.total_bytes} bytes")
        known = {**(self._kept.read() if self._known is None else self._known), **self._tried}
        layers: dict[Layer, Unpacked] = {}
        # Also of an artifact that is not wholly had: the next look goes on from there.
        self._tried = layers
        files: dict[str, StoredFile] = {}
        links: dict[str, str] = {}
        notes: list[str] = []
        paths = ArchivePaths(self._limits)
        left = self._limits
        for layer in manifest.layers:
            unpacked = layers[layer] = self._content(layer, left, known.get(layer))
            for path in (*unpacked.files, *unpacked.links):
                _check_path(path, layer)
            files.update({paths.add(path): file for path, file in unpacked.files.items()})
            links.update({paths.add(path): text for path, text in unpacked.links.items()})
            notes.extend(unpacked.notes)
            left = _left(left, unpacked)
        # Kept for the next manifest: most often it has most of these layers too.
        self._known, self._tried = layers, {}
        if layers != known:
            self._kept.write(layers)
        return Unpacked(files=files, links=links, notes=tuple(notes))

    def _content(self, layer: Layer, left: ArchiveLimits, before: Unpacked | None) -> Unpacked:
        if before is not None and self._has_all(before.files.values()):
            return before
        if layer.form is LayerForm.FILE:
            file = StoredFile(layer.digest, layer.size)
            if layer.size > min(left.file_bytes, left.total_bytes):
                raise ManifestRefused("lists a file of more bytes than are taken")
            # Also where the store has it: another source may have brought it, and to know its digest is no right to it.
            with self._fetched(layer) as data:
                self._keep(data)
            return Unpacked(files={layer.place: file}, links={}, notes=())
        with self._fetched(layer) as data:
            return unpack(data, kind=_KINDS[layer.form], limits=left, blobs=self._blobs, stopped=self._stopped)

    def _has_all(self, files: Iterable[StoredFile]) -> bool:
        try:
            return all(self._blobs.has(file.digest) and self._blobs.size(file.digest) == file.size for file in files)
        except DataLoss:
            # Gone between the two questions.
            return False

    @contextmanager
    def _fetched(self, layer: Layer) -> Iterator[BinaryIO]:
        """Fetch a layer into a file that has no name; its bytes are what the manifest says."""
        with spooled(self._folder) as file:
            hashing = Hashing(file)
            self._registry.fetch_blob(layer.digest, layer.size, hashing)
            if (hashing.size, hashing.digest) != (layer.size, layer.digest):
                raise ContentWrong("a layer that came has another digest or size than the manifest says")
            file.seek(0)
            yield file

    def _keep(self, data: BinaryIO) -> None:
        with self._blobs.writer() as writer:
            while piece := data.read(PIECE):
                writer.write(piece)
            writer.commit()


def _check_path(path: str, layer: Layer) -> None:
    """Refuse what takes a file of another layer back, and what lies beside the folder that the layer says it is."""
    if any(name.startswith(_WHITEOUT) for name in path.split("/")):
        raise ManifestRefused("lists a layer that takes files of another one back; pack the artifact in one layer")
    folder = layer.place.removeprefix("./").removesuffix("/")
    if layer.form is not LayerForm.FILE and folder not in {"", "."} and not path.startswith(f"{folder}/"):
        raise ManifestRefused("lists a folder whose layer holds files beside it")


def _left(limits: ArchiveLimits, unpacked: Unpacked) -> ArchiveLimits:
    """Return the limits for the layers that follow: they hold for the artifact, however it is cut."""
    total_bytes = limits.total_bytes - sum(file.size for file in unpacked.files.values())
    entries = limits.entries - len(unpacked.files) - len(unpacked.links)
    if min(total_bytes, entries) < 0:
        # Only layers that were taken before, each within other limits, come to this.
        raise ManifestRefused("lists layers that hold more together than is taken")
    return replace(limits, total_bytes=total_bytes, entries=entries)
