"""Folders of partitions: whatever a value is, its folder is one name, and its own."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.folder_template import PRINCIPAL, PROJECT, FolderTemplate, is_name_at, name_of
from skillsvc.domain.partition import Partition

_DIGEST = re.compile("[0-9a-f]{64}")
VALUES = st.one_of(
    st.text(max_size=250),
    st.text("./%~\\{}\0ab", max_size=12),
    st.text("aé", min_size=150, max_size=250),
)


@given(VALUES)
def test_every_value_is_one_name_that_any_file_system_takes(value: str) -> None:
    name = name_of(value)
    assert re.fullmatch("[A-Za-z0-9_%-]{1,200}", name)
    assert name not in {".", ".."}


@given(VALUES, VALUES)
def test_two_values_have_two_names(one: str, other: str) -> None:
    # The digest of a long project is a name for both of one principal's (`name_of`).
    assume(one != other and not _DIGEST.fullmatch(one) and not _DIGEST.fullmatch(other))
    assert name_of(one) != name_of(other)


@given(st.tuples(VALUES, VALUES), st.tuples(VALUES, VALUES))
def test_two_partitions_have_two_folders(one: tuple[str, str], other: tuple[str, str]) -> None:
    template = FolderTemplate.parse("{principal}/{project}")
    assume(one != other and not any(_DIGEST.fullmatch(each) for each in (*one, *other)))
    # No principal is empty, or without its kind.
    first, second = (Partition("token:" + principal, project) for principal, project in (one, other))
    assert template.beneath(first) != template.beneath(second)


@given(VALUES, VALUES)
def test_the_folders_of_a_partition_are_known_as_such(principal: str, project: str) -> None:
    try:
        partition = Partition.parse(principal=f"token:{principal}", project=project)
    except InvalidInput:
        assume(False)  # noqa: FBT003 - what is assumed
    assert is_name_at(PRINCIPAL, name_of(partition.principal))
    assert is_name_at(PROJECT, name_of(partition.project))
