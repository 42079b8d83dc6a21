"""A grpc.aio server with one handler that does nothing: what no server in Python can be faster than."""

import asyncio
import signal
import sys
from pathlib import Path

import grpc


async def serve(rpc: str, answer: bytes) -> None:
    """Answer every call of `rpc`, a path such as `/package.Service/Call`, with the same bytes, until SIGTERM."""

    async def handle(_request: bytes, _context: "grpc.aio.ServicerContext[bytes, bytes]") -> bytes:
        return answer

    _slash, service, call = rpc.split("/")
    server = grpc.aio.server()
    handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {call: grpc.unary_unary_rpc_method_handler(handle)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    print(f"listening on 127.0.0.1:{port}", flush=True)
    await stopping.wait()
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2]).read_bytes()))
