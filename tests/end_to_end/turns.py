"""The requests a model gets in a turn."""

from tests.end_to_end.conftest import Running
from tests.end_to_end.raw import RawSocket


async def told(server: Running, socket: RawSocket) -> str:
    """The system prompt of the next turn."""
    asked = len(server.model.requests)
    await socket.ask("Which tasks are there?")
    await socket.until("stream_end")
    return str(server.model.requests[asked:][-1].messages[0]["content"])
