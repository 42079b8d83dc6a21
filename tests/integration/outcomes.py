"""Outcomes told to a server of the test's own, and what it knows by them."""

from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.partition import LOCAL_PRINCIPAL, Partition
from tests.integration.in_process import InProcess

HERE = Partition(LOCAL_PRINCIPAL, "")
"""Of which a caller of this machine tells who names no project."""


async def report(server: InProcess, skill: str, task: str, rate: float, **fields: object) -> pb.ReportOutcomeResponse:
    """Tell of a skill at a task."""
    request = pb.ReportOutcomeRequest(skill=skill, task=task, success_rate=rate, **fields)  # type: ignore[arg-type] # of any field
    return await server.call(request, pb.ReportOutcomeResponse)


async def best(server: InProcess, task: str, **fields: object) -> pb.BestMatchResponse:
    """Ask what is known of a task."""
    return await server.call(pb.BestMatchRequest(task=task, **fields), pb.BestMatchResponse)  # type: ignore[arg-type] # of any field
