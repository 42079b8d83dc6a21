"""Callers who say who they are in a header, and are believed: for tests of what they get, not of how they prove it."""

from collections.abc import Callable, Iterable
from datetime import datetime

from skillsvc.domain.access import Grant, Identity, Judgement, Refusal, Role
from skillsvc.domain.errors import ErrorReason, Unauthenticated
from skillsvc.domain.partition import Partition
from skillsvc.domain.patterns import Pattern
from skillsvc.service.call import Context

HEADER = "caller"


def granted(
    principal: str,
    *roles: Role,
    projects: str = "*",
    further: tuple[Partition, ...] = (),
    allow: frozenset[str] | None = None,
    expires_at: datetime | None = None,
) -> Grant:
    """Return a grant, of the role `reader` where none is named."""
    return Grant(
        principal=principal,
        partitions=further,
        projects=(Pattern(projects),),
        roles=frozenset(roles or {Role.READER}),
        allow=allow,
        rule="test",
        expires_at=expires_at,
    )


class KnownCallers:
    """Identities by the names that callers give; `change` is a reload of the access rules."""

    def __init__(self, **grants: Grant | Refusal) -> None:
        self.grants = grants
        self.version = 0
        self.asked = 0
        self._told: list[Callable[[], None]] = []

    def change(self, **grants: Grant | Refusal | None) -> None:
        """Let callers get something else from now on; None takes back what one is known by."""
        changed = {**self.grants, **grants}
        self.grants = {name: grant for name, grant in changed.items() if grant is not None}
        self.version += 1
        for told in self._told:
            told()

    def recall(self, headers: Iterable[tuple[str, str | bytes]]) -> Grant | None:
        found = self.grants.get(str(dict(headers).get(HEADER)))
        if not isinstance(found, Grant):
            return None
        self.asked += 1
        return found

    def grant_of(self, context: Context) -> Grant | Refusal:
        self.asked += 1
        metadata = dict(context.invocation_metadata() or ())
        if HEADER not in metadata:
            raise Unauthenticated(ErrorReason.CREDENTIALS_MISSING, "no credentials")
        found = self.grants.get(str(metadata[HEADER]))
        if found is None:
            raise Unauthenticated(ErrorReason.CREDENTIALS_INVALID, "invalid credentials")
        return found

    def explain(self, identity: Identity) -> Judgement:
        return Judgement(identity=identity, judged=Refusal(why="known by its header alone"), rules=())

    def subscribe(self, told: Callable[[], None]) -> Callable[[], None]:
        self._told.append(told)
        return lambda: self._told.remove(told)
