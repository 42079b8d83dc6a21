"""Pointers of git LFS."""

import pytest

from skillsvc.content.lfs_pointer import LfsPointer, parse_pointer

DIGEST = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{DIGEST}\nsize 12345\n"


def test_a_pointer_tells_digest_and_size() -> None:
    assert parse_pointer(POINTER.encode()) == LfsPointer(digest=DIGEST, size=12345)


def test_a_pointer_may_have_extensions() -> None:
    first, _, rest = POINTER.partition("\n")
    assert parse_pointer(f"{first}\next-0-foo sha256:{'a' * 64}\n{rest}".encode()) == LfsPointer(DIGEST, 12345)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Some file.",
        POINTER.replace("version", "Version"),
        POINTER.replace("sha256", "sha512"),
        POINTER.replace(DIGEST, DIGEST[:-1]),
        POINTER.replace(DIGEST, DIGEST.upper()),
        POINTER.replace("size 12345", "size -1"),
        POINTER.replace("size 12345", "size " + "9" * 19),
        POINTER.replace("size 12345\n", ""),
        POINTER + "x" * 1024,
    ],
)
def test_what_is_no_pointer_is_a_file(text: str) -> None:
    assert parse_pointer(text.encode()) is None
