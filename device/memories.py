"""What the server remembers of the user: read, forgotten, turned off and on, over REST."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from pydantic import JsonValue

from device.addresses import ServerAddress
from device.errors import RequestRejected
from device.frames import RememberedItem
from device.rest import asked, milliseconds

SHOWN: Final = 15
"""How many rows of a tier are read, the newest."""

_PREFERENCE: Final = "preference"
_TIERS: Final = {_PREFERENCE: "core", "fact": "associative", "exchange": "episodic", "habit": "proactive"}
"""The tier of each kind of item."""
_TEXTS: Final = {"core": "value", "associative": "content", "episodic": "summary", "proactive": "pattern"}
"""The field with the text in each tier."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """One thing remembered. ``text`` is None when the server cannot read it.

    ``name`` is what a preference is forgotten by: its key, or its id where the key cannot be read either.
    ``at`` is when it came about, in milliseconds since 1970. ``is_past``: a newer one has taken its place.
    """

    text: str | None
    name: str = ""
    at: int | None = None
    confidence: float | None = None
    is_past: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Tier:
    """One kind of memories; ``more``: there are others that were not read."""

    memories: tuple[Memory, ...]
    more: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Memories:
    """All that the server remembers, tier by tier."""

    enabled: bool
    preferences: Tier
    facts: Tier
    episodes: Tier
    habits: Tier


async def read_memories(server: ServerAddress, token: str) -> Memories:
    """What is remembered of the user with this ``token``. Raises as ``device.rest.asked``."""

    async def read(path: str) -> JsonValue:
        return await asked(server, "GET", path, token=token)

    me, core, facts, episodes, habits = await asyncio.gather(
        read("auth/me"),
        read("memory/core"),
        read(f"memory/associative?kind=fact&limit={SHOWN}"),
        *(read(f"memory/{tier}?limit={SHOWN}") for tier in ("episodic", "proactive")),
    )
    return Memories(
        enabled=not isinstance(me, dict) or me.get("memory_enabled") is not False,
        preferences=_tier(core, _TEXTS["core"]),
        facts=_tier(facts, _TEXTS["associative"]),
        episodes=_tier(episodes, _TEXTS["episodic"]),
        habits=_tier(habits, _TEXTS["proactive"]),
    )


async def forget(server: ServerAddress, token: str, name: str) -> bool:
    """Forget the preference with this ``Memory.name``; whether there was any. Raises as ``device.rest.asked``.

    It is addressed by its id: in an address, a key such as ``..`` means another one.
    """
    rows = _rows(await asked(server, "GET", "memory/core", token=token))
    found = [str(row.get("id")) for row in rows if name in (row.get("key"), row.get("id"))]
    if not found:
        return False
    try:
        await asked(server, "DELETE", f"memory/core/{quote(found[0], safe='')}", token=token)
    except RequestRejected as rejection:
        if rejection.code == "not_found":
            return False
        raise
    return True


async def forget_item(server: ServerAddress, token: str, item: RememberedItem) -> None:
    """Forget what was remembered for an answer; it may be forgotten already. Raises as ``device.rest.asked``."""
    try:
        await asked(server, "DELETE", _path(item), token=token)
    except RequestRejected as rejection:
        if rejection.code != "not_found":
            raise


async def correct_item(server: ServerAddress, token: str, item: RememberedItem, text: str) -> None:
    """Put ``text`` in place of what was remembered for an answer; of a preference the value, its key stays.

    Raises as ``device.rest.asked``; ``RequestRejected`` with ``not_found`` if it is forgotten.
    """
    if item.kind == _PREFERENCE:
        path = f"memory/core/{quote(await _key(server, token, item.id), safe='')}"
        await asked(server, "PUT", path, token=token, body={"value": text})
    else:
        path = _path(item)
        await asked(server, "PATCH", path, token=token, body={_TEXTS[_TIERS[item.kind]]: text})


async def _key(server: ServerAddress, token: str, row_id: str) -> str:
    """The key of the preference with this id."""
    answer = await asked(server, "GET", "memory/core", token=token)
    for row in _rows(answer):
        if row.get("id") == row_id:
            return str(row.get("key"))
    raise RequestRejected("It is not remembered any more.", code="not_found")


def _path(item: RememberedItem) -> str:
    """Raises ``RequestRejected`` for a kind that this client does not know."""
    if (tier := _TIERS.get(item.kind)) is None:
        raise RequestRejected("This terminal does not know what that is.", code="invalid")
    return f"memory/{tier}/{quote(item.id, safe='')}"


async def switch(server: ServerAddress, token: str, *, enabled: bool) -> None:
    """Turn the memory on or off. Raises as ``device.rest.asked``."""
    await asked(server, "PATCH", "auth/me", token=token, body={"memory_enabled": enabled})


def _tier(answer: JsonValue, text: str) -> Tier:
    more = isinstance(answer, dict) and isinstance(answer.get("next"), str)
    return Tier(memories=tuple(_memory(row, text) for row in _rows(answer)), more=more)


def _rows(answer: JsonValue) -> list[dict[str, JsonValue]]:
    """The rows of a list; of servers before they all had one shape, too."""
    rows = answer.get("results", answer.get("items")) if isinstance(answer, dict) else answer
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _memory(row: Mapping[str, JsonValue], text: str) -> Memory:
    said, confidence = row.get(text), row.get("confidence")
    return Memory(
        text=said if isinstance(said, str) and row.get("unreadable") is not True else None,
        name=str(row.get("key") or row.get("id") or "") if "key" in row else "",
        at=milliseconds(row.get("created_at")),
        confidence=float(confidence) if isinstance(confidence, int | float) else None,
        is_past=row.get("superseded_by") is not None,
    )
