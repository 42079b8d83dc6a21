import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.skill import Found, Skill, make_bundle
from skillsvc.store.encoding import decode_found, decode_instant, encode_found, encode_instant
from tests.contract.layer_log_values import FOUND

SMALL = Found(
    bundle=make_bundle(Skill(name="a", description="", description_bytes=0), document=None, body=None, assets=()),
    place="",
)


@given(found=FOUND)
def test_any_bundle_is_read_as_it_was_written(found: Found) -> None:
    encoded = encode_found(found)
    assert decode_found(encoded) == found
    assert encode_found(decode_found(encoded)) == encoded


def test_what_is_at_its_default_takes_no_room() -> None:
    assert json.loads(encode_found(SMALL)) == {
        "digest": SMALL.bundle.digest,
        "skill": {"name": "a", "description": "", "description_bytes": 0},
    }


@given(content=st.binary())
def test_other_bytes_are_refused_as_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError, match="not an encoded bundle"):
        decode_found(content)


@pytest.mark.parametrize(
    "content",
    [
        b"null",
        b"[]",
        b"{}",
        b'{"skill": null, "digest": ""}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": 0}}',
        b'{"skill": {"name": 1, "description": "", "description_bytes": 0}, "digest": ""}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": -1}, "digest": ""}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": 0}, "digest": "", "assets": [[]]}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": 0}, "digest": "", "diagnostics": 1}',
        b"[" * 100_000,
    ],
)
def test_json_of_another_shape_is_refused_as_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError, match="not an encoded bundle"):
        decode_found(content)


def test_a_bundle_under_another_digest_is_refused() -> None:
    encoded = encode_found(SMALL).replace(b'"description":""', b'"description":"x"')
    with pytest.raises(ValueError, match="not the bundle of this digest"):
        decode_found(encoded)


@pytest.mark.parametrize(
    ("instant", "microseconds"),
    [
        (datetime(1970, 1, 1, tzinfo=UTC), 0),
        (datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), -1),
        (datetime(1970, 1, 2, 0, 0, 0, 1, tzinfo=UTC), 86_400_000_001),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), 0),
    ],
)
def test_an_instant_is_its_microseconds_since_1970(instant: datetime, microseconds: int) -> None:
    assert encode_instant(instant) == microseconds
    assert decode_instant(microseconds) == instant


@given(instant=st.datetimes(timezones=st.just(UTC)))
def test_every_instant_comes_back_to_the_microsecond(instant: datetime) -> None:
    assert decode_instant(encode_instant(instant)) == instant


def test_a_time_without_a_zone_is_no_instant() -> None:
    with pytest.raises(TypeError):
        encode_instant(datetime(2026, 1, 1))  # noqa: DTZ001 - what is refused
