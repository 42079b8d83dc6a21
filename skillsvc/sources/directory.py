"""A directory of this machine as a source: every look is confined beneath its root, by the kernel."""

import errno
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from skillsvc.content.blobs import BlobStore
from skillsvc.content.confined import ConfinedRoot
from skillsvc.content.faults import symbol_of
from skillsvc.content.stopping import never
from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.source import Observation
from skillsvc.sources.stat_cache import StatCache


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorySettings:
    """A directory and how it is read. `path` is of this machine and reaches no caller; the label stands for it.

    With `beneath` the directory is that one below `path`, and no link leads to it, nor to what is on the way.
    """

    path: str
    reading: ReadingSettings
    beneath: str = ""

    @property
    def label(self) -> str:
        """The source's label."""
        return self.reading.label


class DirectorySource:
    """A directory. What is at its path is opened anew at each look."""

    def __init__(
        self,
        settings: DirectorySettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        open_root: Callable[[str], ConfinedRoot] = ConfinedRoot.open,
        stopped: Callable[[], bool] = never,
        cache: StatCache | None = None,
    ) -> None:
        """Prepare; nothing is opened before the first look.

        Args:
            settings: What to look at, and how.
            limits: The limits in force.
            blobs: Where the bytes go.
            open_root: Opens the directory, as `ConfinedRoot.open`.
            stopped: Asked at each step of a look; as soon as it says so, the look is abandoned.
            cache: What was known before a restart; whoever gives it closes it.
        """
        self._path = settings.path
        self._beneath = settings.beneath
        self._reading = TreeReading(settings.reading, limits=limits, blobs=blobs, stopped=stopped, cache=cache)
        self._open_root = open_root
        self._looked_at: tuple[int, int] | None = None

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._reading.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust that it is declared with."""
        return self._reading.admission

    @property
    def path(self) -> str:
        """Where it is, for whoever watches it."""
        return self._path

    @property
    def is_watched(self) -> bool:
        """Whether it can be watched by its path: one that no link may lead to cannot."""
        return not self._beneath

    @property
    def folders(self) -> frozenset[str]:
        """The folders below it in which a change may matter, as of the last look; "" for itself.

        Another thread than the one that looks may ask.
        """
        return self._reading.folders

    @property
    def looked_at(self) -> tuple[int, int] | None:
        """Device and inode of the directory that the last look went into; any thread may ask."""
        return self._looked_at

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Look, wholly or at the skills that hold `changed` paths; what cannot be seen stands as `held` (`Source`)."""
        self._looked_at = None
        try:
            root = self._open()
        except FileNotFoundError:
            return self._reading.absent()
        except OSError as error:
            why = (
                "a link leads to it, and none is followed here; make it a folder of its own"
                if self._beneath and error.errno == errno.ELOOP
                else f"cannot be read ({symbol_of(error)}); make it a directory that the server may read"
            )
            return self._reading.failed(DiagnosticCode.SOURCE_UNREADABLE, why)
        with root:
            self._looked_at = root.identity
            return self._reading.read(root, changed, held=held)

    def is_there(self) -> bool:
        """Tell whether a look would find anything, be it what cannot be read; any thread may ask."""
        try:
            self._open().close()
        except FileNotFoundError:
            return False
        except OSError:
            # What it is, the look tells.
            return True
        return True

    def _open(self) -> ConfinedRoot:
        root = self._open_root(self._path)
        if not self._beneath:
            return root
        with root:
            return root.root_at(self._beneath)
