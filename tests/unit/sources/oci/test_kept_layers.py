"""What is kept of layers over restarts, and what is believed of it."""

import json
from pathlib import Path

import pytest

from skillsvc.content.stored_tree import StoredFile
from skillsvc.content.unpacking import Unpacked
from skillsvc.parsing.oci_manifest import Layer, LayerForm
from skillsvc.sources.kept_file import KeptFile
from skillsvc.sources.oci.kept_layers import KeptLayers

LAYERS = {
    Layer(digest="a" * 64, size=9, form=LayerForm.TAR_GZIP, place="s"): Unpacked(
        files={"s/SKILL.md": StoredFile("b" * 64, 5, executable=True), "s/é": StoredFile("c" * 64, 0)},
        links={"s/alias": "SKILL.md"},
        notes=("left out",),
    ),
    Layer(digest="d" * 64, size=4, form=LayerForm.FILE, place="x"): Unpacked(
        files={"x": StoredFile("d" * 64, 4)}, links={}, notes=()
    ),
}

REPOSITORY = "registry.example/acme/skills"


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    KeptLayers(tmp_path / "new" / "folder", REPOSITORY).write(LAYERS)
    assert KeptLayers(tmp_path / "new" / "folder", REPOSITORY).read() == LAYERS
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["layers"]


def test_what_is_kept_is_for_the_owner_alone(tmp_path: Path) -> None:
    KeptLayers(tmp_path / "new", REPOSITORY).write(LAYERS)
    assert ((tmp_path / "new").stat().st_mode & 0o777, (tmp_path / "new" / "layers").stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


@pytest.mark.parametrize("other", ["registry.example/acme/other", "registry.example:5000/acme/skills"])
def test_what_another_repository_holds_is_not_taken_for_fetched(tmp_path: Path, other: str) -> None:
    KeptLayers(tmp_path, REPOSITORY).write(LAYERS)
    assert KeptLayers(tmp_path, other).read() == {}


def test_without_a_folder_nothing_is_kept() -> None:
    kept = KeptLayers(None, REPOSITORY)
    kept.write(LAYERS)
    assert kept.read() == {}


def test_where_nothing_can_be_kept_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = KeptLayers(tmp_path / "file", REPOSITORY)
    kept.write(LAYERS)
    assert kept.read() == {}


LAYER = {"digest": "a" * 64, "size": 9, "form": "file", "place": "s"}


@pytest.mark.parametrize(
    "document",
    [
        {"layer": LAYER},
        [None],
        [{"layer": {**LAYER, "form": "zip"}, "files": {}, "links": {}, "notes": []}],
        [{"layer": {}, "files": {}, "links": {}, "notes": []}],
        [{"layer": LAYER, "files": {"a": ["../x", 1]}, "links": {}, "notes": []}],
        [{"layer": LAYER, "files": {"a": 7}, "links": {}, "notes": []}],
        [{"layer": LAYER, "files": [], "links": {}, "notes": []}],
    ],
    ids=range(7),
)
def test_what_fits_no_layer_is_nothing(tmp_path: Path, document: object) -> None:
    KeptLayers(tmp_path, REPOSITORY).write(LAYERS)
    path = tmp_path / "layers"
    fingerprint = path.read_bytes().partition(b" ")[0].decode()
    KeptFile(path, fingerprint=fingerprint).write(json.dumps(document).encode())
    assert KeptLayers(tmp_path, REPOSITORY).read() == {}
