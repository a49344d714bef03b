"""The store of conversations in Redis, because each request of a conversation may reach another process."""

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from accounts.cipher import Place
from accounts.errors import AccountError
from chat.cluster.redis_connection import RedisConnection, VaultCache, unblocking
from chat.errors import ClusterUnavailable
from chat.turns.conversation_store import (
    CONVERSATION_S,
    MARKS_S,
    MAX_MARKED_OF_USER,
    MAX_OF_USER,
    Change,
    ConversationKey,
)
from chat.turns.foreign_marks import UNREADABLE

logger = logging.getLogger(__name__)

_NAMESPACE: Final = uuid.UUID("6f0f7a52-2f0e-4f6e-9a55-0b1f6a6f2c11")
# ARGV[6], where it is given, is the token that may be replaced, empty for none. Returns whether it was.
_SAVE: Final = """
if ARGV[6] and (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
local gone = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[3] - ARGV[4])
local over = redis.call('ZCARD', KEYS[2]) - #gone - ARGV[5]
if over > 0 then
    gone = redis.call('ZRANGE', KEYS[2], 0, #gone + over - 1)
end
for _, name in ipairs(gone) do
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
end
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 1
"""
_LOAD: Final = """
local at = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not at or tonumber(at) < ARGV[2] - ARGV[3] then
    redis.call('HDEL', KEYS[1], ARGV[1])
    return false
end
return redis.call('HGET', KEYS[1], ARGV[1])
"""


@dataclass(kw_only=True)
class RedisConversations:
    """The ``ConversationStore`` in Redis: a hash for each user, encrypted with the user's key.

    Clients choose the names of conversations, so only their digests are stored. ``unreadable`` replaces a dump that
    cannot be read, because Redis is away, or the key that encrypted it was destroyed. ``clock`` returns seconds.
    """

    redis: RedisConnection
    vaults: VaultCache
    hash_name: str = "conversations"
    max_of_user: int = MAX_OF_USER
    max_idle_s: int = CONVERSATION_S
    unreadable: str | None = None
    clock: Callable[[], float] = time.time

    async def load(self, key: ConversationKey) -> str | None:
        try:
            return await self._read(key, await self._token(key))
        except ClusterUnavailable as error:
            logger.warning("what a conversation had kept cannot be read: %s", type(error).__name__)
            return self.unreadable

    async def save(self, key: ConversationKey, dump: str) -> None:
        try:
            await self._write(key, dump)
        except (ClusterUnavailable, AccountError) as error:
            logger.warning("what a conversation has to keep cannot be stored: %s", type(error).__name__)

    async def change(self, key: ConversationKey, change: Change) -> None:
        try:
            replaced = False
            while not replaced:
                token = await self._token(key)
                replaced = await self._write(key, change(await self._read(key, token)), instead_of=token or "")
        except (ClusterUnavailable, AccountError) as error:
            logger.warning("what a conversation has to keep cannot be stored: %s", type(error).__name__)

    async def _token(self, key: ConversationKey) -> str | None:
        arguments: list[str | int] = [str(_name(key)), int(self.clock()), self.max_idle_s]
        token: str | None = await self.redis.script(_LOAD, self._keys(key), arguments)
        return token

    async def _read(self, key: ConversationKey, token: str | None) -> str | None:
        """Raises ``ClusterUnavailable``."""
        if token is None:
            return None
        try:
            return await self.vaults.decrypt(key.user_id, _place(_name(key)), token)
        except AccountError as error:
            logger.warning("what a conversation had kept cannot be read: %s", type(error).__name__)
            return self.unreadable

    async def _write(self, key: ConversationKey, dump: str, *, instead_of: str | None = None) -> bool:
        """Store ``dump``. Returns whether it was stored: with ``instead_of``, only if that is the present token.

        An empty ``instead_of`` means no token. Raises ``ClusterUnavailable`` and ``AccountError``.
        """
        name = _name(key)
        token = await unblocking((await self.vaults(key.user_id)).encrypt, _place(name), dump)
        arguments: list[str | int] = [str(name), token, int(self.clock()), self.max_idle_s, self.max_of_user]
        if instead_of is not None:
            arguments.append(instead_of)
        return bool(await self.redis.script(_SAVE, self._keys(key), arguments))

    def _keys(self, key: ConversationKey) -> list[str]:
        return [self.redis.key(self.hash_name, key.user_id), self.redis.key(self.hash_name, key.user_id, "used")]


def redis_foreign_marks(*, redis: RedisConnection, vaults: VaultCache) -> RedisConversations:
    """The store of marks on answers that may repeat foreign text (``chat/turns/foreign_marks.py``)."""
    return RedisConversations(
        redis=redis,
        vaults=vaults,
        hash_name="provenances",
        max_of_user=MAX_MARKED_OF_USER,
        max_idle_s=MARKS_S,
        unreadable=UNREADABLE,
    )


def _name(key: ConversationKey) -> uuid.UUID:
    return uuid.uuid5(_NAMESPACE, f"{key.device_id}\n{key.session_id}")


def _place(name: uuid.UUID) -> Place:
    return Place(table="conversations", column="kept", row_id=name)
