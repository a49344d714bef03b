"""Where the lines of a conversation come from: a person at a prompt (``device.prompt``), or a pipe."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from io import TextIOWrapper
from typing import IO, Protocol

from device.errors import UsageError


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
        self._lines: asyncio.Queue[str | OSError | None] | None = None

    async def next(self) -> str | None:
        """The next line. Raises ``UsageError`` if the file cannot be read."""
        if self._lines is None:
            self._lines = asyncio.Queue()
            reading = (self._lines, asyncio.get_running_loop())
            threading.Thread(target=self._read, args=reading, daemon=True, name="reading lines").start()
        line = await self._lines.get()
        if isinstance(line, OSError):
            raise UsageError(f"The input cannot be read: {line.strerror or line}.")
        return None if line is None else line.rstrip("\r\n")

    def _read(self, lines: asyncio.Queue[str | OSError | None], loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop is closed: no more lines are needed
            for line in self._to_the_end():
                loop.call_soon_threadsafe(lines.put_nowait, line)

    def _to_the_end(self) -> Iterator[str | OSError | None]:
        try:
            for number, line in enumerate(self._file):
                # The first may begin with the mark by which Windows knows UTF-8.
                yield line if number else line.removeprefix("\ufeff")
            yield None
        except OSError as error:
            yield error
