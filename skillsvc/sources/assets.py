"""The assets of one skill: which files of its folder they are, and by which names they are served (rules.md 1, 3).

Files are listed with their stamps and not opened for reading; links are never followed.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skillsvc.content.tree import Entry, EntryKind, Escapes, Folder, Missing, Stamp, TreeError
from skillsvc.domain import caps
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.sources.discovery import IGNORED, markers, printable


class SkillUnusable(Exception):
    """A skill cannot be taken in as it stands, for one reason.

    `unseen` tells that something could not be seen as it is now, so that what was known before still stands; else the
    skill breaks a rule and is refused.
    """

    def __init__(self, code: DiagnosticCode, message: str, *, unseen: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.unseen = unseen


class AssetFiles(NamedTuple):
    """The files of a folder that are assets, by path below it, with their stamps where these were asked for.

    `diagnostics` say what was left out.
    """

    stamps: Mapping[str, Stamp | None]
    diagnostics: tuple[Diagnostic, ...]


class AssetWalk:
    """One walk through a skill's folder. `spent` is how many files, folders and links it met, ignored ones aside."""

    def __init__(
        self, *, of_root: bool, stamped: bool, limits: Limits, room: int, ignored: Collection[str] = IGNORED
    ) -> None:
        """Prepare; a skill at its source's root (`of_root`) owns none of the folders that hold skills (G14).

        `room` is how much its source may still have, `ignored` are names that are no assets.
        """
        self._room = room
        self.spent = 0
        self._of_root = of_root
        self._stamped = stamped
        self._limits = limits
        # A skill at the root meets the folders of all others on its way.
        self._most_folders = limits.source_folders if of_root else min(limits.assets, limits.source_folders)
        self._ignored = ignored
        self._folders: list[str] = []
        self._set_aside: list[str] = []
        self._stamps: dict[str, Stamp | None] = {}
        self._diagnostics: list[Diagnostic] = []
        self._unsaid = 0

    @property
    def folders(self) -> tuple[str, ...]:
        """The paths of the folders that were looked at so far, also where the walk came to no end."""
        return tuple(self._folders)

    @property
    def set_aside(self) -> tuple[str, ...]:
        """The paths of the folders that hold a SKILL.md or skill.yaml and so are no assets of the skill at the root."""
        return tuple(self._set_aside)

    def list_files(self, directory: Folder, entries: Sequence[Entry]) -> AssetFiles:
        """List the files below a folder whose entries are given without its SKILL.md and skill.yaml.

        Raises:
            SkillUnusable: There are too many, they lie too deep, or some cannot be seen.
        """
        self._enter(directory, entries, "")
        if self._unsaid:
            self._diagnostics.append(
                Diagnostic(
                    severity=Severity.WARNING,
                    code=DiagnosticCode.ITEMS_DROPPED,
                    message=f"{self._unsaid} more entries were left out, or hold a SKILL.md",
                )
            )
        return AssetFiles(stamps=self._stamps, diagnostics=tuple(self._diagnostics))

    def _enter(self, directory: Folder, entries: Sequence[Entry], inside: str) -> None:
        for entry in entries:
            if entry.name in self._ignored:
                continue
            self.spent += 1
            if self.spent > self._room:
                # Counted with what is left out: a commit of a few objects may show any of it in any number of skills.
                raise SkillUnusable(
                    DiagnosticCode.TOO_MANY_ASSETS,
                    f"all skills of the source together have more than {self._limits.source_assets} assets and "
                    "folders, and this one is beyond them; split the source, or raise source_assets",
                )
            path = inside + entry.name
            match entry.kind:
                case EntryKind.FILE:
                    self._file(directory, entry, path)
                case EntryKind.DIRECTORY:
                    self._folder(directory, entry, path)
                case EntryKind.LINK:
                    self._say_left_out(DiagnosticCode.ASSET_LINK_SKIPPED, "a link among the assets", path)
                case EntryKind.SUBMODULE:
                    self._say_left_out(DiagnosticCode.SUBMODULE_LEFT_OUT, "a git submodule", path)
                case EntryKind.OTHER:
                    self._say_left_out(DiagnosticCode.NOT_A_REGULAR_FILE, "neither a file nor a folder", path)

    def _file(self, directory: Folder, entry: Entry, path: str) -> None:
        stamp = None
        if self._stamped:
            try:
                stamp = directory.stat_file(entry.name, follow_links=False)
            except TreeError as error:
                raise SkillUnusable(
                    DiagnosticCode.FILE_UNREADABLE, f"the asset {printable(path)!r} {error}", unseen=True
                ) from error
        self._stamps[path] = stamp
        if len(self._stamps) > self._limits.assets:
            raise SkillUnusable(
                DiagnosticCode.TOO_MANY_ASSETS, f"more than {self._limits.assets} assets; split the skill"
            )

    def _folder(self, directory: Folder, entry: Entry, path: str) -> None:
        if path.count("/") >= self._limits.asset_depth:
            raise SkillUnusable(
                DiagnosticCode.TOO_DEEP, f"assets lie more than {self._limits.asset_depth} folders deep"
            )
        if len(path) > self._limits.asset_name_bytes:
            raise SkillUnusable(
                DiagnosticCode.ASSET_NAME_UNFIT,
                f"the path of the folder {printable(path)[:64]!r}… has more than {self._limits.asset_name_bytes} bytes",
            )
        self._folders.append(path)
        if len(self._folders) > self._most_folders:
            # Not even where they are is kept: one commit of a few objects may show any number, in any number of skills.
            self._folders.clear()
            raise SkillUnusable(
                DiagnosticCode.TOO_MANY_FOLDERS, f"more than {self._most_folders} folders; split the skill"
            )
        try:
            with directory.open_directory(entry.name, follow_links=False) as below:
                entries = below.entries()
                marker = next(filter(None, markers(entries)), None)
                if marker is not None:
                    if self._of_root:
                        self._set_aside.append(path)
                        return
                    self._say(
                        Severity.NOTE,
                        DiagnosticCode.SKILL_INSIDE_SKILL,
                        f"{printable(path)}/{marker.name} is an asset of the skill around it",
                    )
                self._enter(below, entries, f"{path}/")
        except (Missing, Escapes):
            # Gone, or a link by now: the next look sees what it is by then.
            return
        except TreeError as error:
            raise SkillUnusable(
                DiagnosticCode.FOLDER_UNREADABLE, f"the folder {printable(path)!r} {error}", unseen=True
            ) from error

    def _say_left_out(self, code: DiagnosticCode, what: str, path: str) -> None:
        self._say(Severity.WARNING, code, f"{printable(path)!r} is {what}; left out")

    def _say(self, severity: Severity, code: DiagnosticCode, message: str) -> None:
        """Add a diagnostic, or count it where there are many already: a folder may hold any number of links."""
        if len(self._diagnostics) < self._limits.diagnostics - 1:
            self._diagnostics.append(Diagnostic(severity=severity, code=code, message=message))
        else:
            self._unsaid += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAssets:
    """The names of assets by their paths, and a note on each name that is not as it stands on disk."""

    names: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]


def name_assets(paths: Iterable[str], limits: Limits) -> NamedAssets:
    """Return the names by which files are served: their paths in NFC.

    Raises:
        SkillUnusable: A name does not fit the grammar or a limit, or two are equal but for case (rules.md 3).
    """
    names: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    folded: dict[str, str] = {}
    total = 0
    for path in paths:
        name = path if path.isascii() else unicodedata.normalize("NFC", path)
        if name != path:
            diagnostics.append(
                Diagnostic(
                    severity=Severity.NOTE,
                    code=DiagnosticCode.ASSET_NAME_NORMALISED,
                    message=f"the asset {printable(path)!r} is served under its NFC name",
                )
            )
        _check(name, limits)
        total += len(name.encode())
        if total > limits.asset_names_bytes:
            raise SkillUnusable(
                DiagnosticCode.ASSET_NAMES_TOO_LONG,
                f"the names of its assets have more than {limits.asset_names_bytes} bytes",
            )
        twin = folded.setdefault(name.casefold(), path)
        if twin != path:
            raise SkillUnusable(
                DiagnosticCode.ASSET_NAME_COLLISION,
                f"the assets {printable(twin)!r} and {printable(path)!r} have one name where case does not count; "
                "rename one",
            )
        names[path] = name
    return NamedAssets(names=names, diagnostics=tuple(diagnostics))


def _check(name: str, limits: Limits) -> None:
    if not caps.fits_asset_name(name):
        raise SkillUnusable(
            DiagnosticCode.ASSET_NAME_UNFIT,
            f"the asset {printable(name)!r} has a name that cannot be served; rename it",
        )
    if len(name.encode()) > limits.asset_name_bytes:
        raise SkillUnusable(
            DiagnosticCode.ASSET_NAME_UNFIT,
            f"the name of the asset {printable(name)[:64]!r}… has more than {limits.asset_name_bytes} bytes",
        )
