"""The cards under the suite that every provider runs."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from skillsvc_cards.provider import make
from typing_extensions import override

from skillsvc.sources.provider import Factory
from skillsvc.testing.provider_contract import ChangingProviderContract


def card(name: str, text: str = "Do it.") -> dict[str, str]:
    return {"name": name, "description": f'Does "{name}": well.', "text": text}


class TestCards(ChangingProviderContract):
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = tmp_path / "cards.json"
        path.write_text(json.dumps([card("fold"), card("cut")]))
        return path

    @pytest.fixture
    @override
    def factory(self) -> Factory:
        return make

    @pytest.fixture
    @override
    def options(self, path: Path) -> Mapping[str, object]:
        return {"file": str(path)}

    @pytest.fixture
    @override
    def change(self, path: Path) -> Callable[[], None]:
        def write() -> None:
            path.write_text(json.dumps([card("fold", "Do it twice.")]))

        return write
