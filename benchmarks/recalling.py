"""Recall, in a process of its own that has Django: ``python -m benchmarks.recalling NAME ARGUMENTS``.

It works on the database in the data folder that the environment names, with users that it makes. The arguments are a
JSON object; what the work gives is written to standard output as JSON.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final
from uuid import UUID, uuid4

import django
import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg.types.numeric import Int2, Int4
from pydantic import JsonValue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup()

from django.db import connection
from django.utils import timezone as clock

from accounts.keys.vault import Vault, open_vault
from adiuva.server import starting
from agents.adapters.openai import openai_client
from benchmarks.processes import cpu_seconds
from benchmarks.users_with_memories import new_user
from memory.embedders.hashing import HashingEmbedder
from memory.embedders.openai import EmbeddingModel, OpenAIEmbedder
from memory.exchange import Exchange
from memory.index import DIMENSIONS, Embedding, Vector, Vectors, Veil, binary_cursor, nearest, register_halfvec
from memory.models import MemoryAssociative
from memory.pending import Summarizer
from memory.recording import write_episode
from memory.service import MemoryService
from memory.tiers import set_core

MODEL: Final = "benchmark"
_NEAREST: Final = 10
_COLUMNS: Final = (
    "id, user_id, content_encrypted, embedding, embedding_model, veil_version, entity_type, entity_id, attempts, "
    "created_at, updated_at"
)
_BARE: Final = (
    "SELECT count(content_encrypted) FROM memory_memoryassociative"
    " WHERE user_id = %s AND embedding_model = %s AND veil_version = 1"
)


class Person:
    """A user with this many facts, whose vectors are distributed evenly over all directions."""

    def __init__(self, rows: int, seed: int) -> None:
        self.id = new_user().id
        self.vault = open_vault(self.id)
        self.ids = [uuid4() for _ in range(rows)]
        self.veil = Veil(self.vault.key)
        self.vectors = _directions(rows, seed)
        self.stored: Vectors = self.veil.apply(self.vectors).astype(np.float16).astype(np.float32)
        _insert(self)

    def nearest_as_stored(self, vector: Vector) -> set[UUID]:
        """The rows that come closest by numpy, as they are stored: veiled, in half precision, the asked one as well."""
        return self._nearest(self.stored, self.veil.apply(vector).astype(np.float16).astype(np.float32))

    def nearest_as_made(self, vector: Vector) -> set[UUID]:
        """The rows that come closest by numpy in single precision, before any of them was veiled."""
        return self._nearest(self.vectors, vector)

    def _nearest(self, vectors: Vectors, vector: Vector) -> set[UUID]:
        scores: NDArray[np.float32] = vectors @ vector
        return {self.ids[place] for place in np.argsort(-scores)[:_NEAREST]}


class Stopwatch:
    """Seconds of works, and of the CPU that the process ``pid`` used for them."""

    def __init__(self, pid: int) -> None:
        self.seconds: list[JsonValue] = []
        self.cpu: list[JsonValue] = []
        self._pid = pid

    def time(self, work: Callable[[], object]) -> None:
        cpu, started = cpu_seconds(self._pid), time.perf_counter()
        work()
        self.seconds.append(time.perf_counter() - started)
        self.cpu.append(cpu_seconds(self._pid) - cpu)


def searching(*, users: int, rows: int, times: int) -> JsonValue:
    """Seconds of searches and of bare reads of the same rows, in turn, by turns among ``users``; and recall@10.

    ``search_cpu`` and ``read_cpu`` are those of the database's process that answers.
    """
    people = [Person(rows, seed) for seed in range(users)]
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE memory_memoryassociative")
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    searches, reads = Stopwatch(pid), Stopwatch(pid)
    as_stored = as_made = 0
    for number in range(times):
        person, vector = people[number % users], _directions(1, 1_000_000 + number)[0]
        works: list[tuple[Stopwatch, Callable[[], object]]] = [
            (reads, partial(_read, person)),
            (searches, partial(_search, person, vector)),
        ]
        # Whichever is first finds the rows where the others have left them, not in the cache.
        for stopwatch, work in works if number % 2 else works[::-1]:
            stopwatch.time(work)
        found = set(_search(person, vector))
        as_stored += len(found & person.nearest_as_stored(vector))
        as_made += len(found & person.nearest_as_made(vector))
    wanted = times * _NEAREST
    return {
        "searches": searches.seconds,
        "search_cpu": searches.cpu,
        "reads": reads.seconds,
        "read_cpu": reads.cpu,
        "as_stored": as_stored / wanted,
        "as_made": as_made / wanted,
    }


def enriching(*, url: str, rows: int, times: int, message: str) -> JsonValue:
    """Seconds of recalls for ``message``, and of those of a memory that needs no vector, in turn."""
    person = Person(rows, seed=1)
    for number in range(20):
        set_core(person.id, f"preference {number}", "a value of some words, as people write them")
        write_episode(person.id, Exchange(message="What is due today?", response="Two tasks are."))
    return asyncio.run(_enriching(person, url, times, message))


async def _enriching(person: Person, url: str, times: int, message: str) -> JsonValue:
    async with openai_client(api_key="", base_url=url, stall_s=60.0) as client:
        embedder = OpenAIEmbedder(client, EmbeddingModel(model=MODEL))
        memory = MemoryService(embedder=embedder, summarizer=_NoSummarizer())
        of_words = MemoryService(embedder=HashingEmbedder(), summarizer=_NoSummarizer())
        for _ in range(3):  # connections and indexes are there from then on
            await memory.recall(person.id, "a first question")
            await of_words.recall(person.id, "a first question")
        whole: list[JsonValue] = []
        without: list[JsonValue] = []
        for _ in range(times):
            without.append(await _awaited(lambda: of_words.recall(person.id, message)))
            whole.append(await _awaited(lambda: memory.recall(person.id, message)))
    return {"whole": whole, "without": without}


class _NoSummarizer(Summarizer):
    """Nothing is recorded here."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        raise NotImplementedError


def _search(person: Person, vector: Vector) -> list[UUID]:
    found = nearest(person.id, person.vault, Embedding(vector=vector, model=MODEL), limit=_NEAREST)
    return [match.id for match in found]


def _read(person: Person) -> None:
    """The same rows, visited and not compared."""
    with binary_cursor() as cursor:
        cursor.execute(_BARE, [person.id, MODEL])
        cursor.fetchall()


async def _awaited(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


def _directions(count: int, seed: int) -> Vectors:
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSIONS), dtype=np.float32)
    unit: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


def _insert(person: Person) -> None:
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        register_halfvec(cursor)
        with cursor.copy(f"COPY memory_memoryassociative ({_COLUMNS}) FROM STDIN (FORMAT BINARY)") as copy:
            for row in _rows(person):
                copy.write_row(row)


def _rows(person: Person) -> Iterator[Sequence[object]]:
    now = clock.now()
    for number, row_id in enumerate(person.ids):
        content = _sealed(person.vault, row_id, f"Fact {number} is about as long as what people tell of themselves.")
        veiled = HalfVector(person.stored[number])
        yield (row_id, person.id, content, veiled, MODEL, Int4(1), "", "", Int2(0), now, now)


def _sealed(vault: Vault, row_id: UUID, text: str) -> str:
    return vault.seal(MemoryAssociative(id=row_id), "content_encrypted", text)


WORKS: Final[Mapping[str, Callable[..., JsonValue]]] = {work.__name__: work for work in (searching, enriching)}


if __name__ == "__main__":
    with starting.database():
        json.dump(WORKS[sys.argv[1]](**json.loads(sys.argv[2])), sys.stdout)
