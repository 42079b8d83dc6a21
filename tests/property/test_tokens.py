"""Tokens: what one process signs any other reads, and nobody else makes, changes or carries elsewhere."""

import string
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.domain.tokens import MAX_LAYERS, LayerState, PagePosition, TokenKeys

pytestmark = pytest.mark.property

ALPHABET = string.ascii_letters + string.digits + "-_"
KEYS = TokenKeys((b"k" * 32,))
ALICE = Partition(principal="token:alice", project="")

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=20)
callers = st.builds(Partition, principal=texts, project=texts)
keys = st.lists(st.binary(min_size=32, max_size=64), min_size=1, max_size=4, unique=True).map(
    lambda ring: TokenKeys(tuple(ring))
)
generations = st.lists(
    st.builds(
        Generation,
        partition=callers,
        layer_id=st.binary(min_size=8, max_size=8),
        log_id=st.binary(min_size=16, max_size=16),
        sequence=st.integers(min_value=0, max_value=2**64 - 1),
        digest=st.binary(min_size=32, max_size=32).map(bytes.hex),
        published_at=st.just(datetime(2026, 1, 1, tzinfo=UTC)),
        rows=st.just(()),
        listed=st.just(()),
        names=st.just(()),
    ),
    min_size=1,
    max_size=MAX_LAYERS,
).map(tuple)
positions = st.builds(
    PagePosition,
    generation_token=st.text(ALPHABET, max_size=512),
    request_hash=st.binary(max_size=32),
    last_name=texts,
)

Sign = Callable[[TokenKeys, Partition], str]
Read = Callable[[TokenKeys, str, Partition], object]


def read_generation(ring: TokenKeys, token: str, caller: Partition) -> object:
    return ring.read_generation(token, caller)


def read_page(ring: TokenKeys, token: str, caller: Partition) -> object:
    return ring.read_page(token, caller)


signed = st.one_of(
    generations.map(lambda layers: (lambda ring, caller: ring.sign_generation(layers, caller), read_generation)),
    positions.map(lambda position: (lambda ring, caller: ring.sign_page(position, caller), read_page)),
)
"""How a token of either kind is signed and read."""


def refused(read: Read, ring: TokenKeys, token: str, caller: Partition) -> bool:
    expected = ErrorReason.TOKEN_MALFORMED if read is read_generation else ErrorReason.PAGE_TOKEN_MALFORMED
    try:
        read(ring, token, caller)
    except InvalidInput as error:
        return error.reason is expected
    return False


def raw_of(token: str) -> bytes:
    return urlsafe_b64decode(token + "=" * (-len(token) % 4))


def text_of(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


@given(generations, callers, keys)
def test_a_generation_token_says_what_was_signed(
    layers: tuple[Generation, ...], caller: Partition, ring: TokenKeys
) -> None:
    assert ring.read_generation(ring.sign_generation(layers, caller), caller) == tuple(
        LayerState(layer_id=each.layer_id, log_id=each.log_id, sequence=each.sequence, digest=each.digest)
        for each in layers
    )


@given(positions, callers, keys)
def test_a_page_token_says_what_was_signed(position: PagePosition, caller: Partition, ring: TokenKeys) -> None:
    assert ring.read_page(ring.sign_page(position, caller), caller) == position


@given(generations, callers)
def test_a_generation_token_has_at_most_512_characters_of_base64url(
    layers: tuple[Generation, ...], caller: Partition
) -> None:
    token = KEYS.sign_generation(layers, caller)
    assert len(token) <= 512
    assert set(token) <= set(ALPHABET)


@given(generations, st.binary(min_size=32, max_size=32), st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True))
def test_a_page_token_fits_a_request(layers: tuple[Generation, ...], request_hash: bytes, name: str) -> None:
    position = PagePosition(
        generation_token=KEYS.sign_generation(layers, ALICE), request_hash=request_hash, last_name=name
    )
    assert len(KEYS.sign_page(position, ALICE)) <= 2048


@given(signed, callers, keys)
def test_a_token_is_the_same_whoever_signs_it_and_however_often(
    kind: tuple[Sign, Read], caller: Partition, ring: TokenKeys
) -> None:
    sign, _read = kind
    assert sign(ring, caller) == sign(TokenKeys(ring.keys), caller)


@given(signed, callers, callers)
def test_a_token_cannot_be_carried_to_another_caller(
    kind: tuple[Sign, Read], caller: Partition, other: Partition
) -> None:
    sign, read = kind
    assert refused(read, KEYS, sign(KEYS, caller), other) == (other != caller)


@given(signed, st.text("ab", max_size=4), st.integers(min_value=0, max_value=4))
def test_principal_and_project_do_not_run_into_each_other(kind: tuple[Sign, Read], text: str, at: int) -> None:
    sign, read = kind
    caller = Partition(principal=text, project="")
    other = Partition(principal=text[:at], project=text[at:])
    assert refused(read, KEYS, sign(KEYS, caller), other) == (other != caller)


@given(signed, keys, keys)
def test_a_token_is_read_by_whoever_has_its_key_and_by_nobody_else(
    kind: tuple[Sign, Read], ring: TokenKeys, other: TokenKeys
) -> None:
    sign, read = kind
    assert refused(read, other, sign(ring, ALICE), ALICE) == (ring.keys[0] not in other.keys)


@given(signed, keys, st.binary(min_size=32, max_size=32))
def test_after_a_rotation_the_new_key_signs_and_the_old_ones_verify(
    kind: tuple[Sign, Read], ring: TokenKeys, new: bytes
) -> None:
    sign, read = kind
    rotated = TokenKeys((new, *ring.keys))
    assert not refused(read, rotated, sign(ring, ALICE), ALICE)
    assert sign(rotated, ALICE) == sign(TokenKeys((new,)), ALICE)


@given(signed, st.data())
def test_a_token_with_a_bit_flipped_is_refused(kind: tuple[Sign, Read], data: st.DataObject) -> None:
    sign, read = kind
    raw = bytearray(raw_of(sign(KEYS, ALICE)))
    bit = data.draw(st.integers(min_value=0, max_value=len(raw) * 8 - 1))
    raw[bit // 8] ^= 1 << bit % 8
    assert refused(read, KEYS, text_of(bytes(raw)), ALICE)


@given(signed, st.data())
def test_a_token_cut_short_is_refused(kind: tuple[Sign, Read], data: st.DataObject) -> None:
    sign, read = kind
    token = sign(KEYS, ALICE)
    assert refused(read, KEYS, token[: data.draw(st.integers(min_value=0, max_value=len(token) - 1))], ALICE)
    raw = raw_of(token)
    assert refused(read, KEYS, text_of(raw[: data.draw(st.integers(min_value=0, max_value=len(raw) - 1))]), ALICE)


@given(signed, st.sampled_from([*ALPHABET, "=", " ", "\n", "+", "/", "\0", "é", "\ud800"]), st.data())
def test_a_token_with_a_character_more_is_refused(kind: tuple[Sign, Read], more: str, data: st.DataObject) -> None:
    sign, read = kind
    token = sign(KEYS, ALICE)
    at = data.draw(st.integers(min_value=0, max_value=len(token)))
    assert refused(read, KEYS, token[:at] + more + token[at:], ALICE)


@given(signed)
def test_a_state_has_one_token_only_so_that_the_unused_bits_of_its_last_character_are_zero(
    kind: tuple[Sign, Read],
) -> None:
    sign, read = kind
    token = sign(KEYS, ALICE)
    twins = [token[:-1] + last for last in ALPHABET if last != token[-1] and raw_of(token[:-1] + last) == raw_of(token)]
    assert len(twins) == {0: 0, 2: 15, 3: 3}[len(token) % 4]
    assert all(refused(read, KEYS, twin, ALICE) for twin in twins)


@given(st.one_of(texts, st.text(), st.text(ALPHABET), st.binary(max_size=600).map(text_of)))
def test_no_other_text_is_a_token(text: str) -> None:
    assert refused(read_generation, KEYS, text, ALICE)
    assert refused(read_page, KEYS, text, ALICE)


@given(signed)
def test_a_token_of_one_kind_is_none_of_the_other(kind: tuple[Sign, Read]) -> None:
    sign, read = kind
    other = read_page if read is read_generation else read_generation
    assert refused(other, KEYS, sign(KEYS, ALICE), ALICE)
