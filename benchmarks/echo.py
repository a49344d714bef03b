"""A bare ``websockets`` echo on uvloop: ``python -m benchmarks.echo`` says its address and serves until it is ended."""

import asyncio
import sys
from contextlib import suppress

import uvloop
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


async def echo(connection: ServerConnection) -> None:
    """Send back what comes."""
    with suppress(ConnectionClosed):
        async for text in connection:
            await connection.send(text)


async def run() -> None:
    """Serve on a free port of loopback; write the address to standard output first."""
    async with serve(echo, "127.0.0.1", 0, compression=None) as server:
        host, port = next(iter(server.sockets)).getsockname()
        sys.stdout.write(f"ws://{host}:{port}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        uvloop.run(run())
