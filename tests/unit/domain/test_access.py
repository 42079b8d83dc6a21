"""Access: the first rule that matches decides, and nobody gets what no rule gives."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from skillsvc.domain.access import (
    ANONYMOUS,
    FURTHER_PARTITIONS,
    LOCAL,
    Access,
    AccessRule,
    Grant,
    Identity,
    IdentityKind,
    Match,
    Refusal,
    Role,
    access_of_anybody,
    access_of_this_machine,
)
from skillsvc.domain.partition import Partition
from skillsvc.domain.patterns import Pattern
from skillsvc.domain.principal_template import PrincipalTemplate
from skillsvc.domain.tokens import MAX_LAYERS

SPIFFE = Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name="spiffe://example.org/ns/prod/sa/agent")
SUBJECT = Identity(kind=IdentityKind.CERTIFICATE_SUBJECT, name="CN=agent,O=Example")
ALICE = Identity(
    kind=IdentityKind.OIDC,
    name="alice",
    issuer="corp",
    claims={"sub": "alice", "org": "acme", "groups": ("dev", "ops"), "empty": ()},
)
TOKEN = Identity(kind=IdentityKind.TOKEN, name="ci")


def rule(match: Match, name: str = "rule", **rest: object) -> AccessRule:
    return AccessRule(name=name, match=match, **rest)  # type: ignore[arg-type] # each test gives what fits


def oidc(*claims: tuple[str, str], issuer: str | None = "corp", names: tuple[str, ...] = ()) -> Match:
    return Match(
        kind=IdentityKind.OIDC,
        issuer=None if issuer is None else Pattern(issuer),
        names=tuple(map(Pattern, names)),
        claims=tuple((claim, (Pattern(pattern),)) for claim, pattern in claims),
    )


@pytest.mark.parametrize(
    ("identity", "principal"),
    [
        (LOCAL, "local"),
        (ANONYMOUS, "anonymous"),
        (SPIFFE, "spiffe://example.org/ns/prod/sa/agent"),
        (SUBJECT, "cert:CN=agent,O=Example"),
        (ALICE, "oidc:corp:alice"),
        (TOKEN, "token:ci"),
    ],
)
def test_a_principal_begins_with_the_kind_of_the_identity(identity: Identity, principal: str) -> None:
    assert identity.principal() == principal


def test_no_sub_reaches_into_another_issuer() -> None:
    tricky = Identity(kind=IdentityKind.OIDC, issuer="a", name="b:c")
    other = Identity(kind=IdentityKind.OIDC, issuer="a-b", name="c")
    assert tricky.principal() != other.principal()


@pytest.mark.parametrize(
    ("match", "identity", "fits"),
    [
        (Match(kind=IdentityKind.TOKEN), TOKEN, True),
        (Match(kind=IdentityKind.TOKEN), ALICE, False),
        (Match(kind=IdentityKind.TOKEN, names=(Pattern("ci"),)), TOKEN, True),
        (Match(kind=IdentityKind.TOKEN, names=(Pattern("cd"), Pattern("ci"))), TOKEN, True),
        (Match(kind=IdentityKind.TOKEN, names=(Pattern("c"),)), TOKEN, False),
        (
            Match(kind=IdentityKind.CERTIFICATE_SPIFFE, names=(Pattern("spiffe://example.org/ns/*/sa/agent"),)),
            SPIFFE,
            True,
        ),
        (Match(kind=IdentityKind.CERTIFICATE_SPIFFE, names=(Pattern("spiffe://example.org/*"),)), SPIFFE, False),
        (Match(kind=IdentityKind.CERTIFICATE_SPIFFE, names=(Pattern("spiffe://example.org/**"),)), SPIFFE, True),
        (Match(kind=IdentityKind.CERTIFICATE_SUBJECT, names=(Pattern("CN=agent,O=Example"),)), SUBJECT, True),
        (Match(kind=IdentityKind.CERTIFICATE_SUBJECT, names=(Pattern("*"),)), SUBJECT, True),
        (Match(kind=IdentityKind.CERTIFICATE_SUBJECT, names=(Pattern("CN=*,O=Example"),)), SUBJECT, False),
        (Match(kind=IdentityKind.CERTIFICATE_SPIFFE, names=(Pattern("*"),)), SUBJECT, False),
        (oidc(), ALICE, True),
        (oidc(issuer=None), ALICE, True),
        (oidc(issuer="other"), ALICE, False),
        (oidc(names=("a*",)), ALICE, True),
        (oidc(names=("bob",)), ALICE, False),
        (oidc(("org", "acme")), ALICE, True),
        (oidc(("org", "ACME")), ALICE, False),
        (oidc(("groups", "ops")), ALICE, True),
        (oidc(("groups", "root")), ALICE, False),
        (oidc(("missing", "*")), ALICE, False),
        (oidc(("empty", "*")), ALICE, False),
        (oidc(("org", "acme"), ("groups", "root")), ALICE, False),
    ],
)
def test_a_rule_is_for_the_identities_of_its_kind_of_which_everything_fits(
    match: Match, identity: Identity, *, fits: bool
) -> None:
    assert isinstance(Access(rules=(rule(match),)).judge(identity), Grant) is fits
    (explained,) = Access(rules=(rule(match),)).explain(identity)
    assert explained.matches is explained.decides is fits


def test_the_first_rule_that_matches_decides_and_the_others_are_explained() -> None:
    access = Access(
        rules=(
            rule(oidc(("org", "other")), "others"),
            rule(oidc(("org", "acme")), "acme", roles=frozenset({Role.REPORTER})),
            rule(oidc(), "everybody", roles=frozenset(Role)),
            rule(Match(kind=IdentityKind.TOKEN), "robots"),
        )
    )
    grant = access.judge(ALICE)
    assert isinstance(grant, Grant)
    assert (grant.rule, grant.roles) == ("acme", frozenset({Role.REPORTER}))
    explained = access.explain(ALICE)
    assert [(each.rule, each.matches, each.decides) for each in explained] == [
        ("others", False, False),
        ("acme", True, True),
        ("everybody", True, False),
        ("robots", False, False),
    ]
    assert explained[0].misfits == ("the claim 'org' does not fit 'other'",)
    assert explained[3].misfits == ("it is for token, and this is oidc",)


def test_whatever_does_not_fit_is_told_at_once() -> None:
    match = oidc(("org", "x"), ("team", "y"), issuer="elsewhere", names=("bob", "eve"))
    (explained,) = Access(rules=(rule(match),)).explain(ALICE)
    assert explained.misfits == (
        "the issuer 'corp' does not fit 'elsewhere'",
        "the name 'alice' does not fit 'bob' or 'eve'",
        "the claim 'org' does not fit 'x'",
        "there is no claim 'team'",
    )


@pytest.mark.parametrize("position", [0, 1, 2])
def test_the_first_rule_decides_however_exact_the_others_are(position: int) -> None:
    matches = [oidc(issuer=None), oidc(("groups", "o*"), issuer="c*"), oidc(("org", "acme"), names=("alice",))]
    first = matches.pop(position)
    access = Access(rules=(rule(oidc(names=("bob",))), rule(first, "first"), *map(rule, matches)))
    grant = access.judge(ALICE)
    assert isinstance(grant, Grant)
    assert grant.rule == "first"


@pytest.mark.parametrize("identity", [LOCAL, SPIFFE, SUBJECT, ALICE, TOKEN])
def test_who_matches_no_rule_is_refused(identity: Identity) -> None:
    assert Access().judge(identity) == Refusal(why="no access rule matches")
    others = tuple(rule(Match(kind=kind)) for kind in IdentityKind if kind is not identity.kind)
    assert isinstance(Access(rules=others).judge(identity), Refusal)


def test_a_grant_knows_who_was_proved_where_the_rule_makes_another_of_it() -> None:
    alice = Identity(kind=IdentityKind.OIDC, name="alice", issuer="corp")
    club = rule(Match(kind=IdentityKind.OIDC), principal=PrincipalTemplate.parse("oidc:corp:club"))
    shared, own = Access(rules=(club,)).judge(alice), Access(rules=(rule(Match(kind=IdentityKind.OIDC)),)).judge(alice)
    assert isinstance(shared, Grant)
    assert isinstance(own, Grant)
    assert (shared.principal, shared.identity) == ("oidc:corp:club", "oidc:corp:alice")
    assert (own.principal, own.identity) == ("oidc:corp:alice", "")
    long = Access(rules=(club,)).judge(Identity(kind=IdentityKind.OIDC, name="a" * 10_000, issuer="corp"))
    assert isinstance(long, Grant)
    assert len(long.identity) <= 256


def test_a_grant_is_what_the_rule_says() -> None:
    until = datetime(2026, 1, 1, tzinfo=UTC)
    identity = Identity(kind=IdentityKind.TOKEN, name="ci", expires_at=until)
    given = rule(
        Match(kind=IdentityKind.TOKEN),
        partitions=(Partition(principal="token:shared", project=""),),
        projects=(Pattern("team-*"),),
        roles=frozenset({Role.READER}),
        allow=frozenset({"pdf"}),
    )
    grant = Access(rules=(given,)).judge(identity)
    assert grant == Grant(
        principal="token:ci",
        partitions=(Partition(principal="token:shared", project=""),),
        projects=(Pattern("team-*"),),
        roles=frozenset({Role.READER}),
        allow=frozenset({"pdf"}),
        rule="rule",
        expires_at=until,
    )
    assert (grant.has(Role.READER), grant.has(Role.ADMIN)) == (True, False)
    assert [grant.may_name(project) for project in ("", "team-a", "team-a/b", "other")] == [True, True, False, False]


def test_without_patterns_no_project_may_be_named() -> None:
    grant = Access(rules=(rule(Match(kind=IdentityKind.TOKEN)),)).judge(TOKEN)
    assert isinstance(grant, Grant)
    assert grant.may_name("")
    assert not grant.may_name("p")


@pytest.mark.parametrize(
    ("template", "principal"),
    [
        ("token:everybody", "token:everybody"),
        ("oidc:corp:{claims.org}", "oidc:corp:acme"),
        ("cert:{name}", "cert:alice"),
    ],
)
def test_a_rule_may_say_who_its_callers_are(template: str, principal: str) -> None:
    grant = Access(rules=(rule(oidc(), principal=PrincipalTemplate.parse(template)),)).judge(ALICE)
    assert isinstance(grant, Grant)
    assert grant.principal == principal


@pytest.mark.parametrize(
    "template", ["oidc:corp:{claims.groups}", "oidc:corp:{claims.none}", "oidc:corp:{claims.empty}"]
)
def test_who_lacks_what_a_principal_is_made_of_is_refused_and_no_later_rule_is_tried(template: str) -> None:
    access = Access(rules=(rule(oidc(), "made", principal=PrincipalTemplate.parse(template)), rule(oidc(), "wide")))
    refusal = access.judge(ALICE)
    assert isinstance(refusal, Refusal)
    assert refusal.why.startswith("the rule made cannot make a principal: ")


@pytest.mark.parametrize("name", ["a" * 257, "line\nbreak", "e\u0301", "nul\0"], ids=ascii)
def test_an_identity_that_makes_no_principal_is_refused(name: str) -> None:
    identity = Identity(kind=IdentityKind.TOKEN, name=name)
    assert isinstance(Access(rules=(rule(Match(kind=IdentityKind.TOKEN)),)).judge(identity), Refusal)


def test_on_this_machine_without_rules_whoever_reaches_the_server_may_do_all() -> None:
    grant = access_of_this_machine().judge(LOCAL)
    assert isinstance(grant, Grant)
    assert (grant.principal, grant.allow, grant.partitions, grant.expires_at) == ("local", None, (), None)
    assert all(grant.has(role) for role in Role)
    assert grant.may_name("any/project")
    for identity in (SPIFFE, SUBJECT, ALICE, TOKEN):
        assert isinstance(access_of_this_machine().judge(identity), Refusal)


def test_who_is_nearly_for_countless_rules_is_refused_whatever_comes_later() -> None:
    def rule(name: str, *, wants: str) -> AccessRule:
        claims = (("group", (Pattern(name),)), ("wants", (Pattern(wants),)))
        return AccessRule(name=name, match=Match(kind=IdentityKind.OIDC, claims=claims))

    for many, name, decides in ((250, "g{}", True), (251, "g{}", False), (250, "g{}*/**", True)):
        names = tuple(name.format(at) for at in range(1000, 1000 + many))
        rules = (*(rule(name, wants="never") for name in names[1:]), rule(names[0], wants="x"))
        identity = replace(ALICE, claims={"group": tuple(each.replace("*", "") for each in names), "wants": "x"})
        access = Access(rules=rules)
        judged = access.judge(identity)
        assert isinstance(judged, Grant) is decides
        assert [each.rule for each in access.explain(identity) if each.decides] == [names[0]] * decides
        if isinstance(judged, Refusal):
            assert "nearly" in judged.why


def test_whoever_reaches_a_server_that_is_open_to_other_machines_is_not_local_and_changes_nothing() -> None:
    grant = access_of_anybody().judge(ANONYMOUS)
    assert isinstance(grant, Grant)
    assert (grant.principal, grant.partitions, grant.allow) == ("anonymous", (), None)
    assert grant.roles == {Role.READER, Role.REPORTER}
    assert grant.may_name("any")
    assert isinstance(access_of_anybody().judge(LOCAL), Refusal)


def test_a_view_of_a_rule_with_all_its_partitions_fits_a_token() -> None:
    deployment, project, own = 1, 1, 1
    assert deployment + project + own + FURTHER_PARTITIONS == MAX_LAYERS


def test_a_refusal_says_who_it_was_cut_so_that_no_name_is_endless() -> None:
    identity = Identity(kind=IdentityKind.OIDC, issuer="house", name="x" * 5_000)
    refusal = Access().judge(identity)
    assert isinstance(refusal, Refusal)
    assert refusal.caller == "oidc:house:" + "x" * 245
