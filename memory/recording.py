"""Recording exchanges: an episode at once, and a better summary and missing vectors in the background.

An episode is written as its turn ends, with a plain summary and the words of the exchange. Then it waits until a
process claims it and has a model write the summary that replaces the plain one. It ends when the user turns the memory
off or deletes the account. Facts without a vector wait in the same way.

``next_attempt_at`` is when a row may be claimed, so rows claimed by a process that was killed are found by a later
sweep.
"""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import ClassVar, Final, Protocol, TypeAlias
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone as clock

from accounts.cipher import encrypt
from accounts.database import in_database
from accounts.encryption import place_of
from accounts.errors import AccountError, AccountGone
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.models import User
from accounts.sealing import key_for_writing
from memory.errors import EmbeddingFailed, UnreadableRow
from memory.exchange import Exchange
from memory.facts import (
    About,
    Unembedded,
    embedded,
    embedded_if_possible,
    set_embedding,
    store_fact,
    unembedded_text,
)
from memory.forgetting import drop_old_words
from memory.index import Embedder, Embedding
from memory.models import (
    MAX_ID_CHARS,
    MAX_SUMMARY_CHARS,
    AssociativeQuerySet,
    EpisodicQuerySet,
    MemoryAssociative,
    MemoryEpisodic,
    next_revision,
    opened,
    storable,
)

logger = logging.getLogger(__name__)

SWEEP_EVERY_S: Final = 60.0
_OLD_WORDS_EVERY_S: Final = 3_600.0
LEASE: Final = timedelta(minutes=2)
"""How long a claim holds: longer than an attempt may take."""
ATTEMPT_S: Final = 90.0
"""The longest an attempt may take, in seconds."""
RETRIES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720))
"""The pauses between a failed attempt and the next one."""
_CONCURRENT: Final = 2
"""How many rows one process works on at the same time."""
_BACKLOG: Final = 100
"""How many claims wait in memory; the sweep finds the rows of those that do not fit."""

_FRESH_S: Final = 2.0
"""How long an episode that was just written is summarised without reading it again."""

Waiting: TypeAlias = EpisodicQuerySet | AssociativeQuerySet


class Summarizer(Protocol):
    """The port to what summarises exchanges."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        """One or two sentences in ``language``. After any error the recorder tries again later."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A row that only the claimer works on, until its lease ends.

    ``exchange`` is known to who has just written the episode, at ``written_at`` (``time.monotonic``).
    """

    user_id: UUID
    row_id: UUID
    exchange: Exchange | None = field(default=None, repr=False, compare=False)
    written_at: float = field(default_factory=time.monotonic, repr=False, compare=False)


@transaction.atomic
def claim_due(waiting: Waiting, *, limit: int) -> Sequence[Claim]:
    """Claim the rows that are due, the longest waiting first. No two callers get the same row.

    Rows of users who have turned the memory off are left alone.
    """
    now = clock.now()
    due = waiting.filter(next_attempt_at__lte=now, user__memory_enabled=True).order_by("next_attempt_at")
    rows: Sequence[MemoryEpisodic | MemoryAssociative] = list(
        due.select_for_update(skip_locked=True, of=("self",)).only("id", "user_id", "attempts")[:limit]
    )
    for row in rows:
        row.attempts, row.next_attempt_at = row.attempts + 1, now + LEASE
        row.save(update_fields=["attempts", "next_attempt_at"])
    return [Claim(user_id=row.user_id, row_id=row.id) for row in rows]


@transaction.atomic
def write_episode(user_id: UUID, exchange: Exchange) -> Claim | None:
    """Write an episode with a plain summary, claimed by the caller; None if the memory is off.

    Raises as ``open_vault``.
    """
    key = key_for_writing(user_id)
    # Read after the user's row has been locked, so that a memory that is turned off stays off.
    revision = next_revision(user_id, only_enabled=True)
    if revision is None:
        return None
    now = clock.now()
    row = MemoryEpisodic(
        id=uuid4(),
        user_id=user_id,
        session_id=storable(exchange.session_id, limit=MAX_ID_CHARS),
        attempts=1,
        next_attempt_at=now + LEASE,
        created_at=now,
        revision=revision,
    )
    row.summary_encrypted = encrypt(key, place_of(row, "summary_encrypted"), exchange.plain_summary())
    row.exchange_encrypted = encrypt(key, place_of(row, "exchange_encrypted"), exchange.as_text())
    row.save(force_insert=True)
    return Claim(user_id=user_id, row_id=row.id, exchange=exchange)


def exchange_of(claim: Claim) -> Exchange | None:
    """The exchange of an episode that still waits for its summary, else None.

    Raises ``UnreadableRow`` and as ``open_vault``.
    """
    row = PendingSummaries.rows().for_user(claim.user_id).filter(id=claim.row_id).first()
    if row is None:
        return None
    return Exchange.from_text(opened(open_vault(claim.user_id), row, "exchange_encrypted"))


@transaction.atomic
def complete(claim: Claim, summary: str, embedding: Embedding | None) -> bool:
    """Replace the plain summary, and write the associative row of the episode. The words stay.

    False if there is nothing left to do: another process was first, the owner has corrected or deleted the episode, or
    has turned the memory off.
    """
    vault = vault_for_writing(claim.user_id)
    row = PendingSummaries.rows().for_user(claim.user_id).locked(claim.row_id)
    if row is None or not _memory_on(claim.user_id):
        return False
    row.summary_encrypted = vault.seal(row, "summary_encrypted", summary[:MAX_SUMMARY_CHARS])
    row.next_attempt_at, row.summarised_at = None, clock.now()
    row.save(update_fields=["summary_encrypted", "next_attempt_at", "summarised_at"])
    store_fact(claim.user_id, summary[:MAX_SUMMARY_CHARS], embedding, about=About(episode_id=row.id))
    return True


class Pending(ABC):
    """Rows that wait for the same thing to be made."""

    name: ClassVar[str]
    """What is made, for the log."""

    @staticmethod
    @abstractmethod
    def rows() -> Waiting:
        """All rows that wait, due or not."""

    @abstractmethod
    async def make(self, claim: Claim) -> None:
        """Make it. Raises ``UnreadableRow`` if that can never succeed, and other errors if it may succeed later."""

    async def retry(self, claim: Claim) -> None:
        """Set the next attempt, or do without it after the last one."""
        if not await in_database(_postpone, self.rows(), claim):
            await self.settle(claim)

    async def settle(self, claim: Claim) -> None:
        """Do without it, after the last attempt."""
        await self.give_up(claim)

    async def give_up(self, claim: Claim) -> None:
        """Leave the row as it is and try no more."""
        rows = self.rows().for_user(claim.user_id).filter(id=claim.row_id)
        await in_database(rows.update, next_attempt_at=None)


class PendingSummaries(Pending):
    """Episodes that wait for a model's summary."""

    name = "the summary of episode"

    def __init__(self, embedder: Embedder, summarizer: Summarizer) -> None:
        self._embedder = embedder
        self._summarizer = summarizer

    @staticmethod
    def rows() -> EpisodicQuerySet:
        return MemoryEpisodic.objects.filter(summarised_at=None).exclude(exchange_encrypted="")

    async def make(self, claim: Claim) -> None:
        exchange = claim.exchange
        if exchange is None or time.monotonic() - claim.written_at > _FRESH_S:
            # Its owner may have corrected or deleted it meanwhile.
            exchange = await in_database(exchange_of, claim)
        if exchange is None:
            return
        written = await self._summarizer.summarise(exchange.message, exchange.response, exchange.language)
        await self._complete(claim, written.strip() or exchange.plain_summary())

    async def settle(self, claim: Claim) -> None:
        """Keep the plain summary for good."""
        exchange = await in_database(exchange_of, claim)
        if exchange is not None:
            await self._complete(claim, exchange.plain_summary())

    async def _complete(self, claim: Claim, summary: str) -> None:
        embedding = await embedded_if_possible(self._embedder, summary)
        await in_database(complete, claim, summary, embedding)


class PendingVectors(Pending):
    """Facts that wait for their vector. After the last attempt it is left to ``backfill_embeddings``."""

    name = "the vector of fact"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @staticmethod
    def rows() -> AssociativeQuerySet:
        return MemoryAssociative.objects.filter(embedding=None)

    async def make(self, claim: Claim) -> None:
        text = await in_database(_text_of, claim)
        if text is not None:
            embedding = await embedded(self._embedder, text.content)
            await in_database(set_embedding, claim.user_id, text.row_id, text.token, embedding)


class Recorder:
    """Writes episodes, and in the background has them summarised and makes missing vectors.

    ``begin`` starts the background work and ``aclose`` ends it. What is unfinished then, or after a process was killed,
    the next sweep of any process finds. ``failures`` counts the attempts that have failed since the last success.
    """

    def __init__(self, *, embedder: Embedder, summarizer: Summarizer, sweep_every_s: float = SWEEP_EVERY_S) -> None:
        self._summaries = PendingSummaries(embedder, summarizer)
        self._vectors = PendingVectors(embedder)
        self._sweep_every_s = sweep_every_s
        self._backlog: asyncio.Queue[Claim] = asyncio.Queue(_BACKLOG)
        self._tasks: list[asyncio.Task[None]] = []
        self.failures = 0

    async def store(self, user_id: UUID, exchange: Exchange) -> None:
        """Write the episode. It is in the database when this returns. Raises as ``open_vault``."""
        claim = await in_database(write_episode, user_id, exchange)
        if claim is not None:
            with suppress(asyncio.QueueFull):
                self._backlog.put_nowait(claim)

    def begin(self) -> None:
        """Start the background work in the running loop. Idempotent."""
        if not self._tasks:
            works = [self._sweep_forever(), *(self._summarise_forever() for _ in range(_CONCURRENT))]
            self._tasks = [asyncio.create_task(work, name="memory: recording") for work in works]

    async def aclose(self) -> None:
        """End the background work. Idempotent."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def sweep(self) -> int:
        """Work on all rows that are due. Return how many there were."""
        return await self._take(self._summaries) + await self._take(self._vectors)

    async def _take(self, pending: Pending) -> int:
        taken = 0
        while claims := await in_database(claim_due, pending.rows(), limit=_CONCURRENT):
            await asyncio.gather(*(self._attempt(pending, claim) for claim in claims))
            taken += len(claims)
        return taken

    async def _attempt(self, pending: Pending, claim: Claim) -> None:
        """Raises nothing but cancellation."""
        try:
            async with asyncio.timeout(ATTEMPT_S):
                await pending.make(claim)
        except AccountGone:
            return
        except UnreadableRow as error:
            logger.warning("%s %s is given up: %s", pending.name, claim.row_id, error)
            end = pending.give_up
        except Exception as error:  # noqa: BLE001 - the boundary of a background job: models fail in many ways
            self.failures += 1
            logger.warning("%s %s failed: %s", pending.name, claim.row_id, _loggable(error))
            end = pending.retry
        else:
            self.failures = 0
            return
        try:
            await end(claim)
        except Exception as error:  # noqa: BLE001 - the lease ends, and a later sweep finds the row
            logger.warning("%s %s stays claimed: %s", pending.name, claim.row_id, _loggable(error))

    async def _summarise_forever(self) -> None:
        while True:
            await self._attempt(self._summaries, await self._backlog.get())

    async def _sweep_forever(self) -> None:
        old_words_at = time.monotonic()
        while True:
            try:
                await self.sweep()
                if time.monotonic() >= old_words_at:
                    await in_database(drop_old_words)
                    old_words_at = time.monotonic() + _OLD_WORDS_EVERY_S
            except Exception as error:  # noqa: BLE001 - the boundary of a background task
                logger.warning("the sweep failed: %s", _loggable(error))
            await asyncio.sleep(self._sweep_every_s)


def _text_of(claim: Claim) -> Unembedded | None:
    """The text of a fact that still waits for its vector, else None. Raises ``UnreadableRow`` and as ``open_vault``."""
    row = PendingVectors.rows().for_user(claim.user_id).filter(id=claim.row_id).first()
    return None if row is None else unembedded_text(open_vault(claim.user_id), row)


@transaction.atomic
def _postpone(waiting: Waiting, claim: Claim) -> bool:
    row = waiting.for_user(claim.user_id).locked(claim.row_id)
    if row is None or row.attempts > len(RETRIES):
        return False
    row.next_attempt_at = clock.now() + RETRIES[max(row.attempts, 1) - 1]
    row.save(update_fields=["next_attempt_at"])
    return True


def _memory_on(user_id: UUID) -> bool:
    """Read after the user's row has been locked."""
    return User.objects.filter(id=user_id, memory_enabled=True).exists()


def _loggable(error: Exception) -> str:
    """What may be logged of an error: messages of other libraries may quote what the user said."""
    return str(error) if isinstance(error, AccountError | EmbeddingFailed) else type(error).__name__
