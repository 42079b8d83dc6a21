"""Archives made by the tools that people make them with."""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from skillsvc.content.archive_paths import ArchiveLimits
from skillsvc.content.archives import sniff, unpack
from skillsvc.content.stopping import never
from skillsvc.content.unpacking import Unpacked
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.packing import skill_file

LONG = "a-name-of-forty-characters-for-each-of-us"
CONTENT = {
    "SKILL.md": skill_file("packed"),
    "references/größe.md": b"how large\n",
    f"{LONG}/{LONG}/{LONG}/{LONG}.md": b"far down\n",
    "data.bin": hashlib.shake_256(b"data").digest(3 * 1024 * 1024),
    "empty": b"",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder `packed` with files, a program and a link."""
    root = tmp_path / "packed"
    for path, data in CONTENT.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    (root / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "alias.md").symlink_to("SKILL.md")
    return root


def run(*command: str, within: Path) -> None:
    subprocess.run(command, cwd=within, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})


def unpacked(archive: Path, blobs: MemoryBlobStore) -> Unpacked:
    with archive.open("rb") as file:
        kind = sniff(file)
        assert kind is not None
        return unpack(file, kind=kind, limits=ArchiveLimits(), blobs=blobs, stopped=never, strip_one=True)


def assert_is_content(found: Unpacked, blobs: MemoryBlobStore, *, links: Mapping[str, str]) -> None:
    expected = {**CONTENT, "run.sh": b"#!/bin/sh\n"}
    assert {path: blobs.read(file.digest) for path, file in found.files.items()} == expected
    assert [path for path, file in found.files.items() if file.executable] == ["run.sh"]
    assert (found.links, found.notes) == (links, ())


@pytest.mark.parametrize("what", ["packed", "."], ids=["the-folder", "what-is-in-it"])
@pytest.mark.parametrize("form", ["ustar", "pax", "gnu", "oldgnu"])
@pytest.mark.parametrize("packing", ["-cf", "-czf"])
def test_what_tar_packs_comes_out(tmp_path: Path, folder: Path, what: str, form: str, packing: str) -> None:
    archive = tmp_path / "packed.tar"
    run(
        shutil.which("tar") or "tar",
        packing,
        str(archive),
        f"--format={form}",
        what,
        within=folder.parent if what == "packed" else folder,
    )
    blobs = MemoryBlobStore()
    assert_is_content(unpacked(archive, blobs), blobs, links={"alias.md": "SKILL.md"})


@pytest.mark.parametrize("arguments", [("-qry",), ("-qry0",), ("-qry", "-fz")], ids=["deflated", "stored", "zip64"])
def test_what_zip_packs_comes_out(tmp_path: Path, folder: Path, arguments: tuple[str, ...]) -> None:
    archive = tmp_path / "packed.zip"
    run(shutil.which("zip") or "zip", *arguments, str(archive), "packed", within=folder.parent)
    blobs = MemoryBlobStore()
    assert_is_content(unpacked(archive, blobs), blobs, links={"alias.md": "SKILL.md"})


def test_what_zip_packs_into_a_pipe_comes_out(tmp_path: Path, folder: Path) -> None:
    archive = tmp_path / "packed.zip"
    with archive.open("wb") as file:
        subprocess.run(
            [shutil.which("zip") or "zip", "-qry", "-", "packed"],
            cwd=folder.parent,
            check=True,
            stdout=file,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    blobs = MemoryBlobStore()
    assert_is_content(unpacked(archive, blobs), blobs, links={"alias.md": "SKILL.md"})


def test_what_python_packs_comes_out(tmp_path: Path) -> None:
    in_zip = tmp_path / "python.zip"
    with zipfile.ZipFile(in_zip, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.writestr("packed/SKILL.md", CONTENT["SKILL.md"])
        with writer.open("packed/größe.md", "w", force_zip64=True) as member:
            member.write(b"how large\n")
    in_tar = tmp_path / "python.tar.gz"
    with tarfile.open(in_tar, "w:gz") as packer:
        for path, data in (("packed/SKILL.md", CONTENT["SKILL.md"]), ("packed/größe.md", b"how large\n")):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            packer.addfile(info, io.BytesIO(data))
    for archive in (in_zip, in_tar):
        assert list(unpacked(archive, MemoryBlobStore()).files) == ["SKILL.md", "größe.md"]
