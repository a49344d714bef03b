"""The line to Redis: one pool, short waits, and no pretence that Redis is there when it is not."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, Final, TypeVar

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from chat.errors import NeighboursAway

T = TypeVar("T")

_WAIT_S: Final = 2.0
_DOWN_S: Final = 5.0
"""How long after a failure only ``urgent`` commands try Redis: nobody is to wait for what will fail."""
_PAUSE_S: Final = 0.5
_AT_ONCE: Final = 50
_MOST_CONNECTIONS: Final = 5000
"""Each reader of a turn elsewhere keeps one while it waits; Redis itself takes 10,000 by default."""


class RedisLine:
    """Runs commands and says ``NeighboursAway`` for whatever keeps them from being run. Keys begin with ``prefix``."""

    def __init__(self, url: str, *, prefix: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.client: Redis = Redis.from_url(
            url,
            decode_responses=True,
            protocol=2,
            # None, because the client's own time-out goes through asyncio.wait_for, which before Python 3.12 swallows a
            # cancellation that comes while it sends. ``run`` has one that does not.
            socket_timeout=None,
            max_connections=_MOST_CONNECTIONS,
            socket_connect_timeout=_WAIT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._prefix = prefix
        self._clock = clock
        self._down_until = 0.0
        self._slots = asyncio.Semaphore(_AT_ONCE)

    def key(self, *parts: object) -> str:
        """The name of a key."""
        return ":".join([self._prefix, *map(str, parts)])

    async def run(self, command: Callable[[Redis], Awaitable[T]], *, urgent: bool = False, blocks: bool = False) -> T:
        """What ``command`` gives. Raises ``NeighboursAway``: at once for a while after it did so, unless ``urgent``.

        A command that comes through says that Redis is back. Commands run 50 at once, those apart that are ``urgent``
        or that Redis itself ``blocks`` until there is something.
        """
        if not urgent and self._clock() < self._down_until:
            raise NeighboursAway
        try:
            async with asyncio.timeout(_WAIT_S), nullcontext() if urgent or blocks else self._slots:
                answer = await command(self.client)
        except (RedisError, OSError, TimeoutError) as error:
            if not blocks:
                # Many readers come at once when a process has died: one that gets no connection says nothing of Redis.
                self._down_until = self._clock() + _DOWN_S
            raise NeighboursAway(f"Redis: {error}") from error
        self._down_until = 0.0
        return answer

    async def script(self, source: str, keys: list[str], arguments: list[str | int]) -> Any:
        """What a Lua script gives, which Redis runs at once and alone."""
        return await self.run(lambda client: client.register_script(source)(keys=keys, args=arguments))

    async def ping(self) -> None:
        """Ask whether Redis is there. Raises ``NeighboursAway``."""
        await self.run(lambda client: client.ping(), urgent=True)

    async def pause(self) -> None:
        """Wait a little before trying again."""
        await asyncio.sleep(_PAUSE_S)

    async def aclose(self) -> None:
        """Hang up."""
        await self.client.aclose()
