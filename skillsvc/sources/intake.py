"""Intake: one skill's folder becomes a bundle, every file read once and hashed while it is read.

What was read is remembered with the stamps of its files: at the next look, files whose stamps are the same, and had
settled when they were read, are not read again.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from skillsvc.content.blobs import BlobStore
from skillsvc.content.confined import (
    ConfinedDirectory,
    ConfinedError,
    ConfinedRoot,
    Escapes,
    FileChanged,
    FileCopy,
    FileRead,
    FileStamp,
    Missing,
    NotRegular,
    TooLarge,
)
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Asset, Found, TextRef, make_bundle
from skillsvc.parsing.findings import Profile
from skillsvc.parsing.skill import read_skill
from skillsvc.sources.assets import AssetFiles, AssetWalk, SkillUnusable, name_assets
from skillsvc.sources.discovery import DOCUMENT, OpenSkill, SkillPlace, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What taking one skill in came to.

    `found` is None where the skill was refused; `diagnostics` then say why. `stamps` are those of all its files, and
    `copies` the assets among them, by path. `settled` tells whether equal stamps prove equal bytes, `seen` whether the
    skill could be seen as it is now.
    """

    place: SkillPlace
    found: Found | None
    diagnostics: tuple[Diagnostic, ...]
    stamps: Mapping[str, FileStamp]
    copies: Mapping[str, FileCopy]
    settled: bool
    seen: bool = True


class _Texts(NamedTuple):
    """SKILL.md and skill.yaml, as far as they are there."""

    document: FileRead | None
    manifest: FileRead | None


class Intake:
    """Takes the skills of one source into a blob store."""

    def __init__(self, root: ConfinedRoot, *, profile: Profile, limits: Limits, blobs: BlobStore) -> None:
        """Prepare for the skills beneath `root`, which stays open as long as this is used."""
        self._root = root
        self._profile = profile
        self._limits = limits
        self._blobs = blobs

    def take(self, skill: OpenSkill, before: Taken | None) -> Taken:
        """Take one skill in; `before` is what the last look at the same place came to."""
        place = skill.place
        try:
            assets = self._list_assets(skill)
            stamps = {**self._text_stamps(place), **assets.stamps}
            if before is not None and before.settled and before.place == place and before.stamps == stamps:
                return before
            return self._read(skill, assets, before.copies if before is not None else {})
        except SkillUnusable as fault:
            diagnostic = Diagnostic(
                severity=Severity.ERROR, code=fault.code, message=fault.message, skill=printable(place.place)
            )
            kept = before.found if before is not None and fault.unseen else None
            return Taken(
                place=place,
                found=kept,
                diagnostics=(diagnostic,),
                stamps={},
                copies={},
                settled=False,
                seen=not fault.unseen,
            )

    def _list_assets(self, skill: OpenSkill) -> AssetFiles:
        texts = {path.rpartition("/")[2] for path in (skill.place.document, skill.place.manifest) if path is not None}
        entries = [entry for entry in skill.entries if entry.name not in texts]
        return AssetWalk(of_root=not skill.place.place, limits=self._limits).list_files(skill.directory, entries)

    def _text_stamps(self, place: SkillPlace) -> dict[str, FileStamp]:
        stamps: dict[str, FileStamp] = {}
        for path in (place.document, place.manifest):
            if path is None:
                continue
            try:
                stamp = self._root.stat_file(path, follow_links=True)
            except ConfinedError as error:
                raise _unseen(path, error) from error
            if stamp is not None:
                stamps[_key_of_text(path)] = stamp
        return stamps

    def _read(self, skill: OpenSkill, assets: AssetFiles, copies: Mapping[str, FileCopy]) -> Taken:
        place = skill.place
        texts = _Texts(
            self._read_text(place.document, self._limits.document_bytes),
            self._read_text(place.manifest, self._limits.frontmatter_bytes),
        )
        reading = read_skill(
            document=texts.document.data if texts.document else None,
            manifest=texts.manifest.data if texts.manifest else None,
            folder=place.folder,
            profile=self._profile,
            limits=self._limits,
            file_name=place.document.rpartition("/")[2] if place.document is not None else DOCUMENT,
        )
        if reading.skill is None:
            return _taken(place, None, (*reading.diagnostics, *assets.diagnostics), texts, assets.stamps, {})
        named = name_assets(tuple(assets.stamps), self._limits)
        copied = {
            path: self._copy(skill.directory, path, stamp, copies.get(path)) for path, stamp in assets.stamps.items()
        }
        if texts.document is not None:
            self._blobs.put(texts.document.data, texts.document.digest)
        found = Found(
            bundle=make_bundle(
                reading.skill,
                document=TextRef(digest=texts.document.digest, size=texts.document.size) if texts.document else None,
                body=_text_ref(reading.body),
                assets=_assets(named.names, copied),
            ),
            place=place.place,
            collection=place.collection,
            diagnostics=_about(reading.skill.name, (*reading.diagnostics, *assets.diagnostics, *named.diagnostics)),
        )
        return _taken(place, found, (), texts, assets.stamps, copied)

    def _read_text(self, path: str | None, max_bytes: int) -> FileRead | None:
        if path is None:
            return None
        name = path.rpartition("/")[2]
        try:
            return self._root.read_file(path, max_bytes=max_bytes, follow_links=True)
        except TooLarge as error:
            raise SkillUnusable(
                DiagnosticCode.FILE_TOO_LARGE, f"{printable(name)} has more than {max_bytes} bytes; shorten it"
            ) from error
        except Missing as error:
            raise SkillUnusable(DiagnosticCode.LINK_DANGLING, f"{printable(name)} leads nowhere") from error
        except Escapes as error:
            raise SkillUnusable(
                DiagnosticCode.LINK_ESCAPES, f"{printable(name)} is a link that leads out of the source"
            ) from error
        except NotRegular as error:
            raise SkillUnusable(
                DiagnosticCode.NOT_A_REGULAR_FILE, f"{printable(name)} is not a regular file"
            ) from error
        except ConfinedError as error:
            raise _unseen(path, error) from error

    def _copy(self, directory: ConfinedDirectory, path: str, stamp: FileStamp, before: FileCopy | None) -> FileCopy:
        if before is not None and before.settled and before.stamp == stamp and self._blobs.has(before.digest):
            return before
        try:
            return directory.copy_file(path, max_bytes=self._limits.asset_bytes, follow_links=False, blobs=self._blobs)
        except TooLarge as error:
            raise SkillUnusable(
                DiagnosticCode.ASSET_TOO_LARGE,
                f"the asset {printable(path)!r} has more than {self._limits.asset_bytes} bytes",
            ) from error
        except (Missing, Escapes, NotRegular) as error:
            # It was a file a moment ago: somebody is changing the folder.
            raise SkillUnusable(
                DiagnosticCode.FILE_CHANGED, f"the asset {printable(path)!r} changed while it was read", unseen=True
            ) from error
        except ConfinedError as error:
            raise _unseen(path, error) from error


def _taken(  # noqa: PLR0917 - the parts of one value, each named where they are put together
    place: SkillPlace,
    found: Found | None,
    diagnostics: tuple[Diagnostic, ...],
    texts: _Texts,
    stamps: Mapping[str, FileStamp],
    copies: Mapping[str, FileCopy],
) -> Taken:
    """Put together what was read, under the stamps that it had when it was read."""
    read: dict[str, FileStamp] = {**stamps, **{path: copy.stamp for path, copy in copies.items()}}
    settled = all(copy.settled for copy in copies.values())
    for path, text in ((place.document, texts.document), (place.manifest, texts.manifest)):
        if path is not None and text is not None:
            read[_key_of_text(path)] = text.stamp
            settled = settled and text.settled
    return Taken(
        place=place,
        found=found,
        diagnostics=tuple(
            replace(diagnostic, skill=diagnostic.skill or printable(place.place)) for diagnostic in diagnostics
        ),
        stamps=read,
        copies=copies,
        settled=settled,
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


def _about(name: str, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(replace(diagnostic, skill=name) for diagnostic in diagnostics)


def _key_of_text(path: str) -> str:
    """Return the key of SKILL.md or skill.yaml among the stamps: no asset's path begins with a slash."""
    return "/" + path


def _unseen(path: str, error: ConfinedError) -> SkillUnusable:
    name = printable(path.rpartition("/")[2])
    code = DiagnosticCode.FILE_CHANGED if isinstance(error, FileChanged) else DiagnosticCode.FILE_UNREADABLE
    return SkillUnusable(code, f"{name} {error}", unseen=True)
