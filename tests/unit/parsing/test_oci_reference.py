"""References as operators write them."""

import pytest

from skillsvc.parsing.oci_reference import Reference, ReferenceRefused, parse_reference

DIGEST = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("text", "registry", "repository", "wanted"),
    [
        ("ghcr.io/acme/skills/review:1.0", "ghcr.io", "acme/skills/review", "1.0"),
        ("localhost:5000/a:latest", "localhost:5000", "a", "latest"),
        (f"REG.example/a@sha256:{DIGEST}", "reg.example", "a", f"sha256:{DIGEST}"),
        (f"reg.example/a:1@sha256:{DIGEST}", "reg.example", "a", f"sha256:{DIGEST}"),
        ("[::1]:5000/a/b:_x", "[::1]:5000", "a/b", "_x"),
        ("127.0.0.1/a__b.c---d:1", "127.0.0.1", "a__b.c---d", "1"),
        (f"r.example/{'a' * 255}:1", "r.example", "a" * 255, "1"),
        (f"r.example/a:{'t' * 128}", "r.example", "a", "t" * 128),
        ("r.example:65535/a:1", "r.example:65535", "a", "1"),
    ],
)
def test_a_reference_is_read(text: str, registry: str, repository: str, wanted: str) -> None:
    found = parse_reference(text)
    assert (found.registry, found.repository, found.wanted) == (registry, repository, wanted)


def test_a_digest_says_more_than_a_tag() -> None:
    assert parse_reference(f"r.example:80/a:1@sha256:{DIGEST}") == Reference(
        host="r.example", port=80, repository="a", tag="1", digest=DIGEST
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a:1",
        "r.example/a",
        "r.example/a:",
        "r.example/a@",
        "/a:1",
        "r.example/:1",
        "r.example/A:1",
        "r.example/a/:1",
        "r.example/a//b:1",
        "r.example/../a:1",
        "r.example/a..b:1",
        "r.example/a?x=y:1",
        "r.example/a:1/../../x",
        "r.example/a:-1",
        "r.example/a:1\n",
        "r.example/a: 1",
        f"r.example/a:{'t' * 129}",
        f"r.example/{'a' * 256}:1",
        f"r.example/a@sha256:{DIGEST[:-1]}",
        f"r.example/a@sha256:{DIGEST.upper()}",
        f"r.example/a@sha512:{DIGEST}{DIGEST}",
        "user:secret@r.example/a:1",
        "https://r.example/a:1",
        "r.example:0/a:1",
        "r.example:65536/a:1",
        "r.example:x/a:1",
        "-r.example/a:1",
        "r.example-/a:1",
        "r\u0660.example/a:1",
        "[r]/a:1",
    ],
)
def test_what_names_no_one_artifact_is_refused(text: str) -> None:
    with pytest.raises(ReferenceRefused):
        parse_reference(text)
