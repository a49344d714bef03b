"""Keeps the book of prompts up to date in the background: overrides from the database, texts from Langfuse."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from agents.prompts.book import IN_FORCE
from agents.prompts.fetching import fetch_all
from agents.prompts.overrides import read_overrides
from agents.prompts.source import PromptSource
from memory.threads import in_thread

logger = logging.getLogger(__name__)

OVERRIDES_EVERY_S: Final = 3.0
"""How long another process may go on with a text that staff have changed."""
REFRESH_S: Final = 60.0
_PATIENCE_S: Final = 2.0
"""How long the first event of a process waits for the overrides."""
_WARN_EVERY_S: Final = 60.0


class PromptKeeper:
    """``start`` begins the work in the running loop and ``aclose`` ends it. Nobody who reads the book waits for it.

    Whatever goes wrong, the texts before stay in force, and one line a minute says so.
    """

    def __init__(
        self,
        *,
        source: PromptSource | None,
        refresh_s: float = REFRESH_S,
        overrides_every_s: float = OVERRIDES_EVERY_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._refresh_s, self._overrides_every_s = refresh_s, overrides_every_s
        self._tasks: list[asyncio.Task[None]] = []
        self._read = asyncio.Event()
        self._over, self._fetching = threading.Event(), threading.Lock()
        self._of_database, self._of_source = _Complaint(clock), _Complaint(clock)

    def begin(self) -> None:
        """Begin in the running loop; a second call does nothing."""
        if self._tasks or self._over.is_set():
            return
        works = [_again_and_again(self.read_overrides, self._overrides_every_s)]
        if self._source is not None:
            works.append(_again_and_again(self.ask_source, self._refresh_s))
        self._tasks = [asyncio.create_task(work, name="prompts") for work in works]

    async def known(self) -> None:
        """Once the overrides have been read for the first time, or could not be. Nobody waits for long, or twice."""
        if self._read.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await self._read.wait()
        self._read.set()

    async def aclose(self) -> None:
        """End. A request to Langfuse that is on its way ends by itself, within its time-out."""
        self._over.set()
        self._read.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if self._source is not None and self._fetching.acquire(blocking=False):
            # Otherwise the thread that asks it now does so at its end.
            self._source.close()

    async def read_overrides(self) -> None:
        """Once. Never raises but for cancellation."""
        try:
            await in_thread(read_overrides)
        except Exception as error:  # noqa: BLE001 - the boundary of a background task: databases fail in many ways
            self._of_database.say(f"The overrides cannot be read: {type(error).__name__}.")
        finally:
            self._read.set()

    async def ask_source(self) -> None:
        """Once. Never raises but for cancellation."""
        try:
            problems = await asyncio.to_thread(self._fetch)
        except Exception as error:  # noqa: BLE001 - the boundary of a background task: so does the SDK
            problems = (f"Langfuse's texts cannot be used: {type(error).__name__}",)
        if problems:
            self._of_source.say(" ".join(problems))

    def _fetch(self) -> tuple[str, ...]:
        if self._source is None:
            return ()
        with self._fetching:
            fetched = fetch_all(self._source, IN_FORCE.langfuse, wanted=lambda: not self._over.is_set())
            IN_FORCE.put_langfuse(fetched.pages, fetched.problems)
        if self._over.is_set():
            self._source.close()
        return fetched.problems


class _Complaint:
    """Says what is wrong, and then nothing for a minute."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._quiet_until = float("-inf")

    def say(self, sentence: str) -> None:
        if self._clock() < self._quiet_until:
            return
        self._quiet_until = self._clock() + _WARN_EVERY_S
        logger.warning("The prompts before stay in force. %s", sentence)


async def _again_and_again(work: Callable[[], Awaitable[None]], every_s: float) -> None:
    while True:
        await work()
        await asyncio.sleep(every_s)
