"""The sidecar of a skill being taken in: whether `kernel.py` compiles is told by a diagnostic, and refuses nothing."""

from collections.abc import Mapping
from typing import NamedTuple

from skillsvc.content.blobs import BlobStore
from skillsvc.content.compiling import MOST_BYTES, Compilation, CompileCheck, Verdict, too_large
from skillsvc.content.tree import FileCopy, Folder, TreeError
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.readiness import SIDECAR


class SidecarLook(NamedTuple):
    """What is told of a sidecar; nothing where there is none, or it compiles.

    `passes` tells that another look at the same bytes may come to something else.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    passes: bool = False


def look_at_sidecar(
    directory: Folder, copies: Mapping[str, FileCopy], blobs: BlobStore, check: CompileCheck
) -> SidecarLook:
    """Check the sidecar among the files of a skill that were copied, by their paths below its folder."""
    copy = copies.get(SIDECAR)
    if copy is None:
        return SidecarLook()
    verdict = _verdict(directory, copy, blobs, check)
    if verdict.came_to is Compilation.COMPILES:
        return SidecarLook()
    if verdict.came_to is Compilation.BROKEN:
        severity, code = Severity.WARNING, DiagnosticCode.SIDECAR_BROKEN
        message = f"the sidecar {SIDECAR} cannot be imported: {verdict.why}"
    else:
        severity, code = Severity.NOTE, DiagnosticCode.SIDECAR_UNCHECKED
        message = f"whether the sidecar {SIDECAR} compiles is not known: {verdict.why}"
    told = Diagnostic(severity=severity, code=code, message=message)
    return SidecarLook(diagnostics=(told,), passes=verdict.passes)


def _verdict(directory: Folder, copy: FileCopy, blobs: BlobStore, check: CompileCheck) -> Verdict:
    # Asked of the store, not found out by reading: what is not here yet is not lost, and nothing is fetched for this.
    if not blobs.has(copy.digest):
        return Verdict(came_to=Compilation.UNCHECKED, why="it is fetched when it is needed")
    if copy.size > MOST_BYTES:
        return too_large(copy.size)
    try:
        read = directory.read_file(SIDECAR, max_bytes=copy.size, follow_links=False)
    except TreeError:
        return Verdict(came_to=Compilation.UNCHECKED, why="it could not be read again", passes=True)
    if read.digest != copy.digest:
        return Verdict(came_to=Compilation.UNCHECKED, why="it changed while it was read", passes=True)
    return check.check(read.data)
