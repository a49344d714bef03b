"""Recording exchanges: an episode at once, and a better summary, facts and missing vectors in the background.

An episode is written as its turn ends, with a plain summary and the words of the exchange. Then it waits until a
process claims it, has a model write the summary that replaces the plain one, and draws the facts that the user has
stated. While the user has the memory turned off, it stays as it is. Facts without a vector wait in the same way
(``memory/waiting.py``).
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Final, Protocol
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
from memory.drawn import DrawnFact, KnownFact, content_words, nearest_known
from memory.errors import EmbeddingFailed, UnreadableRow
from memory.exchange import Exchange
from memory.facts import (
    About,
    Unembedded,
    embedded,
    embedded_if_possible,
    lock_facts,
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
    opened,
    storable,
)
from memory.plain_facts import plain_facts, states_something
from memory.revisions import forgotten_since, next_revision
from memory.supersession import EmbeddedFact, add_drawn, known_facts, store_drawn
from memory.waiting import LEASE, Claim, Pending, claim_due

logger = logging.getLogger(__name__)

SWEEP_EVERY_S: Final = 60.0
_OLD_WORDS_EVERY_S: Final = 3_600.0
ATTEMPT_S: Final = 90.0
"""The longest an attempt may take, in seconds."""
_CONCURRENT: Final = 2
"""How many rows one process works on at the same time."""
_BACKLOG: Final = 100
"""How many claims wait in memory; the sweep finds the rows of those that do not fit."""

_SHOWN: Final = 12
"""How many known facts a reader of facts is shown."""
_PAUSE_S: Final = 0.25
"""After how long the work on an episode begins that was just written: its user may already ask again."""
_GIVE_WAY_S: Final = 1.0
"""After how long it begins although messages are still recalled for."""
_FRESH_S: Final = 2.0
"""How long an episode that was just written is summarised without reading it again: a model has just answered it."""


class Summarizer(Protocol):
    """The port to what summarises exchanges."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        """One or two sentences in ``language``. After any error the recorder tries again later."""


class FactReader(Protocol):
    """The port to what reads facts out of exchanges."""

    async def read(self, exchange: Exchange, known: Sequence[KnownFact]) -> Sequence[DrawnFact]:
        """What the user has stated, and what it is to those ``known``; nothing if what was written is unusable.

        After any error the recorder tries again later.
        """


@transaction.atomic
def write_episode(user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> Claim | None:
    """Write an episode with a plain summary, claimed by the caller.

    None if the memory is off, or if the user has had something forgotten since the change ``as_of``. Raises as
    ``open_vault``.
    """
    key = key_for_writing(user_id)
    # Read after the user's row has been locked, so that a memory that is turned off stays off.
    revision = next_revision(user_id, only_enabled=True)
    if revision is None or (as_of is not None and forgotten_since(user_id, as_of)):
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
    if touched := exchange.touched_text():
        row.touched_encrypted = encrypt(key, place_of(row, "touched_encrypted"), touched)
    row.save(force_insert=True)
    return Claim(user_id=user_id, row_id=row.id, exchange=exchange)


def exchange_of(claim: Claim, waiting: EpisodicQuerySet | None = None) -> Exchange | None:
    """The exchange of an episode that is still among ``waiting`` (by default for its summary), else None.

    None, too, if its owner has turned the memory off. Raises ``UnreadableRow`` and as ``open_vault``.
    """
    rows = PendingSummaries.rows() if waiting is None else waiting
    row = rows.for_user(claim.user_id).filter(id=claim.row_id, user__memory_enabled=True).first()
    if row is None:
        return None
    vault = open_vault(claim.user_id)
    touched = opened(vault, row, "touched_encrypted") if row.touched_encrypted else ""
    return Exchange.from_text(opened(vault, row, "exchange_encrypted"), touched)


@transaction.atomic
def complete(
    claim: Claim, summary: str, embedding: Embedding | None, drawn: Sequence[EmbeddedFact] | None = None
) -> bool:
    """Replace the plain summary, and write the associative row of the episode.

    ``drawn`` are all facts in its words, stored with it; None if they are still to be drawn. False if there is nothing
    left to do: another process was first, the owner has corrected or deleted the episode, or has turned the memory off.
    """
    vault = vault_for_writing(claim.user_id)
    lock_facts(claim.user_id)
    row = PendingSummaries.rows().for_user(claim.user_id).locked(claim.row_id)
    if row is None or not _memory_on(claim.user_id):
        return False
    row.summary_encrypted = vault.seal(row, "summary_encrypted", summary[:MAX_SUMMARY_CHARS])
    row.summarised_at, row.attempts = clock.now(), 1
    store_fact(claim.user_id, summary[:MAX_SUMMARY_CHARS], embedding, about=About(episode_id=row.id))
    if drawn is not None and row.facts_at is None:
        add_drawn(vault, row, drawn)
        row.facts_at, row.touched_encrypted = row.summarised_at, ""
    row.next_attempt_at = None if row.facts_at else row.summarised_at + LEASE
    changed = ("summary_encrypted", "summarised_at", "attempts", "next_attempt_at", "facts_at", "touched_encrypted")
    row.save(update_fields=changed)
    return True


class PendingSummaries(Pending):
    """Episodes that wait for a model's summary. What rules alone draw from them is stored with it."""

    name = "the summary of episode"

    def __init__(self, embedder: Embedder, summarizer: Summarizer, facts: "PendingFacts") -> None:
        self._embedder = embedder
        self._summarizer = summarizer
        self._facts = facts

    @staticmethod
    def rows() -> EpisodicQuerySet:
        return MemoryEpisodic.objects.filter(summarised_at=None).exclude(exchange_encrypted="")

    async def make(self, claim: Claim) -> bool:
        exchange = claim.exchange
        if exchange is None or time.monotonic() - claim.written_at > _FRESH_S:
            # Its owner may have corrected or deleted it meanwhile.
            exchange = await in_database(exchange_of, claim)
        if exchange is None:
            return True
        written = await self._summarizer.summarise(exchange.message, exchange.response, exchange.language)
        return await self._complete(claim, exchange, written.strip() or exchange.plain_summary())

    async def settle(self, claim: Claim) -> None:
        """Keep the plain summary for good."""
        exchange = await in_database(exchange_of, claim)
        if exchange is not None:
            await self._complete(claim, exchange, exchange.plain_summary())

    async def _complete(self, claim: Claim, exchange: Exchange, summary: str) -> bool:
        """Return whether facts are still to be drawn."""
        embedding = await embedded_if_possible(self._embedder, summary)
        drawn = None if self._facts.needs_reader(exchange) else await self._facts.plain(exchange)
        await in_database(complete, claim, summary, embedding, drawn)
        return drawn is None


class PendingFacts(Pending):
    """Episodes whose facts are not drawn yet: by rules, and by a ``reader`` where there is one."""

    name = "the facts of episode"

    def __init__(self, embedder: Embedder, reader: FactReader | None) -> None:
        self._embedder = embedder
        self._reader = reader

    @staticmethod
    def rows() -> EpisodicQuerySet:
        return MemoryEpisodic.objects.filter(facts_at=None, summarised_at__isnull=False).exclude(exchange_encrypted="")

    async def make(self, claim: Claim) -> bool:
        exchange = await in_database(exchange_of, claim, self.rows())
        if exchange is None:
            return False
        plain = await asyncio.to_thread(plain_facts, exchange.message, exchange.touched)
        try:
            read = await self._read(claim, exchange)
        except Exception:
            # What the rules have found does not wait for the model.
            await self._store(claim, plain, is_all=False)
            raise
        await self._store(claim, _joined(plain, read), is_all=True)
        return False

    async def settle(self, claim: Claim) -> None:
        """Do with what the rules have found."""
        await self._store(claim, [], is_all=True)

    def needs_reader(self, exchange: Exchange) -> bool:
        """Whether the reader is to look at it, too."""
        return self._reader is not None and states_something(exchange.message)

    async def plain(self, exchange: Exchange) -> Sequence[EmbeddedFact]:
        """What the rules draw from it."""
        return await self._embedded(await asyncio.to_thread(plain_facts, exchange.message, exchange.touched))

    async def _read(self, claim: Claim, exchange: Exchange) -> Sequence[DrawnFact]:
        if self._reader is None or not self.needs_reader(exchange):
            return ()
        known = nearest_known(exchange.message, await in_database(known_facts, claim.user_id), limit=_SHOWN)
        return await self._reader.read(exchange, known)

    async def _embedded(self, facts: Sequence[DrawnFact]) -> Sequence[EmbeddedFact]:
        return [(fact, await embedded_if_possible(self._embedder, fact.statement)) for fact in facts]

    async def _store(self, claim: Claim, facts: Sequence[DrawnFact], *, is_all: bool) -> None:
        store = partial(store_drawn, claim.user_id, claim.row_id, await self._embedded(facts), is_all=is_all)
        await in_database(store)


class PendingVectors(Pending):
    """Facts that wait for their vector. After the last attempt it is left to ``backfill_embeddings``."""

    name = "the vector of fact"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @staticmethod
    def rows() -> AssociativeQuerySet:
        return MemoryAssociative.objects.filter(embedding=None)

    async def make(self, claim: Claim) -> bool:
        text = await in_database(_text_of, claim)
        if text is not None:
            embedding = await embedded(self._embedder, text.content)
            await in_database(set_embedding, claim.user_id, text.row_id, text.token, embedding)
        return False


class Recorder:
    """Writes episodes, and in the background has them summarised, draws their facts and makes missing vectors.

    ``begin`` starts the background work and ``aclose`` ends it. What is unfinished then, or after a process was killed,
    the next sweep of any process finds. Work on a new episode waits until no one is ``ahead``, for about a second at
    most. ``failures`` counts the attempts that have failed since the last success.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        summarizer: Summarizer,
        reader: FactReader | None = None,
        sweep_every_s: float = SWEEP_EVERY_S,
    ) -> None:
        self._facts = PendingFacts(embedder, reader)
        self._summaries = PendingSummaries(embedder, summarizer, self._facts)
        self._vectors = PendingVectors(embedder)
        self._sweep_every_s = sweep_every_s
        self._backlog: asyncio.Queue[Claim] = asyncio.Queue(_BACKLOG)
        self._tasks: list[asyncio.Task[None]] = []
        self._ahead = 0
        self._no_one_ahead = asyncio.Event()
        self._no_one_ahead.set()
        self.failures = 0

    async def store(self, user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> None:
        """As ``write_episode``. It is in the database when this returns."""
        claim = await in_database(write_episode, user_id, exchange, as_of=as_of)
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
        return sum([await self._take(*each) for each in (self._exchange_works, (self._facts,), (self._vectors,))])

    @property
    def _exchange_works(self) -> tuple[Pending, Pending]:
        """What is made of an exchange, in this order, under one claim."""
        return self._summaries, self._facts

    async def _take(self, *works: Pending) -> int:
        """Claim what is due for the first of ``works``, and do all of them."""
        taken = 0
        while claims := await in_database(claim_due, works[0].rows(), limit=_CONCURRENT):
            await asyncio.gather(*(self._work_on(claim, works) for claim in claims))
            taken += len(claims)
        return taken

    async def _work_on(self, claim: Claim, works: Sequence[Pending]) -> None:
        for pending in works:
            if not await self._attempt(pending, claim):
                return

    async def _attempt(self, pending: Pending, claim: Claim) -> bool:
        """Return whether what comes after it is due. Raises nothing but cancellation."""
        try:
            async with asyncio.timeout(ATTEMPT_S):
                goes_on = await pending.make(claim)
        except AccountGone:
            return False
        except UnreadableRow as error:
            logger.warning("%s %s is given up: %s", pending.name, claim.row_id, error)
            end = pending.give_up
        except Exception as error:  # noqa: BLE001 - the boundary of a background job: models fail in many ways
            self.failures += 1
            logger.warning("%s %s failed: %s", pending.name, claim.row_id, _loggable(error))
            end = pending.retry
        else:
            self.failures = 0
            return goes_on
        try:
            return await end(claim)
        except Exception as error:  # noqa: BLE001 - the lease ends, and a later sweep finds the row
            logger.warning("%s %s stays claimed: %s", pending.name, claim.row_id, _loggable(error))
            return False

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """Within the block a user waits for an answer, which the background work would hold up."""
        self._ahead += 1
        self._no_one_ahead.clear()
        try:
            yield
        finally:
            self._ahead -= 1
            if not self._ahead:
                self._no_one_ahead.set()

    async def _summarise_forever(self) -> None:
        while True:
            claim = await self._backlog.get()
            await self._give_way(claim)
            await self._work_on(claim, self._exchange_works)

    async def _give_way(self, claim: Claim) -> None:
        waited = time.monotonic() - claim.written_at
        with suppress(TimeoutError):
            async with asyncio.timeout(max(_GIVE_WAY_S - waited, 0.0)):
                await asyncio.sleep(max(_PAUSE_S - waited, 0.0))
                await self._no_one_ahead.wait()

    async def _sweep_forever(self) -> None:
        old_words_at = time.monotonic()
        while True:
            await self._logged(self.sweep(), "the sweep")
            if time.monotonic() >= old_words_at and await self._logged(in_database(drop_old_words), "dropping words"):
                old_words_at = time.monotonic() + _OLD_WORDS_EVERY_S
            await asyncio.sleep(self._sweep_every_s)

    async def _logged(self, work: Awaitable[object], what: str) -> bool:
        """Whether ``work`` succeeds. Raises nothing but cancellation."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - the boundary of a background task
            logger.warning("%s failed: %s", what, _loggable(error))
            return False
        return True


def _joined(plain: Sequence[DrawnFact], read: Sequence[DrawnFact]) -> list[DrawnFact]:
    """What the rules have found, with what a reader says that it applies to, and what only the reader has found."""
    found = list(plain)
    for fact in read:
        words = set(content_words(fact.evidence))
        same = [place for place, rule in enumerate(plain) if set(content_words(rule.evidence)) <= words]
        for place in same:
            found[place] = replace(found[place], applies_to=found[place].applies_to or fact.applies_to)
        if not same:
            found.append(fact)
    return found


def _text_of(claim: Claim) -> Unembedded | None:
    """The text of a fact that still waits for its vector, else None. Raises ``UnreadableRow`` and as ``open_vault``."""
    row = PendingVectors.rows().for_user(claim.user_id).filter(id=claim.row_id).first()
    return None if row is None else unembedded_text(open_vault(claim.user_id), row)


def _memory_on(user_id: UUID) -> bool:
    """Read after the user's row has been locked."""
    return User.objects.filter(id=user_id, memory_enabled=True).exists()


def _loggable(error: Exception) -> str:
    """What may be logged of an error: messages of other libraries may quote what the user said."""
    return str(error) if isinstance(error, AccountError | EmbeddingFailed) else type(error).__name__
