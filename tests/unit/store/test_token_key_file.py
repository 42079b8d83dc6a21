import os
from pathlib import Path

import pytest

from skillsvc.domain.errors import ErrorReason, InvalidInput, Unavailable
from skillsvc.domain.tokens import TokenKeys
from skillsvc.store.token_key_file import MAX_BYTES, is_shared, make_token_key_file, read_token_key_file

ONE, OTHER, LONG = bytes(32), bytes(range(32)), bytes(range(64))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "keys"
    path.touch(mode=0o600)
    return path


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        (ONE.hex(), (ONE,)),
        (ONE.hex() + "\n", (ONE,)),
        (f"{OTHER.hex()}\n{ONE.hex()}\n", (OTHER, ONE)),
        (f"\n{OTHER.hex().upper()}\r\n\r\n  {LONG.hex()}  \n", (OTHER, LONG)),
    ],
)
def test_each_line_is_a_key_in_its_order(path: Path, content: str, keys: tuple[bytes, ...]) -> None:
    path.write_text(content)
    assert read_token_key_file(path) == TokenKeys(keys)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no key"),
        (b"\n \n", "no key"),
        (ONE.hex().encode()[:-2], "line 1 is no key"),
        (ONE.hex().encode()[:-1], "line 1 is no key"),
        (ONE.hex().encode() + b"\nsecret-" + b"g" * 64, "line 2 is no key"),
        (b"\xff" * 64, "line 1 is no key"),
        (b"\n" * (MAX_BYTES + 1), "more than"),
    ],
)
def test_other_content_is_refused_and_never_quoted(path: Path, content: bytes, fault: str) -> None:
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as refused:
        read_token_key_file(path)
    assert refused.value.reason is ErrorReason.ARGUMENT_MALFORMED
    assert fault in refused.value.message
    assert "secret" not in refused.value.message
    assert str(path) not in refused.value.message


@pytest.mark.parametrize("mode", [0o604, 0o620, 0o644, 0o610, 0o666])
def test_a_file_that_others_may_use_is_refused(path: Path, mode: int) -> None:
    path.write_text(ONE.hex())
    path.chmod(mode)
    with pytest.raises(InvalidInput) as refused:
        read_token_key_file(path)
    assert "chmod 600" in refused.value.message


@pytest.mark.parametrize(
    ("mode", "owner", "user", "shared"),
    [
        (0o600, 1000, 1000, False),
        (0o400, 1000, 1000, False),
        (0o440, 1000, 1000, True),
        (0o440, 0, 1000, False),
        (0o640, 0, 1000, False),
        (0o660, 0, 1000, True),
        (0o444, 0, 1000, True),
        (0o440, 0, 0, True),
        (0o400, 0, 0, False),
    ],
)
def test_the_group_may_read_a_mounted_secret_of_roots_alone(mode: int, owner: int, user: int, *, shared: bool) -> None:
    assert is_shared(mode, owner=owner, user=user) is shared


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo", 0o600)
    for path in (tmp_path / "fifo", tmp_path):
        with pytest.raises(InvalidInput) as refused:
            read_token_key_file(path)
        assert "no regular file" in refused.value.message


def test_a_missing_file_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as failed:
        read_token_key_file(tmp_path / "missing")
    assert failed.value.reason is ErrorReason.STORE_UNREACHABLE
    assert str(tmp_path) not in failed.value.message


def test_a_made_file_replaces_what_a_killed_server_left(tmp_path: Path) -> None:
    left = tmp_path / "token.key.new"
    left.write_text("half")
    left.chmod(0o666)
    make_token_key_file(tmp_path / "token.key", OTHER)
    assert not left.exists()
    assert (tmp_path / "token.key").stat().st_mode & 0o777 == 0o600
    assert read_token_key_file(tmp_path / "token.key") == TokenKeys((OTHER,))


def test_a_file_that_cannot_be_made_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as failed:
        make_token_key_file(tmp_path / "missing" / "token.key", ONE)
    assert failed.value.reason is ErrorReason.STORE_UNREACHABLE
    assert str(tmp_path) not in failed.value.message
