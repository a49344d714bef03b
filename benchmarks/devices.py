"""A device that answers every call at once and measures: the lightest client that still speaks the protocol."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.plans import ROWS, message, stamp_in

TURN_S: Final = 60.0
"""No turn takes longer, or it has failed."""

_ROWS: Final = json.dumps(ROWS)


class TurnFailed(Exception):
    """A turn did not end well: the frame that says so is the message."""


@dataclass(kw_only=True, slots=True)
class Turn:
    """What a device saw of one turn. Times in seconds."""

    seconds: float = 0.0
    first_text: float | None = None
    """From the model's first token to the first text here."""
    waited: float | None = None
    """From asking to the first text here."""
    calls: int = 0
    round_trips: dict[str, list[float]] = field(default_factory=dict)
    """By the action of a call: from sending its answer to the server's next call."""
    answers: dict[str, str] = field(default_factory=dict)
    """By action: the latest answer as it was sent."""


class Device:
    """One connected device of one user."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self.answered = 0
        """The calls that ``receive`` has answered."""

    async def turn(self, plan: str) -> Turn:
        """Ask for the plan and read its answer to the end. Raises ``TurnFailed`` and ``TimeoutError``."""
        async with asyncio.timeout(TURN_S):
            return await self._turn(plan)

    async def _turn(self, plan: str) -> Turn:
        turn, answered, action = Turn(), 0.0, ""
        started = time.monotonic()
        await self.send(type="home_request", message=message(plan), request_id=str(uuid.uuid4()))
        while True:
            text = await self._connection.recv(decode=True)
            now = time.monotonic()
            frame = json.loads(text)
            match frame["type"]:
                case "tool_call":
                    if action:
                        turn.round_trips.setdefault(action, []).append(now - answered)
                    action = frame["action"]
                    answer = turn.answers[action] = _answer(frame)
                    answered = time.monotonic()
                    await self._connection.send(answer)
                    turn.calls += 1
                case "stream_text" if turn.first_text is None:
                    turn.waited = now - started
                    stamp = stamp_in(frame["chunk"])
                    turn.first_text = None if stamp is None else now - stamp / 1e9
                case "stream_end" if frame["finish_reason"] == "done":
                    turn.seconds = now - started
                    return turn
                case "stream_end" | "error":
                    raise TurnFailed(text)

    async def receive(self) -> dict[str, Any]:
        """The next frame that is no call; calls are answered."""
        while (frame := json.loads(await self._connection.recv(decode=True)))["type"] == "tool_call":
            await self._connection.send(_answer(frame))
            self.answered += 1
        received: dict[str, Any] = frame
        return received

    async def answer(self) -> None:
        """Answer every call that comes, until cancelled."""
        while True:
            await self.receive()

    async def send(self, **frame: object) -> None:
        """Send a frame."""
        await self._connection.send(json.dumps(frame))


def _answer(call: dict[str, Any]) -> str:
    match call["action"]:
        case "select":
            return f'{{"type": "tool_result", "id": "{call["id"]}", "rows": {_ROWS}}}'
        case "insert":
            row = {"id": f"new-{call['id']}", **call["data"]}
            return json.dumps({"type": "tool_result", "id": call["id"], "row": row})
        case action:
            raise TurnFailed(f"this device does not know {action}")


@asynccontextmanager
async def connected(url: str, token: str, *, device_id: str = "", **options: Any) -> AsyncIterator[Device]:
    """A device that has said hello, by default a new one; ``options`` go to ``websockets``."""
    # As a proxy on this machine that takes the secure connections.
    headers = {"Authorization": f"Bearer {token}", "X-Forwarded-Proto": "https"}
    async with connect(url, additional_headers=headers, proxy=None, compression=None, **options) as connection:
        device = Device(connection)
        await device.send(type="device_hello", device_id=device_id or str(uuid.uuid4()), capabilities=[])
        welcome = json.loads(await connection.recv())
        if welcome["type"] != "device_welcome":
            raise TurnFailed(str(welcome))
        yield device


@asynccontextmanager
async def all_connected(url: str, tokens: list[str]) -> AsyncIterator[list[Device]]:
    """A device for each token, one after another: many hellos at once are another measurement."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(connected(url, token)) for token in tokens]
