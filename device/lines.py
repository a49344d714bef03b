"""Where the lines of a conversation come from: a person at a prompt (``device.prompt``), or a pipe."""

import asyncio
import threading
from io import TextIOWrapper
from typing import IO, Protocol


class Lines(Protocol):
    """Lines of a conversation, one after the other."""

    interactive: bool
    """Whether a person writes them, and sees what came of each before writing the next."""

    async def next(self) -> str | None:
        """The next line without its end; None when there are no more."""


class Pipe:
    """Reads the lines of a file. Reading blocks, so it runs in a daemon thread."""

    interactive = False

    def __init__(self, file: IO[str]) -> None:
        if isinstance(file, TextIOWrapper):
            file.reconfigure(errors="surrogateescape")  # a line that is no text is refused, and the next one is read
        self._file = file
        self._lines: asyncio.Queue[str | None] | None = None

    async def next(self) -> str | None:
        if self._lines is None:
            self._lines = asyncio.Queue()
            reading = (self._lines, asyncio.get_running_loop())
            threading.Thread(target=self._read, args=reading, daemon=True, name="reading lines").start()
        line = await self._lines.get()
        return None if line is None else line.rstrip("\r\n")

    def _read(self, lines: asyncio.Queue[str | None], loop: asyncio.AbstractEventLoop) -> None:
        try:
            for number, line in enumerate(self._file):
                # The first may begin with the mark by which Windows knows UTF-8.
                loop.call_soon_threadsafe(lines.put_nowait, line if number else line.removeprefix("\ufeff"))
            loop.call_soon_threadsafe(lines.put_nowait, None)
        except RuntimeError:  # the loop is closed: no more lines are needed
            return
