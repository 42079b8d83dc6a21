"""Identities: one order of proofs, no way from a failed one to a weaker one, one message for all that fail."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

import pytest

from skillsvc.domain.access import (
    LOCAL,
    Access,
    AccessRule,
    Grant,
    Identity,
    IdentityKind,
    Match,
    Refusal,
    access_of_this_machine,
)
from skillsvc.domain.errors import ErrorReason, Unauthenticated, Unavailable
from skillsvc.domain.patterns import Pattern
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.identities import Identities, Issuer, Ways
from skillsvc.service.identities.jwt import Trusted
from skillsvc.service.identities.kept import Kept, LookFailed
from skillsvc.service.identities.keys import ALGORITHMS, KeySet, parse_keys
from skillsvc.service.identities.remembered import Known, Remembered
from skillsvc.service.identities.static_tokens import StaticTokens, line_of, parse_tokens
from tests.unit.service.identities.making import (
    AUDIENCE,
    ISSUER,
    NOW,
    SPIFFE_ID,
    Caller,
    Clock,
    Work,
    bearer,
    certificate,
    claims,
    ec_key,
    jwks,
    uri,
)

ALL = frozenset(ALGORITHMS)
Value = TypeVar("Value")
EC = ec_key("ec")
TOKEN = "t" * 43
PROXY = "spiffe://example.org/proxy"
EVERYBODY = Access(rules=tuple(AccessRule(name=kind.value, match=Match(kind=kind)) for kind in IdentityKind))
SPIFFE = Caller(pem=certificate(uri(SPIFFE_ID)), spiffe_id=SPIFFE_ID)
AS_PROXY = certificate(uri(PROXY))
FORWARDED = ("x-forwarded-client-cert", f"By={PROXY};URI={SPIFFE_ID}")


class Scene:
    """Identities with every way, keys that can be changed, and a time that can be set."""

    def __init__(self, *, tokens: bool = True, issuers: bool = True, **ways: object) -> None:
        self.now = NOW
        self.clock = Clock()
        self.work = Work()
        self.keys: Callable[[], KeySet | None] = lambda: None
        issuer = Trusted(label="corp", issuer=ISSUER, audiences=frozenset({AUDIENCE}), algorithms=ALL)
        kept = self._kept(parse_keys(jwks(EC.jwk()), ALL), self._keys)
        self.tokens: Kept[StaticTokens] = self._kept(parse_tokens(line_of("ci", TOKEN).encode(), b"k"), lambda: None)
        self.ways = Ways(
            tokens=self.tokens if tokens else None,
            issuers=(Issuer(trusted=issuer, keys=kept),) if issuers else (),
            **ways,  # type: ignore[arg-type] # each test gives what fits
        )
        self.ignored: list[tuple[int, str]] = []
        self.identities = Identities(
            self.ways, EVERYBODY, now=self._now, tell_ignored=lambda *told: self.ignored.append(told)
        )

    def _now(self) -> datetime:
        return self.now

    def _keys(self) -> KeySet | None:
        return self.keys()

    def _changed(self) -> None:
        self.identities.changed()

    def _kept(self, first: Value, look: Callable[[], Value | None]) -> Kept[Value]:
        return Kept(
            "keys",
            first,
            look,
            every_s=600,
            after_failure_s=30,
            apart_s=60,
            submit=self.work.submit,
            clock=self.clock,
            changed=self._changed,
            stale_after_s=86_400,
        )

    def identity_of(self, caller: Caller) -> Identity:
        return self.identities.identity_of(caller)

    def refused(self, caller: Caller) -> ErrorReason:
        with pytest.raises(Unauthenticated) as caught:
            self.identities.identity_of(caller)
        return caught.value.reason


def test_a_bearer_that_was_proved_is_known_by_its_header_until_anything_changes() -> None:
    scene = Scene(certificates=True)
    for header in (bearer(TOKEN), bearer(EC.token())):
        assert scene.identities.recall([header]) is None
        granted = scene.identities.grant_of(Caller(header))
        assert isinstance(granted, Grant)
        assert scene.identities.recall([("te", "trailers"), header]) is granted
        # Which of two counts is nothing to guess.
        assert scene.identities.recall([header, header]) is None
        scene.identities.changed()
        assert scene.identities.recall([header]) is None


def test_a_header_tells_nothing_where_it_has_expired_is_refused_or_is_no_bearers() -> None:
    scene = Scene(certificates=True)
    header = bearer(EC.token())
    scene.identities.grant_of(Caller(header))
    scene.now += timedelta(days=1)
    assert scene.identities.recall([header]) is None
    assert scene.identities.recall([]) is None
    scene.identities.take(scene.ways, Access(rules=()))
    assert isinstance(scene.identities.grant_of(Caller(bearer(TOKEN))), Refusal)
    assert scene.identities.recall([bearer(TOKEN)]) is None


def test_each_way_leads_to_its_identity() -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    assert scene.identity_of(SPIFFE).name == SPIFFE_ID
    assert scene.identity_of(Caller(pem=certificate())).kind is IdentityKind.CERTIFICATE_SUBJECT
    assert scene.identity_of(Caller(bearer(EC.token()))).kind is IdentityKind.OIDC
    assert scene.identity_of(Caller(bearer(TOKEN))) == Identity(kind=IdentityKind.TOKEN, name="ci")
    proxied = scene.identity_of(Caller(FORWARDED, pem=AS_PROXY, spiffe_id=PROXY))
    assert (proxied.kind, proxied.name) == (IdentityKind.CERTIFICATE_SPIFFE, SPIFFE_ID)
    # As long as the proxy itself is known.
    assert proxied.expires_at == NOW + timedelta(days=1)


def test_a_bearer_comes_before_a_certificate_and_a_proxy() -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    pem = certificate(uri(SPIFFE_ID))
    assert scene.identity_of(Caller(bearer(TOKEN), pem=pem, spiffe_id=SPIFFE_ID)).name == "ci"
    assert scene.identity_of(Caller(bearer(TOKEN), FORWARDED, pem=AS_PROXY, spiffe_id=PROXY)).name == "ci"
    assert scene.identity_of(Caller(bearer(TOKEN), pem=AS_PROXY, spiffe_id=PROXY)).name == "ci"


@pytest.mark.parametrize(
    "headers",
    [
        [bearer("x" * 43)],
        [bearer("a.b.c")],
        [bearer(ec_key("ec").token())],
        [bearer(EC.token(claims(exp=1)))],
        [bearer(EC.token(claims(iss="https://evil.example.org")))],
        [bearer(EC.token(claims(iss=ISSUER + "/")))],
        [bearer(TOKEN), bearer(TOKEN)],
        [bearer(TOKEN), bearer(EC.token())],
        [("authorization", "Basic YTpi")],
        [("authorization", "")],
    ],
)
def test_a_bearer_that_fails_is_not_replaced_by_a_certificate(headers: list[tuple[str, str]]) -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    pem = certificate(uri(SPIFFE_ID))
    assert scene.refused(Caller(*headers, pem=pem, spiffe_id=SPIFFE_ID)) is ErrorReason.CREDENTIALS_INVALID
    assert scene.refused(Caller(*headers, FORWARDED, pem=AS_PROXY, spiffe_id=PROXY)) is ErrorReason.CREDENTIALS_INVALID
    assert scene.refused(Caller(*headers)) is ErrorReason.CREDENTIALS_INVALID


def test_whatever_is_invalid_is_told_in_the_same_words_and_the_log_knows_why() -> None:
    scene = Scene(certificates=True)
    told = set()
    for caller in (Caller(bearer("x" * 43)), Caller(bearer(EC.token(claims(aud="x")))), Caller(pem=b"none")):
        with pytest.raises(Unauthenticated) as caught:
            scene.identity_of(caller)
        assert isinstance(caught.value.__cause__, CredentialRefused)
        told.add((caught.value.message, tuple(caught.value.metadata.items()), caught.value.reason))
    assert told == {("the credentials are not valid", (), ErrorReason.CREDENTIALS_INVALID)}


@pytest.mark.parametrize(
    "caller",
    [
        Caller(),
        Caller(("x-forwarded-client-cert", f"URI={SPIFFE_ID}")),
        Caller(("authorization-bin", b"Bearer x")),
        Caller(transport_security_type=[b"ssl"]),
        Caller(x509_subject_alternative_name=[SPIFFE_ID.encode()], transport_security_type=[b"ssl"]),
    ],
)
def test_who_shows_nothing_that_counts_is_told_that_credentials_are_missing(caller: Caller) -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    assert scene.refused(caller) is ErrorReason.CREDENTIALS_MISSING


@pytest.mark.parametrize("address", ["ipv4:127.0.0.1:50000", "ipv6:%5B::1%5D:50000", "unix:", "unix:/run/s.sock", ""])
@pytest.mark.parametrize("ways", [{}, {"certificates": True}, {"tokens": False, "issuers": False}])
def test_where_a_call_comes_from_grants_nothing(address: str, ways: dict[str, Any]) -> None:
    scene = Scene(**ways)
    for caller in (Caller(address=address), Caller(FORWARDED, address=address)):
        assert scene.refused(caller) is ErrorReason.CREDENTIALS_MISSING


def test_names_in_which_kinds_are_mixed_are_never_looked_at() -> None:
    # And a caller here has no `peer_identities`, so that to ask for them is an error.
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    names = [PROXY.encode()]
    spiffe = Caller(pem=certificate(uri(SPIFFE_ID)), spiffe_id=SPIFFE_ID, x509_subject_alternative_name=names)
    subject = Caller(pem=certificate(), x509_subject_alternative_name=names)
    assert scene.identity_of(spiffe).name == SPIFFE_ID
    assert scene.identity_of(subject).name == "CN=agent,O=Example"
    for caller in (spiffe, subject):
        assert caller.asked == {"transport_security_type", "x509_pem_cert", "peer_spiffe_id"}


def test_a_way_that_is_not_configured_proves_nothing() -> None:
    scene = Scene(tokens=False, issuers=False)
    for caller in (SPIFFE, Caller(bearer(TOKEN)), Caller(bearer(EC.token())), Caller()):
        assert scene.refused(caller) is ErrorReason.CREDENTIALS_MISSING
    certificates = Scene(tokens=False, issuers=False, certificates=True)
    assert certificates.identity_of(Caller(bearer("whatever"), pem=certificate())).name == "CN=agent,O=Example"
    assert Scene(issuers=False).refused(Caller(bearer(EC.token()))) is ErrorReason.CREDENTIALS_INVALID
    assert Scene(tokens=False).refused(Caller(bearer(TOKEN))) is ErrorReason.CREDENTIALS_INVALID


def test_only_a_proxy_speaks_for_others() -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    own = scene.identity_of(
        Caller(("x-forwarded-client-cert", f"URI={PROXY}"), pem=certificate(uri(SPIFFE_ID)), spiffe_id=SPIFFE_ID)
    )
    assert own.name == SPIFFE_ID
    assert scene.refused(Caller(FORWARDED)) is ErrorReason.CREDENTIALS_MISSING


@pytest.mark.parametrize(
    "ways",
    [
        {"certificates": True},
        {"certificates": True, "proxies": frozenset({PROXY})},
        {"tokens": False, "issuers": False},
    ],
)
def test_a_header_of_who_is_no_proxy_is_told_at_once_and_then_once_a_minute(ways: dict[str, Any]) -> None:
    scene = Scene(**ways)
    stranger = Caller(FORWARDED)
    for seconds, told in ((0, [1]), (1, [1]), (58.9, [1]), (0.1, [1, 3]), (59, [1, 3]), (1, [1, 3, 2])):
        scene.now += timedelta(seconds=seconds)
        assert scene.refused(stranger) is ErrorReason.CREDENTIALS_MISSING
        assert scene.ignored == [(count, "192.0.2.1") for count in told]
    scene.refused(Caller())
    assert len(scene.ignored) == 3


def test_what_a_proxy_forwards_is_not_told_as_ignored() -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    scene.identity_of(Caller(FORWARDED, pem=AS_PROXY, spiffe_id=PROXY))
    assert not scene.ignored


def test_a_proxy_is_never_a_caller_itself() -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    for headers in ((), (FORWARDED, FORWARDED), (("x-forwarded-client-cert", "By=x"),)):
        assert scene.refused(Caller(*headers, pem=AS_PROXY, spiffe_id=PROXY)) is ErrorReason.CREDENTIALS_INVALID


def test_with_proxies_alone_no_other_certificate_counts() -> None:
    scene = Scene(certificates=False, proxies=frozenset({PROXY}))
    assert scene.identity_of(Caller(FORWARDED, pem=AS_PROXY, spiffe_id=PROXY)).name == SPIFFE_ID
    assert scene.refused(SPIFFE) is ErrorReason.CREDENTIALS_MISSING


def test_a_proxy_may_be_known_by_its_subject() -> None:
    scene = Scene(certificates=True, proxies=frozenset({"CN=proxy"}))
    assert scene.identity_of(Caller(FORWARDED, pem=certificate(subject="CN=proxy"))).name == SPIFFE_ID
    assert scene.refused(Caller(FORWARDED)) is ErrorReason.CREDENTIALS_MISSING


def test_a_credential_is_good_until_its_end_and_not_a_moment_longer() -> None:
    scene = Scene(certificates=True)
    jwt, pem = Caller(bearer(EC.token())), Caller(pem=certificate(ends=NOW + timedelta(seconds=100)))
    for caller, ends in ((jwt, NOW + timedelta(seconds=360)), (pem, NOW + timedelta(seconds=100))):
        scene.now = NOW
        assert scene.identity_of(caller).expires_at == ends
        scene.now = ends - timedelta(microseconds=1)
        assert scene.identity_of(caller).expires_at == ends
        scene.now = ends
        assert scene.refused(caller) is ErrorReason.CREDENTIALS_INVALID


def test_what_was_verified_is_remembered_as_it_is() -> None:
    scene = Scene(certificates=True)
    for caller in (Caller(bearer(EC.token())), Caller(bearer(TOKEN)), SPIFFE):
        assert scene.identity_of(caller) is scene.identity_of(caller)
        assert scene.identities.grant_of(caller) is scene.identities.grant_of(caller)


def test_what_a_proxy_forwards_is_remembered_as_long_as_the_proxy_is_known() -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    ends = NOW + timedelta(seconds=100)
    proxied = Caller(FORWARDED, pem=certificate(uri(PROXY), ends=ends), spiffe_id=PROXY)
    assert scene.identity_of(proxied) is scene.identity_of(proxied)
    assert scene.identities.grant_of(proxied) is scene.identities.grant_of(proxied)
    assert scene.identity_of(proxied).expires_at == ends
    scene.now = ends
    assert scene.refused(proxied) is ErrorReason.CREDENTIALS_INVALID


def test_what_one_proxy_forwards_is_remembered_for_no_other_header_and_no_other_peer() -> None:
    scene = Scene(certificates=True, proxies=frozenset({PROXY}))
    assert scene.identity_of(Caller(FORWARDED, pem=AS_PROXY, spiffe_id=PROXY)).name == SPIFFE_ID
    name, value = FORWARDED
    other = Caller((name, value + "/other"), pem=AS_PROXY, spiffe_id=PROXY)
    assert scene.identity_of(other).name == SPIFFE_ID + "/other"
    halves = Caller((name, value[:5]), (name, value[5:]), pem=AS_PROXY, spiffe_id=PROXY)
    assert scene.refused(halves) is ErrorReason.CREDENTIALS_INVALID
    assert scene.refused(Caller(FORWARDED)) is ErrorReason.CREDENTIALS_MISSING
    renewed = Caller(FORWARDED, pem=certificate(uri(PROXY), ends=NOW + timedelta(days=2)), spiffe_id=PROXY)
    assert scene.identity_of(renewed).expires_at == NOW + timedelta(days=2)


def test_an_unknown_key_is_looked_for_once_in_sixty_seconds_whoever_asks() -> None:
    scene = Scene()
    new = ec_key("new")
    scene.keys = lambda: parse_keys(jwks(new.jwk()), ALL)
    for _ in range(100):
        with pytest.raises(Unavailable) as caught:
            scene.identity_of(Caller(bearer(new.token())))
        assert caught.value.reason is ErrorReason.NOT_READY
        assert caught.value.retry_after_s
    assert scene.work.given == 1
    scene.work.do()
    assert scene.identity_of(Caller(bearer(new.token()))).name == "alice"
    for number in range(100):
        assert scene.refused(Caller(bearer(ec_key(f"forged-{number}").token()))) is ErrorReason.CREDENTIALS_INVALID
    assert scene.work.given == 1
    scene.clock.at += 60
    with pytest.raises(Unavailable):
        scene.identity_of(Caller(bearer(ec_key("forged").token())))
    assert scene.work.given == 2


def test_a_key_that_is_gone_proves_nothing_any_more_even_what_it_has_proved() -> None:
    scene = Scene()
    caller = Caller(bearer(EC.token()))
    assert scene.identity_of(caller).name == "alice"
    scene.keys = lambda: parse_keys(jwks(ec_key("new").jwk()), ALL)
    scene.ways.issuers[0].keys.ask()
    assert scene.identity_of(caller).name == "alice"
    scene.work.do()
    assert scene.refused(caller) is ErrorReason.CREDENTIALS_INVALID


def test_keys_that_cannot_be_had_leave_the_last_good_ones() -> None:
    scene = Scene()

    def fail() -> KeySet | None:
        raise LookFailed("nobody answers")

    scene.keys = fail
    scene.ways.issuers[0].keys.ask()
    scene.work.do()
    assert scene.identity_of(Caller(bearer(EC.token()))).name == "alice"


def test_what_keys_and_tokens_prove_that_could_not_be_had_for_a_day_is_refused_until_they_can() -> None:
    scene = Scene()
    told: list[int] = []
    scene.identities.subscribe(lambda: told.append(scene.identities.version))
    jwt, token = Caller(bearer(EC.token())), Caller(bearer(TOKEN))
    kept: tuple[Kept[Any], ...] = (scene.ways.issuers[0].keys, scene.tokens)
    for caller in (jwt, token):
        scene.identity_of(caller)
    scene.clock.at += 86_400
    for each in kept:
        each.tick()
    # Also those who were known, and those who watch are told.
    assert len(told) == 2
    for caller in (jwt, token):
        with pytest.raises(Unavailable) as caught:
            scene.identity_of(caller)
        assert (caught.value.reason, caught.value.retry_after_s) == (ErrorReason.NOT_READY, 30)
    # Of what would not be good in any case, nothing is told.
    assert scene.refused(Caller(bearer("x" * 43))) is ErrorReason.CREDENTIALS_INVALID
    assert scene.refused(Caller(bearer(EC.token(claims(aud="x"))))) is ErrorReason.CREDENTIALS_INVALID
    for name, kind in (("alice", IdentityKind.OIDC), ("ci", IdentityKind.TOKEN)):
        explained = scene.identities.explain(Identity(kind=kind, name=name, issuer="corp"))
        assert explained.unproved.endswith("for too long")
    scene.work.do()
    assert len(told) == 4
    for caller in (jwt, token):
        scene.identity_of(caller)


def test_other_rules_count_at_once_and_those_who_want_to_know_are_told() -> None:
    scene = Scene()
    caller = Caller(bearer(TOKEN))
    told: list[int] = []
    end = scene.identities.subscribe(lambda: told.append(scene.identities.version))
    assert isinstance(scene.identities.grant_of(caller), Grant)
    before = scene.identities.version
    scene.identities.take(scene.ways, Access())
    assert scene.identities.grant_of(caller) == Refusal(why="no access rule matches")
    assert told == [scene.identities.version]
    assert scene.identities.version > before
    end()
    end()
    scene.identities.changed()
    assert len(told) == 1


def test_everybody_is_local_only_where_that_is_said() -> None:
    local = Identities(Ways(everybody=LOCAL), access_of_this_machine(), now=lambda: NOW)
    for caller in (Caller(), SPIFFE, Caller(bearer("x"))):
        assert local.identity_of(caller) == LOCAL
        assert isinstance(local.grant_of(caller), Grant)
    nobody = Identities(Ways(), access_of_this_machine(), now=lambda: NOW)
    with pytest.raises(Unauthenticated):
        nobody.identity_of(Caller())


def test_claims_are_judged_and_not_remembered() -> None:
    scene = Scene()
    corp = Match(kind=IdentityKind.OIDC, claims=(("org", (Pattern("acme"),)),))
    scene.identities.take(scene.ways, Access(rules=(AccessRule(name="acme", match=corp),)))
    caller = Caller(bearer(EC.token(claims(org="acme", padding="x" * 4000))))
    for _ in range(2):
        assert not scene.identity_of(caller).claims
        judged = scene.identities.grant_of(caller)
        assert isinstance(judged, Grant)
        assert judged.rule == "acme"
    other = scene.identities.grant_of(Caller(bearer(EC.token(claims(org="other")))))
    assert isinstance(other, Refusal)


def test_no_more_credentials_are_remembered_than_is_bounded() -> None:
    remembered = Remembered(at_most=3)
    known = Known.of(LOCAL, Refusal(why=""))
    for number in range(10):
        remembered.find(bytes([number]), 0, lambda: NOW)
        remembered.keep(bytes([number]), 0, known)
    assert [number for number in range(10) if remembered.find(bytes([number]), 0, lambda: NOW)] == [7, 8, 9]
    assert remembered.find(bytes([9]), 1, lambda: NOW) is None
    assert remembered.find(bytes([9]), 0, lambda: NOW) is None


@pytest.mark.parametrize(
    ("identity", "why"),
    [
        (Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name=SPIFFE_ID), ""),
        (
            Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name=PROXY),
            "it is a proxy's, which is nobody itself and speaks for others",
        ),
        (Identity(kind=IdentityKind.TOKEN, name="ci"), ""),
        (Identity(kind=IdentityKind.TOKEN, name="cd"), "no static token has this name"),
        (Identity(kind=IdentityKind.OIDC, name="alice", issuer="corp"), ""),
        (Identity(kind=IdentityKind.OIDC, name="alice", claims={"iss": ISSUER}), ""),
        (Identity(kind=IdentityKind.OIDC, name="alice", issuer="other"), "no issuer is called other"),
        (
            Identity(kind=IdentityKind.OIDC, name="alice", claims={"iss": "https://other.example.org"}),
            "no issuer is named, and `iss` is that of none that is trusted",
        ),
        (
            Identity(kind=IdentityKind.TOKEN, name="ci", expires_at=NOW),
            "the credential has expired",
        ),
    ],
)
def test_an_explanation_says_why_no_credential_would_prove_an_identity(identity: Identity, why: str) -> None:
    told = Scene(certificates=True, proxies=frozenset({PROXY})).identities.explain(identity)
    assert told.unproved == why
    # Whatever proves it, the rules are asked.
    assert isinstance(told.judged, Grant)
    assert [rule.rule for rule in told.rules if rule.decides] == [identity.kind.value]


def test_an_explanation_knows_which_ways_there_are() -> None:
    scene = Scene(tokens=False, issuers=False, certificates=False)
    told = [
        scene.identities.explain(Identity(kind=kind, name="a", issuer="corp" if kind is IdentityKind.OIDC else ""))
        for kind in (IdentityKind.CERTIFICATE_SUBJECT, IdentityKind.TOKEN, IdentityKind.OIDC)
    ]
    assert [each.unproved for each in told] == [
        "client certificates prove nobody here",
        "there are no static tokens here",
        "no issuer is called corp",
    ]


def test_an_issuer_that_iss_names_is_the_one_that_rules_are_for() -> None:
    told = Scene().identities.explain(Identity(kind=IdentityKind.OIDC, name="alice", claims={"iss": ISSUER}))
    assert told.identity.principal() == "oidc:corp:alice"


def test_where_nobody_is_asked_no_credential_counts() -> None:
    told = Identities(Ways(everybody=LOCAL), access_of_this_machine(), now=lambda: NOW).explain(LOCAL)
    assert told.unproved.startswith("nobody is asked who they are here")
