"""The sidecar of a skill: compiled when it is taken in, told by a diagnostic, never a reason to refuse."""

from pathlib import Path

import pytest

from skillsvc.content.blobs import BlobStore
from skillsvc.content.compiling import MOST_BYTES, CompileCheck
from skillsvc.content.confined import ConfinedRoot
from skillsvc.content.stored_tree import StoredFile, StoredTree
from skillsvc.domain.diagnostics import DiagnosticCode as Code
from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.limits import Limits
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.sidecar import SidecarLook, look_at_sidecar
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.unit.sources.trees import LABEL, bundle_at, codes, grow, places_of, skill, source_of

BROKEN = b"def fold(:\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("fold/kernel.py", b"x = 1\n", []),
        ("fold/kernel.py", BROKEN, [(Code.SIDECAR_BROKEN, Severity.WARNING)]),
        ("fold/kernel.py", b"#" * (MOST_BYTES + 1), [(Code.SIDECAR_UNCHECKED, Severity.NOTE)]),
        ("fold/scripts/kernel.py", BROKEN, []),
        ("fold/other.py", BROKEN, []),
    ],
)
def test_a_sidecar_that_does_not_compile_is_told_and_its_skill_listed(
    tmp_path: Path, path: str, text: bytes, expected: list[tuple[Code, Severity]]
) -> None:
    grow(tmp_path, {"fold/SKILL.md": skill("fold"), path: text})
    seen = source_of(tmp_path).observe()
    assert places_of(seen) == ["fold"]
    assert [(said.code, said.severity) for said in seen.found[0].diagnostics] == expected


def test_an_unchanged_sidecar_is_not_compiled_again_and_a_changed_one_is(tmp_path: Path) -> None:
    grow(tmp_path, {"fold/SKILL.md": skill("fold"), "fold/kernel.py": BROKEN})
    source = source_of(tmp_path)
    first = source.observe()
    assert source.observe() is first
    grow(tmp_path, {"fold/kernel.py": b"x = 1 # it compiles by now\n"})
    assert source.observe().found[0].diagnostics == ()


def test_what_is_said_of_a_sidecar_is_in_no_digest(tmp_path: Path) -> None:
    grow(tmp_path, {"a/SKILL.md": skill("a"), "a/kernel.py": BROKEN})
    told = source_of(tmp_path).observe()
    assert codes(told.found[0].diagnostics) == [(Code.SIDECAR_BROKEN, "a")]
    grow(tmp_path, {"a/SKILL.md": skill("a"), "a/kernel.py": BROKEN, "b/SKILL.md": skill("b")})
    assert bundle_at(source_of(tmp_path).observe(), "a").digest == bundle_at(told, "a").digest


def stored(blobs: BlobStore, sidecar: StoredFile) -> StoredTree:
    text = skill("fold").encode()
    files = {"fold/SKILL.md": StoredFile(blobs.put(text), len(text)), "fold/kernel.py": sidecar}
    return StoredTree(files, blobs=blobs)


def test_a_sidecar_that_is_fetched_on_need_is_not_fetched_to_be_compiled() -> None:
    blobs = MemoryBlobStore()
    tree = stored(blobs, StoredFile("a" * 64, 10, on_need=True))
    seen = TreeReading(ReadingSettings(label=LABEL), limits=Limits(), blobs=blobs).read(tree)
    assert codes(seen.found[0].diagnostics) == [(Code.SIDECAR_UNCHECKED, "fold")]
    assert blobs.lost() == frozenset()


def test_what_may_pass_is_looked_at_again(tmp_path: Path) -> None:
    grow(tmp_path, {"kernel.py": BROKEN})
    blobs = MemoryBlobStore()
    with ConfinedRoot.open(str(tmp_path)) as folder:
        copy = folder.copy_file("kernel.py", max_bytes=100, follow_links=False, blobs=blobs)
        copies = {"kernel.py": copy}
        no_process = look_at_sidecar(folder, copies, blobs, CompileCheck(program=("/nowhere/at/all",)))
        grow(tmp_path, {"kernel.py": b"y = 1234567"})
        changed = look_at_sidecar(folder, copies, blobs, CompileCheck())
        assert look_at_sidecar(folder, {}, blobs, CompileCheck()) == SidecarLook()
    for look in (no_process, changed):
        assert (look.passes, [said.code for said in look.diagnostics]) == (True, [Code.SIDECAR_UNCHECKED])
