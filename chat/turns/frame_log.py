"""The numbered log of a turn's frames, which sockets copy from: the port, and a log in this process's memory."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from chat.errors import LogClosed
from chat.signal import Signal


class FrameLog(Protocol):
    """Every frame of one turn, encoded. One turn writes it, any number of readers copy from it at their own pace.

    What a log owes:

    - Order: a frame's position is its ``seq``, and readers get frames by it.
    - No gap and no double: a reader gets every frame after the number it names, once, whether the frame was there
      before it came or comes while it reads, and whoever else reads.
    - One end: reading ends once, after the last frame of a closed log, and never before. A log that can no longer give
      what comes next raises; it neither passes over it nor ends.
    - A turn that never waits: ``append`` and ``close`` return at once and raise for nothing that lies behind the log. A
      log that keeps its frames elsewhere writes them with a task of its own, out of a buffer that is bounded.
    """

    def __len__(self) -> int:
        """How many frames were appended: the ``seq`` of the next one."""

    @property
    def closed(self) -> bool:
        """Whether the last frame was appended."""

    @property
    def last_seq(self) -> int:
        """The number of the newest frame; -1 while there is none."""

    def append(self, frame: str) -> None:
        """The next frame. Raises ``LogClosed`` after ``close``."""

    def close(self) -> None:
        """No frame comes after this. Closing again changes nothing."""

    def fail(self, error: Exception) -> None:
        """No frame comes after this, and the turn's last one never will: reading ends by raising ``error``."""

    @property
    def failed(self) -> bool:
        """Whether it ended by ``fail``."""

    def since(self, position: int) -> Sequence[str]:
        """The frames from number ``position`` on that are there now."""

    def read(self, *, after_seq: int = -1, pause_s: float | None = None) -> AsyncGenerator[Sequence[str], None]:
        """The frames after ``after_seq``, as many at a time as there are, until the log is closed and read.

        With ``pause_s`` there is an empty batch after each such time (in seconds) without a frame.
        """


class MemoryLog:
    """The ``FrameLog`` in this process's memory. An append is one to a list, and wakes whoever waits."""

    def __init__(self) -> None:
        self._frames: list[str] = []
        self._closed = False
        self._error: Exception | None = None
        self._changed = Signal()

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def last_seq(self) -> int:
        return len(self._frames) - 1

    def append(self, frame: str) -> None:
        if self._closed:
            raise LogClosed
        self._frames.append(frame)
        self._changed.notify()

    def close(self) -> None:
        self._closed = True
        self._changed.notify()

    def fail(self, error: Exception) -> None:
        if not self._closed:
            self._error = error
            self.close()

    @property
    def failed(self) -> bool:
        return self._error is not None

    def since(self, position: int) -> Sequence[str]:
        return self._frames[position:]

    async def read(self, *, after_seq: int = -1, pause_s: float | None = None) -> AsyncGenerator[Sequence[str], None]:
        position = after_seq + 1
        while True:
            if position < len(self._frames):
                batch = self._frames[position:]
                position += len(batch)
                yield batch
            elif self._error is not None:
                raise self._error
            elif self._closed:
                return
            elif not await self._changes(pause_s):
                yield ()

    async def _changes(self, pause_s: float | None) -> bool:
        """Wait for a change; whether there was one within ``pause_s``."""
        if pause_s is None:
            await self._changed.wait()
            return True
        try:
            async with asyncio.timeout(pause_s):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True
