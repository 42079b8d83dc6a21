"""Digests of bundles, layers and views, pinned: any replica must compute the same ones (rules.md 5)."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from skillsvc.domain.generation import EMPTY_LAYER_DIGEST, Generation, Row, make_generation, make_row
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import (
    Asset,
    Bundle,
    Found,
    Network,
    NetworkMode,
    Skill,
    TextRef,
    ToolDeclaration,
    ToolKind,
    make_bundle,
)
from skillsvc.domain.trust import Tier, Trust
from skillsvc.domain.view import compose
from tests.conformance import canonical
from tests.conformance.loading import VECTORS

CASES = json.loads((VECTORS / "digests.json").read_text(encoding="utf-8"))
EACH_BUNDLE = pytest.mark.parametrize("case", CASES["bundles"], ids=lambda case: case["name"])
EACH_LAYER = pytest.mark.parametrize("case", CASES["layers"], ids=lambda case: case["name"])
EACH_VIEW = pytest.mark.parametrize("case", CASES["views"], ids=lambda case: case["name"])


def bundle_of(given: dict[str, Any]) -> Bundle:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in given["skill"].items()
    }
    if "metadata" in fields:
        fields["metadata"] = tuple(fields["metadata"].items())
    if "network" in fields:
        network = fields["network"]
        fields["network"] = Network(
            mode=NetworkMode[network["mode"]], domains=tuple(network["domains"]), digest=network["digest"]
        )
    fields["tools"] = tuple(
        ToolDeclaration(**{**tool, "kind": ToolKind[tool["kind"]], "args": tuple(tool.get("args", ()))})
        for tool in fields.get("tools", ())
    )
    return make_bundle(
        Skill(**fields),
        document=TextRef(**given["document"]) if "document" in given else None,
        body=TextRef(**given["body"]) if "body" in given else None,
        assets=tuple(Asset(**asset) for asset in given.get("assets", ())),
    )


def row_of(given: dict[str, Any]) -> Row:
    """Return a row whose bundle holds nothing but a name, a description made of the source, and the flags."""
    description = f"from {given['source']}"
    skill = Skill(
        name=given["name"],
        description=description,
        description_bytes=len(description),
        model_invocable=given["model"],
        user_invocable=given["user"],
    )
    bundle = make_bundle(skill, document=None, body=None, assets=())
    return make_row(
        source=given["source"],
        shadowed=given["shadowed"],
        found=Found(bundle=bundle, place="anywhere", collection=given["collection"]),
        tier=Tier[given["tier"]],
        trust=Trust[given["trust"]],
    )


def layer_of(given: list[dict[str, Any]], number: int = 0) -> Generation:
    """Return a generation whose sequence, log and time are of no account to any digest."""
    return make_generation(
        partition=Partition(principal="local", project=str(number)),
        log_id=bytes([number]) * 16,
        sequence=number + 7,
        published_at=datetime(2026, 1, 1 + number, tzinfo=UTC),
        rows=tuple(row_of(row) for row in given),
    )


@EACH_BUNDLE
def test_a_bundle_has_the_digest_of_its_vector(case: dict[str, Any]) -> None:
    assert bundle_of(case["given"]).digest == case["digest"]


@EACH_LAYER
def test_a_layer_has_the_digest_of_its_vector(case: dict[str, Any]) -> None:
    assert layer_of(case["rows"]).digest == case["digest"]


@EACH_VIEW
def test_a_view_has_the_digest_of_its_vector(case: dict[str, Any]) -> None:
    layers = tuple(layer_of(rows, number) for number, rows in enumerate(case["layers"]))
    assert compose(layers).digest == case["digest"]


@EACH_BUNDLE
def test_the_vector_of_a_bundle_follows_from_the_rule(case: dict[str, Any]) -> None:
    assert canonical.digest("skillsource.bundle.v1", case["covered"]) == case["digest"]


@EACH_LAYER
def test_the_vector_of_a_layer_follows_from_the_rule(case: dict[str, Any]) -> None:
    assert canonical.digest("skillsource.layer.v1", case["covered"]) == case["digest"]


@EACH_VIEW
def test_the_vector_of_a_view_follows_from_the_rule(case: dict[str, Any]) -> None:
    assert canonical.digest("skillsource.view.v1", case["covered"]) == case["digest"]


def test_a_layer_without_rows_is_the_digest_of_bytes_written_out() -> None:
    covered = b"\0\0\0\0\0\0\0\x14skillsource.layer.v1" + b"\0\0\0\0\0\0\0\0"
    assert hashlib.sha256(covered).hexdigest() == EMPTY_LAYER_DIGEST
    assert EMPTY_LAYER_DIGEST == "8eeb439c70b125524d94d90b732187afe8fa01bc3955e00658d04b23563e0400"


def test_a_bundle_with_an_asset_is_the_digest_of_bytes_written_out() -> None:
    none = b"\0\0\0\0\0\0\0\0"
    one = b"\0\0\0\0\0\0\0\x01"
    text = b"\0\0\0\0\0\0\0\x40"
    covered = (
        b"\0\0\0\0\0\0\0\x15skillsource.bundle.v1"
        + (text + b"d" * 64 + text + b"b" * 64)  # document, body
        + (b"\0\0\0\0\0\0\0\x03pdf" + b"\0\0\0\0\0\0\0\x03\xe2\x82\xac")  # name, description
        + (b"\x00" + b"\0\0\0\0\0\0\0\x03")  # description_truncated, description_bytes
        + b"\x01"  # has_assets
        + (b"\x01" + b"\x00")  # model, user
        + none * 3  # display_name, license, compatibility
        + (one + b"\0\0\0\0\0\0\0\x01k" + b"\0\0\0\0\0\0\0\x02vv")  # metadata
        + none * 6  # allowed_tools, when_to_use, version, keywords, capabilities, tool_kinds
        + (b"\0\0\0\0\0\0\0\x05" + b"\0\0\0\0\0\0\x01\0")  # body_bytes, document_bytes
        + one  # asset_count
        + none  # network
        + none * 2  # tools, requirements
        + (one + b"\0\0\0\0\0\0\0\x03x/y" + text + b"a" * 64 + b"\0\0\0\0\0\0\0\x09" + b"\x01")  # assets
    )
    bundle = make_bundle(
        Skill(
            name="pdf",
            description="€",
            description_bytes=3,
            model_invocable=True,
            user_invocable=False,
            metadata=(("k", "vv"),),
        ),
        document=TextRef(digest="d" * 64, size=256),
        body=TextRef(digest="b" * 64, size=5),
        assets=(Asset(name="x/y", size=9, digest="a" * 64, executable=True),),
    )
    assert bundle.digest == hashlib.sha256(covered).hexdigest()
