"""Audit: one line for each act that matters to security, on a logger of its own (`skillsvc.audit`).

A line says who did what, to which partition and generation, whether it was allowed, why, and by which rule. It holds no
body, no secret and no text of a skill, and nothing in it is longer than a bound. Where its lines go, and how long they
are kept, is up to whoever runs the server.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from skillsvc.domain.partition import Partition

LOGGER: Final = "skillsvc.audit"
_LONGEST: Final = 300
"""Characters of a value: a principal and what a kind adds to it."""
_SUMMED: Final = 128
"""Refusals that are summed apart from each other; more are summed together, so that no flood of names fills a disk."""
_SUM_S: Final = 1.0

_log = logging.getLogger(LOGGER)


class Actor(NamedTuple):
    """Who did something, and from where; what nobody knows is empty.

    `identity` is who was proved, where the rule makes another principal of it: several may share one.
    """

    principal: str = ""
    rule: str = ""
    identity: str = ""
    peer: str = ""


NOBODY: Final = Actor()
"""Of what the server does by itself."""


class Refused(NamedTuple):
    """A refusal."""

    act: str
    reason: str
    by: Actor = NOBODY


class _Sum:
    """How many refusals of a kind there were since the last line of it, and when that was."""

    __slots__ = ("at", "count", "last")

    def __init__(self, at: float, last: Refused) -> None:
        self.at = at
        self.count = 0
        self.last = last


class Audit:
    """Writes the lines. For any thread."""

    def __init__(
        self, now: Callable[[], float], *, later: Callable[[float, Callable[[], None]], object] | None = None
    ) -> None:
        """Begin with nothing summed.

        Args:
            now: Tells seconds of a clock that never goes back.
            later: Has something called after so many seconds, on any thread. None where `flush` is called by others.
        """
        self._now = now
        self._later = later
        self._lock = threading.Lock()
        self._sums: dict[tuple[str, str, str], _Sum] = {}
        self._is_due = False

    def allowed(
        self,
        act: str,
        by: Actor = NOBODY,
        *,
        partition: Partition | None = None,
        generation: int | None = None,
        what: str = "",
    ) -> None:
        """Write that an act was done.

        `generation` is the sequence of the layer, or of the view. `what` names what it was done to: a digest, or the
        name that an operator gave.
        """
        fields = {**by._asdict(), "partition": _told(partition), "generation": generation, "what": what}
        _write(act, "allowed", fields)

    def failed(
        self,
        act: str,
        reason: str,
        by: Actor = NOBODY,
        *,
        partition: Partition | None = None,
        what: str = "",
    ) -> None:
        """Write that an act of an operator came to nothing, or not to all that was asked for.

        `what` names what it was to be done to, what was done all the same, or the incident of a fault.
        """
        fields = {**by._asdict(), "partition": _told(partition), "reason": reason, "what": what}
        _write(act, "failed", fields)

    def unkept(self, act: str, reason: str, by: Actor, *, partition: Partition, what: str = "") -> None:
        """Write that an act of an operator is done in memory and could not be kept: it does not outlive the process."""
        fields = {**by._asdict(), "partition": _told(partition), "reason": reason, "what": what}
        _write(act, "unkept", fields)

    def ignored(self, what: str, count: int, peer: str) -> None:
        """Write that something was shown so many times, last from an address, that counts from others alone."""
        _write("Identify", "ignored", {"what": what, "peer": peer, "count": count})

    def refused(self, refusal: Refused) -> None:
        """Write a refusal: the first of its kind at once, then one line a second with their number."""
        by = refusal.by
        key = (refusal.act, by.identity or by.principal or by.peer, refusal.reason)
        with self._lock:
            now = self._now()
            if key not in self._sums and len(self._sums) >= _SUMMED:
                key = ("", "", refusal.reason)
                refusal = Refused(act="", reason=refusal.reason)
            held = self._sums.get(key)
            if held is None:
                self._sums[key] = _Sum(now, refusal)
                _tell(refusal, 1)
            else:
                held.count += 1
                held.last = refusal
                if now - held.at >= _SUM_S:
                    _tell(refusal, held.count)
                    held.at, held.count = now, 0
            if self._later is not None and not self._is_due:
                self._is_due = True
                self._later(_SUM_S, self._sweep)

    def flush(self) -> None:
        """Write what is summed and not written yet, and forget what came no more."""
        with self._lock:
            self._write_sums(self._now(), 0.0)

    def _sweep(self) -> None:
        with self._lock:
            self._write_sums(self._now(), _SUM_S)
            self._is_due = bool(self._sums) and self._later is not None
            if self._is_due and self._later is not None:
                self._later(_SUM_S, self._sweep)

    def _write_sums(self, now: float, after_s: float) -> None:
        for key, held in list(self._sums.items()):
            if now - held.at < after_s:
                continue
            if held.count:
                _tell(held.last, held.count)
                held.at, held.count = now, 0
            else:
                del self._sums[key]


def _told(partition: Partition | None) -> str:
    if partition is None:
        return ""
    return f"{partition.principal}/{partition.project}" if partition.principal else "deployment"


def _tell(refusal: Refused, count: int) -> None:
    _write(refusal.act, "refused", {**refusal.by._asdict(), "reason": refusal.reason, "count": count})


def _write(act: str, decision: str, fields: Mapping[str, object]) -> None:
    told = {name: _bounded(value) for name, value in fields.items() if value not in ("", None)}
    _log.info("audit", extra={"act": _bounded(act), "decision": decision, **told})


def _bounded(value: object) -> object:
    if not isinstance(value, str):
        return value
    cut = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    return (
        cut
        if cut.isprintable()
        else "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in cut)
    )
