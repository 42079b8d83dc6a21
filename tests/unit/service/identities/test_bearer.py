"""Bearer tokens: one header, one scheme, a bounded size."""

import pytest

from skillsvc.service.identities.bearer import MAX_BYTES, bearer_of
from skillsvc.service.identities.credentials import CredentialRefused


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer abc", "abc"),
        ("BEARER a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="),
        ("Bearer " + "a" * (MAX_BYTES - 7), "a" * (MAX_BYTES - 7)),
    ],
)
def test_the_token_is_what_follows_the_scheme(header: str, token: str) -> None:
    assert bearer_of([header]) == token


@pytest.mark.parametrize(
    "headers",
    [
        [],
        ["Bearer a", "Bearer a"],
        ["Bearer a", "Bearer b"],
        [b"Bearer a"],
        [""],
        ["Bearer"],
        ["Bearer "],
        ["Bearer  a"],
        [" Bearer a"],
        ["Bearer a "],
        ["Bearer a\n"],
        ["Bearer a b"],
        ["Bearer a, Bearer b"],
        ["Bearer a=b"],
        ["Bearer é"],
        ["Basic YTpi"],
        ["a"],
        ["Bearer " + "a" * (MAX_BYTES - 6)],
    ],
)
def test_anything_else_is_refused(headers: list[str | bytes]) -> None:
    with pytest.raises(CredentialRefused):
        bearer_of(headers)
