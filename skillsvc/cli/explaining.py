"""Explaining access: who somebody would be by what they show, and what the rules of a configuration make of that."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from types import MappingProxyType

from skillsource.v1 import admin_pb2 as pb

from skillsvc.cli.identifying import fetcher_of
from skillsvc.content.stopping import never
from skillsvc.domain.access import Identity, IdentityKind, Judgement
from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.partition import Partition, parse_project
from skillsvc.service import access_wire
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.jwt import Token, flatten, read_token, verify
from skillsvc.service.identities.kept import LookFailed
from skillsvc.service.identities.keys import KeySet
from skillsvc.service.identities.looks import UrlLook, look_at_key_file
from skillsvc.settings.identity import IssuerTable
from skillsvc.settings.settings import Settings

_LAST_SECOND = 253_402_300_800
"""Of the year 9999, since 1970."""


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

    def message(self) -> pb.Identity:
        """Return who that would be to a running server, which knows its issuers itself; no credential is sent.

        Raises:
            NothingToExplain: It is nobody.
        """
        if self.jwt is not None:
            return _message_of_jwt(self.jwt)
        if self.issuer is not None:
            values = _values_of(self.claims)
            claims = [pb.Claim(name=name, values=several) for name, several in values.items()]
            return pb.Identity(kind=pb.IDENTITY_KIND_OIDC, name=self.sub or "", issuer=self.issuer, claims=claims)
        if self.spiffe is not None:
            return pb.Identity(kind=pb.IDENTITY_KIND_SPIFFE, name=self.spiffe)
        if self.subject is not None:
            return pb.Identity(kind=pb.IDENTITY_KIND_CERT, name=self.subject)
        return pb.Identity(kind=pb.IDENTITY_KIND_TOKEN, name=self.token or "")


def explain_access(
    settings: Settings, identity: Identity, why_not: str = "", project: str = ""
) -> pb.ExplainAccessResponse:
    """Return what the rules of settings make of an identity, on one page; `why_not` is of the credential itself.

    Which layers it would see, by naming a project, is told without their generations, which no file knows.

    Raises:
        NothingToExplain: No project can be called so.
    """
    try:
        parse_project(project)
    except InvalidInput as error:
        raise NothingToExplain(error.message) from error
    access = settings.make_access()
    judgement = Judgement(
        identity=identity, unproved=why_not, judged=access.judge(identity), rules=access.explain(identity)
    )
    told = access_wire.outcome(judgement, project)
    viewer = access_wire.viewer_of(judgement, project)
    if viewer is not None:
        told.layers.extend(access_wire.layer(each, None) for each in viewer.partitions)
    told.rules.extend(map(access_wire.explained_rule, judgement.rules))
    return told


def folders_of(settings: Settings, partitions: Iterable[Partition]) -> Iterator[tuple[str, str]]:
    """Yield where each template has the folder of each partition: the name of the template, and the path."""
    for table in settings.source:
        template = table.template
        if template is not None:
            for partition in partitions:
                if template.feeds(partition):
                    yield table.name, str(PurePath(template.root, template.beneath(partition)))


def identity_of_claims(settings: Settings, issuer: str, sub: str, claims: Sequence[str]) -> Identity:
    """Return the identity of a token with these claims (`NAME=VALUE`).

    Raises:
        NothingToExplain: The issuer is not configured, or a claim is none.
    """
    if issuer not in {table.name for table in _issuers(settings)}:
        raise NothingToExplain(f"no [[identity.issuer]] is called {issuer}")
    values = _values_of(claims)
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


def _values_of(claims: Sequence[str]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for claim in claims:
        name, equals, value = claim.partition("=")
        if not name or not equals:
            raise NothingToExplain("a --claim is NAME=VALUE")
        values.setdefault(name, []).append(value)
    return values


def _message_of_jwt(text: str) -> pb.Identity:
    try:
        token = read_token(text)
    except CredentialRefused as error:
        raise NothingToExplain(f"the token would be refused: {error.why}") from error
    claims = [
        pb.Claim(name=name, values=(value,) if isinstance(value, str) else value)
        for name, value in flatten(token.claims).items()
    ]
    sub, ends = token.claims.get("sub"), token.claims.get("exp")
    said = pb.Identity(kind=pb.IDENTITY_KIND_OIDC, name=sub if isinstance(sub, str) else "", claims=claims)
    if isinstance(ends, int) and 0 < ends < _LAST_SECOND:
        said.expires_at.seconds = ends
    return said


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
    fetcher = fetcher_of(table, never)
    try:
        return UrlLook(table.jwks_url, fetcher, algorithms)() or KeySet()
    finally:
        fetcher.close()


def _issuers(settings: Settings) -> tuple[IssuerTable, ...]:
    return settings.identity.issuer if settings.identity else ()
