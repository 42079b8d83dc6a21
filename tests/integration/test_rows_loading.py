"""Rows 40, 42 and 48 of the merged list: how skills are paged through and loaded."""

from pathlib import Path

import pytest
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.shelves import Shelves
from tests.unit.sources.trees import skill

pytestmark = pytest.mark.integration


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
async def test_row_40_pages_tell_each_skill_once(shelves: Shelves, size: int) -> None:
    expected = [f"skill-{number:02}" for number in range(23)]
    shelves.directory("main", {f"{name}/SKILL.md": skill(name) for name in expected})
    async with shelves.serving() as catalog:
        told: list[str] = []
        token = ""
        while True:
            request = pb.ListSkillsRequest(page_size=size, page_token=token)
            page = await catalog.server.call(request, pb.ListSkillsResponse)
            told += [each.name for each in page.skills]
            token = page.next_page_token
            if not token:
                break
            assert len(page.skills) == size
        assert told == expected


async def test_row_42_no_skill_is_loaded_by_a_name_that_is_only_like_its_own(shelves: Shelves) -> None:
    """Nothing is guessed where a skill is loaded; a search finds it by its words, and by words that are misspelt."""
    shelves.directory(
        "main",
        {
            "boltz/SKILL.md": skill("boltz", "Folds proteins."),
            "fourier-signal/SKILL.md": skill("fourier-signal", "Takes a spectrum."),
        },
    )
    async with shelves.serving() as catalog:
        assert (await catalog.server.refused(pb.SkillBodyRequest(name="boltz2"))).reason == "SKILL_NOT_FOUND"
        assert (await catalog.server.refused(pb.SkillBodyRequest(name="Fourier signal"))).reason == "NAME_MALFORMED"
        for query in ("Fourier signal", "furier signal"):
            found = await catalog.server.call(pb.SearchSkillsRequest(query=query), pb.SearchSkillsResponse)
            assert [hit.skill.name for hit in found.hits] == ["fourier-signal"]


async def test_row_48_references_are_assets_and_no_name_leaves_the_skill(shelves: Shelves) -> None:
    """A reference is an asset in the folder `references`, named as every asset is: with the folder."""
    root = shelves.directory(
        "main",
        {
            "a/SKILL.md": skill("a"),
            "a/references/guide.md": "Read me.",
            "a/scripts/run.sh": "true",
            "bare/SKILL.md": skill("bare"),
        },
    )
    (root.parent / "outside.md").write_text("Nobody's.")
    async with shelves.serving() as catalog:
        listed = await catalog.server.call(pb.ListAssetsRequest(name="a"), pb.ListAssetsResponse)
        assert [asset.name for asset in listed.assets] == ["references/guide.md", "scripts/run.sh"]
        assert not (await catalog.server.call(pb.ListAssetsRequest(name="bare"), pb.ListAssetsResponse)).assets
        request = pb.ReadAssetRequest(skill="a", asset="references/guide.md")
        assert (await catalog.server.call(request, pb.ReadAssetResponse)).data == b"Read me."
        for name in ("../x", "references/../../outside.md", "references\\guide.md", "../SKILL.md", "/etc/passwd"):
            refused = await catalog.server.refused(pb.ReadAssetRequest(skill="a", asset=name))
            assert refused.reason == "ASSET_NAME_MALFORMED", name
        for name in ("guide.md", "SKILL.md", "references/none.md"):
            refused = await catalog.server.refused(pb.ReadAssetRequest(skill="a", asset=name))
            assert refused.reason == "ASSET_NOT_FOUND", name
