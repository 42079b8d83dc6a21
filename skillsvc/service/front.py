"""A front: one grpc.aio server on one listener, with the services that are reached there.

grpc tells no handler by which listener a call came, so that what must be reached by one of them alone has a server of
its own.
"""

from collections.abc import Callable, Mapping
from pathlib import Path, PurePath

import grpc

from skillsvc.domain.limits import Limits
from skillsvc.service.arrivals import Arrivals, Handler
from skillsvc.service.connections import Connections
from skillsvc.service.listening import Listener


class Front:
    """A server and its listener. Made and used on the event loop."""

    def __init__(
        self,
        services: Mapping[str, Mapping[str, Handler]],
        *,
        limits: Limits,
        connections: Connections,
        new_id: Callable[[], str],
    ) -> None:
        """Prepare; nothing listens before `start`.

        Args:
            services: The handlers of each service's calls, by their full names.
            limits: The limits in force.
            connections: How long connections live.
            new_id: Gives names that nobody has.
        """
        self._listener = Listener(new_id)
        self._server = grpc.aio.server(
            options=(
                # A second server on the port must fail to start, rather than share its calls.
                ("grpc.so_reuseport", 0),
                # A little more than the limit, so that it is the boundary that refuses, with a reason.
                ("grpc.max_receive_message_length", limits.request_bytes + 64 * 1024),
                # One connection alone must not fill the queue of calls that are not taken up yet: gRPC then cancels
                # calls at random, whoever made them.
                ("grpc.max_concurrent_streams", 1000),
                ("grpc.server.max_pending_requests", 10_000),
                ("grpc.server.max_pending_requests_hard_limit", 20_000),
                *connections.options(),
            )
        )
        self._server.add_generic_rpc_handlers((Arrivals(services),))

    async def start(
        self, address: str, *, locked: Path | None = None, credentials: grpc.ServerCredentials | None = None
    ) -> str:
        """Listen on `HOST:PORT` or `unix:PATH`, and answer; return the address with the port that it got.

        `locked` is a folder that the caller has locked, in which the socket may be, too. Without `credentials` of TLS
        all is sent in plaintext.

        Raises:
            CannotListen: The address is taken or not of this machine.
        """
        listening = self._listener.listen(self._server, address, locked=locked, credentials=credentials)
        await self._server.start()
        return listening

    async def start_privately(self, path: PurePath) -> str:
        """Listen on a unix socket for this user alone, in a folder that the caller has locked; return the address.

        Raises:
            CannotListen: Something else has the name.
        """
        listening = self._listener.listen_privately(self._server, path)
        await self._server.start()
        return listening

    def release(self) -> None:
        """Take no more connections by the name of a unix socket."""
        self._listener.release()

    async def stop(self, grace_s: float) -> None:
        """Take no more calls; those under way have `grace_s` seconds to end."""
        await self._server.stop(grace_s)
