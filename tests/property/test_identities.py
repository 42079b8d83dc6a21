"""Identities from texts of any kind: nobody gets in, nothing but a refusal comes, and patterns mean what they say."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillsvc.domain.patterns import Pattern
from skillsvc.domain.principal_template import PrincipalTemplate
from skillsvc.service.identities.bearer import bearer_of
from skillsvc.service.identities.certificates import identity_of_certificate
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.forwarded import identity_of_forwarded
from skillsvc.service.identities.jwt import Trusted, flatten, read_token, verify
from skillsvc.service.identities.keys import ALGORITHMS, KeySet, KeysRefused, parse_keys
from skillsvc.service.identities.spiffe import is_spiffe_id
from skillsvc.service.identities.static_tokens import TokensRefused, parse_tokens
from tests.unit.service.identities.making import base64url

pytestmark = pytest.mark.property

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ANY = Trusted(label="a", issuer="i", audiences=frozenset({"a"}), algorithms=frozenset(ALGORITHMS))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(st.text(max_size=8), held, max_size=3),
    max_leaves=8,
)


def regex_of(pattern: str) -> "re.Pattern[str]":
    """What a pattern means, said by a regular expression that may take its time."""
    if pattern == "*":
        return re.compile(r".*", re.DOTALL)
    parts = re.split(r"(\*+)", pattern)
    return re.compile(
        "".join(
            re.escape(part) if not part.startswith("*") else "[^/]*" if part == "*" else "(?s:.*)" for part in parts
        )
    )


@given(pattern=st.text("ab/*", max_size=8), text=st.text("ab/", max_size=10))
def test_a_pattern_fits_what_its_regular_expression_matches(pattern: str, text: str) -> None:
    assert Pattern(pattern).fits(text) is (regex_of(pattern).fullmatch(text) is not None)


@given(
    one=st.tuples(st.text(min_size=1), st.text(min_size=1)), other=st.tuples(st.text(min_size=1), st.text(min_size=1))
)
def test_different_claims_never_make_one_principal(one: tuple[str, str], other: tuple[str, str]) -> None:
    template = PrincipalTemplate.parse("oidc:i:{claims.a}/{claims.b}")
    made = [template.fill("", {"a": a, "b": b}) for a, b in (one, other)]
    assert (made[0] == made[1]) is (one == other)


@given(parts=st.lists(st.binary(max_size=40).map(base64url) | st.text(max_size=10), max_size=5))
def test_what_is_no_token_is_refused_as_one(parts: list[str]) -> None:
    with pytest.raises(CredentialRefused):
        verify(read_token(".".join(parts)), ANY, KeySet(), NOW)


@given(text=st.text(alphabet='URIBySubject=spiffe://a;,"\\', max_size=60))
@example(text='By="";URI=spiffe://a/b')
def test_what_a_proxy_forwards_is_a_spiffe_id_or_refused(text: str) -> None:
    try:
        identity = identity_of_forwarded(text)
    except CredentialRefused:
        return
    assert is_spiffe_id(identity.name)


@given(data=st.binary(max_size=200) | JSON.map(lambda value: repr(value).encode(errors="replace")))
def test_bytes_of_any_kind_are_no_keys_and_no_tokens(data: bytes) -> None:
    with pytest.raises(KeysRefused):
        parse_keys(data, frozenset(ALGORITHMS))
    try:
        assert len(parse_tokens(data, b"k")) == 0
    except TokensRefused:
        return


@given(pem=st.binary(max_size=200), spiffe_id=st.binary(max_size=60))
def test_bytes_of_any_kind_are_no_certificate(pem: bytes, spiffe_id: bytes) -> None:
    with pytest.raises(CredentialRefused):
        identity_of_certificate(pem, spiffe_id, NOW)


@given(header=st.text(max_size=60))
def test_a_bearer_is_printable_or_refused(header: str) -> None:
    try:
        token = bearer_of([header])
    except CredentialRefused:
        return
    assert token
    assert token.isascii()
    assert token.isprintable()


@given(claims=st.dictionaries(st.text(max_size=8), JSON, max_size=5))
def test_claims_are_texts_whatever_they_were(claims: dict[str, object]) -> None:
    for value in flatten(claims).values():
        assert isinstance(value, str) or all(isinstance(each, str) for each in value)
