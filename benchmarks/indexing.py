"""Indexes of exchanges, in a process that has Django: ``python -m benchmarks.indexing NAME ARGUMENTS``.

It works on the database in the data folder that the environment names, with users that it makes. The arguments are a
JSON object; what the work gives is written to standard output as JSON.
"""

import asyncio
import gc
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from itertools import cycle, islice
from typing import Final
from uuid import UUID

import django
import numpy as np
from pydantic import JsonValue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup()

from django.utils import timezone as clock

from accounts.database import in_database
from accounts.keys.vault import open_vault
from adiuva.database.loop_statements import LoopStatements
from adiuva.server import starting
from adiuva.server.serve import SWITCH_S
from benchmarks.processes import resident_bytes
from benchmarks.users_with_memories import new_user
from memory.embedders.hashing import HashingEmbedder
from memory.exchange import Exchange
from memory.forgetting import forget_exchange
from memory.index_cache import MAX_BYTES, IndexCache
from memory.models import MemoryEpisodic
from memory.pending import Summarizer
from memory.revisions import ForgottenRows, MemoryRevision
from memory.search.index import ExchangeIndex
from memory.service import MemoryService

SIDE_CHARS: Final = 125
_WORDS: Final = 8_000
_TICK_S: Final = 0.001
_BUILT_S: Final = 60.0
_FIRST: Final = 5
"""Recalls before any is measured: connections are open and statements planned from then on."""
_COPIES: Final = 4
_AT_ONCE: Final = 1_000
_SENTENCES: Final = 5_001
"""Odd, so that both sides of exchanges have all of them."""
_STOP_WORDS: Final = ("the", "a", "to", "and", "of", "in", "is", "for", "on", "with", "that", "my", "we", "was", "have")
_SYLLABLES: Final = ("ba", "co", "di", "fe", "ga", "lo", "mi", "na", "pe", "ri", "sa", "to", "vu")


class _NoSummarizer(Summarizer):
    """Nothing is recorded here."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        raise NotImplementedError


class _Writer:
    """Sentences of words as frequent as people's are (Zipf), the same for each seed."""

    def __init__(self, seed: int) -> None:
        self._draw = np.random.default_rng(seed)
        words = np.random.default_rng(0).integers(len(_SYLLABLES), size=(_WORDS, 4))
        self.vocabulary = ["".join(_SYLLABLES[part] for part in word) for word in words]

    def word(self) -> str:
        return self.vocabulary[int(self._draw.zipf(1.2)) % _WORDS]

    def sentence(self) -> str:
        words = [_STOP_WORDS[self._draw.integers(len(_STOP_WORDS))] if n % 2 else self.word() for n in range(40)]
        return " ".join(words)[: SIDE_CHARS - 1] + "."

    def question(self) -> str:
        return f"What did we say about the {self.word()} and the {self.word()} at the {self.word()}?"


def warm(*, rows: int, times: int) -> JsonValue:
    """Seconds of recalls with an index, and the CPU time of this process for them."""
    return asyncio.run(_warm(_user(rows, seed=1), times))


async def _warm(user_id: UUID, times: int) -> JsonValue:
    # As in the server, whose connections plan a statement once.
    statements, writer = LoopStatements(), _Writer(2)
    statements.begin()
    memory = _memory(statements=statements)
    await _built(memory, user_id)
    for _ in range(_FIRST):
        await memory.recall(user_id, writer.question())
    seconds, cpu, told = list[JsonValue](), list[JsonValue](), 0
    for _ in range(times):
        question = writer.question()
        used, started = time.process_time(), time.perf_counter()
        recalled = await memory.recall(user_id, question)
        seconds.append(time.perf_counter() - started)
        cpu.append(time.process_time() - used)
        told += len(recalled.episodes)
    await memory.aclose()
    await statements.aclose()
    if not told:
        raise ValueError("nothing was recalled")
    return {"seconds": seconds, "cpu": cpu}


def cold(*, rows: int, times: int) -> JsonValue:
    """Seconds of first recalls and until their indexes were built, and the longest pauses of the event loop.

    ``idle_pauses`` are those of a loop with nothing else to do for as long.
    """
    return asyncio.run(_cold(_user(rows, seed=1), times))


async def _cold(user_id: UUID, times: int) -> JsonValue:
    recalls, builds, pauses, idle = (list[JsonValue]() for _ in range(4))
    writer = _Writer(2)
    for _ in range(times):
        memory = _memory()
        async with asyncio.TaskGroup() as tasks:
            ticking = tasks.create_task(_longest_pause(done := asyncio.Event()))
            started = time.perf_counter()
            await memory.recall(user_id, writer.question())
            recalls.append(time.perf_counter() - started)
            await _built(memory, user_id)
            builds.append(time.perf_counter() - started)
            done.set()
        pauses.append(ticking.result())
        await memory.aclose()
        async with asyncio.TaskGroup() as tasks:
            ticking = tasks.create_task(_longest_pause(done := asyncio.Event()))
            await asyncio.sleep(0.5)
            done.set()
        idle.append(ticking.result())
    return {"recalls": recalls, "builds": builds, "pauses": pauses, "idle_pauses": idle}


async def _longest_pause(done: asyncio.Event) -> float:
    longest = 0.0
    while not done.is_set():
        started = time.perf_counter()
        await asyncio.sleep(_TICK_S)
        longest = max(longest, time.perf_counter() - started - _TICK_S)
    return longest


def bounded(*, rows: int, times: int) -> JsonValue:
    """Of a user with more exchanges than fit into an index: seconds of first recalls, of those with an index, and of
    those after an exchange was forgotten, by turns with the log of that and without; the index's bytes, and its
    exchanges.
    """
    return asyncio.run(_bounded(_user(rows, seed=1, sentences=_SENTENCES), times))


async def _bounded(user_id: UUID, times: int) -> JsonValue:
    statements, writer = LoopStatements(), _Writer(2)
    statements.begin()
    memory = _memory(statements=statements)

    told = 0

    async def recalled() -> float:
        nonlocal told
        started = time.perf_counter()
        told += len((await memory.recall(user_id, writer.question())).episodes)
        return time.perf_counter() - started

    first = await recalled()
    index = await _built(memory, user_id)
    for _ in range(_FIRST):
        await recalled()
    warm: list[JsonValue] = [await recalled() for _ in range(times)]
    logged, unlogged = list[JsonValue](), list[JsonValue]()
    for place in range(2 * times):
        await in_database(forget_exchange, user_id, index.exchange(place).id)
        if place % 2:
            await in_database(ForgottenRows.objects.all().delete)
        (unlogged if place % 2 else logged).append(await recalled())
    if not told:
        raise ValueError("nothing was recalled")
    found: JsonValue = {
        "first": first,
        "warm": warm,
        "logged": logged,
        "unlogged": unlogged,
        "size": index.size,
        "held": len(index),
    }
    await memory.aclose()
    await statements.aclose()
    return found


def memory_of(*, rows: int) -> JsonValue:
    """Bytes of an index by ``size``, by ``tracemalloc`` and as the process grows, and of its texts."""
    user_id = _user(rows, seed=1)
    measured = asyncio.run(_memory_of(user_id, _resident_size))
    tracemalloc.start()
    traced = asyncio.run(_memory_of(user_id, lambda: tracemalloc.get_traced_memory()[0]))
    tracemalloc.stop()
    return {**measured, "traced": traced["bytes"], "resident": measured["bytes"]}


def _resident_size() -> int:
    return resident_bytes(os.getpid())


async def _memory_of(user_id: UUID, bytes_taken: Callable[[], int]) -> dict[str, JsonValue]:
    """``bytes`` is the mean of several indexes, after a first one has taken what building needs besides."""
    memories = [_memory() for _ in range(1 + _COPIES)]
    writer = _Writer(2)
    before = 0
    for number, memory in enumerate(memories):
        if number == 1:
            gc.collect()
            before = bytes_taken()
        index = await _built(memory, user_id)
        await memory.recall(user_id, writer.question())
    gc.collect()
    found: dict[str, JsonValue] = {
        "bytes": (bytes_taken() - before) / _COPIES,
        "size": index.size,
        "texts": sum(len(each.message) + len(each.response) for each in map(index.exchange, range(len(index)))),
    }
    for memory in memories:
        await memory.aclose()
    return found


def evicting(*, users: int, rows: int, kept: int) -> JsonValue:
    """Bytes of all indexes of a cache for ``kept`` of the users, its limit, and how many were dropped for others."""
    return asyncio.run(_evicting([_user(rows, seed=seed) for seed in range(users)], kept))


async def _evicting(people: list[UUID], kept: int) -> JsonValue:
    first = _memory()
    size = (await _built(first, people[0])).size
    await first.aclose()
    memory, most = _memory(max_bytes=int(size * (kept + 0.5))), 0
    for user_id in people * 2:
        await _built(memory, user_id)
        most = max(most, memory.indexes.size)
    evictions = memory.indexes.evictions
    await memory.aclose()
    return {"size": most, "limit": memory.indexes.max_bytes, "evictions": evictions}


def _memory(max_bytes: int = MAX_BYTES, statements: LoopStatements | None = None) -> MemoryService:
    indexes = IndexCache(max_bytes=max_bytes)
    return MemoryService(embedder=HashingEmbedder(), summarizer=_NoSummarizer(), statements=statements, indexes=indexes)


async def _built(memory: MemoryService, user_id: UUID) -> ExchangeIndex:
    cached = memory.indexes.find(user_id)
    while cached is None or not cached.complete:
        cached = await memory.indexes.build(user_id, within_s=_BUILT_S)
        if cached is None:
            raise ValueError("no index was built")
    return cached.index


def _user(rows: int, *, seed: int, sentences: int = 0) -> UUID:
    """A user with this many exchanges of two sides; of ``sentences`` different ones, if that is not 0."""
    user = new_user()
    vault, writer, now = open_vault(user.id), _Writer(seed), clock.now()
    pool = [writer.sentence() for _ in range(sentences)]
    sides: Iterator[str] = cycle(pool) if pool else iter(writer.sentence, None)

    def made() -> Iterator[MemoryEpisodic]:
        for number in range(rows):
            row = MemoryEpisodic(user=user, session_id=f"s{number // 8}", revision=number + 1)
            row.created_at = now - timedelta(hours=rows - number)
            exchange = Exchange(message=next(sides), response=next(sides))
            row.summary_encrypted = vault.seal(row, "summary_encrypted", exchange.plain_summary())
            row.exchange_encrypted = vault.seal(row, "exchange_encrypted", exchange.as_text())
            yield row

    left = made()
    while batch := list(islice(left, _AT_ONCE)):
        MemoryEpisodic.objects.bulk_create(batch)
    MemoryRevision.objects.create(user=user, latest=rows)
    return user.id


WORKS: Final[Mapping[str, Callable[..., JsonValue]]] = {
    work.__name__: work for work in (warm, cold, bounded, memory_of, evicting)
}


if __name__ == "__main__":
    with starting.database():
        # As the server does.
        gc.freeze()
        sys.setswitchinterval(SWITCH_S)
        json.dump(WORKS[sys.argv[1]](**json.loads(sys.argv[2])), sys.stdout)
