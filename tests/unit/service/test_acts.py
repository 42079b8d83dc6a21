"""Which acts the audit is told of, held to the descriptors."""

from skillsource.v1 import admin_pb2

from skillsvc.service.acts import CHANGES, OPERATIONS, act_of
from skillsvc.service.roles import AGENTS, OPERATORS


def test_faults_are_told_of_what_operators_call() -> None:
    assert {method.name for method in OPERATORS.methods} == OPERATIONS


def test_what_is_written_down_whatever_comes_of_it_are_calls() -> None:
    calls = {act_of(method.input_type.full_name) for service in (AGENTS, OPERATORS) for method in service.methods}
    assert calls >= CHANGES
    assert act_of(admin_pb2.RevokeSkillRequest.DESCRIPTOR.full_name) == "RevokeSkill"
