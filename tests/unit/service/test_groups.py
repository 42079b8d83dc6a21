"""Which calls are counted together, held to the descriptors."""

from grpc_health.v1 import health_pb2

from skillsvc.domain.shares import Group
from skillsvc.service.groups import GROUPS, group_of
from skillsvc.service.roles import AGENTS, CHANNELZ, OPERATORS, REFLECTION


def test_every_call_of_agents_is_counted_and_no_other() -> None:
    assert set(GROUPS) == {method.name for method in AGENTS.methods}
    assert {method.name: group_of(method.input_type.full_name) for method in AGENTS.methods} == dict(GROUPS)
    for service in (OPERATORS, CHANNELZ):
        assert {group_of(method.input_type.full_name) for method in service.methods} == {None}
    assert group_of(health_pb2.HealthCheckRequest.DESCRIPTOR.full_name) is None


def test_what_streams_is_counted_while_it_is_open() -> None:
    streams = {method.name for method in AGENTS.methods if method.server_streaming}
    assert streams == {name for name, group in GROUPS.items() if group is Group.WATCHES}


def test_reflection_counts_as_a_watch() -> None:
    assert {group_of(method.input_type.full_name) for method in REFLECTION.methods} == {Group.WATCHES}
