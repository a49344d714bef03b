"""Keeps the cache of prompts up to date in the background: overrides from the database, texts from Langfuse."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from accounts.database import in_database
from agents.prompts.models import PromptSetting
from agents.prompts.names import PromptName, text_problems
from agents.prompts.rendering import IN_FORCE, CachedPrompt, PromptOrigin
from agents.prompts.source import PromptSource, fetch_all

logger = logging.getLogger(__name__)

OVERRIDES_EVERY_S: Final = 3.0
"""How long another process may use a text after staff have changed it."""
_FIRST_READ_S: Final = 2.0
"""How long the first event of a process waits for the overrides."""
_WARN_EVERY_S: Final = 60.0
_reading: Final = threading.Lock()


def read_overrides() -> None:
    """Update this process's cache from the database. Blocks.

    One reader at a time, so that an older result never replaces a newer one.
    """
    with _reading:
        found: dict[PromptName, CachedPrompt] = {}
        # Ignores names of older and newer releases, and texts that this release cannot render.
        for setting in PromptSetting.objects.filter(name__in=list(PromptName)).select_related("active"):
            name, version = PromptName(setting.name), setting.active
            if version is not None and not text_problems(name, version.text):
                found[name] = CachedPrompt(
                    text=version.text,
                    origin=PromptOrigin.OVERRIDE,
                    version=version.number,
                    since=setting.since or version.created_at,
                )
        IN_FORCE.put_overrides(found)


class PromptRefresher:
    """Refreshes the cache from ``begin`` until ``aclose``. Readers of the cache never wait.

    After an error the texts before stay in force, with at most one warning a minute for each origin.
    """

    def __init__(
        self,
        *,
        source: PromptSource | None,
        refresh_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._refresh_s = refresh_s
        self._tasks: list[asyncio.Task[None]] = []
        self._read = asyncio.Event()
        self._over, self._fetching = threading.Event(), threading.Lock()
        self._database_warnings, self._source_warnings = _Warnings(clock), _Warnings(clock)

    def begin(self) -> None:
        """Start in the running loop. Idempotent."""
        if self._tasks or self._over.is_set():
            return
        loops = [_repeat(self.read_overrides, OVERRIDES_EVERY_S)]
        if self._source is not None:
            loops.append(_repeat(self.ask_source, self._refresh_s))
        self._tasks = [asyncio.create_task(loop, name="prompts") for loop in loops]

    async def known(self) -> None:
        """Wait for the first read of the overrides, successful or not, for a short time and only once."""
        if self._read.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_READ_S):
                await self._read.wait()
        self._read.set()

    async def aclose(self) -> None:
        """Stop. A request to the source that is in progress ends by itself, within its time-out."""
        self._over.set()
        self._read.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if self._source is not None and self._fetching.acquire(blocking=False):
            # Otherwise the thread that is fetching closes it.
            self._source.close()
            self._fetching.release()

    async def read_overrides(self) -> None:
        """Read the overrides once. Raises only ``CancelledError``."""
        try:
            await in_database(read_overrides)
        except Exception as error:  # noqa: BLE001 - the boundary of a background task: databases fail in many ways
            self._database_warnings.warn(f"The overrides cannot be read: {type(error).__name__}.")
        finally:
            self._read.set()

    async def ask_source(self) -> None:
        """Fetch the source's texts once. Raises only ``CancelledError``."""
        try:
            problems = await asyncio.to_thread(self._fetch)
        except Exception as error:  # noqa: BLE001 - the boundary of a background task: the SDK fails in many ways
            problems = (f"Langfuse's texts cannot be used: {type(error).__name__}",)
        if problems:
            self._source_warnings.warn(" ".join(problems))

    def _fetch(self) -> tuple[str, ...]:
        if self._source is None:
            return ()
        with self._fetching:
            prompts, problems = fetch_all(self._source, IN_FORCE.langfuse, wanted=lambda: not self._over.is_set())
            IN_FORCE.put_langfuse(prompts, problems)
        if self._over.is_set():
            self._source.close()
        return problems


class _Warnings:
    """Logs at most one warning a minute."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._quiet_until = float("-inf")

    def warn(self, sentence: str) -> None:
        if self._clock() < self._quiet_until:
            return
        self._quiet_until = self._clock() + _WARN_EVERY_S
        logger.warning("The prompts before stay in force. %s", sentence)


async def _repeat(work: Callable[[], Awaitable[None]], every_s: float) -> None:
    while True:
        await work()
        await asyncio.sleep(every_s)
