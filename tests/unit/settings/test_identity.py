"""Who may call, as a file says it: what can be said, and every mistake in the words of the file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from skillsvc.domain.access import Grant, Identity, IdentityKind, Refusal, Role
from skillsvc.domain.partition import Partition
from skillsvc.settings.examining import examine
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings, make_settings
from skillsvc.settings.settling import settings_of
from skillsvc.settings.showing import show
from skillsvc.settings.sought import seek
from skillsvc.settings.toml_file import TomlFile
from tests.unit.service.identities.making import ec_key, jwks
from tests.unit.settings.faults import faults_of

CORP = {"name": "corp", "issuer": "https://id.example.org", "audiences": ["skillsvc"], "jwks_file": "keys.json"}
TOKENS = {"file": "tokens"}
TLS = {"cert_file": "c", "key_file": "k", "client_ca_file": "a", "client": "required"}
RULE = {"name": "all", "kind": "oidc", "issuer": "corp"}
ROBOTS = {"name": "robots", "kind": "token"}


def tables(*rules: Mapping[str, object], issuer: object = (CORP,), **more: object) -> dict[str, object]:
    """Tables in which nothing is wrong but what is given."""
    issuers = list(issuer) if isinstance(issuer, tuple) else issuer
    return {"identity": {"issuer": issuers, "tokens": TOKENS}, "access": list(rules or (RULE,)), **more}


def test_nothing_said_is_everybody_local() -> None:
    settings = make_settings({})
    assert settings.is_local()
    assert settings.identity is None
    assert settings.make_access().rules == ()


def test_an_issuer_has_defaults_that_are_safe() -> None:
    settings = make_settings(tables())
    assert not settings.is_local()
    assert settings.identity is not None
    (issuer,) = settings.identity.issuer
    trusted = issuer.trusted()
    assert (trusted.label, trusted.issuer) == ("corp", "https://id.example.org")
    assert trusted.audiences == {"skillsvc"}
    assert trusted.algorithms == {"RS256", "PS256", "ES256", "ES384", "EdDSA"}
    assert trusted.leeway_s == 60.0


def test_a_rule_of_a_file_is_the_rule_that_judges() -> None:
    rule = {
        **RULE,
        "names": "a*",
        "claims": {"org": "acme", "groups": ["dev", "ops"]},
        "principal": "oidc:corp:{claims.org}",
        "partitions": [{"principal": "token:shared"}, {"principal": "token:shared", "project": "p"}],
        "projects": ["team-*"],
        "roles": ["reader", "publisher"],
        "allow": ["pdf", "xlsx"],
    }
    access = make_settings(tables(rule)).make_access()
    alice = Identity(
        kind=IdentityKind.OIDC, name="alice", issuer="corp", claims={"org": "acme", "groups": ("x", "ops")}
    )
    grant = access.judge(alice)
    assert isinstance(grant, Grant)
    assert (grant.principal, grant.rule, grant.roles) == (
        "oidc:corp:acme",
        "all",
        frozenset({Role.READER, Role.PUBLISHER}),
    )
    assert grant.partitions == (Partition("token:shared", ""), Partition("token:shared", "p"))
    assert (grant.may_name("team-a"), grant.may_name("a")) == (True, False)
    assert grant.allow == frozenset({"pdf", "xlsx"})
    bob = Identity(kind=IdentityKind.OIDC, name="bob", issuer="corp", claims=alice.claims)
    assert isinstance(access.judge(bob), Refusal)


def test_a_rule_alone_gives_the_right_to_read_and_nothing_else() -> None:
    grant = make_settings(tables(ROBOTS)).make_access().judge(Identity(kind=IdentityKind.TOKEN, name="ci"))
    assert isinstance(grant, Grant)
    assert (grant.roles, grant.allow, grant.partitions, grant.projects) == (frozenset({Role.READER}), None, (), ())


@pytest.mark.parametrize(
    "url", ["https://id.example.org/keys", "http://127.0.0.1:1/k", "http://localhost/k", "http://[::1]:1/k"]
)
def test_keys_may_come_over_tls_or_from_this_machine(url: str) -> None:
    corp = {**CORP, "jwks_file": None, "jwks_url": url}
    corp.pop("jwks_file")
    assert make_settings(tables(issuer=(corp,))).identity is not None


def issuer_with(**changed: object) -> dict[str, object]:
    """Tables whose issuer is changed; what is changed to None is left out."""
    corp = {**CORP, **changed}
    return tables(issuer=({name: value for name, value in corp.items() if value is not None},))


def rule_with(**changed: object) -> dict[str, object]:
    return tables({**RULE, **changed})


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"identity": []}, "[identity] must be a table"),
        (tables(issuer={}), "[[identity.issuer]] must be tables, each begun by [[identity.issuer]]"),
        (tables(issuer=(1,)), "[[identity.issuer]] 1 must be a table"),
        (issuer_with(name="C"), "[[identity.issuer]] 1 name is a lower-case letter or digit"),
        (issuer_with(issuer=""), "[[identity.issuer]] 1 corp: issuer is empty"),
        (issuer_with(audiences=[]), "[[identity.issuer]] 1 corp: audiences is empty"),
        (issuer_with(audiences="x"), "[[identity.issuer]] 1 corp: audiences must be a list"),
        (issuer_with(audiences=None), "[[identity.issuer]] 1 corp: audiences is missing"),
        (issuer_with(algorithms=["HS256"]), "[[identity.issuer]] 1 corp: algorithms.1 must be 'RS256'"),
        (issuer_with(algorithms=["none"]), "[[identity.issuer]] 1 corp: algorithms.1 must be 'RS256'"),
        (issuer_with(algorithms=[]), "[[identity.issuer]] 1 corp: algorithms is empty"),
        (issuer_with(leeway_s=301), "[[identity.issuer]] 1 corp: leeway_s must be at most 300"),
        (issuer_with(max_stale_s=1799.0), "[[identity.issuer]] 1 corp: max_stale_s must be at least 1800"),
        (issuer_with(max_stale_s=604_801.0), "[[identity.issuer]] 1 corp: max_stale_s must be at most 604800"),
        (issuer_with(leeway_s=-1), "[[identity.issuer]] 1 corp: leeway_s must be at least 0"),
        (issuer_with(jwks_file=None), "[[identity.issuer]] 1 corp: must have one of jwks_url and jwks_file"),
        (issuer_with(jwks_url="https://x.example.org"), "[[identity.issuer]] 1 corp: must have one of jwks_url"),
        (
            issuer_with(jwks_file=None, jwks_url="http://id.example.org"),
            "[[identity.issuer]] 1 corp: jwks_url must be https",
        ),
        (
            issuer_with(jwks_file=None, jwks_url="http://127.0.0.1.example.org"),
            "[[identity.issuer]] 1 corp: jwks_url must be",
        ),
        (issuer_with(jwks_file=None, jwks_url="file:///etc"), "[[identity.issuer]] 1 corp: jwks_url "),
        (issuer_with(ca_file="x"), "[[identity.issuer]] 1 corp: ca_file is for jwks_url"),
        (issuer_with(allow_addresses=["x"]), "[[identity.issuer]] 1 corp: allow_addresses is for jwks_url"),
        (issuer_with(jwks="x"), "[[identity.issuer]] 1 corp: jwks is not known; is jwks_"),
        (
            tables(issuer=(CORP, {**CORP, "issuer": "x"})),
            "[[identity.issuer]] 2 corp: name is corp, as that of another",
        ),
        (tables(issuer=(CORP, {**CORP, "name": "x"})), "[[identity.issuer]] 2 x: issuer is https://id.example.org, as"),
        (
            tables(issuer=tuple({**CORP, "name": f"i{n}", "issuer": f"{n}"} for n in range(33))),
            "[[identity.issuer]] are 33",
        ),
        ({"identity": {"tokens": {}}, "access": [ROBOTS]}, "[identity.tokens] file is missing"),
        (
            {
                "identity": {"proxy": {"identities": []}},
                "tls": TLS,
                "access": [{**RULE, "kind": "spiffe", "issuer": None}],
            },
            "[identity.proxy] identities is empty",
        ),
        (
            {"identity": {"proxy": {"identities": ["spiffe://A/b"]}}, "tls": TLS, "access": [ROBOTS]},
            "[identity.proxy] identities.1 is no SPIFFE id",
        ),
        (
            {"identity": {"proxy": {"identities": ["CN=p"]}, "tokens": TOKENS}, "access": [ROBOTS]},
            '[identity.proxy] needs client = "required" of [tls]',
        ),
        (
            {"identity": {"certificates": True, "tokens": TOKENS}, "access": [ROBOTS]},
            '[identity] certificates needs client = "required"',
        ),
        ({"identity": {"certificates": "yes"}, "access": [ROBOTS]}, "[identity] certificates must be true or false"),
        ({"identity": {"tokens": TOKENS}}, "[identity] lets nobody in without an [[access]]"),
        ({"access": {}}, "[[access]] must be tables, each begun by [[access]]"),
        ({"access": [1]}, "[[access]] 1 must be a table"),
        ({"access": [ROBOTS]}, "[[access]] 1 robots: kind is token, which nobody can prove without [identity.tokens]"),
        ({"access": [RULE]}, "[[access]] 1 all: kind is oidc, which nobody can prove without an [[identity.issuer]]"),
        (
            tables({"name": "c", "kind": "cert"}),
            "[[access]] 1 c: kind is cert, which nobody can prove without certificates",
        ),
        (
            tables({"name": "c", "kind": "spiffe"}),
            "[[access]] 1 c: kind is spiffe, which nobody can prove without certificates",
        ),
        (tables({"name": "c", "kind": "local"}), "[[access]] 1 c: kind must be 'spiffe', 'cert', 'oidc' or 'token'"),
        (tables({"kind": "token"}), "[[access]] 1 name is missing"),
        (tables(ROBOTS, ROBOTS), "[[access]] 2 robots: name is robots, as that of another rule"),
        (rule_with(issuer="other"), "[[access]] 1 all: issuer is other, which no [[identity.issuer]] is called"),
        (rule_with(issuer="*"), "[[access]] 1 all: issuer is a lower-case letter or digit"),
        (tables({"name": "a", "kind": "oidc"}), "[[access]] 1 a: issuer is missing"),
        (tables({**ROBOTS, "issuer": "corp"}), '[[access]] 1 robots: issuer is for kind = "oidc"'),
        (tables({**ROBOTS, "claims": {"a": "b"}}), '[[access]] 1 robots: claims is for kind = "oidc"'),
        (tables({**ROBOTS, "principal": "token:{claims.a}"}), "[[access]] 1 robots: principal has a place for a claim"),
        (rule_with(names=[""]), "[[access]] 1 all: names.1 is empty"),
        (rule_with(names=["a\nb"]), "[[access]] 1 all: names.1 holds a control character"),
        (rule_with(names="a" * 2049), "[[access]] 1 all: names.1 has 2049 characters"),
        (rule_with(names=1), "[[access]] 1 all: names must be text, or a list of texts"),
        (rule_with(names=[]), "[[access]] 1 all: names is empty, which nothing fits; leave it out for all"),
        (tables({**ROBOTS, "names": []}), "[[access]] 1 robots: names is empty, which nothing fits"),
        (rule_with(claims={}), "[[access]] 1 all: claims is empty; leave it out for any"),
        (rule_with(claims={"org": []}), "[[access]] 1 all: claims.org is empty"),
        (rule_with(claims=["org"]), "[[access]] 1 all: claims must be a table"),
        (rule_with(principal="local"), "[[access]] 1 all: principal is local"),
        (rule_with(principal="anonymous"), "[[access]] 1 all: principal is anonymous, which nobody is where there are"),
        (rule_with(principal="{name}"), "[[access]] 1 all: principal makes no principal"),
        (rule_with(partitions=[{"principal": "x"}]), "[[access]] 1 all: partitions.1 cannot be: a principal begins"),
        (
            rule_with(partitions=[{"principal": "token:x", "project": "a\nb"}]),
            "[[access]] 1 all: partitions.1 cannot be: project",
        ),
        (
            rule_with(partitions=[{"principal": f"token:{n}"} for n in "abc"]),
            "[[access]] 1 all: partitions are 3; at most 2",
        ),
        (rule_with(partitions=[{"principal": "token:a"}] * 2), "[[access]] 1 all: partitions.2 is there already"),
        (rule_with(roles=[]), "[[access]] 1 all: roles is empty"),
        (rule_with(roles=["root"]), "[[access]] 1 all: roles.1 must be 'reader', 'reporter', 'publisher' or 'admin'"),
        (
            rule_with(roles=["raeder"]),
            "[[access]] 1 all: roles.1 must be 'reader', 'reporter', 'publisher' or 'admin'; is 'reader' meant?",
        ),
        (rule_with(roles="admin"), '[[access]] 1 all: roles must be a list, such as ["admin"]'),
        (rule_with(claims={"org": 5}), "[[access]] 1 all: claims.org must be text, or a list of texts"),
        (rule_with(allow=["A"]), "[[access]] 1 all: allow.1 is no name of a skill: 'A'"),
        (rule_with(allow=["a/B"]), "[[access]] 1 all: allow.1 is no name of a skill"),
        (rule_with(allow=["a", "main/pdf"]), "[[access]] 1 all: allow.2 is main/pdf, which allows nothing"),
        (rule_with(allow=[f"s{n}" for n in range(4097)]), "[[access]] 1 all: allow has 4097 names; at most 4096"),
        (rule_with(role="x"), "[[access]] 1 all: role is not known; is roles meant?"),
        (
            tables(*[{**ROBOTS, "name": f"r{n}", "names": "*-*"} for n in range(110)]),
            "[[access]] 101 r100: is one too many that only judging tells from others",
        ),
        (tables(*[{**ROBOTS, "name": f"r{n}"} for n in range(10_001)]), "[[access]] are 10001; at most 10000"),
    ],
)
def test_what_cannot_be_is_told_in_the_words_of_the_file(said: dict[str, object], fault: str) -> None:
    assert any(each.startswith(fault) for each in faults_of(said)), faults_of(said)


@pytest.mark.parametrize("name", ["CN=*,O=Bank", "CN=a*", "*,O=Bank"])
def test_a_pattern_of_a_subject_is_a_mistake(name: str) -> None:
    said = {"identity": {"certificates": True}, "tls": TLS, "access": [{"name": "c", "kind": "cert", "names": name}]}
    assert faults_of(said) == [
        "[[access]] 1 c: names.1 must be a whole subject, or `*` alone: in a subject no pattern is safe"
    ]


def test_a_source_that_feeds_whom_nobody_is_is_a_mistake() -> None:
    source: dict[str, object] = {"name": "house", "path": "skills", "partition": {"project": "p"}}
    opened: dict[str, object] = {"server": {"listen": "0.0.0.0:1", "insecure": True}, "source": [source]}
    assert faults_of(opened) == [
        "[[source]] 1 house: partition.principal is local, and without an [[access]] nobody but anonymous calls"
    ]
    source["partition"] = {"principal": "anonymous", "project": "p"}
    make_settings(opened)
    assert faults_of({"source": [source]}) == [
        "[[source]] 1 house: partition.principal is anonymous, and without an [[access]] nobody but local calls"
    ]


def test_a_source_may_feed_a_partition_of_a_principal_of_the_rules() -> None:
    feeding = {"name": "house", "path": "skills", "partition": {"principal": "oidc:corp:acme", "project": "p"}}
    (source,) = make_settings(tables(source=[feeding])).source
    assert source.feeds() == Partition("oidc:corp:acme", "p")


def test_certificates_may_be_those_of_the_listener_for_operators() -> None:
    rule = {"name": "c", "kind": "cert", "roles": ["admin"]}
    said = {"identity": {"certificates": True}, "admin": {"listen": "127.0.0.1:0", "tls": TLS}, "access": [rule]}
    assert make_settings(said).identity is not None


def test_the_example_of_the_page_can_be_and_is_explained_as_it_says() -> None:
    page = (Path(__file__).parents[3] / "docs" / "identity.md").read_text()
    example = page.partition("```toml\n")[2].partition("```")[0]
    sources = {"source": [{"name": "house", "path": "skills"}]}
    access = make_settings({**tomllib.loads(example), **sources}).make_access()
    assert [rule.name for rule in access.rules] == ["operators", "tenants", "agents", "robots"]
    alice = Identity(kind=IdentityKind.OIDC, name="alice", issuer="corp", claims={"sub": "alice", "org": "acme"})
    told = [
        f"{each.rule}\t{'decides' if each.decides else 'is for others'}\t{'; '.join(each.misfits)}".rstrip()
        for each in access.explain(alice)
    ]
    assert "\n".join(told) in page


FILE = """\
[identity]
certificates = true

[[identity.issuer]]
name = "corp"
issuer = "https://id.example.org"
audiences = ["skillsvc"]
jwks_url = "http://id.example.org/keys"

[[access]]
name = "robots"
kind = "token"
names = [
  "CI",
  "",
]
"""


def test_mistakes_have_lines(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(FILE)
    with pytest.raises(SettingsRefused) as caught:
        settings_of(TomlFile.read(path))
    told = [fault.removeprefix(f"{path}:").partition(":")[0] for fault in caught.value.faults]
    assert told == ["2", "8", "12", "15"]


def whole(folder: Path, *, jwks_url: str = "") -> Settings:
    keys = f'jwks_url = "{jwks_url}"' if jwks_url else 'jwks_file = "keys.json"'
    (folder / "s.toml").write_text(
        f"""
[[identity.issuer]]
name = "corp"
issuer = "https://id.example.org"
audiences = ["skillsvc"]
{keys}

[identity.tokens]
file = "tokens"

[[access]]
name = "all"
kind = "oidc"
issuer = "corp"
partitions = [{{ principal = "token:shared" }}]
"""
    )
    return settings_of(TomlFile.read(folder / "s.toml"))


def remarks_of(settings: Settings) -> list[tuple[object, str, bool]]:
    found = examine(settings, seek(settings, {}), {})
    return [(place, sentence, mistake) for place, sentence, mistake in found if place[0] == "identity"]


def test_files_are_below_the_folder_of_the_file_that_names_them(tmp_path: Path) -> None:
    identity = whole(tmp_path).identity
    assert identity is not None
    assert identity.tokens is not None
    assert (identity.tokens.file, identity.issuer[0].jwks_file) == (tmp_path / "tokens", tmp_path / "keys.json")


def test_what_is_not_there_or_cannot_be_used_is_a_mistake(tmp_path: Path) -> None:
    keys, tokens = ("identity", "issuer", 0, "jwks_file"), ("identity", "tokens", "file")
    settings = whole(tmp_path)
    assert remarks_of(settings) == [(keys, "is not there", True), (tokens, "is not there", True)]
    for name in ("keys.json", "tokens"):
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(0o600)
    assert [(place, mistake) for place, _sentence, mistake in remarks_of(settings)] == [(keys, True), (tokens, True)]


@pytest.mark.parametrize(
    ("keys_mode", "tokens_mode", "warned"),
    [
        (0o644, 0o640, []),
        (0o600, 0o600, []),
        (0o664, 0o644, ["issuer", "tokens"]),
        (0o646, 0o660, ["issuer", "tokens"]),
    ],
)
def test_a_file_that_others_may_use_is_warned_of(
    tmp_path: Path, keys_mode: int, tokens_mode: int, warned: list[str]
) -> None:
    (tmp_path / "keys.json").write_bytes(jwks(ec_key().jwk()))
    (tmp_path / "tokens").write_text(f"ci {'0' * 64}\n")
    (tmp_path / "keys.json").chmod(keys_mode)
    (tmp_path / "tokens").chmod(tokens_mode)
    remarks = remarks_of(whole(tmp_path))
    assert [place[1] for place, _sentence, mistake in remarks if not mistake] == warned  # type: ignore[index] # a place
    assert not any(mistake for _place, _sentence, mistake in remarks)


@pytest.mark.parametrize(("roles", "warned"), [(["reader"], True), (["reader", "admin"], False)])
def test_a_listener_for_operators_of_whom_there_are_none_is_warned_of(
    tmp_path: Path, roles: list[str], *, warned: bool
) -> None:
    settings = whole(tmp_path)
    rules = [rule.model_copy(update={"roles": tuple(roles)}) for rule in settings.access]
    opened = settings.model_copy(
        update={"access": tuple(rules), "admin": settings.admin.model_copy(update={"listen": "127.0.0.1:1"})}
    )
    remarks = [remark for remark in examine(opened, seek(opened, {}), {}) if remark.place == ("admin", "listen")]
    assert [remark.is_mistake for remark in remarks] == [False] * warned


def test_what_is_shown_can_be_read_again_and_tells_no_query(tmp_path: Path) -> None:
    settings = whole(tmp_path, jwks_url="https://id.example.org/keys?secret=s3cret")
    shown = show(settings, seek(settings, {}), {})
    assert "s3cret" not in shown
    path = tmp_path / "again.toml"
    path.write_text(shown.replace("***", "secret=s3cret"))
    again = settings_of(TomlFile.read(path))
    assert (again.identity, again.access) == (settings.identity, settings.access)
