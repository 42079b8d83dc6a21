"""The conformance suite over the honest catalog in memory: the suite itself is tried here, and both clients."""

from collections.abc import Callable
from typing import Any

import pytest
from typing_extensions import override

from tests.conformance.skill_source_suite import FIXTURE, SkillSourceSuite
from tests.hostile.faces import Connect
from tests.hostile.honest import FakeAsset, FakeSkill, Honest
from tests.hostile.playing import Script, Server


class TestHonestCatalog(SkillSourceSuite):
    @pytest.fixture
    @override
    def client(self, connect: Connect, play: Callable[[Script], Server]) -> Any:
        skills = [
            FakeSkill(
                name=skill.name,
                description=skill.description,
                body=skill.body,
                assets=tuple(
                    FakeAsset(name=asset.name, data=asset.data, executable=asset.executable) for asset in skill.assets
                ),
                license=skill.license,
                compatibility=skill.compatibility,
                metadata=skill.metadata,
                allowed_tools=skill.allowed_tools,
            )
            for skill in FIXTURE
        ]
        return connect(play(Honest(*skills).script()).address)
