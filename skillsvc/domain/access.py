"""Access: who calls, and what the rules of the operator make of that.

A credential proves an `Identity`; the first rule that matches it gives a `Grant`, and nothing else does. Whatever a
rule cannot do for an identity it matches (a principal that cannot be made) refuses it: going on to a later, maybe wider
rule would let a caller choose by what it leaves out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final, TypeAlias

from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.partition import ANONYMOUS_PRINCIPAL, LOCAL_PRINCIPAL, PRINCIPAL_MAX_BYTES, Partition
from skillsvc.domain.patterns import Pattern
from skillsvc.domain.principal_template import PrincipalTemplate, TemplateUnfilled
from skillsvc.domain.rule_index import RuleIndex

FURTHER_PARTITIONS: Final = 2
"""Partitions a rule may add: a token has room for five layers, and a caller with a project has three by itself."""
ALLOWED_NAMES: Final = 4096
"""Skills a rule may name in `allow`, as a request may."""
_ANYTHING: Final = Pattern("*")
_MOST_JUDGED: Final = 250
"""Rules that are tried for one identity, more than may be alike: who is nearly for more of them is refused."""


@unique
class IdentityKind(StrEnum):
    """What proved who calls; the value is what configurations say."""

    LOCAL = "local"
    ANONYMOUS = "anonymous"
    CERTIFICATE_SPIFFE = "spiffe"
    CERTIFICATE_SUBJECT = "cert"
    OIDC = "oidc"
    TOKEN = "token"  # noqa: S105 - a kind, not a secret


@unique
class Role(StrEnum):
    """What a caller may do. None holds another."""

    READER = "reader"
    REPORTER = "reporter"
    PUBLISHER = "publisher"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who calls, as a credential proves it.

    `name` is the SPIFFE id, the subject (RFC 4514), the `sub`, or the token's name. `issuer` is the label of the
    configured issuer, for OIDC alone.
    """

    kind: IdentityKind
    name: str
    issuer: str = ""
    claims: Mapping[str, str | tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """Of a JWT, each a text or several; what is within another claim is named with a dot between."""
    expires_at: datetime | None = None

    def principal(self) -> str:
        """Return the principal that the identity is where no rule says otherwise; it may be none that fits."""
        match self.kind:
            case IdentityKind.LOCAL | IdentityKind.ANONYMOUS:
                return self.kind.value
            case IdentityKind.CERTIFICATE_SPIFFE:
                # `spiffe://domain/path` begins with its kind as it stands.
                return self.name
            case IdentityKind.OIDC:
                # A label holds no colon, so no `sub` reaches into another issuer's.
                return f"oidc:{self.issuer}:{self.name}"
            case kind:
                return f"{kind}:{self.name}"


LOCAL: Final = Identity(kind=IdentityKind.LOCAL, name=LOCAL_PRINCIPAL)
"""Whoever calls where nothing about identities is configured, and no other machine reaches the server."""
ANONYMOUS: Final = Identity(kind=IdentityKind.ANONYMOUS, name=ANONYMOUS_PRINCIPAL)
"""Whoever calls where nothing about identities is configured, and other machines do (`--insecure`)."""
ANYBODY_IS_LET_IN: Final = "nobody is asked who they are here: everybody is `anonymous`, and may read what all share"
NOBODY_IS_ASKED: Final = "nobody is asked who they are here: everybody is `local`, and may do all"
"""Why no credential counts there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Which identities a rule is for: those of the kind of which everything fits."""

    kind: IdentityKind
    names: tuple[Pattern, ...] = ()
    """One of them fits the name; none for every name. Of a subject only `*` is a pattern: see `_fits_name`."""
    issuer: Pattern | None = None
    claims: tuple[tuple[str, tuple[Pattern, ...]], ...] = ()
    """Of each claim here, one value fits one of the patterns."""
    _claims: tuple[tuple[str, frozenset[str], tuple[Pattern, ...]], ...] = field(init=False, repr=False, compare=False)
    """The same with exact patterns apart: a caller may be in hundreds of groups."""

    def __post_init__(self) -> None:
        """Sort the patterns once."""
        told_apart = tuple(
            (
                claim,
                frozenset(pattern.text for pattern in patterns if pattern.is_exact),
                tuple(pattern for pattern in patterns if not pattern.is_exact),
            )
            for claim, patterns in self.claims
        )
        object.__setattr__(self, "_claims", told_apart)

    def fits(self, identity: Identity) -> bool:
        """Tell whether the rule is for an identity, which is asked for every rule: no word is made."""
        return (
            identity.kind is self.kind
            and (self.issuer is None or self.issuer.fits(identity.issuer))
            and self._fits_name(identity.name)
            and all(
                _fits_claim(exact, patterns, identity.claims.get(claim, ())) for claim, exact, patterns in self._claims
            )
        )

    def misfits(self, identity: Identity) -> Iterator[str]:
        """Yield why the rule is not for an identity, in words for the operator; nothing where it `fits`."""
        if identity.kind is not self.kind:
            yield f"it is for {self.kind}, and this is {identity.kind}"
            return
        if self.issuer is not None and not self.issuer.fits(identity.issuer):
            yield f"the issuer {identity.issuer!r} does not fit {self.issuer.text!r}"
        if not self._fits_name(identity.name):
            yield f"the name {identity.name!r} does not fit {_told(self.names)}"
        for (claim, all_patterns), (_, exact, patterns) in zip(self.claims, self._claims, strict=True):
            found = identity.claims.get(claim, ())
            if not _values(found):
                yield f"there is no claim {claim!r}"
            elif not _fits_claim(exact, patterns, found):
                yield f"the claim {claim!r} does not fit {_told(all_patterns)}"

    def _fits_name(self, name: str) -> bool:
        if self.kind is IdentityKind.CERTIFICATE_SUBJECT:
            # Whole, since `CN=*,O=Bank` would fit `CN=x\,O=Bank`, a name that anybody may be given.
            return not self.names or any(pattern.text in ("*", name) for pattern in self.names)
        return not self.names or any(pattern.fits(name) for pattern in self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRule:
    """What callers get whom `match` is for."""

    name: str
    match: Match
    principal: PrincipalTemplate | None = None
    """Who they are to the catalog; None for what the identity is by itself."""
    partitions: tuple[Partition, ...] = ()
    """What they read beside the deployment and their own, strongest first; at most `FURTHER_PARTITIONS`."""
    projects: tuple[Pattern, ...] = ()
    """Which projects of their principal they may name, beside none."""
    roles: frozenset[Role] = frozenset({Role.READER})
    allow: frozenset[str] | None = None
    """The skills they may see at most; None for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a caller gets, by the rule of that name."""

    principal: str
    partitions: tuple[Partition, ...] = ()
    projects: tuple[Pattern, ...] = ()
    roles: frozenset[Role] = frozenset()
    allow: frozenset[str] | None = None
    rule: str
    expires_at: datetime | None = None
    """When the credential ends; None for never."""
    identity: str = field(default="", compare=False)
    """What the credential proves, cut, where the rule makes another principal of it: to write down."""

    def may_name(self, project: str) -> bool:
        """Tell whether the caller may name a project; none is always possible."""
        return not project or any(pattern.fits(project) for pattern in self.projects)

    def has(self, role: Role) -> bool:
        """Tell whether the caller has a role."""
        return role in self.roles


OWNER: Final = Grant(principal="owner", roles=frozenset({Role.ADMIN}), rule="admin.sock")
"""What the user gets who runs the server and may open the socket in its data folder. It is no partition's principal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """That a caller gets nothing. `why` is for the log and the operator; a caller is not told.

    `caller` is what the credential proves, cut: to count by and to write down, and never a principal of the catalog.
    """

    why: str
    caller: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What a rule says to an identity: why it is not for it, or what it gives."""

    rule: str
    misfits: tuple[str, ...] = ()
    decides: bool = False
    """Whether this rule decides: the first that matches, unless nearly too many do."""

    @property
    def matches(self) -> bool:
        """Tell whether the rule is for the identity."""
        return not self.misfits


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """All that is to be said of an identity, by one state of the rules.

    `unproved` says why no credential would be taken for it at all; "" where one may be.
    """

    identity: Identity
    unproved: str = ""
    judged: Grant | Refusal
    rules: tuple[Explained, ...]


_Sought: TypeAlias = tuple[IdentityKind, str | None, str | None]
"""By the kind, the issuer (None where it is no single one), and the claim that is looked at (None for the name)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The rules, in the order of the configuration."""

    rules: tuple[AccessRule, ...] = ()
    _index: RuleIndex[_Sought] = field(init=False, repr=False, compare=False)
    """A rule a tenant makes thousands, and whoever shows a new credential has the event loop while it is judged."""

    def __post_init__(self) -> None:
        """File the rules once."""
        object.__setattr__(self, "_index", RuleIndex.of([_sought(rule.match) for rule in self.rules]))

    @property
    def crowded(self) -> tuple[int, ...]:
        """Where rules stand that are too many of those that only judging tells apart: see `rule_index.MOST_ALIKE`."""
        return self._index.crowded

    def judge(self, identity: Identity) -> Grant | Refusal:
        """Return what the first rule that matches gives."""
        decided = self._decided(identity)
        return decided if isinstance(decided, Refusal) else _grant(decided, identity)

    def explain(self, identity: Identity) -> tuple[Explained, ...]:
        """Return what each rule says, in their order; `judge` tells what comes of it."""
        decided = self._decided(identity)
        return tuple(
            Explained(rule=rule.name, misfits=tuple(rule.match.misfits(identity)), decides=rule is decided)
            for rule in self.rules
        )

    def _decided(self, identity: Identity) -> AccessRule | Refusal:
        """Return the first rule that matches."""
        for tried, place in enumerate(self._index.places(_shown(identity))):
            if tried == _MOST_JUDGED:
                return Refusal(why="too many access rules nearly match", caller=_cut(identity))
            rule = self.rules[place]
            if rule.match.fits(identity):
                return rule
        return Refusal(why="no access rule matches", caller=_cut(identity))


def access_of_this_machine() -> Access:
    """Return what holds where nothing about identities is configured: whoever reaches the server may do all."""
    return _access_of_everybody(IdentityKind.LOCAL, frozenset(Role))


def access_of_anybody() -> Access:
    """Return what holds there where other machines reach the server: to read what all share, and to say how it went."""
    return _access_of_everybody(IdentityKind.ANONYMOUS, frozenset({Role.READER, Role.REPORTER}))


def _access_of_everybody(kind: IdentityKind, roles: frozenset[Role]) -> Access:
    rule = AccessRule(name=kind.value, match=Match(kind=kind), projects=(_ANYTHING,), roles=roles)
    return Access(rules=(rule,))


def _grant(rule: AccessRule, identity: Identity) -> Grant | Refusal:
    try:
        principal = (
            identity.principal() if rule.principal is None else rule.principal.fill(identity.name, identity.claims)
        )
        Partition.parse(principal=principal, project="")
    except (TemplateUnfilled, InvalidInput) as error:
        return Refusal(why=f"the rule {rule.name} cannot make a principal: {error}", caller=_cut(identity))
    return Grant(
        principal=principal,
        partitions=rule.partitions,
        projects=rule.projects,
        roles=rule.roles,
        allow=rule.allow,
        rule=rule.name,
        expires_at=identity.expires_at,
        identity="" if principal == identity.principal() else _cut(identity),
    )


def _sought(match: Match) -> list[tuple[_Sought, tuple[Pattern, ...]]]:
    """Return what a rule is for, to be filed by one of it."""
    issuer = None if match.issuer is None or "*" in match.issuer.text else match.issuer.text
    return [
        ((match.kind, issuer, claim), patterns)
        for claim, patterns in ((None, match.names or (_ANYTHING,)), *match.claims)
    ]


def _shown(identity: Identity) -> Iterator[tuple[_Sought, tuple[str, ...]]]:
    """Yield what an identity is found by."""
    kind = identity.kind
    for issuer in (identity.issuer, None):
        yield (kind, issuer, None), (identity.name,)
        for claim, value in identity.claims.items():
            yield (kind, issuer, claim), _values(value)


def _fits_claim(exact: frozenset[str], patterns: tuple[Pattern, ...], claim: str | tuple[str, ...]) -> bool:
    values = _values(claim)
    return not exact.isdisjoint(values) or any(pattern.fits(value) for pattern in patterns for value in values)


def _cut(identity: Identity) -> str:
    return identity.principal()[:PRINCIPAL_MAX_BYTES]


def _values(claim: str | tuple[str, ...]) -> tuple[str, ...]:
    return (claim,) if isinstance(claim, str) else claim


def _told(patterns: tuple[Pattern, ...]) -> str:
    return " or ".join(repr(pattern.text) for pattern in patterns)
