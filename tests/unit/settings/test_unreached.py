"""Access rules that nobody reaches: which are warned of, and where."""

from pathlib import Path

import pytest

from skillsvc.settings.examining import examine
from skillsvc.settings.settings import make_settings
from skillsvc.settings.settling import settings_of
from skillsvc.settings.sought import seek
from skillsvc.settings.toml_file import TomlFile
from skillsvc.settings.unreached import COMPARED, unreached

TLS = {"cert_file": "c", "key_file": "k", "client_ca_file": "a", "client": "required"}
ISSUERS = [
    {"name": name, "issuer": f"https://{name}.example.org", "audiences": ["a"], "jwks_file": "keys"}
    for name in ("corp", "other")
]
TOKENS = frozenset({"acme", "beta"})


def told(*rules: dict[str, object]) -> list[tuple[str | int, ...]]:
    named = [{"name": f"r{index}", **rule} for index, rule in enumerate(rules)]
    identity = {"certificates": True, "issuer": ISSUERS, "tokens": {"file": "tokens"}}
    access = make_settings({"tls": TLS, "identity": identity, "access": named}).access
    return [place for _sentence, place in unreached(access, TOKENS)]


def rule(kind: str, names: object = None, **said: object) -> dict[str, object]:
    issuer = {"issuer": "corp"} if kind == "oidc" else {}
    return {"kind": kind, **issuer, **({} if names is None else {"names": names}), **said}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("spiffe", "spiffe://example.org/agents/x"),
        ("spiffe", "spiffe://example.org/ns/*/sa/agent"),
        ("spiffe", "spiffe://**"),
        ("spiffe", "**/agent"),
        ("spiffe", "*"),
        ("spiffe", "s*//example.org/a"),
        ("cert", "CN=plain,O=Acme"),
        ("cert", "1.2.840.113549.1.9.1=a@example.org,CN=x"),
        ("cert", "*"),
        ("token", "acme"),
        ("token", "a*"),
        ("token", "*"),
        ("oidc", "alice"),
        ("oidc", "00000000-0000-*"),
    ],
)
def test_what_somebody_may_be_is_not_told(kind: str, name: str) -> None:
    assert told(rule(kind, name)) == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("spiffe", "^spiffe://.*$"),
        ("spiffe", "spiffe://example.org/.*$"),
        ("spiffe", "spiffe://example.org"),
        ("spiffe", "example.org/*"),
        ("spiffe", "*/agent"),
        ("spiffe", "spiffe://Example.org/a"),
        ("cert", "/O=Acme/CN=plain"),
        ("cert", "CN=plain, O=Acme"),
        ("cert", r"CN=a\2Cb"),
        ("token", "betta"),
        ("token", "c*"),
        ("oidc", "^alice"),
        ("oidc", "alice$"),
    ],
)
def test_what_nobody_can_be_is_told(kind: str, name: str) -> None:
    assert told(rule(kind, ["*", name])) == [(0, "names", 1)]


def test_patterns_of_claims_and_projects_are_no_regular_expressions_either() -> None:
    said = rule("oidc", claims={"org": ["acme", "^acme$"]}, projects=["^web"])
    assert told(said) == [(0, "claims", "org", 1), (0, "projects", 0)]


ACME = {"claims": {"org": "acme"}}


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (rule("token"), rule("token", "acme")),
        (rule("token", "*"), rule("token")),
        (rule("token", ["acme", "beta"]), rule("token", "beta")),
        (rule("spiffe", "spiffe://a/*"), rule("spiffe", "spiffe://a/x")),
        (rule("spiffe", "spiffe://a/*"), rule("spiffe", "spiffe://a/*")),
        (rule("oidc"), rule("oidc", "alice", **ACME)),
        (rule("oidc", **ACME), rule("oidc", "alice", **ACME)),
        (rule("oidc", claims={"org": ["acme", "beta"]}), rule("oidc", claims={"org": "beta", "team": "x"})),
        (rule("oidc", claims={"org": "*"}), rule("oidc", **ACME)),
    ],
)
def test_a_rule_behind_one_that_is_for_all_of_its_own_is_told(
    earlier: dict[str, object], later: dict[str, object]
) -> None:
    assert told(earlier, rule("cert"), later) == [(2,)]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (rule("token", "acme"), rule("token")),
        (rule("token", "acme"), rule("token", ["acme", "beta"])),
        (rule("spiffe", "spiffe://a/x"), rule("spiffe", "spiffe://a/*")),
        (rule("spiffe", "spiffe://a/*"), rule("spiffe", "spiffe://a/*/b")),
        (rule("oidc"), rule("oidc", issuer="other")),
        (rule("oidc", **ACME), rule("oidc")),
        (rule("oidc", **ACME), rule("oidc", claims={"org": ["acme", "beta"]})),
        (rule("oidc", **ACME), rule("oidc", claims={"team": "acme"})),
    ],
)
def test_a_rule_that_somebody_reaches_is_not(earlier: dict[str, object], later: dict[str, object]) -> None:
    assert told(earlier, later) == []


def test_so_many_rules_are_compared_and_no_more() -> None:
    rules = [rule("oidc", f"s{index}") for index in range(COMPARED)]
    assert told(*rules, rule("oidc", "s0")) == []
    assert told(*rules[:-1], rule("oidc", "s0")) == [(COMPARED - 1,)]


def test_it_is_a_warning_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("""\
[identity.tokens]
file = "tokens"
[[access]]
name = "all"
kind = "token"
names = [
  "acme",
  "betta",
]
""")
    (tmp_path / "tokens").write_text(f"acme {'0' * 64}\n")
    (tmp_path / "tokens").chmod(0o600)
    file = TomlFile.read(path)
    settings = settings_of(file)
    remarks = [each for each in examine(settings, seek(settings, {}), {}) if each.place[0] == "access"]
    assert [(file.line_of(each.place), each.is_mistake) for each in remarks] == [(8, False)]
    (tmp_path / "tokens").unlink()
    assert not [each for each in examine(settings, seek(settings, {}), {}) if each.place[0] == "access"]
