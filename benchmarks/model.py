"""The model's process: ``python -m benchmarks.model`` says its address on one line and serves until it is ended."""

import asyncio
import sys
from contextlib import suppress

import uvloop

from benchmarks.plans import Said, pause_before_vectors, response
from tests.model_server.bodies import embeddings, encoded
from tests.model_server.http import Connection, listen


async def serve() -> None:
    """Answer chats by their plans, and requests for vectors; write the address to standard output first."""
    async with asyncio.TaskGroup() as connections:
        listening = await listen(lambda connection: _begin(connection, connections))
        host, port = listening.sockets[0].getsockname()
        sys.stdout.write(f"http://{host}:{port}/v1\n")
        sys.stdout.flush()
        await listening.serve_forever()


def _begin(connection: Connection, connections: asyncio.TaskGroup) -> None:
    connections.create_task(_serve(connection))


async def _serve(connection: Connection) -> None:
    with suppress(ConnectionError):  # the client has left
        while (request := await connection.receive()) is not None:
            if request.is_embedding:
                await asyncio.sleep(pause_before_vectors(request.texts))
                await connection.send_json(200, encoded(embeddings(request)))
            elif request.is_chat:
                await _say(connection, response(request.body))
            else:
                await connection.send_json(404, encoded({}))
    await connection.close()


async def _say(connection: Connection, said: Said) -> None:
    await asyncio.sleep(said.before_s)
    for number, piece in enumerate(said.pieces):
        if number and said.pause_s:
            await asyncio.sleep(said.pause_s)
        await connection.send_piece(piece if isinstance(piece, bytes) else piece())
    await connection.end_stream()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        uvloop.run(serve())
