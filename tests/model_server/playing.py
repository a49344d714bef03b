"""Plays a script on a connection."""

from collections.abc import Awaitable, Callable
from typing import assert_never

from tests.model_server.bodies import completion, embeddings, encoded
from tests.model_server.http import Connection
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import BreakOff, Chunk, Hold, Json, Raw, Script, Status, Step

WaitAt = Callable[[str], Awaitable[None]]


async def play(script: Script, request: Recorded, connection: Connection, wait_at: WaitAt) -> None:
    """Answer ``request``. Raises ``ConnectionError`` when the client leaves or the script breaks off."""
    if request.is_chat and request.streams:
        for step in script:
            await _perform(step, connection, wait_at)
        await connection.end_stream()
        return
    for step in script:
        if not isinstance(step, Chunk | Raw):
            await _perform(step, connection, wait_at)
    if not connection.has_answered:
        await connection.send_json(200, encoded(completion(script) if request.is_chat else embeddings(request)))


async def _perform(step: Step, connection: Connection, wait_at: WaitAt) -> None:
    match step:
        case Chunk() | Raw():
            await connection.send_piece(step.encoded())
        case Hold():
            await wait_at(step.gate)
        case BreakOff():
            await connection.break_off()
        case Status():
            await connection.send_json(step.status, encoded(step.body), step.headers)
        case Json():
            await connection.send_json(200, encoded(step.value), step.headers)
        case _:
            assert_never(step)
