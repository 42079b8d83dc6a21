"""A provider as a source: asked in a thread of its own, within bounds, and its answer read as any tree is.

While it is asked, it may say that the skills changed: then it is asked once more, and where they change again, the
answer is taken for incomplete and not kept, so that the next look asks anew.
"""

import logging
import threading
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from skillsvc.content.blobs import BlobStore
from skillsvc.content.stopping import Abandoned, never
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission
from skillsvc.parsing.text import one_line
from skillsvc.sources.discovery import Layout
from skillsvc.sources.foreign_call import ForeignCall
from skillsvc.sources.provided import Malformed, Provided, parse_observation, tree_of
from skillsvc.sources.provider import RESERVED, Factory, OptionsRefused, Provider, ProviderObservation
from skillsvc.sources.provider_context import Context
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.source import Observation, Outcome

_ATTEMPTS: Final = 2
_LOOK_UP_S: Final = 0.1
"""How often whoever waits for a provider looks whether to wait on."""
_CLOSING_S: Final = 2.0
_DEEPEST: Final = 2

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """Which provider is asked, and how what it gives is read; `reading.label` is the source's.

    `provider` is the name of the entry point, `options` what the provider is told, `timeout_s` how many seconds it has
    for one look. Of `reading` the layout counts for nothing: a provider has no folders.
    """

    provider: str
    reading: ReadingSettings
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        """Refuse the reserved name."""
        if RESERVED in {self.provider, self.reading.label}:
            msg = f"{RESERVED!r} is reserved for skills that a program registers itself; choose another name"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What a provider gave; `provided` is None where it gave the very object that it gave before."""

    given: ProviderObservation
    provided: Provided | None


class _GivenUp(Exception):
    """A provider is waited for no longer. The message says why."""


class ProviderSource:
    """A source that somebody else's code stands for. Nothing of that code runs before the first look."""

    def __init__(
        self,
        settings: ProviderSettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        make: Factory,
        tell: Callable[[], None],
        clock: Callable[[], float],
        stopped: Callable[[], bool] = never,
    ) -> None:
        """Prepare.

        Args:
            settings: Whom to ask, and how what it gives is read.
            limits: The limits in force.
            blobs: Where the bytes go.
            make: Makes the provider; `find_provider` gives it for an entry point.
            tell: Told, in any thread, that a look is worth while.
            clock: Seconds that only grow.
            stopped: As soon as it says so, what is under way is abandoned.
        """
        reading = replace(settings.reading, layout=Layout.NESTED, single_files=False, max_depth=_DEEPEST)
        self._settings = settings
        self._limits = limits
        self._blobs = blobs
        self._make = make
        self._tell = tell
        self._clock = clock
        self._stopped = stopped
        self._reading = TreeReading(reading, limits=limits, blobs=blobs, stopped=stopped)
        self._context = Context(name=self.label, options=settings.options, tell=tell, stopped=stopped)
        self._provider: Provider | None = None
        self._providing = threading.Lock()
        self._abandoned: ForeignCall[_Answer] | None = None
        self._given: weakref.ref[ProviderObservation] | None = None
        self._last: Observation | None = None
        self._has_failed = False

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._settings.reading.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust that it is declared with."""
        return self._reading.admission

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """Ask the provider, and read what it gives (`Source`); what it leaves out of an incomplete answer stays."""
        del changed
        answer, is_settled = self._ask()
        if isinstance(answer, BaseException):
            seen = self._failed(answer)
        else:
            try:
                seen = self._read(answer, held, is_settled=is_settled)
                self._has_failed = False
            except (Malformed, Unavailable) as error:
                seen = self._failed(error)
        if self._last is None or seen != self._last:
            self._last = seen
        return self._last

    def close(self) -> None:
        """Close the provider, if it lets itself be closed in time; what it says from now on counts for nothing."""
        if not self._context.close():
            return
        with self._providing:
            provider = self._provider
        if provider is not None:
            self._close(provider)

    def _ask(self) -> tuple[_Answer | BaseException, bool]:
        """Return what the provider gave or raised, and whether nothing changed meanwhile."""
        if self._abandoned is not None and not self._abandoned.over:
            return _GivenUp("it has not come back from an earlier look"), True
        self._abandoned = None
        ends = self._clock() + self._settings.timeout_s
        answer: _Answer | BaseException = _GivenUp("it is closed")
        for _attempt in range(_ATTEMPTS):
            self._context.begin()
            answer = self._await(ForeignCall(self._observe, name=f"provider-{self.label}", ended=self._came_back), ends)
            if self._context.calm() or isinstance(answer, _GivenUp):
                return answer, True
        return answer, False

    def _await(self, call: ForeignCall[_Answer], ends: float) -> _Answer | BaseException:
        """Wait for the provider until a moment; Abandoned where the look was told to stop."""
        while not call.wait(_LOOK_UP_S):
            is_stopped = self._context.stopped()
            if is_stopped or self._clock() >= ends:
                self._abandoned = call
                self._context.give_up()
                if is_stopped:
                    raise Abandoned
                return _GivenUp(f"it has not answered within {self._settings.timeout_s:g} s")
        return call.result()

    def _came_back(self) -> None:
        """Have a look taken where a call comes back that nobody waits for any more."""
        if self._abandoned is not None and not (self._context.closed or self._stopped()):
            self._tell()

    def _observe(self) -> _Answer:
        """Ask, in the thread of the call; whatever of the provider's runs, runs here."""
        provider = self._provider if self._provider is not None else self._begun()
        given = provider.observe()
        if self._is_same(given):
            return _Answer(given=given, provided=None)
        return _Answer(given=given, provided=parse_observation(given, label=self.label, limits=self._limits))

    def _begun(self) -> Provider:
        """Make the provider; one that comes after the source was closed is closed at once."""
        provider = self._make(self._context)
        if not callable(getattr(provider, "observe", None)) or not callable(getattr(provider, "close", None)):
            raise Malformed("the factory returned what has no methods observe and close")
        with self._providing:
            self._provider = provider
            is_closed = self._context.closed
        if is_closed:
            self._close(provider)
            raise _GivenUp("it is closed")
        return provider

    def _is_same(self, given: object) -> bool:
        """Tell whether a provider gave what it gave before, and all of that is still at hand."""
        if self._given is None or self._given() is not given or self._last is None:
            return False
        return self._reading.has_all_of(self._last)

    def _read(self, answer: _Answer, held: Sequence[Found], *, is_settled: bool) -> Observation:
        provided = answer.provided
        seen, left_out = self._last, held[:0]
        if provided is not None:
            tree = tree_of(provided, blobs=self._blobs, limits=self._limits, stopped=self._stopped)
            seen = self._reading.read(tree, held=held, revision=provided.revision)
            left_out = _left_out(provided, held)
        assert seen is not None, "the same object is told from one that was read"
        if is_settled and (provided is None or provided.complete):
            self._given = weakref.ref(answer.given)
            return seen
        self._given = None
        why = "it says so itself" if is_settled else f"it changed while it was asked, {_ATTEMPTS} times in a row"
        said = self._diagnostic(DiagnosticCode.PROVIDER_INCOMPLETE, f"not all is seen: {why}")
        found = tuple(sorted((*seen.found, *left_out), key=_order))
        return replace(seen, outcome=Outcome.PARTIAL, found=found, diagnostics=(said, *seen.diagnostics))

    def _failed(self, error: BaseException) -> Observation:
        code = DiagnosticCode.PROVIDER_FAILED
        match error:
            case Malformed():
                code, message = DiagnosticCode.SOURCE_MALFORMED, f"{error}; nothing of it is taken"
            case Unavailable():
                code, message = DiagnosticCode.STORE_UNREACHABLE, "what it gives could not be taken into the store"
            case OptionsRefused():
                message = f"its options are refused: {_said(error)}"
            case _GivenUp():
                message = str(error)
            case _:
                message = "the provider failed; the server's log says why"
                if not self._has_failed:
                    _log.error("the provider of %s failed; what was seen last is served", self.label, exc_info=error)
        self._has_failed = True
        self._given = None
        return self._reading.failed(code, message)

    def _diagnostic(self, code: DiagnosticCode, message: str) -> Diagnostic:
        return Diagnostic(severity=Severity.ERROR, code=code, message=message, source=self.label)

    def _close(self, provider: Provider) -> None:
        def close() -> bool:
            provider.close()
            return True

        call = ForeignCall(close, name=f"provider-{self.label}-close", ended=_nobody)
        if not call.wait(_CLOSING_S):
            _log.warning("the provider of %s does not come back from closing; it is left to itself", self.label)
        elif isinstance(error := call.result(), BaseException):
            _log.warning("the provider of %s failed to close", self.label, exc_info=error)


def _left_out(provided: Provided, held: Sequence[Found]) -> Sequence[Found]:
    """Return what is served and was not given again by an answer that is not all."""
    names = provided.names
    return [found for found in held if found.place.rpartition("/")[2] not in names]


def _order(found: Found) -> tuple[int, str]:
    """Sort key: shallower first, then byte order; the names of a provider's places are ASCII."""
    return found.place.count("/"), found.place


def _said(error: OptionsRefused) -> str:
    """Return what a provider says of its options; a class of its own may do anything instead."""
    try:
        return one_line(str(error))
    except Exception:  # noqa: BLE001 - see above
        return "it does not say why"


def _nobody() -> None:
    """Tell nobody."""
