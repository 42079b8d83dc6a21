"""Requests of operators, field by field, without a server: what is asked for, and that every field counts."""

from collections.abc import Callable, Iterator

import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import given
from hypothesis import strategies as st
from skillsource.v1 import admin_pb2 as pb
from skillsource.v1 import skill_pb2

from skillsvc.domain.diagnostics import Severity
from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service.access_requests import parse_explain
from skillsvc.service.admin import SERVICE
from skillsvc.service.admin_requests import (
    PageAsk,
    parse_clear_partitions,
    parse_diagnostics,
    parse_diff,
    parse_generation,
    parse_lift,
    parse_partitions,
    parse_refresh,
    parse_refresh_partitions,
    parse_revoke,
    parse_sources,
    partition_of,
)
from skillsvc.service.enablement_requests import parse_list_enablement, parse_set_enablement

METHODS = pb.DESCRIPTOR.services_by_name["CatalogAdminService"].methods
LIMITS = Limits()
HERE = pb.Partition(deployment=True)
PARSERS: dict[str, Callable[..., object]] = {
    "ListSources": parse_sources,
    "Refresh": parse_refresh,
    "ListDiagnostics": parse_diagnostics,
    "ListPartitions": parse_partitions,
    "GetGeneration": parse_generation,
    "DiffGenerations": parse_diff,
    "RefreshPartitions": parse_refresh_partitions,
    "ClearPartitions": parse_clear_partitions,
    "RevokeSkill": parse_revoke,
    "LiftRevoke": parse_lift,
    "SetEnablement": parse_set_enablement,
    "ListEnablement": parse_list_enablement,
    "ExplainAccess": parse_explain,
}
OTHER_VALUES: dict[str, object] = {
    "partition": pb.Partition(principal="local"),
    "page_size": 7,
    "page_token": "token",
    "sources": ["vendor"],
    "paths": ["a/SKILL.md"],
    "source": "vendor",
    "skill": "a",
    "min_severity": skill_pb2.SEVERITY_ERROR,
    "generation": pb.GenerationName(sequence=7),
    "before": pb.GenerationName(sequence=7),
    "after": pb.GenerationName(sequence=7),
    "name": "b",
    "partitions": [{"partition": pb.Partition(principal="local", project="other")}],
    "identity": pb.Identity(kind=pb.IDENTITY_KIND_TOKEN, name="cd"),
    "project": "other",
    "session": "nightly",
    "names": ["b"],
    "state": pb.ENABLEMENT_STATE_INHERITED,
    "deciding": True,
}
SEVERAL = {"RefreshPartitions", "ClearPartitions"}
"""The calls about several partitions at once."""
OF_NONE = {"ListPartitions", "ExplainAccess"}
"""The calls that are about no partition."""
OF_ALICE = pb.Partition(principal="token:alice")


def request_of(rpc: str, **fields: object) -> Message:
    """Return a request that would be answered, with further fields."""
    needed: dict[str, object] = {} if rpc in SEVERAL | OF_NONE else {"partition": HERE}
    if rpc in SEVERAL:
        needed["partitions"] = [{"partition": OF_ALICE}]
    if rpc in {"RevokeSkill", "LiftRevoke"}:
        needed["name"] = "a"
    if rpc == "SetEnablement":
        needed |= {"names": ["a"], "state": pb.ENABLEMENT_STATE_DISABLED}
    if rpc == "ExplainAccess":
        needed["identity"] = pb.Identity(kind=pb.IDENTITY_KIND_TOKEN, name="ci")
    if rpc == "DiffGenerations":
        needed["before"] = pb.GenerationName(sequence=1)
    if rpc == "Refresh":
        needed["sources"] = ["house"]
    descriptor = next(method.input_type for method in METHODS if method.name == rpc)
    return GetMessageClass(descriptor)(**{**needed, **fields})


def fields() -> Iterator[tuple[str, str]]:
    return ((method.name, field.name) for method in METHODS for field in method.input_type.fields)


def test_every_call_of_the_contract_has_its_handler_and_no_other() -> None:
    assert SERVICE == "skillsource.v1.CatalogAdminService"
    assert set(PARSERS) == {method.name for method in METHODS}


def test_every_request_but_those_for_several_partitions_names_one() -> None:
    with_one = {method.name for method in METHODS if "partition" in method.input_type.fields_by_name}
    assert with_one == set(PARSERS) - OF_NONE - SEVERAL
    assert all(
        method.input_type.fields_by_name["partition"].number == 1 for method in METHODS if method.name in with_one
    )


@pytest.mark.parametrize(("rpc", "field"), sorted(fields()))
def test_no_field_is_ignored(rpc: str, field: str) -> None:
    parse = PARSERS[rpc]
    assert parse(request_of(rpc, **{field: OTHER_VALUES[field]}), LIMITS) != parse(request_of(rpc), LIMITS)


def test_every_enum_of_a_request_is_refused_a_number_that_it_does_not_have() -> None:
    enums = [(method.name, field.name) for method in METHODS for field in method.input_type.fields if field.enum_type]
    assert enums == [("ListDiagnostics", "min_severity"), ("SetEnablement", "state")]
    for number in (4, -1, 2**31 - 1):
        with pytest.raises(InvalidInput) as caught:
            parse_diagnostics(
                pb.ListDiagnosticsRequest(partition=HERE, min_severity=number),  # type: ignore[arg-type] # of no enum
                LIMITS,
            )
        assert (caught.value.reason.value, caught.value.metadata["field"]) == ("ARGUMENT_OUT_OF_RANGE", "min_severity")


@pytest.mark.parametrize(
    ("number", "least"),
    [
        (skill_pb2.SEVERITY_UNSPECIFIED, Severity.NOTE),
        (skill_pb2.SEVERITY_NOTE, Severity.NOTE),
        (skill_pb2.SEVERITY_WARNING, Severity.WARNING),
        (skill_pb2.SEVERITY_ERROR, Severity.ERROR),
    ],
)
def test_the_least_severity_is_that_of_notes_unless_it_is_said(number: skill_pb2.Severity, least: Severity) -> None:
    request = pb.ListDiagnosticsRequest(partition=HERE, min_severity=number)
    assert parse_diagnostics(request, LIMITS).least is least


@pytest.mark.parametrize(("given_", "size"), [(0, 1000), (1, 1), (1000, 1000), (1001, 1000), (2**32 - 1, 1000)])
def test_a_page_is_as_large_as_asked_and_never_larger_than_may_be(given_: int, size: int) -> None:
    assert parse_partitions(pb.ListPartitionsRequest(page_size=given_), LIMITS).size == size


def test_a_page_belongs_to_one_request_of_one_call() -> None:
    pages: list[PageAsk] = []
    for rpc in sorted(method.name for method in METHODS if "page_token" in method.input_type.fields_by_name):
        for further in ({}, {"page_size": 3}, {"page_token": "x"}):
            asked = PARSERS[rpc](request_of(rpc, **further), LIMITS)
            page = getattr(asked, "page", asked)
            assert isinstance(page, PageAsk)
            pages.append(page)
    assert [len({page.fields for page in pages[at : at + 3]}) for at in range(0, len(pages), 3)] == [1] * 7
    assert len({page.fields for page in pages}) == 7


def test_what_is_named_twice_is_looked_at_once() -> None:
    request = pb.RefreshRequest(partition=HERE, sources=["house", "house"], paths=["b", "a", "b"])
    asked = parse_refresh(request, LIMITS)
    assert (asked.sources, asked.paths) == (("house",), ("b", "a"))


@given(principal=st.text(max_size=20), project=st.text(max_size=20), deployment=st.booleans())
def test_a_partition_is_the_one_that_is_named_or_refused(principal: str, project: str, deployment: bool) -> None:  # noqa: FBT001 - generated
    named = pb.Partition(principal=principal, project=project, deployment=deployment)
    try:
        partition = partition_of(named)
    except InvalidInput:
        return
    assert partition == (DEPLOYMENT if deployment else Partition(principal=principal, project=project))
    # Nothing but the flag ever names the layer of everybody.
    assert (partition == DEPLOYMENT) == deployment
