"""Write every file that proto/ determines; with `--check`, only say which ones differ.

Written by the oldest protoc that the Python client supports, so that the messages import with every newer protobuf.
No `_pb2_grpc`: the client calls the channel itself (contract.md).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from error_page import render_error_page
from google.protobuf.descriptor_pb2 import FileDescriptorSet

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "proto"
VECTORS = ROOT / "tests" / "conformance" / "proto"
CLIENT = ROOT / "clients" / "python"
PLUGIN = Path(__file__).with_name("protoc-gen-caps")

# Nothing but generated code lies below these folders.
GENERATED_FOLDERS = (CLIENT / "skillsource" / "v1", VECTORS)

MESSAGES_INIT = '"""The messages of the contract, generated from proto/skillsource/v1/."""\n'


def protoc(protos: Path, *arguments: str) -> None:
    """Run the protoc of this environment over all files below a folder."""
    sources = sorted(path.relative_to(protos).as_posix() for path in protos.rglob("*.proto"))
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={protos}", *arguments, *sources]
    # The plugin is a script: its Python must be this one.
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # noqa: TID251 - given to protoc
    subprocess.run(command, check=True, env={**os.environ, "PATH": search})  # noqa: TID251 - as above


def messages(protos: Path, folder: Path) -> Mapping[Path, bytes]:
    """Return the messages in Python, and their types, by their paths below a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        protoc(protos, f"--python_out={scratch}", f"--pyi_out={scratch}")
        found = sorted(path for path in Path(scratch).rglob("*") if path.is_file())
        return {folder / path.relative_to(scratch): path.read_bytes() for path in found}


def caps() -> bytes:
    """Return the caps in Python."""
    with tempfile.TemporaryDirectory() as scratch:
        protoc(CONTRACT, f"--plugin={PLUGIN}", "--caps_opt=python", f"--caps_out={scratch}")
        return (Path(scratch) / "skillsource" / "caps.py").read_bytes()


def descriptors() -> FileDescriptorSet:
    """Return the contract with its comments."""
    with tempfile.TemporaryDirectory() as scratch:
        written = Path(scratch) / "contract.binpb"
        protoc(CONTRACT, "--include_imports", "--include_source_info", f"--descriptor_set_out={written}")
        return FileDescriptorSet.FromString(written.read_bytes())


def generated() -> Mapping[Path, bytes]:
    """Return all generated files by path."""
    python_caps = caps()
    return {
        **messages(CONTRACT, CLIENT),
        **messages(VECTORS, VECTORS),
        CLIENT / "skillsource" / "v1" / "__init__.py": MESSAGES_INIT.encode(),
        # The server checks with the same bytes as the client, below the layer that may import the client.
        CLIENT / "skillsource" / "caps.py": python_caps,
        ROOT / "skillsvc" / "domain" / "caps.py": python_caps,
        ROOT / "docs" / "errors.md": render_error_page(descriptors()).encode(),
    }


def main() -> int:
    """Write or check; the exit status is 1 when a check finds a difference."""
    parser = argparse.ArgumentParser(description="Write every file that proto/ determines.")
    parser.add_argument("--check", action="store_true", help="write nothing, name the files that differ")
    checking = parser.parse_args().check

    wanted = generated()
    present = {path for folder in GENERATED_FOLDERS for path in folder.rglob("*.py*") if path.suffix != ".pyc"}
    stale = sorted(present - wanted.keys())
    changed = [path for path, content in wanted.items() if not path.exists() or path.read_bytes() != content]
    for path in changed + stale:
        print(path.relative_to(ROOT))
    if checking:
        return 1 if changed or stale else 0
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted[path])
    for path in stale:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
