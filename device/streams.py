"""The frames of one answer, from the socket's reader to the caller."""

import asyncio
from typing import Generic, TypeVar

from device.errors import RequestRejected, ServerGone

Frame = TypeVar("Frame")


class AnswerStream(Generic[Frame]):
    """Unbounded: a slow reader must not hold up the other answers and calls of the socket, and an answer is only as
    long as a model writes.
    """

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Frame | RequestRejected | ServerGone] = asyncio.Queue()

    def put(self, frame: Frame | RequestRejected | ServerGone) -> None:
        self._queue.put_nowait(frame)

    async def next(self) -> Frame:
        """Raises what was put in place of a frame."""
        frame = await self._queue.get()
        if isinstance(frame, RequestRejected | ServerGone):
            raise frame
        return frame
