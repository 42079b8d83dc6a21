"""The canonical encoding, against bytes written out by hand from rules.md 5."""

import hashlib

import pytest

from skillsvc.domain import canonical


@pytest.mark.parametrize(
    ("encoded", "expected"),
    [
        (canonical.encode_bytes(b""), b"\0\0\0\0\0\0\0\0"),
        (canonical.encode_bytes(b"\0\xff"), b"\0\0\0\0\0\0\0\x02\0\xff"),
        (canonical.encode_text(""), b"\0\0\0\0\0\0\0\0"),
        (canonical.encode_text("a"), b"\0\0\0\0\0\0\0\x01a"),
        (canonical.encode_text("é世😀"), b"\0\0\0\0\0\0\0\x09\xc3\xa9\xe4\xb8\x96\xf0\x9f\x98\x80"),
        (canonical.encode_text("a" * 256)[:9], b"\0\0\0\0\0\0\x01\0a"),
        (canonical.encode_integer(0), b"\0\0\0\0\0\0\0\0"),
        (canonical.encode_integer(1), b"\0\0\0\0\0\0\0\x01"),
        (canonical.encode_integer(0x0102030405060708), b"\1\2\3\4\5\6\7\x08"),
        (canonical.encode_integer(2**64 - 1), b"\xff" * 8),
        (canonical.encode_boolean(False), b"\x00"),  # noqa: FBT003 - the value that is encoded
        (canonical.encode_boolean(True), b"\x01"),  # noqa: FBT003 - the value that is encoded
        (canonical.encode_texts(()), b"\0\0\0\0\0\0\0\0"),
        (canonical.encode_texts(("b", "a")), b"\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x01b\0\0\0\0\0\0\0\x01a"),
        (canonical.encode_pairs(()), b"\0\0\0\0\0\0\0\0"),
        (
            canonical.encode_pairs((("b", "1"), ("a", ""))),
            b"\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x01a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01b\0\0\0\0\0\0\0\x011",
        ),
    ],
)
def test_values_are_encoded_as_the_rule_says(encoded: bytes, expected: bytes) -> None:
    assert encoded == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", canonical.encode_text("")),
        ("é", canonical.encode_text("é")),
        (0, canonical.encode_integer(0)),
        (1, canonical.encode_integer(1)),
        (True, canonical.encode_boolean(True)),  # noqa: FBT003 - the value that is encoded
        (False, canonical.encode_boolean(False)),  # noqa: FBT003 - the value that is encoded
        ((), canonical.encode_texts(())),
        (["b", ""], canonical.encode_texts(["b", ""])),
    ],
)
def test_a_value_is_encoded_by_its_type(value: canonical.Value, expected: bytes) -> None:
    assert canonical.encode(value) == expected
    assert canonical.encode("a", value, 2) == canonical.encode_text("a") + expected + canonical.encode_integer(2)


def test_pairs_are_sorted_by_the_bytes_of_their_keys() -> None:
    keys = ["\uffff", "\U00010000", "é", "z", "Z", "aa", "a"]
    encoded = canonical.encode_pairs((key, "") for key in keys)
    by_bytes = [b"Z", b"a", b"aa", b"z", b"\xc3\xa9", b"\xef\xbf\xbf", b"\xf0\x90\x80\x80"]
    assert encoded == b"\0\0\0\0\0\0\0\x07" + b"".join(
        len(key).to_bytes(8, "big") + key + b"\0\0\0\0\0\0\0\0" for key in by_bytes
    )


@pytest.mark.parametrize("number", [-1, 2**64])
def test_a_number_beyond_8_bytes_has_no_encoding(number: int) -> None:
    with pytest.raises(OverflowError):
        canonical.encode_integer(number)


def test_a_digest_begins_with_its_domain_and_goes_on_with_the_parts() -> None:
    assert canonical.digest_of("d", b"one", b"two") == hashlib.sha256(b"\0\0\0\0\0\0\0\x01donetwo").hexdigest()
    assert canonical.digest_of("d") != canonical.digest_of("e")
