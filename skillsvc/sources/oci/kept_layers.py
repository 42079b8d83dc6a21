"""What the layers of an artifact hold, kept over restarts: none whose files are in the store is fetched again."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from skillsvc.content.stored_tree import StoredFile
from skillsvc.content.unpacking import Unpacked
from skillsvc.domain.caps import fits_digest
from skillsvc.parsing.oci_manifest import Layer, LayerForm
from skillsvc.sources.kept_file import KeptFile

_FORMAT: Final = 2
_NAME: Final = "layers"


class KeptLayers:
    """One file in the folder of one source. What it holds is believed only of the repository that it was fetched from.

    Who may read that has a right to its layers; whoever merely names their digests elsewhere has none (G29).
    """

    def __init__(self, folder: Path | None, repository: str) -> None:
        """Keep in `folder`, which is made at need; without one nothing is kept. `repository` is with its registry."""
        fetched_from = hashlib.sha256(f"{_FORMAT}\0{repository}".encode()).hexdigest()
        self._file = None if folder is None else KeptFile(folder / _NAME, fingerprint=fetched_from)

    def read(self) -> Mapping[Layer, Unpacked]:
        """Return what was kept; nothing where it is damaged, of another version or of another repository.

        Its paths and blobs are judged by whoever makes a tree of them, like those of an archive.
        """
        kept = None if self._file is None else self._file.read()
        try:
            return {} if kept is None else dict(map(_layer_of, json.loads(kept)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}

    def write(self, layers: Mapping[Layer, Unpacked]) -> None:
        """Keep what these layers hold, in place of what was kept. Where that fails they are fetched again, no more."""
        if self._file is not None:
            self._file.write(json.dumps([_document_of(*each) for each in layers.items()]).encode())


def _document_of(layer: Layer, unpacked: Unpacked) -> Mapping[str, object]:
    return {
        "layer": {**asdict(layer), "form": layer.form.value},
        "files": dict(unpacked.files),
        "links": dict(unpacked.links),
        "notes": unpacked.notes,
    }


def _layer_of(document: Any) -> tuple[Layer, Unpacked]:  # noqa: ANN401 (whatever stands in the file; what does not fit raises)
    fields = document["layer"]
    layer = Layer(**{**fields, "form": LayerForm(fields["form"])})
    unpacked = Unpacked(
        files={path: StoredFile(*file) for path, file in document["files"].items()},
        links=dict(document["links"]),
        notes=tuple(document["notes"]),
    )
    if not all(fits_digest(file.digest) for file in unpacked.files.values()):
        raise ValueError("a digest is none")
    return layer, unpacked
