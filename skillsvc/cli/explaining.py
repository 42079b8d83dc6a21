"""Explaining access: what the rules of a configuration make of an identity, in words for the operator."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from skillsvc.cli.identifying import fetcher_of
from skillsvc.content.stopping import never
from skillsvc.domain.access import Grant, Identity, IdentityKind, Refusal
from skillsvc.domain.partition import Partition
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.jwt import Token, flatten, read_token, verify
from skillsvc.service.identities.kept import LookFailed
from skillsvc.service.identities.keys import KeySet
from skillsvc.service.identities.looks import UrlLook, look_at_key_file
from skillsvc.settings.identity import IssuerTable
from skillsvc.settings.settings import Settings


class NothingToExplain(Exception):
    """What was given is no identity that could be explained. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a caller would show; None is not shown."""

    spiffe: str | None = None
    subject: str | None = None
    token: str | None = None
    jwt: str | None = None
    issuer: str | None = None
    sub: str | None = None
    claims: tuple[str, ...] = ()

    def is_one_way(self) -> bool:
        """Tell whether exactly one credential is shown, and wholly."""
        ways = (self.spiffe, self.subject, self.token, self.jwt, self.issuer)
        is_whole = self.sub is not None if self.issuer is not None else self.sub is None and not self.claims
        return is_whole and sum(way is not None for way in ways) == 1

    def identity(self, settings: Settings, now: datetime) -> tuple[Identity, str]:
        """Return who that would be, and why it would be refused as a credential; "" where it would not.

        Raises:
            NothingToExplain: It is nobody.
        """
        if self.jwt is not None:
            return identity_of_jwt(settings, self.jwt, now)
        if self.issuer is not None:
            return identity_of_claims(settings, self.issuer, self.sub or "", self.claims), ""
        if self.spiffe is not None:
            return Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name=self.spiffe), ""
        if self.subject is not None:
            return Identity(kind=IdentityKind.CERTIFICATE_SUBJECT, name=self.subject), ""
        return Identity(kind=IdentityKind.TOKEN, name=self.token or ""), ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What an identity would get, and what each rule says: its name, its verdict, and why."""

    identity: Identity
    why_not: str
    """Why the credential itself is refused; "" where it is not."""
    judged: Grant | Refusal
    rules: tuple[tuple[str, str, str], ...]

    @property
    def is_refused(self) -> bool:
        """Tell whether a caller with this credential gets nothing."""
        return bool(self.why_not) or isinstance(self.judged, Refusal)

    def outcome(self) -> list[tuple[str, str]]:
        """Return what comes of it, in lines."""
        lines = [("identity", self.identity.principal())]
        if self.why_not:
            lines.append(("credential", f"refused: {self.why_not}"))
        match self.judged:
            case Refusal(why=why):
                lines.append(("access", f"refused: {why}"))
            case Grant() as grant:
                lines += [
                    ("access", f"by the rule {grant.rule}"),
                    ("principal", grant.principal),
                    ("reads", ", ".join(_reads(grant))),
                    ("projects", ", ".join(pattern.text for pattern in grant.projects) or "none"),
                    ("roles", ", ".join(sorted(grant.roles))),
                    ("skills", "all" if grant.allow is None else ", ".join(sorted(grant.allow)) or "none"),
                ]
        return lines

    def plain(self) -> dict[str, object]:
        """Return it as what JSON can say."""
        grant = self.judged if isinstance(self.judged, Grant) else None
        return {
            "identity": self.identity.principal(),
            "refused": self.why_not or (self.judged.why if isinstance(self.judged, Refusal) else None),
            "rule": grant and grant.rule,
            "principal": grant and grant.principal,
            "partitions": grant
            and [{"principal": each.principal, "project": each.project} for each in grant.partitions],
            "projects": grant and [pattern.text for pattern in grant.projects],
            "roles": grant and sorted(grant.roles),
            "allow": None if grant is None or grant.allow is None else sorted(grant.allow),
            "rules": [{"name": name, "verdict": verdict, "why": why} for name, verdict, why in self.rules],
        }


def explain_access(settings: Settings, identity: Identity, why_not: str = "") -> Explanation:
    """Return what the rules of settings make of an identity."""
    access = settings.make_access()
    rules = tuple(
        (
            each.rule,
            "decides" if each.decides else "comes too late" if each.matches else "is for others",
            "; ".join(each.misfits),
        )
        for each in access.explain(identity)
    )
    return Explanation(identity=identity, why_not=why_not, judged=access.judge(identity), rules=rules)


def identity_of_claims(settings: Settings, issuer: str, sub: str, claims: Sequence[str]) -> Identity:
    """Return the identity of a token with these claims (`NAME=VALUE`).

    Raises:
        NothingToExplain: The issuer is not configured, or a claim is none.
    """
    if issuer not in {table.name for table in _issuers(settings)}:
        raise NothingToExplain(f"no [[identity.issuer]] is called {issuer}")
    values: dict[str, list[str]] = {}
    for claim in claims:
        name, equals, value = claim.partition("=")
        if not name or not equals:
            raise NothingToExplain("a --claim is NAME=VALUE")
        values.setdefault(name, []).append(value)
    told = {name: several[0] if len(several) == 1 else tuple(several) for name, several in values.items()}
    return Identity(kind=IdentityKind.OIDC, name=sub, issuer=issuer, claims=MappingProxyType({"sub": sub, **told}))


def identity_of_jwt(settings: Settings, text: str, now: datetime) -> tuple[Identity, str]:
    """Return whose a token says to be, and why it would be refused; "" where it would not.

    Raises:
        NothingToExplain: It is no token, or of an issuer that is not configured.
    """
    try:
        token = read_token(text)
    except CredentialRefused as error:
        raise NothingToExplain(f"the token would be refused: {error.why}") from error
    table = next((each for each in _issuers(settings) if each.issuer == token.issuer), None)
    if table is None:
        raise NothingToExplain("the token would be refused: its iss is that of no [[identity.issuer]]")
    try:
        return verify(token, table.trusted(), _keys_of(table), now), ""
    except CredentialRefused as error:
        return _claimed(token, table), error.why
    except LookFailed as error:
        return _claimed(token, table), f"the keys of the issuer cannot be had: {error.why}"


def _claimed(token: Token, table: IssuerTable) -> Identity:
    sub = token.claims.get("sub")
    return Identity(
        kind=IdentityKind.OIDC,
        name=sub if isinstance(sub, str) else "",
        issuer=table.name,
        claims=flatten(token.claims),
    )


def _keys_of(table: IssuerTable) -> KeySet:
    algorithms = frozenset(table.algorithms)
    if table.jwks_file is not None:
        return look_at_key_file(str(table.jwks_file), algorithms, time.time_ns)() or KeySet()
    assert table.jwks_url is not None  # one of the two is there
    fetcher = fetcher_of(table, stopped=never)
    try:
        return UrlLook(table.jwks_url, fetcher, algorithms)() or KeySet()
    finally:
        fetcher.close()


def _issuers(settings: Settings) -> tuple[IssuerTable, ...]:
    return settings.identity.issuer if settings.identity else ()


def _reads(grant: Grant) -> list[str]:
    own = [f"{grant.principal}/PROJECT"] if grant.projects else []
    return ["the deployment", *own, grant.principal, *map(_told, grant.partitions)]


def _told(partition: Partition) -> str:
    return f"{partition.principal}/{partition.project}" if partition.project else partition.principal
