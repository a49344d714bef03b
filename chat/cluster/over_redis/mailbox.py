"""The ``Mailbox`` over Redis: a hash with an expiry for each call, its texts encrypted with the user's key."""

import asyncio
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from accounts.errors import AccountError
from accounts.keys import Place
from chat.cluster.mailbox import KEEP_S, Letter
from chat.cluster.over_redis.line import RedisLine
from chat.cluster.over_redis.vaults import Vaults
from chat.errors import NeighboursAway

_COLLECTED_S: Final = 60
_LONG: Final = 64 * 1024
"""Characters from which on encryption would hold up the loop, and takes a thread instead."""

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


@dataclass(kw_only=True)
class RedisMailbox:
    """As ``Mailbox``."""

    line: RedisLine
    vaults: Vaults

    async def post(self, user_id: UUID, call_id: str, text: str) -> None:
        sealed = await self._sealed(user_id, "call", call_id, text)
        await self.line.script(_POST, [self._key(call_id)], [sealed, round(KEEP_S)])

    async def take(self, user_id: UUID, call_id: str) -> Letter | None:
        taken = await self.line.script(_TAKE, [self._key(call_id)], [])
        if taken is None:
            return None
        text = await self._opened(user_id, "call", call_id, taken[0])
        return None if text is None else Letter(text=text, first=bool(taken[1]))

    async def answer(self, user_id: UUID, call_id: str, text: str) -> bool:
        sealed = await self._sealed(user_id, "answer", call_id, text)
        return bool(await self.line.script(_ANSWER, [self._key(call_id)], [sealed]))

    async def collect(self, user_id: UUID, call_id: str) -> str | None:
        token = await self.line.script(_COLLECT, [self._key(call_id)], [_COLLECTED_S])
        return None if token is None else await self._opened(user_id, "answer", call_id, token)

    async def waits(self, call_id: str) -> bool:
        return bool(await self.line.script(_WAITS, [self._key(call_id)], []))

    def _key(self, call_id: str) -> str:
        return self.line.key("call", call_id)

    async def _sealed(self, user_id: UUID, part: str, call_id: str, text: str) -> str:
        try:
            vault = await self.vaults(user_id)
        except AccountError as error:
            raise NeighboursAway("The user's key cannot be opened.") from error
        if len(text) < _LONG:
            return vault.encrypt(_place(part, call_id), text)
        return await asyncio.to_thread(vault.encrypt, _place(part, call_id), text)

    async def _opened(self, user_id: UUID, part: str, call_id: str, token: str) -> str | None:
        """The text, or nothing for one that was not sealed here for this user and this call."""
        try:
            vault = await self.vaults(user_id)
            if len(token) < _LONG:
                return vault.decrypt(_place(part, call_id), token)
            return await asyncio.to_thread(vault.decrypt, _place(part, call_id), token)
        except AccountError:
            return None


def _place(part: str, call_id: str) -> Place:
    return Place(table="mailbox", column=part, row_id=UUID(call_id))
