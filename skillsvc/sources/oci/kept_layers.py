"""What the layers of an artifact hold, kept over restarts: none whose files are in the store is fetched again."""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from skillsvc.content.stored_tree import StoredFile
from skillsvc.content.unpacking import Unpacked
from skillsvc.domain.caps import fits_digest
from skillsvc.parsing.oci_manifest import Layer, LayerForm

_FORMAT: Final = 1
_NAME: Final = "layers"
_NEW: Final = "layers.new"


class KeptLayers:
    """One file in the folder of one source. Layers go by their digests, so whoever fetched them, they are the same."""

    def __init__(self, folder: Path | None) -> None:
        """Keep in `folder`, which is made at need; without one nothing is kept."""
        self._folder = folder

    def read(self) -> Mapping[Layer, Unpacked]:
        """Return what was kept; nothing where it is damaged, or of another version.

        Its paths and blobs are judged by whoever makes a tree of them, like those of an archive.
        """
        if self._folder is None:
            return {}
        try:
            digest, _, data = (self._folder / _NAME).read_bytes().partition(b"\n")
            if digest.decode() != hashlib.sha256(data).hexdigest():
                return {}
            document = json.loads(data)
            return dict(map(_layer_of, document["layers"])) if document["format"] == _FORMAT else {}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}

    def write(self, layers: Mapping[Layer, Unpacked]) -> None:
        """Keep what these layers hold, in place of what was kept. Where that fails they are fetched again, no more."""
        if self._folder is None:
            return
        document = {"format": _FORMAT, "layers": [_document_of(*each) for each in layers.items()]}
        data = json.dumps(document).encode()
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = self._folder / _NEW
            new.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
            new.chmod(0o600)
            os.replace(new, self._folder / _NAME)  # noqa: PTH105 - renamed over what was kept before


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
