"""Reloading: the configuration read anew on SIGHUP, taken in whole or not at all."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from queue import SimpleQueue
from typing import Final

from skillsvc.catalog.reports import SourceKey
from skillsvc.cli.declaring import Declaration, Declaring
from skillsvc.cli.identifying import Identifying
from skillsvc.cli.making import Made, MadeTemplate
from skillsvc.cli.vouching import Vouching
from skillsvc.domain.errors import ErrorReason, SkillsvcError
from skillsvc.service.audit import Audit
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings
from skillsvc.settings.sought import Sought

_AT_RUN_TIME: Final = frozenset({"poll_s"})
"""The keys of [server] that are taken in by a reload."""
_ACT: Final = "Reload"

_log = logging.getLogger(__name__)


class Reloading:
    """Reads the configuration anew each time it is asked; `run` is for a thread of its own.

    Whoever asks while it is under way is heard once more afterwards, however often that was.
    """

    def __init__(
        self,
        started: Settings,
        *,
        read: Callable[[], Settings],
        seek: Callable[[Settings], Sought],
        declaring: Declaring,
        replace: Callable[[Declaration], None],
        identifying: Identifying,
        vouching: Vouching,
        audit: Audit,
    ) -> None:
        """Prepare.

        Args:
            started: The settings that the server started with.
            read: Reads the settings anew; raises SettingsRefused.
            seek: Says what is sought by settings.
            declaring: Makes the sources; nobody else uses it between the first `ask` and the end of `stop`.
            replace: Has a declaration looked at, and watched; raises SkillsvcError where that is not possible.
            identifying: Has identities and access rules taken anew.
            vouching: Has what the deployment vouches for taken anew.
            audit: Is told of each reload, and of what came of it.
        """
        self._started = started
        self._read = read
        self._seek = seek
        self._declaring = declaring
        self._replace = replace
        self._identifying = identifying
        self._vouching = vouching
        self._audit = audit
        # Its `put` may interrupt itself, as a handler of a signal does.
        self._asked: SimpleQueue[None] = SimpleQueue()
        self._taking = threading.Lock()
        self._is_stopped = False

    def ask(self) -> None:
        """Have the configuration read anew, soon. For any thread, and for handlers of signals."""
        self._asked.put(None)

    def stop(self) -> None:
        """Take nothing in any more, and end `run`; waits for what is being taken in, and not for a file to be read."""
        with self._taking:
            self._is_stopped = True
        self.ask()

    def run(self) -> None:
        """Read whenever that is asked for, until stopped."""
        while True:
            self._asked.get()
            while not self._asked.empty():
                self._asked.get()
            if self._is_stopped:
                return
            self.reload()

    def reload(self) -> None:
        """Read once, and take it in. What cannot be is logged, all of it, and changes nothing."""
        try:
            settings = self._read()
            sought = self._seek(settings)
            with self._taking:
                if self._is_stopped:
                    return
                before, templates = self._declaring.in_force, self._declaring.templates
                vouched = self._vouching.prepare(settings.readiness)
                identification = self._identifying.prepare(settings)
                try:
                    declaration = self._declare(sought, settings.server.poll_s)
                except BaseException:
                    self._identifying.discard(identification)
                    raise
                self._declaring.put_in_force(declaration)
                self._identifying.take(identification)
                self._vouching.take(vouched)
        except SettingsRefused as refused:
            for fault in refused.faults:
                _log.error("%s", fault)
            _log.error("the configuration cannot be; all goes on as before")
            self._audit.failed(_ACT, "SETTINGS_REFUSED")
            return
        except SkillsvcError as error:
            _log.error("the configuration cannot be taken in; all goes on as before", exc_info=error)
            self._audit.failed(_ACT, error.reason.value)
            return
        except Exception:  # noqa: BLE001 - a server outlives whatever a reload meets
            _log.exception("the configuration could not be read anew; all goes on as before")
            self._audit.failed(_ACT, ErrorReason.INTERNAL_FAULT.value)
            return
        for key in self._kept_back(settings):
            _log.warning("%s has changed; it is taken in at the next start", key)
        tell_sought(sought)
        _log.info(
            "the configuration is read anew",
            extra=_change(_by_label(before, templates), _by_label(declaration.made, declaration.made_templates)),
        )
        self._audit.allowed(_ACT)

    def _declare(self, sought: Sought, poll_s: float) -> Declaration:
        """Have what is sought looked at; where that is not possible nothing of it is left."""
        declaration = self._declaring.declare(sought, poll_s)
        try:
            self._replace(declaration)
        except BaseException:
            self._declaring.discard(declaration)
            raise
        return declaration

    def _kept_back(self, settings: Settings) -> list[str]:
        """Return the keys that are another than at the start and stay as they were."""
        before, now = self._started.server.model_dump(), settings.server.model_dump()
        keys = [f"[server] {key}" for key in now if now[key] != before[key] and key not in _AT_RUN_TIME]
        limits, lower = asdict(self._started.make_limits()), asdict(settings.make_limits())
        keys += [f"[limits] {key}" for key in lower if lower[key] != limits[key]]
        shares, share = self._started.fairness.model_dump(), settings.fairness.model_dump()
        keys += [f"[fairness] {key}" for key in share if share[key] != shares[key]]
        # The files that [tls] names are taken in by themselves.
        tables = ("tls", "admin", "health", "connections", "experience")
        return [*keys, *(f"[{name}]" for name in tables if getattr(settings, name) != getattr(self._started, name))]


def tell_sought(sought: Sought) -> None:
    """Log what is declared and not looked at."""
    for label, into in sought.folded:
        _log.warning("a source is left out: it is the same directory as %s", into, extra={"source": label})
    if sought.withheld:
        labels = ", ".join(sorted(sought.withheld))
        _log.warning("the workspace is not trusted, so its skills are withheld", extra={"sources": labels})


def _by_label(
    made: Mapping[SourceKey, Made], templates: Mapping[str, MadeTemplate]
) -> Mapping[str, Made | MadeTemplate]:
    """Return what sources there are; one that a template made is no other than the template."""
    return {**{key.label: each for key, each in made.items()}, **templates}


def _change(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the labels of what came, what went, and what is looked at in another way."""
    return {
        "added": sorted(after.keys() - before.keys()),
        "removed": sorted(before.keys() - after.keys()),
        "changed": sorted(label for label in before.keys() & after.keys() if before[label] is not after[label]),
    }
