import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.skill import Bundle, Skill, make_bundle
from skillsvc.store.encoding import (
    decode_bundle,
    decode_diagnostics,
    decode_instant,
    decode_place,
    encode_bundle,
    encode_diagnostics,
    encode_instant,
    encode_place,
)
from tests.contract.layer_log_values import BUNDLES, DIAGNOSTICS, ESCAPED_TEXTS


@given(bundle=BUNDLES)
def test_any_bundle_is_read_as_it_was_written(bundle: Bundle) -> None:
    encoded = encode_bundle(bundle)
    assert decode_bundle(encoded) == bundle
    assert encode_bundle(decode_bundle(encoded)) == encoded


@given(diagnostics=DIAGNOSTICS)
def test_any_diagnostics_are_read_as_they_were_written(diagnostics: tuple[Diagnostic, ...]) -> None:
    assert decode_diagnostics(encode_diagnostics(diagnostics)) == diagnostics


@given(place=ESCAPED_TEXTS)
def test_any_place_is_read_as_it_was_written(place: str) -> None:
    assert decode_place(encode_place(place)) == place


def test_what_is_at_its_default_takes_no_room() -> None:
    skill = Skill(name="a", description="", description_bytes=0)
    assert json.loads(encode_bundle(make_bundle(skill, document=None, body=None, assets=()))) == {
        "skill": {"name": "a", "description": "", "description_bytes": 0}
    }


@given(content=st.binary())
def test_other_bytes_are_no_bundle(content: bytes) -> None:
    with pytest.raises(ValueError, match="not an encoded bundle"):
        decode_bundle(content)


@pytest.mark.parametrize(
    "content",
    [
        b"null",
        b"[]",
        b"{}",
        b'{"skill": null}',
        b'{"skill": {"name": "a", "description": ""}}',
        b'{"skill": {"name": 1, "description": "", "description_bytes": 0}}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": 0, "version": 1}}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": -1}}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": 0}, "assets": [[]]}',
        b'{"skill": {"name": "a", "description": "", "description_bytes": 0, "network": [9, [], ""]}}',
        b"[" * 100_000,
    ],
)
def test_json_of_another_shape_is_no_bundle(content: bytes) -> None:
    with pytest.raises(ValueError, match="not an encoded bundle"):
        decode_bundle(content)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"1", b"[1]", b"[[1]]", b'[[9, "shadowed", "", "", ""]]', b'[[1, "x", "", "", ""]]', b"[" * 100_000],
)
def test_json_of_another_shape_is_no_diagnostics(content: bytes) -> None:
    with pytest.raises(ValueError, match="not encoded diagnostics"):
        decode_diagnostics(content)


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
