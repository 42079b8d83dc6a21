"""The admin calls that change layers: what partitions hold, and which names a layer may not hold."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime

from skillsource.v1 import admin_pb2 as pb

from skillsvc.catalog.contents import Replaced
from skillsvc.catalog.learned import Learned, LearnedLayers
from skillsvc.catalog.tombstones import Revoked
from skillsvc.domain.errors import DataLoss, Unavailable
from skillsvc.domain.partition import Partition
from skillsvc.service import admin_wire
from skillsvc.service.admin_requests import RevokeAsk
from skillsvc.service.admin_scope import AdminScope
from skillsvc.service.audit import Audit
from skillsvc.service.call import Call
from skillsvc.service.threads import Threads


class PartitionAdmin:
    """The handlers of RefreshPartitions, ClearPartitions, RevokeSkill and LiftRevoke. Lives on the event loop."""

    def __init__(
        self,
        *,
        scope: AdminScope,
        learned: LearnedLayers,
        threads: Threads,
        audit: Audit,
        now: Callable[[], datetime],
    ) -> None:
        """Change the layers of `scope`, in `threads`, and tell `audit` of each."""
        self._scope = scope
        self._learned = learned
        self._threads = threads
        self._audit = audit
        self._now = now

    async def refresh_partitions(self, ask: tuple[Learned, ...], call: Call) -> bytes:
        """Answer RefreshPartitions."""
        self._scope.check_phase()
        await self._scope.see_to([each.partition for each in ask])
        outcomes = await self._replace("RefreshPartitions", ask, call, self._learned.replace)
        return pb.RefreshPartitionsResponse(partitions=outcomes).SerializeToString()

    async def clear_partitions(self, ask: tuple[Learned, ...], call: Call) -> bytes:
        """Answer ClearPartitions."""

        def clear(free: Sequence[Learned]) -> tuple[Replaced, ...]:
            with self._telling_of_closing("ClearPartitions", [each.partition for each in free], call):
                return self._learned.clear(free)

        self._scope.check_phase()
        with suppress(Unavailable, DataLoss):
            # What is to be taken away waits for no folder, and for no store.
            await self._scope.see_to([each.partition for each in ask])
        outcomes = await self._replace("ClearPartitions", ask, call, clear)
        return pb.ClearPartitionsResponse(partitions=outcomes).SerializeToString()

    async def revoke_skill(self, ask: RevokeAsk, call: Call) -> bytes:
        """Answer RevokeSkill."""
        self._scope.check_phase()
        current = self._scope.current
        try:
            await self._scope.see_to((ask.partition,))
        except (Unavailable, DataLoss):
            # As of what is cleared. What has no layer may be going to have one.
            if not current.has_layer(ask.partition):
                raise

        def revoke() -> Revoked:
            with self._telling_of_closing("RevokeSkill", (ask.partition,), call, what=ask.name):
                return current.revoke(ask.partition, ask.name, self._now())

        told = await self._threads.run(revoke)
        self._tell("RevokeSkill", ask, call, told)
        return pb.RevokeSkillResponse(
            before=admin_wire.layer_generation(told.before),
            after=admin_wire.layer_generation(told.after),
            changed=told.changed,
        ).SerializeToString()

    async def lift_revoke(self, ask: RevokeAsk, call: Call) -> bytes:
        """Answer LiftRevoke."""
        self._scope.check_phase()
        await self._scope.see_to((ask.partition,))
        current = self._scope.current
        told = await self._threads.run(lambda: current.lift(ask.partition, ask.name, self._now()))
        self._tell("LiftRevoke", ask, call, told)
        if told.changed and self._scope.reports(ask.partition):
            # What sources hold of it is published by their next look: nobody waits for that here.
            self._scope.looks.look_now(ask.partition)
        return pb.LiftRevokeResponse(
            generation=admin_wire.layer_generation(told.after), changed=told.changed
        ).SerializeToString()

    @contextmanager
    def _telling_of_closing(
        self, act: str, partitions: Iterable[Partition], call: Call, *, what: str = ""
    ) -> Iterator[None]:
        """Tell the audit where what was taken away could not be kept: it is served no more all the same."""
        try:
            yield
        except (Unavailable, DataLoss) as error:
            for partition in partitions:
                self._audit.unkept(
                    act,
                    error.reason.value,
                    call.actor,
                    partition=partition,
                    what=what,
                )
            raise

    def _tell(self, act: str, ask: RevokeAsk, call: Call, told: Revoked) -> None:
        self._audit.allowed(
            act,
            call.actor,
            partition=ask.partition,
            generation=told.after.sequence,
            what=ask.name,
        )

    async def _replace(
        self,
        act: str,
        asked: Sequence[Learned],
        call: Call,
        replace: Callable[[Sequence[Learned]], tuple[Replaced, ...]],
    ) -> list[pb.PartitionOutcome]:
        """Replace what sources do not feed, and tell what came of each partition, in the order asked for."""
        fed = frozenset(each.partition for each in asked if self._scope.reports(each.partition))
        free = [each for each in asked if each.partition not in fed]
        came = await self._threads.run(lambda: dict(zip((each.partition for each in free), replace(free), strict=True)))
        by = call.actor
        for partition, each in came.items():
            if each.stale:
                self._audit.failed(act, "STALE", by, partition=partition)
            else:
                sequence = each.layer.present.sequence
                self._audit.allowed(act, by, partition=partition, generation=sequence)
        for partition in sorted(fed):
            self._audit.failed(act, "FED_BY_SOURCES", by, partition=partition)
        layers = await self._threads.run(lambda: self._scope.current.ensure(tuple(fed)))
        return [
            admin_wire.fed_outcome(layers[each.partition])
            if each.partition in fed
            else admin_wire.outcome(came[each.partition])
            for each in asked
        ]
