"""Explaining access: what an identity would get, why, and why not."""

from pathlib import Path

import pytest
from skillsource.v1 import admin_pb2 as pb

from skillsvc.cli.access_commands import access
from skillsvc.cli.explaining import NothingToExplain, Shown, explain_access, folders_of, identity_of_claims
from skillsvc.cli.explanations import is_refused, outcome_of, partitions_of, rules_of
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
    assert not is_refused(explanation)
    assert list(outcome_of(explanation)) == OUTCOME_OF_ACME
    assert list(rules_of(explanation)) == [
        ("robots", "is for others", "it is for token, and this is oidc"),
        ("acme", "decides", ""),
        ("rest", "comes too late", ""),
    ]


def test_who_would_be_refused_is_told_why(settings: Settings) -> None:
    explanation = explain_access(settings, Identity(kind=IdentityKind.TOKEN, name="cd"))
    assert is_refused(explanation)
    assert list(outcome_of(explanation)) == [("identity", "token:cd"), ("access", "refused: no access rule matches")]
    assert next(rules_of(explanation)) == ("robots", "is for others", "the name 'cd' does not fit 'ci'")


def test_a_token_is_verified_before_it_is_explained(settings: Settings) -> None:
    good = Shown(jwt=KEY.token(claims(org="acme"))).identity(settings, NOW)
    assert (good[0].name, good[1]) == ("alice", "")
    late, why_not = Shown(jwt=KEY.token(claims(org="acme", exp=1))).identity(settings, NOW)
    explanation = explain_access(settings, late, why_not)
    assert is_refused(explanation)
    told = list(outcome_of(explanation))
    assert told[1] == ("credential", "refused: the JWT ended at 1970-01-01 00:00:01 UTC")
    assert ("access", "by the rule acme") in told


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


def test_a_server_is_told_who_somebody_is_and_never_by_the_credential_itself() -> None:
    token = KEY.token(claims(org="acme", groups=["a", "b"]))
    said = Shown(jwt=token).message()
    assert (said.kind, said.name, said.issuer) == (pb.IDENTITY_KIND_OIDC, "alice", "")
    assert {claim.name: list(claim.values) for claim in said.claims}.items() >= {
        "iss": [ISSUER],
        "org": ["acme"],
        "groups": ["a", "b"],
    }.items()
    assert said.expires_at.seconds == int(NOW.timestamp()) + 300
    assert token.encode() not in said.SerializeToString()
    assert token.rpartition(".")[2].encode() not in said.SerializeToString()


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (Shown(spiffe="spiffe://a/b"), pb.Identity(kind=pb.IDENTITY_KIND_SPIFFE, name="spiffe://a/b")),
        (Shown(subject="CN=a"), pb.Identity(kind=pb.IDENTITY_KIND_CERT, name="CN=a")),
        (Shown(token="ci"), pb.Identity(kind=pb.IDENTITY_KIND_TOKEN, name="ci")),  # noqa: S106 - a name
        (
            Shown(issuer="corp", sub="alice", claims=("org=acme", "groups=a", "groups=b")),
            pb.Identity(
                kind=pb.IDENTITY_KIND_OIDC,
                name="alice",
                issuer="corp",
                claims=[pb.Claim(name="org", values=["acme"]), pb.Claim(name="groups", values=["a", "b"])],
            ),
        ),
    ],
)
def test_whoever_is_meant_is_said_in_the_message(shown: Shown, said: pb.Identity) -> None:
    assert shown.message() == said


@pytest.mark.parametrize("shown", [Shown(jwt="a.b"), Shown(issuer="corp", sub="a", claims=("b",))])
def test_a_server_is_not_asked_of_what_is_nobody(shown: Shown) -> None:
    with pytest.raises(NothingToExplain):
        shown.message()


def test_what_a_server_tells_beside_is_said_in_words() -> None:
    told = pb.ExplainAccessResponse(
        identity="token:ci",
        grant=pb.AccessGrant(
            rule="robots",
            principal="token:ci",
            projects=["a"],
            projects_total=2,
            roles=[pb.CALLER_ROLE_READER],
            allow=pb.AllowedSkills(total=0),
        ),
        layers=[
            pb.SeenLayer(partition=pb.Partition(deployment=True), present=pb.LayerGeneration(skills=12)),
            pb.SeenLayer(partition=pb.Partition(principal="token:ci", project="a")),
            pb.SeenLayer(partition=pb.Partition(principal="token:ci"), present=pb.LayerGeneration(skills=1)),
        ],
    )
    told.grant.expires_at.seconds = 60
    assert list(outcome_of(told)) == [
        ("identity", "token:ci"),
        ("access", "by the rule robots"),
        ("principal", "token:ci"),
        ("reads", "the deployment (12 skills), token:ci/a, token:ci (1 skill)"),
        ("projects", "a, and 1 more"),
        ("roles", "reader"),
        ("skills", "none"),
        ("until", "1970-01-01T00:01:00Z"),
    ]
    assert not is_refused(told)
    told.project_refused = True
    assert ("project", "refused: it may not be named") in outcome_of(told)
    assert is_refused(told)


@pytest.mark.parametrize(
    ("project", "reads", "refused"),
    [
        ("own", "the deployment, oidc:corp:acme/own, oidc:corp:acme, token:shared, token:shared/p", False),
        ("other", None, True),
    ],
)
def test_a_file_says_whether_a_project_may_be_named(
    settings: Settings, project: str, reads: str | None, *, refused: bool
) -> None:
    told = explain_access(settings, identity_of_claims(settings, "corp", "alice", ["org=acme"]), project=project)
    assert is_refused(told) == refused
    assert dict(outcome_of(told)).get("reads") == reads


def test_a_project_that_none_can_be_is_nothing_to_explain(settings: Settings) -> None:
    alice = identity_of_claims(settings, "corp", "alice", ["org=acme"])
    with pytest.raises(NothingToExplain, match="project"):
        explain_access(settings, alice, project="a\nb")


def test_folders_are_told_of_each_partition_that_a_template_feeds(settings: Settings) -> None:
    templates = {"own": "skills/{principal}/%", "all": "/srv/{principal}/{project}"}
    source = make_settings({"source": [{"name": name, "path": path} for name, path in templates.items()]}).source
    told_by = settings.model_copy(update={"source": source})
    told = explain_access(told_by, identity_of_claims(told_by, "corp", "alice", ["org=acme"]))
    assert list(folders_of(told_by, tuple(partitions_of(told)))) == [
        ("own", "skills/oidc%3Acorp%3Aacme/%"),
        ("own", "skills/token%3Ashared/%"),
        ("all", "/srv/oidc%3Acorp%3Aacme/PROJECT"),
        ("all", "/srv/oidc%3Acorp%3Aacme/%"),
        ("all", "/srv/token%3Ashared/%"),
        ("all", "/srv/token%3Ashared/p"),
    ]


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
