"""Partitions: exact bytes, one kind of principal each, nothing that two could share by accident."""

import pytest

from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.partition import DEPLOYMENT, Partition, layer_id, parse_project

PRINCIPALS = ["local", "spiffe://example.org/agent", "oidc:corp:alice", "token:ci", "cert:0123", "token:" + "é" * 125]


@pytest.mark.parametrize("principal", PRINCIPALS)
@pytest.mark.parametrize("project", ["", "p", "a b", "é", "p" * 256, "世" * 85, "../x", "P"])
def test_a_principal_of_a_kind_and_any_project_are_a_partition_as_they_are(principal: str, project: str) -> None:
    partition = Partition.parse(principal=principal, project=project)
    assert (partition.principal, partition.project) == (principal, project)


@pytest.mark.parametrize("principal", ["", "alice", "Local", "local ", "localhost", "Token:ci", "deployment"])
def test_a_principal_without_a_kind_is_none(principal: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Partition.parse(principal=principal, project="")
    assert caught.value.reason is ErrorReason.ARGUMENT_MALFORMED


@pytest.mark.parametrize(
    "text",
    ["a\0b", "\n", "a\tb", "\x1f", "\x7f", "\x80", "\x9f", "\u2028", "\u2029", "e\u0301", "\ud800"],
    ids=ascii,
)
def test_control_characters_and_text_that_is_not_in_nfc_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_project(text)
    assert caught.value.reason is ErrorReason.ARGUMENT_MALFORMED
    assert caught.value.metadata == {"field": "project"}
    with pytest.raises(InvalidInput):
        Partition.parse(principal=f"token:{text}", project="")


@pytest.mark.parametrize("project", ["p" * 257, "世" * 86, "é" * 129])
def test_a_project_of_more_than_256_bytes_is_refused(project: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_project(project)
    assert caught.value.reason is ErrorReason.ARGUMENT_OUT_OF_RANGE
    assert caught.value.metadata == {"field": "project", "limit": "256"}


def test_a_principal_of_more_than_256_bytes_is_refused() -> None:
    assert Partition.parse(principal="token:" + "a" * 250, project="").project == ""
    with pytest.raises(InvalidInput) as caught:
        Partition.parse(principal="token:" + "a" * 251, project="")
    assert caught.value.reason is ErrorReason.ARGUMENT_OUT_OF_RANGE


def test_no_caller_is_the_deployment_layer() -> None:
    with pytest.raises(InvalidInput):
        Partition.parse(principal=DEPLOYMENT.principal, project=DEPLOYMENT.project)


def test_layers_have_ids_of_8_bytes_that_differ() -> None:
    partitions = [
        DEPLOYMENT,
        Partition(principal="local", project=""),
        Partition(principal="local", project="p"),
        Partition(principal="localp", project=""),
        Partition(principal="", project="localp"),
    ]
    ids = {layer_id(partition) for partition in partitions}
    assert len(ids) == len(partitions)
    assert {len(each) for each in ids} == {8}
