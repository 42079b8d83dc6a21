"""Digests come from content alone: any bundle has the one that the rule gives, whatever the disk it lies on."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillsvc.domain.generation import Row, layer_digest
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Bundle, make_bundle
from skillsvc.sources.directory import DirectorySettings, DirectorySource
from skillsvc.sources.merge import merge
from skillsvc.sources.reading import ReadingSettings
from tests.conformance import canonical
from tests.contract.layer_log_values import BUNDLES, ROW_SETS
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.skills import in_order, sha256

pytestmark = pytest.mark.property

FILES = {
    "pdf/SKILL.md": b"---\nname: pdf\ndescription: Reads PDF.\nmetadata: {b: two, a: one}\n---\nRead it.\n",
    "pdf/b.txt": b"b",
    "pdf/a/c.txt": b"c",
    "pdf/a.txt": b"a",
    "pdf/.hidden": b"",
    "csv/SKILL.md": b"---\nname: csv\ndescription: Reads CSV.\n---\n",
    "csv/run.sh": b"#!/bin/sh\n",
}
NO_TEXT = ""
NO_LIST: dict[str, list[object]] = {"list": []}
CSV = canonical.digest(
    "skillsource.bundle.v1",
    [
        *(sha256(FILES["csv/SKILL.md"]), sha256(b""), "csv", "Reads CSV.", False, 10, True, True, True),
        *(NO_TEXT, NO_TEXT, NO_TEXT, {"map": {}}, NO_LIST, NO_TEXT, NO_TEXT, NO_LIST, NO_LIST, NO_LIST),
        *(0, len(FILES["csv/SKILL.md"]), 1, NO_TEXT, NO_LIST, NO_LIST),
        {"list": [["run.sh", sha256(b"#!/bin/sh\n"), 10, True]]},
    ],
)
PDF = canonical.digest(
    "skillsource.bundle.v1",
    [
        *(sha256(FILES["pdf/SKILL.md"]), sha256(b"Read it."), "pdf", "Reads PDF.", False, 10, True, True, True),
        *(NO_TEXT, NO_TEXT, NO_TEXT, {"map": {"a": "one", "b": "two"}}, NO_LIST),
        *(NO_TEXT, NO_TEXT, NO_LIST, NO_LIST, NO_LIST, 8, len(FILES["pdf/SKILL.md"]), 4, NO_TEXT, NO_LIST, NO_LIST),
        {
            "list": [
                [".hidden", sha256(b""), 0, False],
                ["a.txt", sha256(b"a"), 1, False],
                ["a/c.txt", sha256(b"c"), 1, False],
                ["b.txt", sha256(b"b"), 1, False],
            ]
        },
    ],
)


def covered_by(bundle: Bundle) -> list[object]:
    """Spell out what the rule says of a bundle: its own files, the fields of Skill by number, the rest, the assets."""
    skill = bundle.skill
    kinds = sorted({tool.kind for tool in skill.tools}, key=lambda kind: kind.value)
    return [
        bundle.document.digest if bundle.document else "",
        bundle.body.digest if bundle.body else "",
        skill.name,
        skill.description,
        skill.description_truncated,
        skill.description_bytes,
        bool(bundle.assets),
        skill.model_invocable,
        skill.user_invocable,
        skill.display_name,
        skill.license,
        skill.compatibility,
        {"map": dict(skill.metadata)},
        {"list": list(skill.allowed_tools)},
        skill.when_to_use,
        skill.version,
        {"list": list(skill.keywords)},
        {"list": list(skill.capabilities)},
        {"list": [kind.name for kind in kinds]},
        bundle.body.size if bundle.body else 0,
        bundle.document.size if bundle.document else 0,
        len(bundle.assets),
        skill.network.digest if skill.network else "",
        {
            "list": [
                [tool.id, tool.kind.name, tool.name, tool.server, tool.command, {"list": list(tool.args)}]
                for tool in skill.tools
            ]
        },
        {"list": list(skill.requirements)},
        {"list": [[asset.name, asset.digest, asset.size, asset.executable] for asset in bundle.assets]},
    ]


def covered_by_row(row: Row) -> list[object]:
    skill = row.found.bundle.skill
    return [
        row.name,
        row.source,
        row.shadowed,
        row.found.bundle.digest,
        row.tier.name,
        row.trust.name,
        skill.model_invocable,
        skill.user_invocable,
        row.found.collection,
    ]


@given(BUNDLES)
def test_any_bundle_has_the_digest_that_the_rule_gives(bundle: Bundle) -> None:
    assert bundle.digest == canonical.digest("skillsource.bundle.v1", covered_by(bundle))


@given(BUNDLES, st.randoms(use_true_random=False))
def test_the_order_of_metadata_is_of_no_account(bundle: Bundle, chance: Random) -> None:
    pairs = list(bundle.skill.metadata)
    chance.shuffle(pairs)
    again = make_bundle(
        replace(bundle.skill, metadata=tuple(pairs)),
        document=bundle.document,
        body=bundle.body,
        assets=bundle.assets,
    )
    assert again.digest == bundle.digest


@given(ROW_SETS)
def test_any_layer_has_the_digest_that_the_rule_gives(rows: list[Row]) -> None:
    ordered = in_order(rows)
    covered = {"list": [covered_by_row(row) for row in ordered]}
    assert layer_digest(ordered) == canonical.digest("skillsource.layer.v1", [covered])


@settings(max_examples=25)
@given(
    st.permutations(sorted(FILES)),
    st.integers(min_value=100, max_value=2**31),
    st.sampled_from([0o600, 0o640, 0o666]),
    st.text("abc", min_size=1, max_size=8),
)
def test_files_in_any_order_of_any_time_in_any_folder_make_one_layer(
    order: list[str], time: int, mode: int, folder: str
) -> None:
    with tempfile.TemporaryDirectory(prefix=folder) as root:
        for place, name in enumerate(order):
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(FILES[name])
            path.chmod(mode | (0o111 if name == "csv/run.sh" else 0))
            os.utime(path, (time - place, time + place))
        source = DirectorySource(
            DirectorySettings(path=root, reading=ReadingSettings(label="dir-1")),
            limits=Limits(),
            blobs=MemoryBlobStore(),
        )
        rows = merge([source.observe()]).rows
    assert [(row.name, row.bundle.digest) for row in rows] == [("csv", CSV), ("pdf", PDF)]
