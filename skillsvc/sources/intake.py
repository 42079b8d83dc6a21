"""Intake: one skill's folder becomes a bundle, every file read once and hashed while it is read.

What was read is remembered with the stamps of its files: at the next look, files whose stamps are the same, and had
settled when they were read, are not read again, unless the store has lost what they became.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from skillsvc.content.blobs import BlobStore
from skillsvc.content.compiling import CompileCheck
from skillsvc.content.faults import reason_of
from skillsvc.content.stopping import Abandoned, never
from skillsvc.content.tree import (
    Entry,
    EntryKind,
    Escapes,
    FileChanged,
    FileCopy,
    FileRead,
    Folder,
    Missing,
    NotRegular,
    Stamp,
    StandsForOther,
    StoreFailed,
    TooLarge,
    Tree,
    TreeError,
)
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Asset, Found, TextRef, make_bundle
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.skill import read_skill
from skillsvc.sources.assets import AssetFiles, AssetWalk, SkillUnusable, name_assets
from skillsvc.sources.discovery import DOCUMENT, IGNORED, OpenSkill, SkillPlace, printable
from skillsvc.sources.sidecar import look_at_sidecar


class Taken(NamedTuple):
    """What taking one skill in came to.

    `found` is None where the skill was refused; `diagnostics` then say why. `stamps` are those of all its files, by
    path below its folder, `copies` what was read of them, `folders` the folders on the way, `set_aside` those of them
    that hold skills and so are none of the skill at the root. `settled` tells whether equal stamps prove equal bytes,
    `seen` whether the skill could be seen as it is now. `said_of_files` is what the bytes and names of its files have
    told, `left_out` what the walk to them has: that depends on no stamp of theirs.
    """

    place: SkillPlace
    found: Found | None
    diagnostics: tuple[Diagnostic, ...]
    stamps: Mapping[str, Stamp | None]
    copies: Mapping[str, FileCopy]
    settled: bool
    folders: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    seen: bool = True
    said_of_files: tuple[Diagnostic, ...] = ()
    left_out: tuple[Diagnostic, ...] = ()


class Intake:
    """Takes the skills of one source into a blob store.

    `spent` is how much was met in the folder of each skill that was taken, by place: all together have a limit.
    """

    def __init__(
        self,
        root: Tree,
        *,
        label: str,
        profile: Profile,
        limits: Limits,
        blobs: BlobStore,
        ignored: Collection[str] = IGNORED,
        held: Sequence[Found] = (),
        spent: int = 0,
        stopped: Callable[[], bool] = never,
    ) -> None:
        """Prepare for the skills beneath `root`, which stays open as long as this is used.

        `label` is the source's; `ignored` are names that are no assets; a skill that cannot be seen stands as it is in
        `held`; `spent` is what other skills of the source have; `stopped` is asked at each skill and each asset.
        """
        self._root = root
        self._label = label
        self._profile = profile
        self._limits = limits
        self._blobs = blobs
        self._ignored = ignored
        self._held = held
        self._room = limits.source_assets - spent
        self.spent: dict[str, int] = {}
        self._lost = blobs.lost()
        self._stopped = stopped
        self._compile_check = CompileCheck()

    @property
    def is_over(self) -> bool:
        """Whether a skill was refused, since the source has more than it may."""
        return self._room < 0

    def take(self, skill: OpenSkill, before: Taken | None) -> Taken:
        """Take one skill in; `before` is what the last look at the same place came to, and spares reading it again.

        What the store cannot take is unseen, as what cannot be read is: the skill alone stands as it is held.

        Raises:
            Abandoned: The intake was stopped.
        """
        self._go_on()
        # Stamps are for comparing with those of before.
        stamped = before is not None and bool(before.stamps)
        walk = AssetWalk(
            of_root=not skill.place.place,
            stamped=stamped,
            limits=self._limits,
            room=max(self._room, 0),
            ignored=self._ignored,
        )
        taken = self._take(skill, walk, before)
        self.spent[skill.place.place] = walk.spent
        self._room -= walk.spent
        if taken.folders != walk.folders or taken.set_aside != walk.set_aside:
            taken = taken._replace(folders=walk.folders, set_aside=walk.set_aside)
        # The very object where nothing is new: by that a whole look is known to have found nothing.
        return before if before is not None and taken == before else taken

    def _take(self, skill: OpenSkill, walk: AssetWalk, before: Taken | None) -> Taken:
        place = skill.place
        texts = (place.document, place.manifest)
        own = [entry for entry in skill.entries if entry not in texts]
        try:
            assets = walk.list_files(skill.directory, own)
            if before is None:
                return self._read(skill, assets, {})
            if before.settled and before.place == place:
                stamps = {**self._text_stamps(skill), **assets.stamps}
                if stamps == before.stamps and self._keeps(before.found):
                    return self._with_left_out(before, assets)
            return self._read(skill, assets, before.copies)
        except SkillUnusable as fault:
            return self._turned_aside(place, fault)
        except Unavailable as error:
            return self._turned_aside(place, _not_taken(error))

    def _with_left_out(self, before: Taken, assets: AssetFiles) -> Taken:
        """Return what stands of unchanged files, with what this look had to leave out."""
        if assets.diagnostics == before.left_out:
            return before
        said = (*before.said_of_files, *assets.diagnostics)
        if before.found is None:
            said = self._about(printable(before.place.place), said)
            return before._replace(diagnostics=said, left_out=assets.diagnostics)
        said = self._about(before.found.bundle.skill.name, said)
        return before._replace(found=replace(before.found, diagnostics=said), left_out=assets.diagnostics)

    @cached_property
    def _last_good(self) -> Mapping[str, Found]:
        """What is held, by place: needed only where something cannot be seen."""
        return {found.place: found for found in self._held}

    def _turned_aside(self, place: SkillPlace, fault: SkillUnusable) -> Taken:
        diagnostic = Diagnostic(severity=Severity.ERROR, code=fault.code, message=fault.message)
        return Taken(
            place=place,
            found=self._last_good.get(place.place) if fault.unseen else None,
            diagnostics=self._about(printable(place.place), (diagnostic,)),
            stamps={},
            copies={},
            settled=False,
            seen=not fault.unseen,
        )

    def _keeps(self, found: Found | None) -> bool:
        """Tell whether the store is not known to have lost anything of what was found."""
        return not self._lost or found is None or self._lost.isdisjoint(found.bundle.blobs)

    def _text_stamps(self, skill: OpenSkill) -> dict[str, Stamp | None]:
        stamps: dict[str, Stamp | None] = {}
        for entry in (skill.place.document, skill.place.manifest):
            if entry is None:
                continue
            directory, path, linked = self._way_to(skill, entry)
            try:
                stamps[entry.name] = directory.stat_file(path, follow_links=linked)
            except TreeError as error:
                raise _unseen(entry.name, error) from error
        return stamps

    def _read(self, skill: OpenSkill, assets: AssetFiles, before: Mapping[str, FileCopy]) -> Taken:
        place = skill.place
        _check_one_document(skill)
        document = self._read_text(skill, place.document, self._limits.document_bytes)
        manifest = self._read_text(skill, place.manifest, self._limits.frontmatter_bytes)
        reading = read_skill(
            document=document.data if document is not None else None,
            manifest=manifest.data if manifest is not None else None,
            folder=place.folder,
            profile=self._profile,
            limits=self._limits,
            file_name=place.document.name if place.document is not None else DOCUMENT,
        )
        stamps = dict(assets.stamps)
        settled = True
        for entry, read in ((place.document, document), (place.manifest, manifest)):
            if entry is not None and read is not None:
                stamps[entry.name] = read.stamp
                settled = settled and read.settled
        if reading.skill is None:
            return Taken(
                place=place,
                found=None,
                diagnostics=self._about(printable(place.place), (*reading.diagnostics, *assets.diagnostics)),
                stamps=stamps,
                copies={},
                settled=settled,
                said_of_files=reading.diagnostics,
                left_out=assets.diagnostics,
            )
        named = name_assets(assets.stamps, self._limits)
        copies = {path: self._copy(skill, path, stamp, before.get(path)) for path, stamp in assets.stamps.items()}
        for path, copy in copies.items():
            stamps[path] = copy.stamp
            settled = settled and copy.settled
        if document is not None:
            self._blobs.put(document.data, document.digest)
        sidecar = look_at_sidecar(skill.directory, copies, self._blobs, self._compile_check)
        settled = settled and not sidecar.passes
        said = (*reading.diagnostics, *named.diagnostics, *sidecar.diagnostics)
        found = Found(
            bundle=make_bundle(
                reading.skill,
                document=TextRef(digest=document.digest, size=document.size) if document is not None else None,
                body=_text_ref(reading.body),
                assets=_assets(named.names, copies),
            ),
            place=place.place,
            collection=place.collection,
            collection_line=place.collection_line,
            diagnostics=self._about(reading.skill.name, (*said, *assets.diagnostics)),
        )
        return Taken(
            place=place,
            found=found,
            diagnostics=(),
            stamps=stamps,
            copies=copies,
            settled=settled,
            said_of_files=said,
            left_out=assets.diagnostics,
        )

    def _about(self, skill: str, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(replace(diagnostic, skill=skill, source=self._label) for diagnostic in diagnostics)

    def _way_to(self, skill: OpenSkill, entry: Entry) -> tuple[Folder, str, bool]:
        """Return how SKILL.md or skill.yaml is opened: in its folder, or over its link beneath the root."""
        if entry.kind is EntryKind.LINK:
            return self._root, skill.place.path_of(entry), True
        return skill.directory, entry.name, False

    def _read_text(self, skill: OpenSkill, entry: Entry | None, max_bytes: int) -> FileRead | None:
        if entry is None:
            return None
        directory, path, linked = self._way_to(skill, entry)
        name = printable(entry.name)
        try:
            return directory.read_file(path, max_bytes=max_bytes, follow_links=linked)
        except TooLarge as error:
            raise SkillUnusable(
                DiagnosticCode.FILE_TOO_LARGE, f"{name} has more than {max_bytes} bytes; shorten it"
            ) from error
        except (Missing, Escapes) as error:
            if not linked:
                # It was a file a moment ago: somebody is changing the folder.
                raise SkillUnusable(
                    DiagnosticCode.FILE_CHANGED, f"{name} changed while it was read", unseen=True
                ) from error
            if isinstance(error, Missing):
                raise SkillUnusable(DiagnosticCode.LINK_DANGLING, f"{name} is a link that leads nowhere") from error
            raise SkillUnusable(
                DiagnosticCode.LINK_ESCAPES, f"{name} is a link that leads out of the source, or in a circle"
            ) from error
        except NotRegular as error:
            raise SkillUnusable(DiagnosticCode.NOT_A_REGULAR_FILE, f"{name} is not a regular file") from error
        except StandsForOther as error:
            raise SkillUnusable(DiagnosticCode.LFS_POINTER, f"{name} {error}") from error
        except TreeError as error:
            raise _unseen(name, error) from error

    def _go_on(self) -> None:
        if self._stopped():
            raise Abandoned

    def _copy(self, skill: OpenSkill, path: str, stamp: Stamp | None, before: FileCopy | None) -> FileCopy:
        self._go_on()
        if before is not None and before.settled and before.stamp == stamp and self._blobs.has(before.digest):
            return before
        name = f"the asset {printable(path)!r}"
        try:
            return skill.directory.copy_file(
                path, max_bytes=self._limits.asset_bytes, follow_links=False, blobs=self._blobs
            )
        except TooLarge as error:
            raise SkillUnusable(
                DiagnosticCode.ASSET_TOO_LARGE, f"{name} has more than {self._limits.asset_bytes} bytes"
            ) from error
        except (Missing, Escapes, NotRegular) as error:
            # It was a file a moment ago: somebody is changing the folder.
            raise SkillUnusable(
                DiagnosticCode.FILE_CHANGED, f"{name} changed while it was read", unseen=True
            ) from error
        except StandsForOther as error:
            raise SkillUnusable(DiagnosticCode.LFS_POINTER, f"{name} {error}") from error
        except TreeError as error:
            raise _unseen(name, error) from error


def _check_one_document(skill: OpenSkill) -> None:
    """Refuse a folder with several files of which each would be its SKILL.md if it stood there alone (G15)."""
    document = skill.place.document
    if document is None or document.name == DOCUMENT or skill.place.single_file:
        return
    names = [entry.name for entry in skill.entries if entry.name.upper() == document.name.upper()]
    if len(names) > 1:
        raise SkillUnusable(
            DiagnosticCode.FILE_NAME_CASE,
            f"{' and '.join(names)} stand side by side, and no {DOCUMENT}; leave one, and rename it to {DOCUMENT}",
        )


def _assets(names: Mapping[str, str], copies: Mapping[str, FileCopy]) -> tuple[Asset, ...]:
    assets = [
        Asset(name=names[path], size=copy.size, digest=copy.digest, executable=copy.executable)
        for path, copy in copies.items()
    ]
    return tuple(sorted(assets, key=lambda asset: asset.name.encode()))


def _text_ref(text: str | None) -> TextRef | None:
    if text is None:
        return None
    encoded = text.encode()
    return TextRef(digest=hashlib.sha256(encoded).hexdigest(), size=len(encoded))


def _unseen(name: str, error: TreeError) -> SkillUnusable:
    match error:
        case FileChanged():
            code = DiagnosticCode.FILE_CHANGED
        case StoreFailed():
            code = DiagnosticCode.STORE_UNREACHABLE
        case _:
            code = DiagnosticCode.FILE_UNREADABLE
    return SkillUnusable(code, f"{name} {error}", unseen=True)


def _not_taken(error: Unavailable) -> SkillUnusable:
    return SkillUnusable(DiagnosticCode.STORE_UNREACHABLE, f"could not be taken in: {reason_of(error)}", unseen=True)
