"""Tables of sources: what each kind knows, and that trust, tiers and limits can be lowered only."""

from types import MappingProxyType

import pytest

from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.trust import Tier, Trust
from skillsvc.parsing.findings import Profile
from skillsvc.settings.lowering import lowered
from skillsvc.settings.settings import make_settings
from skillsvc.settings.sources import SOURCE_TABLES, DirectoryTable, SourceTable
from skillsvc.sources.discovery import IGNORED, Layout
from skillsvc.sources.reading import ReadingSettings
from tests.unit.settings.faults import faults_of

LEAST: dict[str, dict[str, object]] = {
    "directory": {"path": "skills"},
    "git": {"url": "https://example.org/a.git"},
    "http": {"url": "https://example.org/skills.json"},
    "well_known": {"url": "https://example.org"},
    "oci": {"reference": "registry.example.org/a:b"},
    "provider": {"provider": "wiki"},
}
REMOTE = ["git", "http", "well_known", "oci"]
FOLDERS = ["directory", "git", "oci"]


def table(kind: str, **said: object) -> dict[str, object]:
    return {"name": "a", "kind": kind, **LEAST[kind], **said}


def source(kind: str, **said: object) -> SourceTable:
    (made,) = make_settings({"source": [table(kind, **said)]}).source
    return made


def faults(kind: str, **said: object) -> list[str]:
    return [fault.removeprefix("[[source]] 1 a: ") for fault in faults_of({"source": [table(kind, **said)]})]


def test_each_kind_has_a_table_and_the_least_that_it_needs() -> None:
    assert set(SOURCE_TABLES) == set(LEAST)
    for kind, least in LEAST.items():
        assert type(source(kind)) is SOURCE_TABLES[kind]
        for key in least:
            without = {name: value for name, value in table(kind).items() if name != key}
            assert faults_of({"source": [without]}) == [f"[[source]] 1 a: {key} is missing"]


def test_a_source_without_a_kind_is_a_directory() -> None:
    (made,) = make_settings({"source": [{"name": "a", "path": "skills"}]}).source
    assert isinstance(made, DirectoryTable)


@pytest.mark.parametrize("kind", LEAST)
def test_a_directory_is_explicit_and_what_comes_over_a_seam_is_registered(kind: str) -> None:
    tier = Tier.EXPLICIT if kind == "directory" else Tier.REGISTERED
    assert source(kind).reading() == ReadingSettings(label="a", tier=tier)


@pytest.mark.parametrize("kind", [kind for kind in LEAST if kind != "directory"])
@pytest.mark.parametrize("tier", ["explicit", "project", "user"])
def test_a_tier_is_not_raised(kind: str, tier: str) -> None:
    assert faults(kind, tier=tier) == ["tier must be 'registered' or 'learned'"]


@pytest.mark.parametrize("kind", LEAST)
def test_a_tier_is_lowered(kind: str) -> None:
    assert source(kind, tier="learned").reading().admission.trust is Trust.UNTRUSTED


@pytest.mark.parametrize(
    ("tier", "trust", "fault"),
    [
        ("explicit", "allowed", None),
        ("explicit", "ask", None),
        ("user", "untrusted", None),
        ("registered", "ask", None),
        ("registered", "allowed", "trust is allowed; the tier registered gives ask, and it can be lowered only"),
        ("learned", "ask", "trust is ask; the tier learned gives untrusted, and it can be lowered only"),
        ("learned", "untrusted", None),
        ("explicit", "ALLOWED", "trust must be 'allowed', 'ask' or 'untrusted'"),
    ],
)
def test_trust_is_lowered_and_never_raised(tier: str, trust: str, fault: str | None) -> None:
    if fault is None:
        assert source("directory", tier=tier, trust=trust).reading().admission.trust is Trust[trust.upper()]
    else:
        assert faults("directory", tier=tier, trust=trust) == [fault]


@pytest.mark.parametrize("kind", FOLDERS)
def test_how_folders_are_read_is_said_to_those_that_have_some(kind: str) -> None:
    made = source(
        kind, layout="nested", profile="strict", single_files=True, max_depth=3, ignore=["drafts", ".git"]
    ).reading()
    assert (made.layout, made.profile, made.single_files) == (Layout.NESTED, Profile.STRICT, True)
    assert (made.max_depth, made.ignored) == (3, frozenset({"drafts", ".git"}))
    assert source(kind).reading().ignored == IGNORED


@pytest.mark.parametrize("kind", sorted(set(LEAST) - set(FOLDERS)))
def test_a_kind_without_folders_knows_no_layout(kind: str) -> None:
    assert faults(kind, layout="nested") == [f"layout is no key of the kind {kind}"]


@pytest.mark.parametrize(
    ("depth", "fault"),
    [
        (6, None),
        (7, "max_depth is 7; at most 6, as for the server, is possible"),
        (0, "max_depth must be more than 0"),
        (True, "max_depth must be a whole number"),
        (2.0, "max_depth must be a whole number"),
    ],
)
def test_a_depth_is_lowered_only(depth: object, fault: str | None) -> None:
    if fault is None:
        source("directory", max_depth=depth)
    else:
        assert faults("directory", max_depth=depth) == [fault]


def test_limits_of_a_source_are_lower_than_those_in_force() -> None:
    lower = source("git", limits={"asset_bytes": 10, "layer_skills": 5}).limits
    assert lowered(Limits(assets=7), lower) == Limits(assets=7, asset_bytes=10, layer_skills=5)
    assert lowered(Limits(), MappingProxyType({})) == Limits()
    assert faults_of({"limits": {"assets": 7}, "source": [table("git", limits={"assets": 8})]}) == [
        "[[source]] 1 a: limits.assets is 8; at most 7, as for the server, is possible"
    ]


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        ({"heartbeat_s": 1.0}, "limits.heartbeat_s is a limit of the server as a whole"),
        ({"asset_byte": 1}, "limits.asset_byte is not known; is asset_bytes meant?"),
        ({"asset_bytes": 0}, "limits.asset_bytes is 0; it must be more than 0"),
        ({"asset_bytes": "1"}, "limits.asset_bytes must be a number"),
        (
            {"asset_bytes": 2**40},
            "limits.asset_bytes is 1099511627776; at most 67108864 (the cap of the contract) is possible",
        ),
        ([], "limits must be a table"),
    ],
)
def test_limits_of_a_source_that_cannot_be_are_refused(limits: object, fault: str) -> None:
    assert faults("directory", limits=limits) == [fault]


@pytest.mark.parametrize(
    ("partition", "feeds"),
    [
        (None, DEPLOYMENT),
        ({}, Partition(principal="local", project="")),
        ({"principal": "local", "project": "x y"}, Partition(principal="local", project="x y")),
    ],
)
def test_a_source_feeds_the_layer_of_its_partition(partition: object, feeds: Partition) -> None:
    said = {} if partition is None else {"partition": partition}
    assert source("git", **said).feeds() == feeds


@pytest.mark.parametrize(
    ("partition", "fault"),
    [
        (
            {"principal": "token:a", "project": ""},
            "partition.principal is token:a, and without an [[access]] nobody but local calls",
        ),
        (
            {"principal": "alice"},
            "partition.principal cannot be: a principal begins with its kind, or is `local`",
        ),
        ({"project": "a\n"}, "partition.project holds a control character"),
        ({"project": "e\u0301"}, "partition.project is not in NFC"),
        ({"project": "a" * 257}, "partition.project has 257 bytes; at most 256 are allowed"),
        ({"projekt": "a"}, "partition.projekt is not known; is project meant?"),
        ("local", "partition must be a table"),
    ],
)
def test_a_partition_that_cannot_be_is_refused(partition: object, fault: str) -> None:
    assert faults("directory", partition=partition) == [fault]


@pytest.mark.parametrize("kind", REMOTE)
@pytest.mark.parametrize(
    "auth",
    [
        {"username": "me", "password_env": "SECRET"},
        {"username": "me", "password_file": "secret"},
        {"token_env": "_SECRET_1"},
        {"token_file": "secret"},
    ],
    ids=str,
)
def test_a_secret_is_named_in_one_of_four_ways(kind: str, auth: dict[str, str]) -> None:
    said = source(kind, auth=auth).model_dump()["auth"]
    assert {key: str(value) for key, value in said.items() if value is not None} == auth


@pytest.mark.parametrize(
    ("auth", "fault"),
    [
        ({}, "auth must have one of password_env, password_file, token_env and token_file"),
        ({"username": "me"}, "auth must have one of password_env, password_file, token_env and token_file"),
        (
            {"token_env": "A", "token_file": "b"},
            "auth must have one of password_env, password_file, token_env and token_file",
        ),
        ({"password_env": "A"}, "auth must have a username with password_env"),
        ({"username": "me", "token_env": "A"}, "auth has a username, which is not for token_env"),
        ({"username": "me", "password_env": "A B"}, "auth.password_env must be the name of a variable"),
        ({"username": "me", "password": "secret"}, "auth.password is not known; is password_env meant?"),
        ({"token": "secret"}, "auth.token is not known; is token_env meant?"),
        ("secret", "auth must be a table"),
    ],
)
def test_what_names_no_secret_or_holds_one_is_refused_and_not_repeated(auth: object, fault: str) -> None:
    assert faults("http", auth=auth) == [fault]


def test_one_of_branch_tag_and_commit_says_what_is_served() -> None:
    for said in ({"branch": "a"}, {"tag": "b"}, {"commit": "c" * 40}, {}):
        source("git", **said)
    assert faults("git", branch="a", tag="b", commit="c" * 40) == [
        "tag cannot be beside branch: one of branch, tag and commit says what is served",
        "commit cannot be beside branch: one of branch, tag and commit says what is served",
    ]


def test_over_ssh_the_keys_of_hosts_are_needed() -> None:
    assert faults("git", url="git@example.org:a", ssh_key_file="id") == [
        "known_hosts_file is missing, and without it no host is trusted over ssh"
    ]
    source("git", url="git@example.org:a", ssh_key_file="id", known_hosts_file="known")


@pytest.mark.parametrize("key", ["poll_s", "timeout_s"])
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), "5", True])
def test_a_time_is_a_finite_number_of_seconds(key: str, value: object) -> None:
    (fault,) = faults("git", **{key: value})
    assert fault.startswith(f"{key} must be ")


@pytest.mark.parametrize("key", ["name", "provider"])
def test_what_is_kept_for_programs_is_no_provider(key: str) -> None:
    (fault,) = faults_of({"source": [table("provider", **{key: "runtime"})]})
    assert fault.endswith(f": {key} is runtime, which is kept for skills that a program registers itself")


def test_a_provider_is_told_whatever_is_said_to_it() -> None:
    options = {"a": 1, "b": {"c": [True]}}
    assert source("provider", options=options).model_dump()["options"] == options
