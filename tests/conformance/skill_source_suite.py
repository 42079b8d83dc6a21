"""What every source of skills keeps, seen through a client: nine cases over one canonical fixture.

Each shape is there once: a skill without assets, one with an asset in folders within folders, one with a text,
an executable and every optional field. Bodies have no white space around them, so that any backend can keep them.
"""

# ruff: noqa: ANN401 - a client is blocking, or a face of one that is not

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import skillsource
from skillsource import SkillView, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFixture:
    """One asset."""

    name: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFixture:
    """One skill, as its author means it."""

    name: str
    description: str
    body: str
    assets: tuple[AssetFixture, ...] = ()
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    allowed_tools: tuple[str, ...] = ()


FIXTURE = (
    SkillFixture(
        name="commit-style",
        description="How commits are worded here.",
        body="Say what changes in the first line.\nSay why below it.",
    ),
    SkillFixture(
        name="research",
        description="How sources are found and kept.",
        body="Keep every source.",
        assets=(AssetFixture(name="references/deep/sources.md", data=b"# Sources\n\n- Primary\n"),),
    ),
    SkillFixture(
        name="review",
        description="How a change is reviewed.",
        body="Read the change twice.",
        assets=(
            AssetFixture(name="references/checklist.md", data=b"# Checklist\n\n- Tests\n- Names\n- Docs\n"),
            AssetFixture(name="scripts/lint.sh", data=b"#!/bin/sh\nmake lint\n", executable=True),
        ),
        license="MIT",
        compatibility="skillsvc >= 0.1",
        metadata={"author": "somebody", "version": "1"},
        allowed_tools=("Read", "Grep", "Shell"),
    ),
)

INVALID_ASSET_NAMES = ("../x", "/abs", "a\\b", "", "a/./b")
NO_SUCH_SKILL, NO_SUCH_ASSET = "no-such-skill", "no-such-asset.md"


def write_fixture(folder: Path) -> Path:
    """Write the fixture as folders of skills, and return where."""
    for skill in FIXTURE:
        root = folder / skill.name
        lines = [f"name: {skill.name}", f"description: {skill.description}"]
        lines += [f"license: {skill.license}"] if skill.license else []
        lines += [f"compatibility: {skill.compatibility}"] if skill.compatibility else []
        lines += [f"allowed-tools: {' '.join(skill.allowed_tools)}"] if skill.allowed_tools else []
        lines += (
            ["metadata:", *(f'  {key}: "{value}"' for key, value in skill.metadata.items())] if skill.metadata else []
        )
        root.mkdir(parents=True)
        (root / "SKILL.md").write_text("\n".join(["---", *lines, "---", "", skill.body, ""]), encoding="utf-8")
        for asset in skill.assets:
            path = root / asset.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(asset.data)
            path.chmod(0o755 if asset.executable else 0o644)
    return folder


class SkillSourceSuite:
    """Inherit, and give a `client`, blocking or behind a face, of a fresh source that serves exactly the fixture."""

    @pytest.fixture
    def client(self) -> Any:
        raise NotImplementedError

    def test_1_the_list_is_the_fixture_in_order(self, client: Any) -> None:
        skills = client.list_skills(view=SkillView.FULL).skills
        assert [skill.name for skill in skills] == [skill.name for skill in FIXTURE]
        for skill, fixture in zip(skills, FIXTURE, strict=True):
            assert skill.description == fixture.description
            assert skill.has_assets == bool(fixture.assets)
            assert skill.license == fixture.license
            assert skill.compatibility == fixture.compatibility
            assert dict(skill.metadata) == fixture.metadata
            assert skill.allowed_tools == fixture.allowed_tools
            assert skill.origin in Tier

    def test_2_the_list_is_the_same_each_time(self, client: Any) -> None:
        assert client.list_skills(view=SkillView.FULL) == client.list_skills(view=SkillView.FULL)

    def test_3_every_body_comes_byte_for_byte(self, client: Any) -> None:
        assert {skill.name: client.skill_body(skill.name).text for skill in FIXTURE} == {
            skill.name: skill.body for skill in FIXTURE
        }

    def test_4_the_body_of_an_unknown_skill_is_not_found(self, client: Any) -> None:
        with pytest.raises(skillsource.SkillNotFound):
            client.skill_body(NO_SUCH_SKILL)

    def test_5_every_inventory_is_the_fixture_in_order(self, client: Any) -> None:
        for skill in FIXTURE:
            listed = [(asset.name, asset.size, asset.executable) for asset in client.list_assets(skill.name).assets]
            assert listed == [(asset.name, len(asset.data), asset.executable) for asset in skill.assets]

    def test_6_every_asset_comes_byte_for_byte(self, client: Any) -> None:
        for skill in FIXTURE:
            for asset in skill.assets:
                content = client.read_asset(skill.name, asset.name)
                assert content.data == asset.data
                assert content.executable == asset.executable

    def test_7_what_is_unknown_is_not_found_as_what_was_asked(self, client: Any) -> None:
        with pytest.raises(skillsource.AssetNotFound):
            client.read_asset("review", NO_SUCH_ASSET)
        with pytest.raises(skillsource.SkillNotFound):
            client.list_assets(NO_SUCH_SKILL)
        with pytest.raises(skillsource.AssetNotFound):
            client.read_asset(NO_SUCH_SKILL, "references/checklist.md")

    def test_8_a_skill_without_assets_has_an_empty_inventory(self, client: Any) -> None:
        assert client.list_assets("commit-style").assets == ()
        with pytest.raises(skillsource.AssetNotFound):
            client.read_asset("commit-style", "references/checklist.md")

    @pytest.mark.parametrize("asset", INVALID_ASSET_NAMES)
    def test_9_an_invalid_asset_name_is_refused_and_gives_no_bytes(self, client: Any, asset: str) -> None:
        with pytest.raises(skillsource.InvalidArgument) as refused:
            client.read_asset("review", asset)
        assert refused.value.reason == "ASSET_NAME_MALFORMED"
