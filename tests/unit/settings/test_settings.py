"""Settings as tables: what can be said, what is refused, and that every fault is told at once."""

from dataclasses import fields

import pytest

from skillsvc.domain.limits import Limits
from skillsvc.settings.listening import DEFAULT_LISTEN
from skillsvc.settings.settings import make_settings
from tests.unit.settings.faults import faults_of

SOURCE = {"name": "house", "path": "skills"}
KINDS = "'directory', 'git', 'http', 'well_known', 'oci', 'provider'"


def test_nothing_said_is_a_server_on_loopback_with_the_default_limits() -> None:
    settings = make_settings({})
    assert settings.server.listen == DEFAULT_LISTEN == "127.0.0.1:50051"
    assert not settings.server.insecure
    assert settings.make_limits() == Limits()
    assert settings.directories() == ()


def test_every_fault_is_told_at_once() -> None:
    faults = faults_of(
        {
            "server": {"listen": "0.0.0.0:1", "lisen": "x", "poll_s": 0, "drain_s": "soon"},
            "limits": {"asset_bytes": 2**40, "asset_bites": 1},
            "source": [{"name": "a"}, {"name": "B", "path": "b", "layout": "deep", "depth": 3}],
            "sources": [],
        }
    )
    assert [fault.partition(" is 0.0.0.0")[0] for fault in faults] == [
        "[server] poll_s must be more than 0",
        "[server] drain_s must be a number",
        "[server] lisen is not known; is listen meant?",
        "[limits] asset_bytes is 1099511627776; at most 67108864 (the cap of the contract) is possible",
        "[limits] asset_bites is not known; is asset_bytes meant?",
        "[[source]] 1 a: path is missing",
        "[[source]] 2 name is a lower-case letter or digit, then up to 63 of those, `_` or `-`",
        "[[source]] 2 layout must be 'flat' or 'nested'",
        "[[source]] 2 depth is not known; is max_depth meant?",
        "sources is not known; is source meant?",
        # What is wrong between tables comes last, where no file has lines.
        "[server] listen",
    ]


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({"server": []}, "[server] must be a table"),
        ({"limits": 1}, "[limits] must be a table"),
        ({"source": {}}, "[[source]] must be tables, each begun by [[source]]"),
        ({"source": ["skills"]}, "[[source]] 1 must be a table"),
        ({"source": [{**SOURCE, "kind": "Git"}]}, f"[[source]] 1 house: kind must be one of {KINDS}"),
        ({"source": [{**SOURCE, "kind": 1}]}, f"[[source]] 1 house: kind must be one of {KINDS}"),
        ({"source": [{**SOURCE, "kind": []}]}, f"[[source]] 1 house: kind must be one of {KINDS}"),
        ({"source": [{**SOURCE, "profile": "loose"}]}, "[[source]] 1 house: profile must be 'lenient' or 'strict'"),
        ({"source": [{**SOURCE, "single_files": "yes"}]}, "[[source]] 1 house: single_files must be true or false"),
        ({"source": [{**SOURCE, "path": 1}]}, "[[source]] 1 house: path must be text"),
        ({"server": {"insecure": "yes"}}, "[server] insecure must be true or false"),
        ({"server": {"insecure": 1}}, "[server] insecure must be true or false"),
        ({"server": {"listen": 50051}}, "[server] listen must be text"),
        ({"server": {"data_dir": 1}}, "[server] data_dir must be text"),
        ({"server": {"poll_s": "60"}}, "[server] poll_s must be a number"),
        ({"server": {"poll_s": float("inf")}}, "[server] poll_s must be finite"),
        ({"server": {"drain_s": -0.5}}, "[server] drain_s must be at least 0"),
    ],
    ids=repr,
)
def test_a_fault_names_its_place_and_what_would_do(tables: dict[str, object], fault: str) -> None:
    assert faults_of(tables) == [fault]


@pytest.mark.parametrize("name", ["", "A", "-a", "_a", "a b", "a/b", "a\n", "é", "a" * 65])
def test_a_label_that_is_no_name_is_refused(name: str) -> None:
    (fault,) = faults_of({"source": [{"name": name, "path": "skills"}]})
    assert fault.startswith("[[source]] 1 name is a lower-case letter or digit")


def test_two_sources_of_one_name_are_refused() -> None:
    tables: dict[str, object] = {"source": [SOURCE, {**SOURCE, "path": "other"}, SOURCE, {"name": "b", "path": "b"}]}
    assert faults_of(tables) == [
        "[[source]] 2 house: name is house, as that of another source; give each its own",
        "[[source]] 3 house: name is house, as that of another source; give each its own",
    ]


@pytest.mark.parametrize(("name", "default"), [(field.name, getattr(Limits(), field.name)) for field in fields(Limits)])
def test_a_limit_can_be_lowered(name: str, default: float) -> None:
    assert getattr(make_settings({"limits": {name: default - 1}}).make_limits(), name) == default - 1


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("description_bytes", 801, "description_bytes is 801; at most 800 (the cap of the contract)"),
        ("body_bytes", 2**20 + 1, "body_bytes is 1048577; at most 1048576 (the cap of the contract)"),
        ("assets", 1025, "assets is 1025; at most 1024 (the cap of the contract)"),
        ("assets", 0, "assets is 0; it must be more than 0"),
        ("assets", -1, "assets is -1; it must be more than 0"),
        ("assets", 10.0, "assets is 10.0; it must be a whole number"),
        ("assets", True, "assets must be a number"),
        ("assets", "10", "assets must be a number"),
        ("heartbeat_s", float("nan"), "heartbeat_s must be a number"),
        ("heartbeat_s", float("inf"), "heartbeat_s must be a number"),
        ("heartbeat_s", 0, "heartbeat_s is 0; it must be more than 0"),
        ("nothing", 1, "nothing is not known"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(name: str, value: object, fault: str) -> None:
    (told,) = faults_of({"limits": {name: value}})
    assert told.startswith(f"[limits] {fault}")


def test_settings_cannot_be_changed() -> None:
    settings = make_settings({})
    with pytest.raises(ValueError, match="frozen"):
        settings.server = settings.server
