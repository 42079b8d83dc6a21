"""The table [readiness]: what a deployment vouches for, and that looking for it runs nothing."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from skillsvc.domain.readiness import Vouched
from skillsvc.settings.readiness import ReadinessTable
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import make_settings
from skillsvc.settings.settling import settings_of
from skillsvc.settings.toml_file import TomlFile
from skillsvc.settings.vouching import vouched_by


def table(**said: object) -> ReadinessTable:
    return make_settings({"readiness": said}).readiness


def vouched(said: Mapping[str, object], environment: Mapping[str, str] | None = None) -> Vouched:
    return vouched_by(table(**said), environment or {})


def test_nothing_is_vouched_for_where_nothing_is_said() -> None:
    assert vouched({}, {"PATH": "/bin:/usr/bin", "HOME": "/"}) == Vouched()


def test_words_are_those_of_skills_in_lower_case() -> None:
    assert vouched({"present": ["Docker"], "missing": ["TPU"]}) == Vouched(
        present=frozenset({"docker"}), missing=frozenset({"tpu"})
    )


def test_a_command_is_looked_for_on_the_path_and_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    command = tmp_path / "gpu-there"
    command.write_text(f"#!/bin/sh\ntouch {mark}\n")
    command.chmod(0o755)
    (tmp_path / "no-program").write_text("text")
    said = {"commands": {"gpu": "gpu-there", "tpu": "tpu-there", "npu": "no-program"}}
    assert vouched(said, {"PATH": str(tmp_path)}) == Vouched(
        present=frozenset({"gpu"}), missing=frozenset({"tpu", "npu"})
    )
    assert vouched(said) == Vouched(missing=frozenset({"gpu", "tpu", "npu"}))
    assert not mark.exists()


def test_a_variable_is_there_where_it_is_set_and_not_empty() -> None:
    said = {"environment": {"hf-token": "HF_TOKEN", "key": "KEY", "other": "OTHER"}}
    assert vouched(said, {"HF_TOKEN": "secret", "KEY": ""}) == Vouched(
        present=frozenset({"hf-token"}), missing=frozenset({"key", "other"})
    )


@pytest.mark.parametrize(
    ("said", "sandbox_off", "raw_network"),
    [
        ({}, False, False),
        ({"sandbox": "enforced"}, False, False),
        ({"sandbox": "off"}, True, False),
        ({"raw_network": True}, False, True),
    ],
)
def test_what_hosts_hold_back_is_said(*, said: Mapping[str, object], sandbox_off: bool, raw_network: bool) -> None:
    assert vouched(said) == Vouched(sandbox_off=sandbox_off, raw_network=raw_network)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"present": ["gpu"], "missing": ["GPU"]}, "[readiness] says of gpu more than once"),
        ({"commands": {"gpu": "a"}, "environment": {"gpu": "A"}}, "[readiness] says of gpu more than once"),
        ({"present": ["a,b"]}, "[readiness] present.1 is no word"),
        ({"present": [""]}, "[readiness] present.1 is no word"),
        ({"present": ["a" * 65]}, "[readiness] present.1 is no word"),
        ({"commands": {"gpu": "/usr/bin/gpu"}}, "[readiness] commands.gpu must be a name"),
        ({"environment": {"gpu": "A=B"}}, "[readiness] environment.gpu must be the name"),
        ({"sandbox": "on"}, "[readiness] sandbox"),
        ({"raw_network": "yes"}, "[readiness] raw_network"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(said: Mapping[str, object], fault: str) -> None:
    with pytest.raises(SettingsRefused) as refused:
        table(**said)
    [told] = refused.value.faults
    assert told.startswith(fault)


def test_the_inventory_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "network.json").write_text('{"schema_version": 1, "skills": {"fold": {"mode": "none"}}}')
    config = tmp_path / "skillsvc.toml"
    config.write_text('[readiness]\nnetwork_inventory = "network.json"\n')
    settings = settings_of(TomlFile.read(config))
    assert set(vouched_by(settings.readiness, {}).inventory.skills) == {"fold"}


@pytest.mark.parametrize(
    ("text", "why"),
    [(None, "it cannot be read (ENOENT)"), ("{}", "it is no inventory: schema_version must be 1")],
)
def test_an_inventory_that_cannot_be_used_refuses_the_configuration(tmp_path: Path, text: str | None, why: str) -> None:
    if text is not None:
        (tmp_path / "network.json").write_text(text)
    with pytest.raises(SettingsRefused) as refused:
        vouched({"network_inventory": str(tmp_path / "network.json")})
    assert refused.value.faults == (f"[readiness] network_inventory cannot be used: {why}",)
