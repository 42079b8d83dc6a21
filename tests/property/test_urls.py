"""References in an index, whatever they are: a URL that is fetched, or refused; never an exception of another kind."""

from hypothesis import example, given
from hypothesis import strategies as st

from skillsvc.content.urls import References, UrlRefused, origin_of, parse_url, resolve

BASE = "https://host.example/skills/index.json?token=s3cret"
pieces = st.sampled_from(
    [
        *("http", "https", "ftp", ":", "/", "//", "\\", "@", "?", "#", "[", "]", "%", "%00", "%2e%2e", "..", "."),
        *(
            "::1",
            "127.0.0.1",
            "0x7f.1",
            "host.example",
            "xn--",
            "ä.example",
            "\u2f00",
            "\u3002",
            ":0",
            ":65536",
            "a" * 70,
        ),
        *("\x00", "\n", "\t", " ", "\ud800", "\u202e", "ann:s3cret"),
    ]
)


@given(st.lists(pieces | st.text(max_size=3), max_size=8).map("".join))
def test_a_reference_is_resolved_or_refused(reference: str) -> None:
    try:
        url = resolve(BASE, reference)
    except UrlRefused:
        return
    parsed = parse_url(url)
    origin = origin_of(parsed)
    assert origin.scheme in {"http", "https"}
    assert origin.host.isascii()
    assert 0 < origin.port <= 65535
    assert not parsed.userinfo
    assert resolve(url, url) == url


_PIECES = (
    "a",
    "Z",
    "0",
    "-",
    "_",
    "~",
    ".",
    "..",
    "/",
    "//",
    ":",
    "?",
    "#",
    "%2e",
    "@",
    "\\",
    "é",
    "\n",
    "host.example",
)
_PATHS = st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)


@given(
    st.sampled_from([BASE, "https://host.example", "https://host.example/x/?a=/b#/c", "http://[::1]:81/a%20b/é/x"]),
    st.sampled_from(["", "https://host.example", "https://host.example/", "HTTPS://host.example/", "http://[::1]:81/"]),
    _PATHS,
)
@example("https://host.example/x", "https://host.example", "evil/x")
def test_a_plain_reference_means_without_parsing_what_it_means_parsed(base: str, before: str, path: str) -> None:
    references = References(base)
    url = references.plain(before + path)
    assert url is None or url == references.resolve(before + path)
