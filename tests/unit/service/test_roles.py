"""What each call needs: the table, held to the descriptors."""

import pytest
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2

from skillsvc.domain.access import Role
from skillsvc.domain.limits import Limits
from skillsvc.service.audit import Audit
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import OfThisMachine
from skillsvc.service.roles import AGENTS, CHANNELZ, NEEDS, OPERATORS, REFLECTION, Open, need_of


@pytest.mark.parametrize("service", [AGENTS, OPERATORS, CHANNELZ, REFLECTION], ids=lambda service: service.name)
def test_every_call_of_a_service_is_in_the_table_and_no_other(service: ServiceDescriptor) -> None:
    assert set(NEEDS[service.full_name]) == {method.name for method in service.methods}


def test_what_agents_call_is_for_readers_but_for_outcomes_and_what_the_server_is() -> None:
    others = {name: need for name, need in NEEDS[AGENTS.full_name].items() if need is not Role.READER}
    assert others == {"GetServerInfo": Open.TO_CALLERS, "ReportOutcome": Role.REPORTER}


@pytest.mark.parametrize("service", [OPERATORS, CHANNELZ], ids=lambda service: service.name)
def test_whatever_operators_call_is_for_admins(service: ServiceDescriptor) -> None:
    assert set(NEEDS[service.full_name].values()) == {Role.ADMIN}


@pytest.mark.parametrize("service", [AGENTS, OPERATORS, CHANNELZ], ids=lambda service: service.name)
def test_a_message_asks_in_one_call_alone_so_that_it_says_what_is_needed(service: ServiceDescriptor) -> None:
    needs = {method.input_type.full_name: NEEDS[service.full_name][method.name] for method in service.methods}
    assert len(needs) == len(service.methods)
    assert {name: need_of(name) for name in needs} == needs


def test_reflection_is_for_whoever_is_known() -> None:
    assert set(NEEDS[REFLECTION.full_name].values()) == {Open.TO_CALLERS}


def test_probes_are_open_to_everybody() -> None:
    assert need_of(health_pb2.HealthCheckRequest.DESCRIPTOR.full_name) is Open.TO_EVERYBODY


def test_a_call_of_which_nobody_said_what_it_needs_cannot_be_registered() -> None:
    async def answer(_ask: None, _call: object) -> bytes:
        raise AssertionError("never called")

    boundary = Boundary(limits=Limits(), new_incident=lambda: "", identities=OfThisMachine(), audit=Audit(lambda: 0.0))
    answers = GetMessageClass(AGENTS.methods_by_name["ListSkills"].output_type)
    with pytest.raises(KeyError):
        boundary.unary(answers, lambda _request, _limits: None, answer)
