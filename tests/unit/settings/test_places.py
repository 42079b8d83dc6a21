"""Places of sources as a file names them: what is taken as it came, and what is refused without repeating it."""

from collections.abc import Callable

import pytest

from skillsvc.settings import places
from skillsvc.settings.refusal import Faults

TAKEN: list[tuple[Callable[[str], str], list[str]]] = [
    (
        places.web_url,
        [
            "https://example.org",
            "http://example.org/a/b?c=d&e",
            "https://example.org:8443/a",
            "https://127.0.0.1:1/",
            "https://[::1]:1/a",
            "HTTPS://Example.ORG/a",
        ],
    ),
    (
        places.git_url,
        [
            "https://example.org/a.git",
            "ssh://git@example.org/a.git",
            "ssh://git@example.org:2222/~/a.git",
            "git@example.org:team/a.git",
        ],
    ),
    (places.host, ["example.org", "localhost", "10.0.0.1", "::1", "[::1]", "a_b.example.org", "xn--e1afmkfd.example"]),
    (places.host_or_network, ["example.org", "10.0.0.1", "10.1.0.0/16", "10.1.2.3/16", "fd00::/8", "::1"]),
    (places.ref, ["main", "release/1.x", "v1.0", "a@b", "é", "a.b"]),
    (places.object_id, ["0" * 40, "a1" * 20]),
    (places.folder_within, ["a", "a/b c", ".hidden", "a/...", "é"]),
    (places.file_name, [".git", "a b", "..."]),
    (places.provider, ["wiki", "runtimes"]),
    (
        places.oci_reference,
        [
            "registry.example.org/a:latest",
            "registry.example.org:5000/a/b-c/d__e:v1.0",
            "localhost:5000/a@sha256:" + "a" * 64,
            "registry.example.org/a:tag@sha256:" + "0" * 64,
            "[::1]:5000/a:b",
        ],
    ),
]
REFUSED: list[tuple[Callable[[str], str], list[str]]] = [
    (
        places.web_url,
        [
            "",
            "example.org",
            "/etc/passwd",
            "file:///etc/passwd",
            "ftp://example.org",
            "https://",
            "https:///a",
            "https://example.org:x",
            "https://example.org:70000",
            "https://me:secret@example.org",
            "https://me@example.org",
            "https://:@example.org",
            "https://example.org/\n",
            "https://exa\tmple.org",
            "https://example.org\\@evil.example",
            "https://[::1",
            " https://example.org",
            "git@example.org:a",
        ],
    ),
    (
        places.git_url,
        [
            "",
            "a",
            "/srv/a.git",
            "./a",
            "file:///srv/a.git",
            "git://example.org/a",
            "ext::sh -c true",
            "https://me:secret@example.org/a",
            "https://me@example.org/a",
            "ssh://me:secret@example.org/a",
            "-oProxyCommand=x:a",
            "ssh://-oProxyCommand=x/a",
            "git@example.org:a b",
            "git@example.org:",
            "a@b@example.org:a",
        ],
    ),
    (places.host, ["", "a b", "https://a", "example.org:80", "a/b", "-a", "é", "*"]),
    (places.host_or_network, ["", "10.0.0.0/33", "example.org/8", "10.0.0.0/", "*"]),
    (
        places.ref,
        [
            "",
            "-a",
            "a..b",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "[a",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.",
            "@",
            "a@{1}",
            "a\x7f",
            "a\n",
        ],
    ),
    (places.object_id, ["", "a" * 64, "a" * 39, "a" * 41, "A" * 40, "g" * 40, "HEAD", "a" * 40 + "\n"]),
    (places.folder_within, ["", "/", "/a", "..", "a/.git", "a/../b", "./a", "a//b", "a\0b", "."]),
    (places.provider, ["runtime"]),
    (places.file_name, ["", ".", "..", "a/b", "a\0", "\n"]),
    (
        places.oci_reference,
        [
            "",
            "a",
            "a:tag",
            "registry.example.org/a",
            "https://registry.example.org/a:b",
            "registry.example.org/A:b",
            "registry.example.org/a:",
            "registry.example.org/a@sha256:ab",
            "registry.example.org/a@md5:" + "a" * 32,
            "registry.example.org/../a:b",
            "registry.example.org//a:b",
            "me:secret@registry.example.org/a:b",
            "registry.example.org/a:b\n",
            "registry.example.org/a:" + "b" * 129,
        ],
    ),
]


def id_of(each: Callable[[str], str] | str) -> str:
    return ascii(each)[:60] if isinstance(each, str) else each.__name__


@pytest.mark.parametrize(("parse", "text"), [(parse, text) for parse, texts in TAKEN for text in texts], ids=id_of)
def test_a_place_is_taken_as_it_came(parse: Callable[[str], str], text: str) -> None:
    assert parse(text) == text


@pytest.mark.parametrize(("parse", "text"), [(parse, text) for parse, texts in REFUSED for text in texts], ids=id_of)
def test_what_is_no_place_is_refused_and_not_repeated(parse: Callable[[str], str], text: str) -> None:
    with pytest.raises(Faults) as caught:
        parse(text)
    (fault,) = caught.value.faults
    assert "secret" not in fault.sentence.replace("secrets are named by", "")


def test_a_folder_loses_the_slash_at_its_end() -> None:
    assert places.folder_within("a/b/") == "a/b"


@pytest.mark.parametrize(
    ("url", "is_ssh"),
    [("ssh://git@example.org/a", True), ("git@example.org:a", True), ("https://example.org/a", False)],
)
def test_a_remote_is_reached_over_ssh_where_it_says_so(url: str, *, is_ssh: bool) -> None:
    assert places.is_ssh(url) == is_ssh
