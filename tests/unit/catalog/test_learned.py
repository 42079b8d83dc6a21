"""Learned skills are read as the files that they make: whatever their text, it is text."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillsvc.catalog.current import Current
from skillsvc.catalog.learned import Learned, LearnedLayers, LearnedSkill, document_of
from skillsvc.domain.caps import flatten
from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition
from skillsvc.domain.trust import Tier, Trust
from tests.contract.memory_blob_store import MemoryBlobStore
from tests.simulators.clock import Clock
from tests.simulators.memory_log import MemoryLayerLog
from tests.simulators.skills import sha256

ALICE = Partition(principal="token:alice", project="")
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


def world() -> tuple[Current, MemoryBlobStore, LearnedLayers]:
    current, blobs, clock = Current(MemoryLayerLog(os.urandom), Limits()), MemoryBlobStore(), Clock()
    return current, blobs, LearnedLayers(current, blobs=blobs, limits=Limits(), now=clock)


@given(description=TEXTS, body=TEXTS)
def test_any_text_is_a_description_and_a_body_and_nothing_of_the_frontmatter(description: str, body: str) -> None:
    current, blobs, learned = world()
    skill = LearnedSkill(name="review", description=description, body=body)
    spoken = " ".join(flatten(description).split(" ")).strip(" ")
    if not spoken:
        with pytest.raises(InvalidInput):
            learned.replace([Learned(partition=ALICE, skills=(skill,))])
        assert current.partitions == ()
        return
    learned.replace([Learned(partition=ALICE, skills=(skill,))])
    (row,) = current.layers[ALICE].present.rows
    served = row.bundle.skill
    assert (row.name, row.tier, row.trust) == ("review", Tier.LEARNED, Trust.UNTRUSTED)
    assert served.description.replace(" ", "") == spoken.replace(" ", "")
    assert (served.model_invocable, served.user_invocable, served.allowed_tools, served.metadata) == (
        True,
        True,
        (),
        (),
    )
    assert row.bundle.document is not None
    assert blobs.has(row.bundle.document.digest)


def test_equal_skills_are_equal_bytes() -> None:
    skill = LearnedSkill(name="review", description='Says "no" \\ \u0085', body="Do it.")
    expected = b'---\nname: review\ndescription: "Says \\"no\\" \\\\ \\U00000085"\n---\n\nDo it.\n'
    assert document_of(skill) == expected
    current, _, learned = world()
    learned.replace([Learned(partition=ALICE, skills=(skill,))])
    document = current.layers[ALICE].present.rows[0].bundle.document
    assert document is not None
    assert document.digest == sha256(expected)
