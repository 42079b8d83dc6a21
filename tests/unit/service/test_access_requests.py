"""What ExplainAccess asks: an identity whose every field is checked once, and within its cap."""

from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from skillsource.v1 import admin_pb2 as pb

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.service.access_requests import parse_explain

OIDC = pb.IDENTITY_KIND_OIDC


def identity_of(said: pb.Identity) -> Identity:
    return parse_explain(pb.ExplainAccessRequest(identity=said), Limits()).identity


def refusal_of(request: pb.ExplainAccessRequest) -> tuple[str, str]:
    with pytest.raises(InvalidInput) as caught:
        parse_explain(request, Limits())
    return caught.value.reason.value, caught.value.metadata["field"]


def test_a_token_is_who_its_claims_say_and_its_name_is_the_subject() -> None:
    claims = [pb.Claim(name="org", values=["acme"]), pb.Claim(name="groups", values=["a", "b"]), pb.Claim(name="none")]
    identity = identity_of(
        pb.Identity(kind=OIDC, name="alice", issuer="corp", claims=claims, expires_at=Timestamp(seconds=60, nanos=5000))
    )
    assert identity == Identity(
        kind=IdentityKind.OIDC,
        name="alice",
        issuer="corp",
        claims={"sub": "alice", "org": "acme", "groups": ("a", "b"), "none": ()},
        expires_at=datetime(1970, 1, 1, 0, 1, 0, 5, tzinfo=UTC),
    )
    assert identity_of(pb.Identity(kind=OIDC, name="a", claims=[pb.Claim(name="sub", values=["b"])])).claims == {
        "sub": "b"
    }


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (pb.IDENTITY_KIND_SPIFFE, IdentityKind.CERTIFICATE_SPIFFE),
        (pb.IDENTITY_KIND_CERT, IdentityKind.CERTIFICATE_SUBJECT),
        (pb.IDENTITY_KIND_TOKEN, IdentityKind.TOKEN),
    ],
)
def test_what_is_no_token_of_an_issuer_has_its_name_alone(number: pb.IdentityKind, kind: IdentityKind) -> None:
    assert identity_of(pb.Identity(kind=number, name="n")) == Identity(kind=kind, name="n")
    for further in ({"issuer": "corp"}, {"claims": [pb.Claim(name="org")]}):
        request = pb.ExplainAccessRequest(identity=pb.Identity(kind=number, name="n", **further))
        assert refusal_of(request) == ("ARGUMENT_MALFORMED", f"identity.{next(iter(further))}")


@pytest.mark.parametrize(
    ("said", "reason", "field"),
    [
        (pb.Identity(), "ARGUMENT_MALFORMED", "identity.kind"),
        (pb.Identity(kind=5, name="a"), "ARGUMENT_OUT_OF_RANGE", "identity.kind"),  # type: ignore[arg-type] # of no enum
        (pb.Identity(kind=OIDC), "ARGUMENT_MALFORMED", "identity.name"),
        (pb.Identity(kind=OIDC, name="é" * 4_097), "ARGUMENT_OUT_OF_RANGE", "identity.name"),
        (pb.Identity(kind=OIDC, name="a", issuer="A"), "ARGUMENT_MALFORMED", "identity.issuer"),
        (pb.Identity(kind=OIDC, name="a", issuer="a" * 65), "ARGUMENT_MALFORMED", "identity.issuer"),
        (
            pb.Identity(kind=OIDC, name="a", claims=[pb.Claim(name=str(at)) for at in range(1_001)]),
            "ARGUMENT_OUT_OF_RANGE",
            "identity.claims",
        ),
        (pb.Identity(kind=OIDC, name="a", claims=[pb.Claim()]), "ARGUMENT_MALFORMED", "identity.claims[0].name"),
        (
            pb.Identity(kind=OIDC, name="a", claims=[pb.Claim(name="b"), pb.Claim(name="b")]),
            "ARGUMENT_MALFORMED",
            "identity.claims[1].name",
        ),
        (
            pb.Identity(kind=OIDC, name="a", claims=[pb.Claim(name="b" * 1_025)]),
            "ARGUMENT_OUT_OF_RANGE",
            "identity.claims[0].name",
        ),
        (
            pb.Identity(kind=OIDC, name="a", claims=[pb.Claim(name="b", values=["c"] * 1_001)]),
            "ARGUMENT_OUT_OF_RANGE",
            "identity.claims[0].values",
        ),
        (
            pb.Identity(kind=OIDC, name="a", claims=[pb.Claim(name="b", values=["c" * 8_193])]),
            "ARGUMENT_OUT_OF_RANGE",
            "identity.claims[0].values",
        ),
        (
            pb.Identity(kind=OIDC, name="a", expires_at=Timestamp(seconds=2**62)),
            "ARGUMENT_MALFORMED",
            "identity.expires_at",
        ),
    ],
)
def test_what_is_no_identity_is_refused_by_its_field(said: pb.Identity, reason: str, field: str) -> None:
    assert refusal_of(pb.ExplainAccessRequest(identity=said)) == (reason, field)


@pytest.mark.parametrize(("project", "reason"), [("p" * 257, "ARGUMENT_OUT_OF_RANGE"), ("a\nb", "ARGUMENT_MALFORMED")])
def test_what_is_no_project_is_refused(project: str, reason: str) -> None:
    named = pb.Identity(kind=pb.IDENTITY_KIND_TOKEN, name="ci")
    assert refusal_of(pb.ExplainAccessRequest(identity=named, project=project)) == (reason, "project")
