"""What ExplainAccess asks into values: an identity that nobody has proved, each of its fields checked once, here."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp
from skillsource.v1 import admin_pb2 as pb

from skillsvc.domain import caps
from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import parse_project
from skillsvc.service.admin_requests import PageAsk, check_count, malformed, page_of
from skillsvc.service.requests import text_of, unknown_number

KINDS: Final = {
    pb.IDENTITY_KIND_SPIFFE: IdentityKind.CERTIFICATE_SPIFFE,
    pb.IDENTITY_KIND_CERT: IdentityKind.CERTIFICATE_SUBJECT,
    pb.IDENTITY_KIND_OIDC: IdentityKind.OIDC,
    pb.IDENTITY_KIND_TOKEN: IdentityKind.TOKEN,
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainAsk:
    """What an identity would get that names a project, "" for none."""

    identity: Identity
    project: str
    page: PageAsk


def parse_explain(request: pb.ExplainAccessRequest, limits: Limits) -> ExplainAsk:
    """Return what an ExplainAccess request asks for."""
    return ExplainAsk(
        identity=_identity_of(request.identity),
        project=parse_project(request.project),
        page=page_of(request, limits),
    )


def _identity_of(said: pb.Identity) -> Identity:
    """Return an identity; one that is not set says no kind."""
    if said.kind == pb.IDENTITY_KIND_UNSPECIFIED:
        raise malformed("identity.kind", "identity.kind must say what would prove it")
    if said.kind not in KINDS:
        raise unknown_number("identity.kind", said.kind)
    kind = KINDS[said.kind]
    if not said.name:
        raise malformed("identity.name", "identity.name is empty")
    name = text_of("identity.name", said.name, caps.CAPS["Identity.name"].max_bytes)
    if kind is not IdentityKind.OIDC and (said.issuer or said.claims):
        field = "identity.issuer" if said.issuer else "identity.claims"
        raise malformed(field, f"{field} is of a JSON Web Token, and another kind is said")
    if said.issuer and not caps.fits_skill_name(said.issuer):
        raise malformed(
            "identity.issuer",
            "identity.issuer is no name: a lower-case letter or digit, then up to 63 of those, `_` or `-`",
        )
    claims = _claims_of(said.claims)
    if kind is IdentityKind.OIDC:
        claims.setdefault("sub", name)
    return Identity(
        kind=kind,
        name=name,
        issuer=said.issuer,
        claims=MappingProxyType(claims),
        expires_at=_moment_of(said.expires_at) if said.HasField("expires_at") else None,
    )


def _claims_of(said: Iterable[pb.Claim]) -> dict[str, str | tuple[str, ...]]:
    told = tuple(said)
    check_count("identity.claims", len(told), caps.CAPS["Identity.claims"].max_items)
    claims: dict[str, str | tuple[str, ...]] = {}
    for at, claim in enumerate(told):
        field = f"identity.claims[{at}]"
        if not claim.name or claim.name in claims:
            raise malformed(f"{field}.name", f"{field}.name {'is said twice' if claim.name else 'is empty'}")
        name = text_of(f"{field}.name", claim.name, caps.CAPS["Claim.name"].max_bytes)
        cap = caps.CAPS["Claim.values"]
        check_count(f"{field}.values", len(claim.values), cap.max_items)
        values = tuple(text_of(f"{field}.values", value, cap.max_item_bytes) for value in claim.values)
        claims[name] = values[0] if len(values) == 1 else values
    return claims


def _moment_of(said: Timestamp) -> datetime:
    try:
        return _EPOCH + timedelta(seconds=said.seconds, microseconds=said.nanos // 1_000)
    except OverflowError:
        raise malformed("identity.expires_at", "identity.expires_at is no moment of the years 1 to 9999") from None
