"""What no token can be made of. What they promise is in tests/property/test_tokens.py."""

from datetime import UTC, datetime

import pytest

from skillsvc.domain.generation import make_generation
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.tokens import KEY_BYTES, MAX_LAYERS, TokenKeys

LOCAL = Partition(principal="local", project="")
LAYER = make_generation(
    partition=DEPLOYMENT, log_id=b"l" * 16, sequence=1, published_at=datetime(2026, 1, 1, tzinfo=UTC), rows=()
)


@pytest.mark.parametrize("keys", [(), (b"",), (b"k" * (KEY_BYTES - 1),), (b"k" * KEY_BYTES, b"short")])
def test_a_ring_without_keys_or_with_a_short_one_is_refused(keys: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        TokenKeys(keys)


@pytest.mark.parametrize("count", [0, MAX_LAYERS + 1])
def test_a_token_of_no_layer_or_of_too_many_is_not_made(count: int) -> None:
    with pytest.raises(ValueError, match="1 to 5 layers"):
        TokenKeys((b"k" * KEY_BYTES,)).sign_generation([LAYER] * count, LOCAL)
