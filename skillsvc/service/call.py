"""Calls: who makes one, and what they may see.

What comes of judging a caller is a `Grant`, and through it a `Viewer`: no handler has another way to whose catalog it
is.
"""

from collections.abc import Callable, Iterable
from typing import Final, Protocol, TypeAlias

import grpc

from skillsvc.domain.access import (
    LOCAL,
    NOBODY_IS_ASKED,
    Grant,
    Identity,
    Judgement,
    Refusal,
    Role,
    access_of_this_machine,
)
from skillsvc.domain.errors import Denied, ErrorReason
from skillsvc.domain.partition import Partition
from skillsvc.domain.view import Viewer
from skillsvc.service.audit import Actor
from skillsvc.service.peers import address_of
from skillsvc.service.roles import Need, Open

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"
"""What gRPC knows of a call."""
_TO_EVERYBODY: Final = Open.TO_EVERYBODY
"""Looked up once: each call asks for it."""
NOBODY: Final = Grant(principal="", rule="")
"""What callers get whom nobody asked who they are."""


class Identities(Protocol):
    """Who calls, and what the access rules make of that. Lives on the event loop, but for `subscribe`."""

    @property
    def version(self) -> int:
        """A number that grows when rules or credentials change: what was granted before is to be judged again."""

    def recall(self, headers: Iterable[tuple[str, str | bytes]], /) -> Grant | None:
        """Return what the caller of a call gets, where its headers alone tell, and were proved before.

        None says nothing: the caller is to be judged by the call.
        """

    def grant_of(self, context: Context, /) -> Grant | Refusal:
        """Return what the caller of a call gets; for every call, so that what was verified is remembered.

        Raises:
            Unauthenticated: CREDENTIALS_MISSING or CREDENTIALS_INVALID, also where they have expired.
        """

    def explain(self, identity: Identity, /) -> Judgement:
        """Return what the rules in force say of an identity, for any thread; it takes as long as there are rules."""

    def subscribe(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after each change, on any thread; returns what ends that."""


class OfThisMachine:
    """Identities where nothing of them is configured: whoever reaches the server is `local`, and may do all."""

    version: Final = 0

    def __init__(self, grant: Grant | None = None) -> None:
        """Judge once; a `grant` is what everybody gets instead."""
        self._access = access_of_this_machine()
        self._grant = grant or self._access.judge(LOCAL)

    def recall(self, _headers: Iterable[tuple[str, str | bytes]]) -> None:
        """No header tells anything."""

    def grant_of(self, _context: Context) -> Grant | Refusal:
        """Return the same for everybody."""
        return self._grant

    def explain(self, identity: Identity) -> Judgement:
        """Say that nobody is asked."""
        return Judgement(
            identity=identity,
            unproved=NOBODY_IS_ASKED,
            judged=self._access.judge(identity),
            rules=self._access.explain(identity),
        )

    def subscribe(self, _told: Callable[[], None]) -> Callable[[], None]:
        """Nothing ever changes."""
        return lambda: None


class Judged(Protocol):
    """What a caller was found to get, as of a version of rules and credentials."""

    @property
    def grant(self) -> Grant:
        """What it gets."""

    @property
    def version(self) -> int:
        """The version."""


class Call:
    """What a handler may know of the call itself: who makes it, what they may see, and how much time is left.

    One is made for every call, so that it is no dataclass: frozen ones take four times as long.
    """

    __slots__ = ("_identities", "_need", "_version", "context", "grant")

    def __init__(self, context: Context, identities: Identities, need: Need, judged: Judged | None = None) -> None:
        """Judge the caller of a context by what the call needs, unless it was `judged` so and nothing changed since.

        Raises:
            Unauthenticated: CREDENTIALS_MISSING or CREDENTIALS_INVALID.
            Denied: ROLE_MISSING, also where no access rule is for the caller.
        """
        self.context = context
        self._identities = identities
        self._need = need
        self._version = identities.version
        self.grant: Grant
        if judged is not None and judged.version == self._version:
            self.grant = judged.grant
        else:
            self.grant = NOBODY if need is _TO_EVERYBODY else _granted(identities.grant_of(context), need)
        """What the caller gets. Of whom nobody asks who they are, nothing."""

    @property
    def actor(self) -> Actor:
        """Who makes it, for the audit."""
        grant = self.grant
        return Actor(grant.principal, grant.rule, grant.identity, address_of(self.context.peer()))

    @property
    def caller(self) -> Partition:
        """The caller's principal without a project."""
        return Partition(self.grant.principal, "")

    def viewer(self, project: str) -> Viewer:
        """Return who asks, of a project whose name is checked.

        Raises:
            Denied: PROJECT_NOT_ALLOWED, in the same words whether anybody has published to it or not (rules.md 7).
        """
        grant = self.grant
        if project and not grant.may_name(project):
            raise Denied(ErrorReason.PROJECT_NOT_ALLOWED, "the caller may not name this project")
        return Viewer(grant.principal, project, grant.partitions, grant.allow)

    def judge_again(self) -> bool:
        """Judge the caller anew where rules or credentials changed; return whether they did. Raises as at first."""
        version = self._identities.version
        if version == self._version:
            return False
        self.grant = _granted(self._identities.grant_of(self.context), self._need)
        self._version = version
        return True

    def time_left_s(self, at_most: float) -> float:
        """Return the seconds until the caller's deadline, at most so many; a caller need not have one."""
        left: object = self.context.time_remaining()  # None without a deadline, whatever the stubs say
        return max(0.0, min(left, at_most)) if isinstance(left, float) else at_most


def _granted(judged: Grant | Refusal, need: Need) -> Grant:
    """Return what a caller gets; one for whom there is no rule is told no more than one who lacks the role."""
    if isinstance(judged, Grant) and need in judged.roles:
        # What nearly every call comes to.
        return judged
    role = need if isinstance(need, Role) else Role.READER
    if isinstance(judged, Refusal) or need is role:
        caller, rule, identity = (
            (judged.caller, "", "") if isinstance(judged, Refusal) else (judged.principal, judged.rule, judged.identity)
        )
        raise Denied(
            ErrorReason.ROLE_MISSING,
            f"the call needs the role {role}",
            metadata={"role": role.value},
            caller=caller,
            rule=rule,
            identity=identity,
        )
    return judged
