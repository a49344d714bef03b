"""Stores calls and their answers between the process of a turn and the process of its device.

They are too large for notifications, and must not be lost. So they are stored, and notifications only announce them.
"""

from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import UUID

from accounts.cipher import Place
from accounts.errors import AccountError
from chat.cluster.redis_connection import RedisConnection, VaultCache, unblocking
from chat.errors import ClusterUnavailable

_KEEP_S: Final = 180
"""How long a call is stored, in seconds: longer than any turn waits for its answer."""
_COLLECTED_S: Final = 60

_POST: Final = """
if redis.call('HSETNX', KEYS[1], 'call', ARGV[1]) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
"""
_TAKE: Final = """
local call = redis.call('HGET', KEYS[1], 'call')
if not call or redis.call('HEXISTS', KEYS[1], 'answer') == 1 then return false end
return {call, redis.call('HSETNX', KEYS[1], 'taken', '1')}
"""
_ANSWER: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'answer', ARGV[1])
return 1
"""
_COLLECT: Final = """
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
    redis.call('HSET', KEYS[1], 'collected', '1')
    redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return answer
"""
_WAITS: Final = """
return redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], 'collected') == 0 and 1 or 0
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredCall:
    """The text of a call. ``first``: whether no process had taken it before."""

    text: str
    first: bool


class CallStore(Protocol):
    """Calls by their ids, and their answers. Every method raises ``ClusterUnavailable``."""

    async def post(self, user_id: UUID, call_id: str, text: str) -> None:
        """Store a call of the user's. Idempotent."""

    async def take(self, user_id: UUID, call_id: str) -> StoredCall | None:
        """Read a call in order to send it to the device. None if it has an answer already, or is not stored."""

    async def answer(self, user_id: UUID, call_id: str, text: str) -> bool:
        """Store the answer. Returns whether the call was still stored."""

    async def collect(self, user_id: UUID, call_id: str) -> str | None:
        """The answer, if there is one. It stays stored for a while, in case it does not arrive."""

    async def waits(self, call_id: str) -> bool:
        """Whether the call is stored and its answer has not been collected."""


@dataclass(kw_only=True, slots=True)
class _Slot:
    text: str
    taken: bool = False
    answer: str | None = None
    collected: bool = False


@dataclass
class MemoryCallStore:
    """The ``CallStore`` in this process's memory. Several processes share one only in tests."""

    _slots: dict[str, _Slot] = field(default_factory=dict, init=False)

    async def post(self, user_id: UUID, call_id: str, text: str) -> None:  # noqa: ARG002 - ids of calls are unique
        self._slots.setdefault(call_id, _Slot(text=text))

    async def take(self, user_id: UUID, call_id: str) -> StoredCall | None:  # noqa: ARG002
        slot = self._slots.get(call_id)
        if slot is None or slot.answer is not None:
            return None
        first, slot.taken = not slot.taken, True
        return StoredCall(text=slot.text, first=first)

    async def answer(self, user_id: UUID, call_id: str, text: str) -> bool:  # noqa: ARG002
        if call_id in self._slots:
            self._slots[call_id].answer = text
        return call_id in self._slots

    async def collect(self, user_id: UUID, call_id: str) -> str | None:  # noqa: ARG002
        slot = self._slots.get(call_id)
        if slot is None or slot.answer is None:
            return None
        slot.collected = True
        return slot.answer

    async def waits(self, call_id: str) -> bool:
        slot = self._slots.get(call_id)
        return slot is not None and not slot.collected


@dataclass(kw_only=True)
class RedisCallStore:
    """The ``CallStore`` in Redis: a hash with an expiry for each call, its texts encrypted with the user's key."""

    redis: RedisConnection
    vaults: VaultCache

    async def post(self, user_id: UUID, call_id: str, text: str) -> None:
        token = await self._encrypted(user_id, "call", call_id, text)
        await self._ask(_POST, call_id, token, _KEEP_S)

    async def take(self, user_id: UUID, call_id: str) -> StoredCall | None:
        taken = await self._ask(_TAKE, call_id)
        if taken is None:
            return None
        text = await self._decrypted(user_id, "call", call_id, taken[0])
        return None if text is None else StoredCall(text=text, first=bool(taken[1]))

    async def answer(self, user_id: UUID, call_id: str, text: str) -> bool:
        token = await self._encrypted(user_id, "answer", call_id, text)
        return bool(await self._ask(_ANSWER, call_id, token))

    async def collect(self, user_id: UUID, call_id: str) -> str | None:
        token = await self._ask(_COLLECT, call_id, _COLLECTED_S)
        return None if token is None else await self._decrypted(user_id, "answer", call_id, token)

    async def waits(self, call_id: str) -> bool:
        return bool(await self._ask(_WAITS, call_id))

    async def _ask(self, script: str, call_id: str, *arguments: str | int) -> Any:
        return await self.redis.script(script, [self.redis.key("call", call_id)], list(arguments))

    async def _encrypted(self, user_id: UUID, part: str, call_id: str, text: str) -> str:
        try:
            vault = await self.vaults(user_id)
        except AccountError as error:
            raise ClusterUnavailable("The user's key cannot be decrypted.") from error
        return await unblocking(vault.encrypt, _place(part, call_id), text)

    async def _decrypted(self, user_id: UUID, part: str, call_id: str, token: str) -> str | None:
        """The text; None if it was not encrypted for this user and this call."""
        try:
            return await self.vaults.decrypt(user_id, _place(part, call_id), token)
        except AccountError:
            return None


def _place(part: str, call_id: str) -> Place:
    return Place(table="mailbox", column=part, row_id=UUID(call_id))
