"""A device with rows in a real file, on a socket in the test's process."""

import json
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from device.executor import Executor
from device.store import Store
from device.tables import TableName
from tests.chat.sockets import ALICES_TOKEN, Frame, Server, Socket


@dataclass
class RowDevice:
    """Answers the server's calls from its rows. ``calls`` has the received calls, ``frames`` all other frames."""

    socket: Socket
    store: Store
    calls: list[Frame] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    silent: bool = False
    """Calls are received but not answered."""
    foreign: bool = False
    """Its rows hold text from elsewhere."""

    def add(self, table: str, **columns: Any) -> str:
        """Insert a row and return its id."""
        return str(self.store.insert(TableName(table), columns)["id"])

    async def send(self, frame: Frame) -> str:
        """Send a request with a new id and return the id."""
        request_id = str(uuid.uuid4())
        await self.socket.send({"request_id": request_id, **frame})
        return str(frame.get("request_id", request_id))

    async def take(self) -> Frame:
        """The next frame that is no call; calls before it are answered."""
        while True:
            frame = await self.socket.receive()
            if frame["type"] != "tool_call":
                self.frames.append(frame)
                return frame
            self.calls.append(frame)
            if not self.silent:
                await self.answer(frame)

    async def answer(self, call: Frame) -> None:
        answer = dict[str, Any](Executor(self.store).execute(call))
        if self.foreign and "rows" in answer:
            answer["rows"] = [{**row, "foreign": True} for row in answer["rows"]]
        if self.foreign and answer.get("row") is not None:
            answer["row"] = {**answer["row"], "foreign": True}
        await self.socket.send({"type": "tool_result", "id": call["id"], **answer})

    async def ended(self, *request_ids: str) -> None:
        """Return once these turns have ended."""
        left = set(request_ids)
        while left:
            frame = await self.take()
            if frame["type"] == "stream_end":
                left.discard(str(frame["request_id"]))

    async def ask(self, frame: Frame) -> "Answered":
        """Send a request and receive its whole answer."""
        request_id = await self.send(frame)
        await self.ended(request_id)
        return self.answered(request_id)

    def answered(self, request_id: str) -> "Answered":
        return Answered([frame for frame in self.frames if frame.get("request_id") == request_id])


@dataclass(frozen=True)
class Answered:
    """The frames of one turn."""

    frames: Sequence[Frame]

    @property
    def kinds(self) -> list[object]:
        return [frame["type"] for frame in self.frames]

    @property
    def text(self) -> str:
        return "".join(str(frame["chunk"]) for frame in self.frames if frame["type"] == "stream_text")

    @property
    def blocks(self) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == "stream_block"]

    @property
    def states(self) -> list[object]:
        return [frame["state"] for frame in self.frames if frame["type"] == "stream_status"]

    @property
    def end(self) -> Frame:
        return self.frames[-1]

    def __str__(self) -> str:
        return json.dumps(self.frames, indent=1)


@asynccontextmanager
async def row_device(
    server: Server,
    file: Path,
    *,
    token: str = ALICES_TOKEN,
    device_id: str = "laptop",
    capabilities: Sequence[str] = ("ledger",),
) -> AsyncIterator[RowDevice]:
    """A connected device that stores its rows in ``file``."""
    with closing(Store(file)) as store:
        async with server.device(device_id, token=token, capabilities=capabilities) as socket:
            yield RowDevice(socket, store)
