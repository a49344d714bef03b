"""Where the lines of a conversation come from: a person at a prompt, or a pipe."""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol

from prompt_toolkit import ANSI, PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout


class Lines(Protocol):
    """Lines of a conversation, one after the other."""

    interactive: bool
    """Whether a person writes them, and sees what came of each before writing the next."""

    async def next(self) -> str | None:
        """The next line without its end; None when there are no more."""


class Prompt:
    """Asks at the terminal; what was asked before is kept in ``history`` for the arrow keys.

    While a person writes, what ``above`` gives, whole lines, stands above what is written. What else is written on the
    screen meanwhile appears above that.
    """

    interactive = True

    def __init__(self, history: Path, *, above: Callable[[], str]) -> None:
        self._above = above
        # It holds what the user said, so it is nobody else's to read.
        os.close(os.open(history, os.O_CREAT | os.O_RDWR, 0o600))
        self._session: PromptSession[str] = PromptSession(history=FileHistory(str(history)))

    async def next(self) -> str | None:
        with patch_stdout(raw=True):
            try:
                return await self._session.prompt_async(self._prompt)
            except (EOFError, KeyboardInterrupt):
                return None

    def refresh(self) -> None:
        """What is above has changed."""
        self._session.app.invalidate()

    def _prompt(self) -> ANSI:
        # A line that was written stays on the screen; what stood above it has had its time.
        return ANSI("› " if get_app().is_done else f"{self._above()}› ")


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
