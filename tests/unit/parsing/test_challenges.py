"""How servers ask who asks, and the tokens they give."""

import pytest

from skillsvc.parsing.challenges import IssuedToken, TokenRefused, parse_challenges, parse_token


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", []),
        ("Basic", [("basic", {})]),
        ('Basic realm="Registry Realm"', [("basic", {"realm": "Registry Realm"})]),
        (
            'Bearer realm="https://auth.example/token",service="reg",scope="repository:a:pull"',
            [("bearer", {"realm": "https://auth.example/token", "service": "reg", "scope": "repository:a:pull"})],
        ),
        ("BEARER  Realm = x , service=y", [("bearer", {"realm": "x", "service": "y"})]),
        ('Basic realm="a, b", Bearer realm="c"', [("basic", {"realm": "a, b"}), ("bearer", {"realm": "c"})]),
        ("Negotiate, Basic realm=x", [("negotiate", {}), ("basic", {"realm": "x"})]),
        ('Bearer realm="a\\"b\\\\c"', [("bearer", {"realm": 'a"b\\c'})]),
        ("Bearer realm=a, realm=b", [("bearer", {"realm": "a"})]),
        (", ,Basic realm=x,", [("basic", {"realm": "x"})]),
        ("Negotiate abc==, Bearer realm=x", [("negotiate", {})]),
        ('Bearer realm="open', [("bearer", {})]),
        ("Bearer realm=x y=z", [("bearer", {})]),
        ('"Bearer" realm=x', []),
        ("=", []),
        ("Bearer realm=" + "x" * 9000, []),
    ],
)
def test_a_header_is_read_as_far_as_it_is_well_formed(header: str, expected: list[tuple[str, dict[str, str]]]) -> None:
    assert [(each.scheme, dict(each.parameters)) for each in parse_challenges(header)] == expected


@pytest.mark.parametrize(
    ("data", "token", "lasts_s"),
    [
        (b'{"token": "abc"}', "abc", 60),
        (b'{"access_token": "abc"}', "abc", 60),
        (b'{"token": "abc", "access_token": "def", "expires_in": 300}', "abc", 300),
        (b'{"token": "", "access_token": "def"}', "def", 60),
        (b'{"token": "abc", "expires_in": -5}', "abc", 0),
        (b'{"token": "abc", "expires_in": 99999999}', "abc", 86_400),
        (b'{"token": "abc", "expires_in": ' + b"9" * 400 + b"}", "abc", 86_400),
        (b'{"token": "abc", "expires_in": true}', "abc", 60),
        (b'{"token": "abc", "expires_in": "300"}', "abc", 60),
        (b'{"token": "abc", "expires_in": NaN}', "abc", 60),
    ],
)
def test_a_token_is_read_with_how_long_it_holds(data: bytes, token: str, lasts_s: float) -> None:
    assert parse_token(data) == IssuedToken(token=token, lasts_s=lasts_s)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        b"[" * 100_000,
        b"[]",
        b"{}",
        b'{"token": 7}',
        b'{"access_token": ""}',
        b'{"token": "a b"}',
        b'{"token": "a\\r\\nX: y"}',
        b'{"token": "\\u00e9"}',
    ],
    ids=range(10),
)
def test_what_could_not_be_sent_is_no_token(data: bytes) -> None:
    with pytest.raises(TokenRefused):
        parse_token(data)
