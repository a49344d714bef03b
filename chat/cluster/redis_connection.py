"""The connection to Redis, and a cache of the users' keys that encrypt what is stored there."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar
from uuid import UUID

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from accounts.cipher import Place, key_version
from accounts.errors import AccountError
from accounts.keys.vault import OpenVault, Vault
from chat.errors import ClusterUnavailable

T = TypeVar("T")

_WAIT_S: Final = 2.0
_DOWN_S: Final = 5.0
"""For this time after a failure, all commands but ``urgent`` ones fail at once."""
_PAUSE_S: Final = 0.5
_STALL_S: Final = 0.5
_AT_ONCE: Final = 50
_MAX_CONNECTIONS: Final = 5000
"""Each reader of another process's turn uses one while it waits. Redis accepts 10,000 by default."""
_VAULT_KEEP_S: Final = 60.0
_MAX_VAULTS: Final = 1000
_LONG: Final = 64 * 1024
"""From this number of characters on, encryption would delay the event loop, so it runs in a thread."""


class RedisConnection:
    """One connection pool with short time-outs. Keys begin with ``prefix``."""

    def __init__(self, url: str, *, prefix: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.client: Redis = Redis.from_url(
            url,
            decode_responses=True,
            protocol=2,
            # None, because the client's own time-out uses asyncio.wait_for, which before Python 3.12 swallows a
            # cancellation during sending. The time-out of ``run`` does not.
            socket_timeout=None,
            max_connections=_MAX_CONNECTIONS,
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

    async def run(
        self,
        command: Callable[[Redis], Awaitable[T]],
        *,
        urgent: bool = False,
        blocks: bool = False,
        within_s: float | None = None,
    ) -> T:
        """The result of ``command``. Raises ``ClusterUnavailable``; for 5 s after a failure, at once.

        An ``urgent`` command always tries, and its success ends this pause. At most 50 commands run at the same time,
        not counting those that are ``urgent``, or that Redis ``blocks`` until there is a result.
        """
        if not urgent and self._clock() < self._down_until:
            raise ClusterUnavailable
        limit = asyncio.timeout(_WAIT_S if within_s is None else within_s)
        try:
            async with limit, nullcontext() if urgent or blocks else self._slots:
                answer = await command(self.client)
        except (RedisError, OSError, TimeoutError) as error:
            if not (blocks or _has_stalled(limit)):
                # When a process dies, many readers connect at once, so a blocking command that fails proves nothing.
                self._down_until = self._clock() + _DOWN_S
            raise ClusterUnavailable(f"Redis: {error}") from error
        self._down_until = 0.0
        return answer

    async def script(self, source: str, keys: list[str], arguments: list[str | int]) -> Any:
        """The result of a Lua script, which Redis runs atomically."""
        return await self.run(lambda client: client.register_script(source)(keys=keys, args=arguments))

    async def ping(self) -> None:
        """Raises ``ClusterUnavailable`` if Redis does not answer."""
        await self.run(lambda client: client.ping(), urgent=True)

    async def pause(self) -> None:
        """Wait a little before trying again."""
        await asyncio.sleep(_PAUSE_S)

    async def aclose(self) -> None:
        await self.client.aclose()


def _has_stalled(limit: asyncio.Timeout) -> bool:
    """Whether this process stalled beyond the limit. In that case Redis may have answered in time."""
    return asyncio.get_running_loop().time() > (limit.when() or 0.0) + _STALL_S


async def unblocking(work: Callable[[Place, str], str], place: Place, text: str) -> str:
    """Run ``work``, which encrypts or decrypts ``text``, without blocking the event loop. Raises as ``work``."""
    return work(place, text) if len(text) < _LONG else await asyncio.to_thread(work, place, text)


@dataclass
class VaultCache:
    """Caches each user's ``Vault`` for a minute. ``open_vault`` reads it from the database.

    Raises ``AccountError`` if the user has no key that can be decrypted, and ``ClusterUnavailable`` if the database is
    away. A cached vault never queries the database itself, which would block the event loop.
    """

    open_vault: OpenVault
    clock: Callable[[], float] = time.monotonic
    _opened: dict[UUID, tuple[float, Vault]] = field(default_factory=dict, init=False, repr=False)

    async def __call__(self, user_id: UUID) -> Vault:
        cached = self._opened.get(user_id)
        if cached is not None and self.clock() < cached[0] + _VAULT_KEEP_S:
            return cached[1]
        if len(self._opened) >= _MAX_VAULTS:
            self._opened.clear()
        try:
            vault = await self.open_vault(user_id)
        except AccountError:
            raise
        except Exception as error:  # any failure of the database
            raise ClusterUnavailable("The user's key cannot be read at the moment.") from error
        vault = replace(vault, owner=None)
        self._opened[user_id] = (self.clock(), vault)
        return vault

    async def to_read(self, user_id: UUID, tokens: Iterable[str]) -> Vault:
        """The vault, read again if one of ``tokens`` was made with a newer key. Also raises ``EncryptionError``."""
        newest = max(map(key_version, tokens), default=0)
        vault = await self(user_id)
        if newest <= vault.key.version:
            return vault
        # The key was rotated since, and the process that wrote the token has the new one.
        self._opened.pop(user_id, None)
        return await self(user_id)

    async def decrypt(self, user_id: UUID, place: Place, token: str) -> str:
        """The text of ``token``. Also raises ``EncryptionError``."""
        return await unblocking((await self.to_read(user_id, [token])).decrypt, place, token)
