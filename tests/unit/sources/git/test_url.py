"""Which URLs and refs of git are taken, and which are not."""

import pytest

from skillsvc.sources.git.url import Branch, Commit, GitUrl, GitUrlRefused, Tag, parse_git_url


@pytest.mark.parametrize(
    ("text", "scheme", "host", "username", "lfs"),
    [
        ("https://git.example/team/a.git", "https", "git.example", "", "https://git.example/team/a.git/info/lfs"),
        ("https://git.example:8443/a", "https", "git.example", "", "https://git.example:8443/a.git/info/lfs"),
        ("https://git.example/a/", "https", "git.example", "", "https://git.example/a.git/info/lfs"),
        ("https://[2001:db8::1]/a", "https", "2001:db8::1", "", "https://[2001:db8::1]/a.git/info/lfs"),
        ("ssh://git@git.example/team/a.git", "ssh", "git.example", "git", "https://git.example/team/a.git/info/lfs"),
        ("ssh://git@git.example:22022/~/a", "ssh", "git.example", "git", "https://git.example/~/a.git/info/lfs"),
        ("git@git.example:team/a.git", "ssh", "git.example", "git", "https://git.example/team/a.git/info/lfs"),
        ("me@git.example:/srv/a", "ssh", "git.example", "me", "https://git.example/srv/a.git/info/lfs"),
    ],
)
def test_a_url_tells_where_the_repository_is(text: str, scheme: str, host: str, username: str, lfs: str) -> None:
    url = parse_git_url(text)
    assert (url.text, url.scheme, url.host, url.username, url.lfs) == (text, scheme, host, username, lfs)


@pytest.mark.parametrize(
    ("text", "server", "port"),
    [
        ("https://git.example/a", "git.example", 443),
        ("http://git.example/a", "git.example", 80),
        ("https://git.example:8443/a", "git.example:8443", 8443),
        ("https://[2001:db8::1]:8443/a", "[2001:db8::1]:8443", 8443),
        ("ssh://git@git.example/a", "git.example", 22),
        ("ssh://git@git.example:22022/a", "git.example:22022", 22022),
        ("git@git.example:team/a.git", "git.example", 22),
    ],
)
def test_a_url_tells_which_server_is_asked_with_its_port_where_that_is_its_own(
    text: str, server: str, port: int
) -> None:
    url = parse_git_url(text, plain_http=True)
    assert (url.server, url.port) == (server, port)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/srv/a.git",
        "../a.git",
        "file:///srv/a.git",
        "git://git.example/a.git",
        "ftp://git.example/a.git",
        "ext::sh -c touch% /tmp/x",
        "ext::sh",
        "a@ext::sh",
        "git.example:a.git",
        "-oProxyCommand=x@git.example:a",
        "git@-oProxyCommand=x:a",
        "git@git.example:-upload-pack",
        "ssh://git.example/a.git",
        "ssh://-oProxyCommand=x@git.example/a",
        "ssh://git@-oProxyCommand=x/a",
        "ssh://git:secret@git.example/a.git",
        "https://me@git.example/a.git",
        "https://me:secret@git.example/a.git",
        "https://git.example/a.git?token=secret",
        "https://git.example/a.git#x",
        "https://git.example",
        "https://git.example/",
        "https:///a.git",
        "https://git.example:0/a.git",
        "https://git.example:99999/a.git",
        "https://[::1/a.git",
        "https://git.example/a b",
        "https://git.example/\n",
        "https://git.example/é",
        "https://git.example/" + "a" * 4096,
        "http://git.example/a.git",
    ],
)
def test_what_is_no_url_to_fetch_from_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(GitUrlRefused) as refused:
        parse_git_url(text)
    assert "secret" not in str(refused.value)


def test_http_is_taken_where_it_is_allowed() -> None:
    url = parse_git_url("http://git.example/a.git", plain_http=True)
    assert url == GitUrl(text="http://git.example/a.git", scheme="http", host="git.example", path="/a.git")


@pytest.mark.parametrize("name", ["main", "feature/x", "v1.0", "é", "a@b", "#1", "release-1_2"])
def test_a_name_of_a_branch_or_tag(name: str) -> None:
    assert Branch(name).name == Tag(name).name == name


@pytest.mark.parametrize(
    "name",
    [
        *("", "@", "-x", "/x", "x/", ".x", "x.", "a..b", "a//b", "a/.b", "a.lock", "a.lock/b", "a@{1}"),
        *("a b", "a:b", "a*", "a?", "a[", "a\\b", "a^", "a~1", "a\n", "a\x7f", "+a:b"),
    ],
)
def test_what_git_takes_for_no_name_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        Branch(name)
    with pytest.raises(ValueError, match="no name"):
        Tag(name)


@pytest.mark.parametrize("text", ["", "main", "abc123", "A" * 40, "a" * 41, "a" * 64, "a" * 40 + "\n"])
def test_a_commit_is_its_whole_id(text: str) -> None:
    assert Commit("a" * 40).object_id == "a" * 40
    with pytest.raises(ValueError, match="40"):
        Commit(text)
