"""The lines that a person writes at a prompt."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import ANSI, PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout


class Prompt:
    """Asks at the terminal; what was asked before is kept in ``history`` for the arrow keys.

    While the user types, the lines that ``above`` returns are shown above the input. What else is written on the
    screen meanwhile appears above that. The prompt waits for a question that holds ``asking``.
    """

    interactive = True

    def __init__(self, history: Path, *, above: Callable[[], str], asking: asyncio.Lock) -> None:
        self._above = above
        self._asking = asking
        # It holds what the user said: no one else may read it.
        os.close(os.open(history, os.O_CREAT | os.O_RDWR, 0o600))
        self._session: PromptSession[str] = PromptSession(history=_History(str(history)), enable_suspend=True)

    async def next(self) -> str | None:
        async with self._asking:  # two at once would take each other's keys
            pass
        with patch_stdout(raw=True):
            try:
                return await self._session.prompt_async(self._prompt)
            except (EOFError, KeyboardInterrupt):
                return None

    def refresh(self) -> None:
        """What is above has changed."""
        self._session.app.invalidate()

    def _prompt(self) -> ANSI:
        # The entered line stays on the screen; the lines above it are no longer needed.
        return ANSI("› " if get_app().is_done else f"{self._above()}› ")


class _History(FileHistory):
    def store_string(self, string: str) -> None:
        # Where the disk is full, the arrow keys know the line until the terminal ends.
        with suppress(OSError):
            super().store_string(string)
