"""The JSON Schema: it knows what the tables know, and what is shipped is what they say."""

import json
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from docs.generate import schemas
from skillsvc.domain.limits import Limits
from skillsvc.settings.schema import schema
from skillsvc.settings.settings import Settings
from skillsvc.settings.sources import SOURCE_TABLES


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(schema())
    return read


def test_it_is_shipped_in_the_package_and_the_documents() -> None:
    assert files("skillsvc.settings").joinpath("skillsvc.schema.json").read_text(encoding="utf-8") == schema()
    for path, text in schemas().items():
        assert path.read_text(encoding="utf-8") == text


def test_every_key_is_known_and_no_other(written: dict[str, Any]) -> None:
    assert set(written["properties"]) == set(Settings.model_fields)
    assert written["additionalProperties"] is False
    for model in SOURCE_TABLES.values():
        table = written["$defs"][model.__name__]
        assert set(table["properties"]) == set(model.model_fields)
        assert table["additionalProperties"] is False
        assert all("description" in key or "const" in key for key in table["properties"].values())


def test_every_kind_is_one_of_the_sources(written: dict[str, Any]) -> None:
    kinds = written["properties"]["source"]["items"]["oneOf"]
    assert kinds == [{"$ref": f"#/$defs/{model.__name__}"} for model in SOURCE_TABLES.values()]


def test_every_limit_is_known(written: dict[str, Any]) -> None:
    limits = written["properties"]["limits"]
    assert limits["additionalProperties"] is False
    assert {name: kind["type"] for name, kind in limits["properties"].items()} == {
        field.name: {int: "integer", float: "number"}[type(field.default)] for field in fields(Limits)
    }


def test_nothing_is_asked_for_that_toml_cannot_say(written: dict[str, Any]) -> None:
    assert "null" not in json.dumps(written)


def test_no_path_of_a_machine_is_in_it() -> None:
    assert str(Path.cwd()) not in schema()
