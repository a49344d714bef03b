"""The numbered log of a turn's frames, which sockets copy from."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from chat.signal import Signal


class FrameLog:
    """Every frame of one turn, encoded, in order; its position is its ``seq``.

    A turn appends and never waits; each socket that shows the turn reads at its own pace, from any position, and
    reading to the end of a closed log ends.
    """

    def __init__(self) -> None:
        self._frames: list[str] = []
        self._closed = False
        self._changed = Signal()

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def last_seq(self) -> int:
        """The number of the newest frame; -1 while there is none."""
        return len(self._frames) - 1

    def append(self, frame: str) -> None:
        self._frames.append(frame)
        self._changed.notify()

    def close(self) -> None:
        """No frame comes after this."""
        self._closed = True
        self._changed.notify()

    async def read(self, *, after_seq: int = -1, pause_s: float | None = None) -> AsyncGenerator[Sequence[str], None]:
        """The frames after ``after_seq``, as many at a time as there are, until the log is closed and read.

        With ``pause_s`` there is an empty batch after each such time (in seconds) without a frame.
        """
        position = after_seq + 1
        while True:
            if position < len(self._frames):
                batch = self._frames[position:]
                position += len(batch)
                yield batch
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
