"""Explaining access: what an identity would get, why, and why not."""

from pathlib import Path

import pytest

from skillsvc.cli.access_commands import access
from skillsvc.cli.explaining import NothingToExplain, Shown, explain_access, identity_of_claims
from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.settings.settings import Settings, make_settings
from tests.unit.service.identities.making import ISSUER, NOW, claims, ec_key, jwks

KEY = ec_key()
OUTCOME_OF_ACME = [
    ("identity", "oidc:corp:alice"),
    ("access", "by the rule acme"),
    ("principal", "oidc:corp:acme"),
    ("reads", "the deployment, oidc:corp:acme/PROJECT, oidc:corp:acme, token:shared, token:shared/p"),
    ("projects", "team-*, own"),
    ("roles", "reader, reporter"),
    ("skills", "docx, pdf"),
]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "keys.json").write_bytes(jwks(KEY.jwk()))
    issuer = {"name": "corp", "issuer": ISSUER, "audiences": ["skillsvc"], "jwks_file": tmp_path / "keys.json"}
    acme = {
        "name": "acme",
        "kind": "oidc",
        "issuer": "corp",
        "claims": {"org": "acme"},
        "principal": "oidc:corp:{claims.org}",
        "partitions": [{"principal": "token:shared"}, {"principal": "token:shared", "project": "p"}],
        "projects": ["team-*", "own"],
        "roles": ["reporter", "reader"],
        "allow": ["pdf", "docx"],
    }
    robots = {"name": "robots", "kind": "token", "names": "ci"}
    rest = {"name": "rest", "kind": "oidc", "issuer": "corp"}
    return make_settings(
        {"identity": {"issuer": [issuer], "tokens": {"file": "tokens"}}, "access": [robots, acme, rest]}
    )


def test_what_an_identity_would_get_is_told_with_what_each_rule_says(settings: Settings) -> None:
    explanation = explain_access(settings, identity_of_claims(settings, "corp", "alice", ["org=acme"]))
    assert not explanation.is_refused
    assert explanation.outcome() == OUTCOME_OF_ACME
    assert explanation.rules == (
        ("robots", "is for others", "it is for token, and this is oidc"),
        ("acme", "decides", ""),
        ("rest", "comes too late", ""),
    )
    plain = explanation.plain()
    assert (plain["refused"], plain["rule"], plain["roles"]) == (None, "acme", ["reader", "reporter"])


def test_who_would_be_refused_is_told_why(settings: Settings) -> None:
    explanation = explain_access(settings, Identity(kind=IdentityKind.TOKEN, name="cd"))
    assert explanation.is_refused
    assert explanation.outcome() == [("identity", "token:cd"), ("access", "refused: no access rule matches")]
    assert explanation.rules[0] == ("robots", "is for others", "the name 'cd' does not fit 'ci'")
    assert explanation.plain()["refused"] == "no access rule matches"


def test_a_token_is_verified_before_it_is_explained(settings: Settings) -> None:
    good = Shown(jwt=KEY.token(claims(org="acme"))).identity(settings, NOW)
    assert (good[0].name, good[1]) == ("alice", "")
    late, why_not = Shown(jwt=KEY.token(claims(org="acme", exp=1))).identity(settings, NOW)
    explanation = explain_access(settings, late, why_not)
    assert explanation.is_refused
    assert explanation.outcome()[1] == ("credential", "refused: the JWT has ended, or never does")
    assert ("access", "by the rule acme") in explanation.outcome()


@pytest.mark.parametrize("token", ["", "a.b", "a.b.c", KEY.token(claims(iss="https://other.example.org"))])
def test_what_is_no_token_of_a_known_issuer_cannot_be_explained(settings: Settings, token: str) -> None:
    with pytest.raises(NothingToExplain):
        Shown(jwt=token).identity(settings, NOW)


@pytest.mark.parametrize(("issuer", "claim"), [("other", "a=b"), ("corp", "a"), ("corp", "=b")])
def test_claims_are_of_a_known_issuer_and_have_names(settings: Settings, issuer: str, claim: str) -> None:
    with pytest.raises(NothingToExplain):
        identity_of_claims(settings, issuer, "alice", [claim])


def test_a_claim_that_is_said_twice_has_two_values(settings: Settings) -> None:
    identity = identity_of_claims(settings, "corp", "alice", ["groups=a", "groups=b", "org=x=y"])
    assert identity.claims == {"sub": "alice", "groups": ("a", "b"), "org": "x=y"}


@pytest.mark.parametrize(
    ("shown", "is_one"),
    [
        (Shown(), False),
        (Shown(spiffe="a"), True),
        (Shown(spiffe="a", subject="b"), False),
        (Shown(subject=""), True),
        (Shown(token="a"), True),  # noqa: S106 - a name
        (Shown(jwt="a", sub="b"), False),
        (Shown(issuer="a"), False),
        (Shown(issuer="a", sub="b"), True),
        (Shown(issuer="a", sub="b", claims=("c=d",)), True),
        (Shown(token="a", claims=("c=d",)), False),  # noqa: S106 - a name
    ],
)
def test_one_credential_is_shown_wholly(shown: Shown, *, is_one: bool) -> None:
    assert shown.is_one_way() is is_one


def test_certificates_and_tokens_are_explained_by_their_names(settings: Settings) -> None:
    for shown, principal in (
        (Shown(spiffe="spiffe://a/b"), "spiffe://a/b"),
        (Shown(subject="CN=a"), "cert:CN=a"),
        (Shown(token="ci"), "token:ci"),  # noqa: S106 - a name
    ):
        identity, why_not = shown.identity(settings, NOW)
        assert (identity.principal(), why_not) == (principal, "")


def test_every_command_says_what_it_does_and_gives_an_example() -> None:
    names = []
    for command in access.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        said, example, call = (command.callback.__doc__ or "").partition("Example: ")
        assert said
        assert example
        assert call.startswith(f"skillsvc access {name} ")
        names.append(name)
    assert names == ["explain", "new-token"]
