"""What operators make partitions hold, and what callers get of it: over real gRPC, each project a tenant of its own."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from skillsource.v1 import admin_pb2 as pb
from skillsource.v1 import skill_source_pb2 as agents_pb

from skillsvc.catalog.current import Current
from skillsvc.domain.generation import Row
from skillsvc.domain.partition import DEPLOYMENT
from tests.integration.admin_in_process import Operator, operated
from tests.integration.in_process import Refusal, World
from tests.simulators.scripted_looks import ScriptedLooks, report


class Tenants:
    """An operator of a running server, and its callers by their projects."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.server = operator.server

    async def refresh(self, contents: Iterable[pb.PartitionContent]) -> list[pb.PartitionOutcome]:
        """Replace what partitions hold."""
        request = pb.RefreshPartitionsRequest(partitions=contents)
        return list((await self.operator.call(request, pb.RefreshPartitionsResponse)).partitions)

    async def hold(self, project: str, *skills: pb.LearnedSkill, number: int | None = None) -> pb.PartitionOutcome:
        """Replace what one partition holds."""
        (outcome,) = await self.refresh([content(project, *skills, number=number)])
        return outcome

    async def clear(self, project: str, number: int | None = None) -> pb.PartitionOutcome:
        """Empty one partition."""
        emptied = pb.PartitionEmptied(partition=of(project), log_generation=number)
        request = pb.ClearPartitionsRequest(partitions=[emptied])
        (outcome,) = (await self.operator.call(request, pb.ClearPartitionsResponse)).partitions
        return outcome

    async def revoke(self, project: str, name: str) -> pb.RevokeSkillResponse:
        """Revoke a name in a partition."""
        return await self.operator.call(pb.RevokeSkillRequest(partition=of(project), name=name), pb.RevokeSkillResponse)

    async def lift(self, project: str, name: str) -> pb.LiftRevokeResponse:
        """Lift the revoke of a name in a partition."""
        return await self.operator.call(pb.LiftRevokeRequest(partition=of(project), name=name), pb.LiftRevokeResponse)

    async def sequence(self, project: str) -> int:
        """Return the number of a partition's present generation."""
        request = pb.GetGenerationRequest(partition=of(project))
        return (await self.operator.call(request, pb.GetGenerationResponse)).generation.sequence

    async def names(self, project: str) -> list[str]:
        """Return what a caller of a project is listed."""
        return [skill.name for skill in (await self.server.list(project=project)).skills]

    async def token(self, project: str) -> str:
        """Return the token of what a caller of a project sees now."""
        return (await self.server.list(project=project)).generation.token

    async def body(self, project: str, name: str, token: str = "") -> str:
        """Return a body as a caller of a project reads it, of the state that a token names if there is one."""
        request = agents_pb.SkillBodyRequest(project=project, name=name)
        if token:
            request.consistency.at_exactly = token
        return (await self.server.call(request, agents_pb.SkillBodyResponse)).body

    async def no_body(self, project: str, name: str, token: str = "") -> Refusal:
        """Return how a caller of a project is refused a body."""
        request = agents_pb.SkillBodyRequest(project=project, name=name)
        if token:
            request.consistency.at_exactly = token
        return await self.server.refused(request)


@asynccontextmanager
async def tenants(
    folder: Path, *rows: Row, world: World | None = None, current: Current | None = None
) -> AsyncIterator[Tenants]:
    """Run a server whose deployment layer holds rows, and whose partitions operators fill."""
    looks = ScriptedLooks()
    looks.feed(DEPLOYMENT, report("main"))
    async with operated(looks, folder, *rows, world=world, current=current) as operator:
        yield Tenants(operator)


def of(project: str) -> pb.Partition:
    """Return the partition of a project; of "deployment" the layer of everybody."""
    return (
        pb.Partition(deployment=True) if project == "deployment" else pb.Partition(principal="local", project=project)
    )


def skill(name: str, body: str = "Do it.", description: str = "Learned.") -> pb.LearnedSkill:
    """Return a skill as another log holds it."""
    return pb.LearnedSkill(name=name, description=description, body=body)


def content(project: str, *skills: pb.LearnedSkill, number: int | None = None) -> pb.PartitionContent:
    """Return what a partition is to hold."""
    return pb.PartitionContent(partition=of(project), skills=skills, log_generation=number)
