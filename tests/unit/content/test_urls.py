"""URLs that are fetched, and what references mean."""

import pytest

from skillsvc.content.urls import Origin, UrlRefused, origin_of, parse_url, resolve


@pytest.mark.parametrize(
    "text",
    [
        "",
        "skills.json",
        "//host.example/x",
        "ftp://host.example/x",
        "file:///etc/passwd",
        "https://",
        "https:///x",
        "https://ann:s3cret@host.example/",
        "https://ann@host.example/",
        "https://host.example:99999/",
        "https://[::1/",
        "https://host.example/\n",
        "https://host.example/\ud800",
        "https://host.example/" + "x" * 9000,
        "https://\u2f00.example\\@x/",
    ],
)
def test_what_is_none_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(UrlRefused) as refused:
        parse_url(text)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "origin", "shown"),
    [
        ("https://Host.Example./x", Origin("https", "host.example", 443), "host.example"),
        ("http://host.example:80/x", Origin("http", "host.example", 80), "host.example"),
        ("http://host.example:8080/x", Origin("http", "host.example", 8080), "host.example:8080"),
        ("http://[::1]:8080/x", Origin("http", "::1", 8080), "[::1]:8080"),
        ("https://münchen.example/", Origin("https", "xn--mnchen-3ya.example", 443), "xn--mnchen-3ya.example"),
    ],
)
def test_an_origin_is_scheme_host_and_port(text: str, origin: Origin, shown: str) -> None:
    assert origin_of(parse_url(text)) == origin
    assert str(origin) == shown


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("SKILL.md", "https://host.example/skills/SKILL.md"),
        ("./a/b.md", "https://host.example/skills/a/b.md"),
        ("../../../x", "https://host.example/x"),
        ("/x", "https://host.example/x"),
        ("//else.example/x", "https://else.example/x"),
        ("http://else.example/x#y", "http://else.example/x"),
        ("x?y=z", "https://host.example/skills/x?y=z"),
    ],
)
def test_references_mean_what_they_mean_on_the_web(reference: str, url: str) -> None:
    assert resolve("https://host.example/skills/index.json?token=1", reference) == url


@pytest.mark.parametrize(
    "reference", ["javascript:alert(1)", "file:///etc/passwd", "https://ann:b@host.example/", "\ud800"]
)
def test_a_reference_to_what_is_not_fetched_is_refused(reference: str) -> None:
    with pytest.raises(UrlRefused):
        resolve("https://host.example/skills/index.json", reference)
