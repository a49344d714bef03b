"""Where the lines of a conversation come from: a person at a prompt, or a pipe."""

import asyncio
import os
import threading
from pathlib import Path
from typing import IO, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory


class Lines(Protocol):
    """Lines of a conversation, one after the other."""

    interactive: bool
    """Whether a person writes them, and sees what came of each before writing the next."""

    async def next(self) -> str | None:
        """The next line without its end; None when there are no more."""


class Prompt:
    """Asks at the terminal; what was asked before is kept in ``history`` for the arrow keys."""

    interactive = True

    def __init__(self, history: Path) -> None:
        # It holds what the user said, so it is nobody else's to read.
        os.close(os.open(history, os.O_CREAT | os.O_RDWR, 0o600))
        self._session: PromptSession[str] = PromptSession(history=FileHistory(str(history)))

    async def next(self) -> str | None:
        try:
            return await self._session.prompt_async("› ")
        except (EOFError, KeyboardInterrupt):
            return None


class Pipe:
    """Reads the lines of a file. Reading blocks, so a thread does it that nobody waits for at the end."""

    interactive = False

    def __init__(self, file: IO[str]) -> None:
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
            for line in self._file:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)
        except RuntimeError:  # the loop is closed: nobody wants more lines
            return
