"""How settings are refused, for tests."""

from pathlib import Path

import pytest

from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import make_settings
from skillsvc.settings.settling import Options, settle


def faults_of(tables: dict[str, object]) -> list[str]:
    with pytest.raises(SettingsRefused) as caught:
        make_settings(tables)
    return list(caught.value.faults)


def faults_of_options(options: Options, config: Path | None = None) -> list[str]:
    with pytest.raises(SettingsRefused) as caught:
        settle(config, options)
    return list(caught.value.faults)
