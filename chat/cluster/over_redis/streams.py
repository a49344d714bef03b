"""A turn's frames as a Redis stream.

An entry holds frames that follow each other, encrypted with the user's key, and says beside them which number the
first one has and how many they are; the last entry says how many there are in all. An entry may come again, and
overlap with others: whoever reads goes by the numbers.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from redis.asyncio import Redis

from accounts.errors import AccountError
from accounts.keys import Place
from accounts.vault import Vault
from chat.cluster.over_redis.line import RedisLine
from chat.cluster.over_redis.vaults import Vaults
from chat.errors import FramesLost, NeighboursAway
from chat.turns.supervisor import TurnKey

_AT_ONCE: Final = 50
_BETWEEN: Final = "\n"
"""Frames are JSON of one line."""


@dataclass(frozen=True)
class TurnKeys:
    """The names of a turn's keys."""

    line: RedisLine

    def turn(self, key: TurnKey) -> str:
        return self.line.key("turn", *key)

    def frames(self, key: TurnKey, process: str) -> str:
        # Two processes may write the same turn when both began while Redis was away: each has a stream of its own.
        return self.line.key("frames", *key, process)

    def running(self, user_id: UUID) -> str:
        return self.line.key("running", user_id)


def entry(vault: Vault, key: TurnKey, first: int, frames: Sequence[str]) -> dict[str, str]:
    """The fields of an entry with ``frames``, of which the first has the number ``first``."""
    sealed = vault.encrypt(_place(key, first), _BETWEEN.join(frames))
    return {"first": str(first), "count": str(len(frames)), "frames": sealed}


def last_entry(total: int) -> dict[str, str]:
    """The fields of the entry that ends a stream."""
    return {"total": str(total)}


async def last_number(client: Redis, name: str) -> int:
    """The number of the newest frame in the stream; -1 while there is none."""
    entries: Any = await client.xrevrange(name, count=1)
    if not entries:
        return -1
    fields: dict[str, str] = entries[0][1]
    return int(fields.get("total") or int(fields["first"]) + int(fields["count"])) - 1


async def read_stream(
    line: RedisLine, vaults: Vaults, key: TurnKey, name: str, *, after_seq: int, pause_s: float
) -> AsyncGenerator[Sequence[str], None]:
    """The frames of the stream after ``after_seq``, to its end; an empty batch after each pause without a frame.

    Raises ``FramesLost`` for a gap, and for what cannot be opened. A Redis that is away is a pause.
    """
    position, latest = after_seq + 1, "0"
    while True:
        try:
            entries = await _following(line, name, latest, pause_s)
        except NeighboursAway:
            await line.pause()
            entries = []
        if not entries:
            yield ()
        for entry_id, fields in entries:
            latest = entry_id
            if "total" in fields:
                if int(fields["total"]) > position:
                    raise FramesLost
                return
            batch = await _opened(vaults, key, fields, position)
            position += len(batch)
            if batch:
                yield batch


async def _following(line: RedisLine, name: str, latest: str, pause_s: float) -> list[tuple[str, dict[str, str]]]:
    block = max(1, round(pause_s * 1000))
    found: Any = await line.run(lambda client: client.xread({name: latest}, count=_AT_ONCE, block=block), blocks=True)
    return list(found[0][1]) if found else []


async def _opened(vaults: Vaults, key: TurnKey, fields: Mapping[str, str], position: int) -> Sequence[str]:
    """The frames of an entry from number ``position`` on."""
    first, count = int(fields["first"]), int(fields["count"])
    if first > position:
        raise FramesLost
    if first + count <= position:
        return ()
    try:
        text = (await vaults(key[0])).decrypt(_place(key, first), fields["frames"])
    except AccountError:
        raise FramesLost from None
    return text.split(_BETWEEN)[position - first :]


def _place(key: TurnKey, first: int) -> Place:
    return Place(table="frames", column=str(first), row_id=UUID(key[1]))
