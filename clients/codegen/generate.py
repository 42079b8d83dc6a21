"""Write every file that proto/ determines; with `--check`, only say which ones differ.

Written by the oldest protoc that the Python client supports, so that the messages import with every newer protobuf.
No `_pb2_grpc`: the client calls the channel itself (contract.md).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROTO = ROOT / "proto"
PYTHON_CLIENT = ROOT / "clients" / "python"

MESSAGES_INIT = '"""The messages of the contract, generated from proto/skillsource/v1/."""\n'


def protoc(*arguments: str) -> None:
    """Run the protoc of this environment over all of proto/."""
    sources = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *arguments, *sources]
    subprocess.run(command, check=True)


def generated_messages() -> dict[Path, bytes]:
    """Return the messages in Python, and their types, by path."""
    with tempfile.TemporaryDirectory() as scratch:
        protoc(f"--python_out={scratch}", f"--pyi_out={scratch}")
        written = {
            PYTHON_CLIENT / path.relative_to(scratch): path.read_bytes()
            for path in sorted(Path(scratch).rglob("*"))
            if path.is_file()
        }
    written[PYTHON_CLIENT / "skillsource" / "v1" / "__init__.py"] = MESSAGES_INIT.encode()
    return written


def stale_files(wanted: dict[Path, bytes]) -> list[Path]:
    """Return the files in generated folders that proto/ no longer gives."""
    folder = PYTHON_CLIENT / "skillsource" / "v1"
    return sorted(path for path in folder.rglob("*.py*") if path.suffix in {".py", ".pyi"} and path not in wanted)


def main() -> int:
    """Write or check; the exit status is 1 when a check finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing, name the files that differ")
    checking = parser.parse_args().check

    wanted = generated_messages()
    changed = [path for path, content in wanted.items() if not path.exists() or path.read_bytes() != content]
    stale = stale_files(wanted)
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
