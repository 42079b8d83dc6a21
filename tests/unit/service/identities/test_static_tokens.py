"""Static tokens: known by their digests alone, found in a time that tells nothing."""

from hashlib import sha256

import pytest

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.static_tokens import MAX_BYTES, TokensRefused, line_of, parse_tokens

KEY = b"k" * 32
TOKEN = "t" * 32
OTHER = "o" * 43


def test_a_token_is_that_of_its_line() -> None:
    file = f"# tokens\n\n{line_of('ci', TOKEN)}\r\n  cd\t {sha256(OTHER.encode()).hexdigest()}  \n"
    tokens = parse_tokens(file.encode(), KEY)
    assert len(tokens) == 2
    assert tokens.identity_of(TOKEN) == Identity(kind=IdentityKind.TOKEN, name="ci")
    assert tokens.identity_of(OTHER) == Identity(kind=IdentityKind.TOKEN, name="cd")


def test_a_name_may_have_two_tokens_while_one_is_changed() -> None:
    tokens = parse_tokens(f"{line_of('ci', TOKEN)}\n{line_of('ci', OTHER)}".encode(), KEY)
    assert tokens.identity_of(TOKEN) == tokens.identity_of(OTHER)


@pytest.mark.parametrize(
    "token", ["", "x" * 43, TOKEN + " ", TOKEN.upper(), sha256(TOKEN.encode()).hexdigest(), "é" * 32]
)
def test_any_other_token_is_nobodys(token: str) -> None:
    assert parse_tokens(line_of("ci", TOKEN).encode(), KEY).identity_of(token) is None


def test_a_token_that_is_too_short_is_nobodys_even_where_its_digest_is_known() -> None:
    short = "s" * 31
    assert parse_tokens(line_of("ci", short).encode(), KEY).identity_of(short) is None


def test_a_file_without_tokens_lets_nobody_in() -> None:
    assert len(parse_tokens(b"# none\n", KEY)) == 0
    assert parse_tokens(b"", KEY).identity_of(TOKEN) is None


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("ci", 1),
        (TOKEN, 1),
        (f"ci {TOKEN}", 1),
        (f"\nci {'0' * 63}", 2),
        (f"ci {'0' * 65}", 1),
        (f"ci {'A' * 64}", 1),
        (f"ci {'0' * 64} x", 1),
        (f"CI {'0' * 64}", 1),
        (f"c:i {'0' * 64}", 1),
        (f"é {'0' * 64}", 1),
        (f"{'c' * 65} {'0' * 64}", 1),
        (f"ci {'0' * 64}\ncd {'0' * 64}", 2),
        (f"ci {'0' * 64}\nci {'0' * 64}", 2),
    ],
)
def test_a_line_that_is_no_token_or_that_of_another_refuses_the_file_unquoted(file: str, line: int) -> None:
    with pytest.raises(TokensRefused) as caught:
        parse_tokens(file.encode(), KEY)
    assert str(caught.value).startswith(f"line {line} is ")
    assert TOKEN not in str(caught.value)
    assert "0000" not in str(caught.value)


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(TokensRefused):
        parse_tokens(b"#" * (MAX_BYTES + 1), KEY)


def test_where_a_token_is_looked_for_nobody_can_know_who_lacks_the_key() -> None:
    line = line_of("ci", TOKEN).encode()
    one, other = parse_tokens(line, KEY), parse_tokens(line, b"x" * 32)
    assert set(one.names).isdisjoint(other.names)
    assert TOKEN not in repr(one)
    assert KEY.decode() not in repr(one)
