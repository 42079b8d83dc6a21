"""Rows 24 to 30 of the merged list: what is read of a skill. A docstring says what `rules.md` decides otherwise."""

import hashlib
from pathlib import Path

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.diagnostics import DiagnosticCode as Code
from tests.integration.shelves import Shelves
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration

MARKER = "xylophonist"


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


def document(*lines: str, body: str = "Body") -> str:
    """Return a SKILL.md with these lines of frontmatter."""
    return "\n".join(("---", *lines, "---", body, ""))


async def test_row_24_skill_yaml_overrides_the_frontmatter_whose_id_is_ignored(shelves: Shelves) -> None:
    """`rules.md` 2: skill.yaml overrides where it sets a non-empty value; an empty one leaves what was there."""
    shelves.directory(
        "main",
        {
            "a/SKILL.md": document(
                "id: of-the-frontmatter", "name: old", "description: Old.", "version: 1", "keywords: [old]"
            ),
            "a/skill.yaml": "id: of-the-manifest\nname: new\ndescription: New.\nversion: '2'\nkeywords: [new]\n",
            "b/SKILL.md": document("name: b", "description: Kept.", "version: 1"),
            "b/skill.yaml": "description: ''\nkeywords: [b]\n",
        },
    )
    async with shelves.serving() as catalog:
        b, identified = (await catalog.page()).skills
        assert (identified.name, identified.display_name) == ("of-the-manifest", "new")
        assert (identified.description, identified.version, list(identified.keywords)) == ("New.", "2", ["new"])
        assert (b.name, b.description, b.version, list(b.keywords)) == ("b", "Kept.", "1", ["b"])


async def test_row_25_a_malformed_skill_hides_no_sibling_and_a_malformed_manifest_its_own_skill_alone(
    shelves: Shelves,
) -> None:
    """`rules.md` 2: a malformed skill.yaml refuses that skill only; all others are answered as before."""
    root = shelves.directory(
        "main",
        {
            "a/SKILL.md": skill("a"),
            "front/SKILL.md": "---\nname: [\n---\nBody\n",
            "manifest/SKILL.md": skill("manifest"),
            "manifest/skill.yaml": "tools: {",
        },
    )
    async with shelves.serving() as catalog:
        page = await catalog.page()
        assert ([each.name for each in page.skills], page.generation.complete) == (["a"], True)
        assert Code.YAML_MALFORMED in catalog.said()
        grow(root, {"manifest/skill.yaml": "version: '1'\n"})
        await catalog.look()
        assert await catalog.names() == ["a", "manifest"]


async def test_row_26_flags_hide_a_skill_from_the_list_of_one_invoker_and_from_no_other_read(shelves: Shelves) -> None:
    flags = {
        "both": (),
        "user": ("disable-model-invocation: ON",),
        "model": ("user-invocable: 0",),
        "nobody": ("disable-model-invocation: yes", "user-invocable: 'False'"),
    }
    shelves.directory(
        "main",
        {
            f"{name}/SKILL.md": document(f"name: {name}", "description: Does it.", *lines)
            for name, lines in flags.items()
        },
    )
    async with shelves.serving() as catalog:
        assert await catalog.names() == sorted(flags)
        assert await catalog.names(invocation=pb.INVOCATION_FILTER_MODEL) == ["both", "model"]
        assert await catalog.names(invocation=pb.INVOCATION_FILTER_USER) == ["both", "user"]
        assert await catalog.body("nobody") == "Body"
        refusal = await catalog.server.refused(pb.ActivateRequest(name="user"))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "INVOCATION_NOT_ALLOWED")


async def test_row_27_an_unreadable_flag_or_its_camel_case_twin_drops_the_skill(shelves: Shelves) -> None:
    lines = {
        "maybe": "disable-model-invocation: maybe",
        "camel": "disableModelInvocation: true",
        "twin": "userInvocable: true",
    }
    shelves.directory(
        "main",
        {
            "a/SKILL.md": skill("a"),
            **{f"{n}/SKILL.md": document(f"name: {n}", "description: Does it.", line) for n, line in lines.items()},
        },
    )
    async with shelves.serving() as catalog:
        assert await catalog.names() == ["a"]


async def test_row_28_a_description_is_cut_at_800_bytes_and_a_block_scalar_is_its_text(shelves: Shelves) -> None:
    """`rules.md` 3: the cap is 800 bytes, the ellipsis counted inside it, and the full length is given."""
    shelves.directory(
        "main",
        {
            "long/SKILL.md": document("name: long", f"description: {'x' * 900}"),
            "folded/SKILL.md": document("name: folded", "description: >", "  Folds", "  two lines.", "", "  Three."),
            "literal/SKILL.md": document("name: literal", "description: |", "  Keeps", "  lines."),
            "short/SKILL.md": document("name: short", f"description: {'x' * 250}"),
        },
    )
    async with shelves.serving() as catalog:
        described = {each.name: each for each in (await catalog.page()).skills}
        assert described["long"].description == "x" * 797 + "…"
        assert (described["long"].description_truncated, described["long"].description_bytes) == (True, 900)
        assert described["short"].description == "x" * 250
        assert described["folded"].description == "Folds two lines. Three."
        assert described["literal"].description == "Keeps lines."


async def test_row_29_without_a_version_the_label_is_the_beginning_of_the_documents_digest(shelves: Shelves) -> None:
    """The digest is the document's also where there is a sidecar: `rules.md` knows no other digest that names a version
    of what is read, and a sidecar is an asset like all others."""
    text = skill("a")
    shelves.directory(
        "main",
        {
            "a/SKILL.md": text,
            "a/kernel.py": "pass\n",
            "b/SKILL.md": document("name: b", "description: Does it.", "version: 1.10"),
            "c/skill.yaml": "name: c\ndescription: Has no document.\n",
        },
    )
    async with shelves.serving() as catalog:
        labels = [each.version for each in (await catalog.page()).skills]
        assert labels == [hashlib.sha256(text.encode()).hexdigest()[:12], "1.10", ""]


async def test_row_30_no_list_holds_a_body_and_a_hundred_skills_fit_the_budget(shelves: Shelves) -> None:
    shelves.directory(
        "main",
        {
            f"skill-{number:03}/SKILL.md": skill(f"skill-{number:03}", "Does one thing well. " * 9, f"Be a {MARKER}.")
            for number in range(100)
        },
    )
    async with shelves.serving() as catalog:
        for page in (await catalog.page(), await catalog.server.list()):
            assert page.total_size == len(page.skills) == 100
            assert MARKER.encode() not in page.SerializeToString()
            assert sum(len(each.name + each.description) for each in page.skills) / 4 <= 20_000
        assert MARKER in await catalog.body("skill-000")
