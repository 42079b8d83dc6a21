"""Health, by the standard protocol: serving is what the phase says, and nobody waits for a peer to tell it.

The servicer of grpcio-health-checking holds a lock while it writes to a watcher, so that one peer that reads nothing
keeps a server from ever starting or stopping.
"""

import asyncio
from collections.abc import AsyncIterator

import grpc
from grpc_health.v1 import health_pb2

from skillsvc.domain.limits import Limits
from skillsvc.service.arrivals import Handler
from skillsvc.service.boundary import Boundary
from skillsvc.service.call import Call
from skillsvc.service.changes import Changes
from skillsvc.service.health_watches import HealthWatches, Watchers
from skillsvc.service.sights import Phase, Sights

SERVICE = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
_Status = health_pb2.HealthCheckResponse
_SERVING = _Status(status=_Status.SERVING).SerializeToString()
_NOT_SERVING = _Status(status=_Status.NOT_SERVING).SerializeToString()
_UNKNOWN = _Status(status=_Status.SERVICE_UNKNOWN).SerializeToString()


class Health:
    """The handlers of the health service, for some services and for the server as a whole, which is ""."""

    def __init__(
        self,
        services: tuple[str, ...],
        *,
        sights: Sights,
        changes: Changes,
        limits: Limits,
        watches: HealthWatches,
    ) -> None:
        """Tell of `services` what the phase of `sights` says; `changes` must be told where that changes.

        At most `watches` are told of changes; a Check is answered in any case.
        """
        self._services = frozenset({"", *services})
        self._sights = sights
        self._changes = changes
        self._limits = limits
        self._watchers = Watchers(watches)

    async def check(self, service: str, call: Call) -> bytes:
        """Answer Check: NOT_FOUND for a service that this server does not have."""
        if service not in self._services:
            await call.context.abort(grpc.StatusCode.NOT_FOUND, "no such service here")
        return self._encoded(service, self._sights.phase)

    async def watch(self, service: str, call: Call) -> AsyncIterator[bytes]:
        """Answer Watch: the status now, and each time it is another one; a drain ends it, once it is told."""
        leave = self._watchers.enter(call.context.peer())
        task = asyncio.current_task()
        assert task is not None, "a handler runs in the task of its call"
        # Not where this ends: a stream that is given up while its status is sent is not gone on with.
        task.add_done_callback(leave)
        told = b""
        while True:
            count, phase = self._changes.count, self._sights.phase
            status = self._encoded(service, phase)
            if status != told:
                told = status
                yield status
            if phase is Phase.DRAINING:
                return
            await self._changes.beyond(count, self._limits.heartbeat_s)

    def _encoded(self, service: str, phase: Phase) -> bytes:
        if service not in self._services:
            return _UNKNOWN
        return _SERVING if phase is Phase.SERVING else _NOT_SERVING


def health_handlers(boundary: Boundary, health: Health) -> dict[str, Handler]:
    """Return the handlers of the health service's calls, by their names."""
    return {
        "Check": boundary.unary(health_pb2.HealthCheckRequest, _service_of, health.check),
        "Watch": boundary.stream(health_pb2.HealthCheckRequest, _service_of, health.watch),
    }


def _service_of(request: health_pb2.HealthCheckRequest, _limits: Limits) -> str:
    return request.service
