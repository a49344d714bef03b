"""The background work on exchanges and facts: better summaries, facts that the user has stated, missing vectors."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from django.db import transaction
from django.utils import timezone as clock

from accounts.database import in_database
from accounts.keys.vault import open_vault, vault_for_writing
from memory.drawn import DrawnFact, KnownFact, content_words, nearest_known
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
from memory.index import Embedder, Embedding
from memory.models import (
    MAX_SUMMARY_CHARS,
    AssociativeQuerySet,
    EpisodicQuerySet,
    MemoryAssociative,
    MemoryEpisodic,
    memory_is_on,
    opened,
)
from memory.plain_facts import plain_facts, states_something
from memory.supersession import EmbeddedFact, add_drawn, known_facts, store_drawn
from memory.waiting import LEASE, Claim, Pending

_SHOWN: Final = 12
"""How many known facts a fact reader is shown."""
_FRESH_S: Final = 2.0
"""How long a just written episode is summarised without reading it again from the database."""


class Summarizer(Protocol):
    """The port that summarises exchanges."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        """Summarise in one or two sentences, in ``language``. After any error the recorder tries again later."""


class FactReader(Protocol):
    """The port that reads facts from exchanges."""

    async def read(self, exchange: Exchange, known: Sequence[KnownFact]) -> Sequence[DrawnFact]:
        """The facts that the user has stated, with their relations to the ``known`` ones; empty for unusable output.

        After any error the recorder tries again later.
        """


def exchange_of(claim: Claim, waiting: EpisodicQuerySet | None = None) -> Exchange | None:
    """The exchange of an episode that is still ``waiting`` (by default for its summary); None if it no longer waits, or
    if its owner has turned the memory off.

    Raises ``UnreadableRow`` and what ``open_vault`` raises.
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

    ``drawn`` are all facts in its words, which are stored with it; None if they are still to be drawn. Returns False if
    the summary is no longer wanted: another process was first, or the owner has corrected or deleted the episode, or
    has turned the memory off.
    """
    vault = vault_for_writing(claim.user_id)
    lock_facts(claim.user_id)
    row = PendingSummaries.rows().for_user(claim.user_id).locked(claim.row_id)
    if row is None or not memory_is_on(claim.user_id):
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
    """Episodes that wait for a model's summary. If rules alone draw their facts, these are stored with it."""

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
            # The owner may have corrected or deleted it meanwhile.
            exchange = await in_database(exchange_of, claim)
        if exchange is None:
            return True
        written = await self._summarizer.summarise(exchange.message, exchange.response, exchange.language)
        return await self._complete(claim, exchange, written.strip() or exchange.plain_summary())

    async def settle(self, claim: Claim) -> None:
        """Keep the plain summary permanently."""
        exchange = await in_database(exchange_of, claim)
        if exchange is not None:
            await self._complete(claim, exchange, exchange.plain_summary())

    async def _complete(self, claim: Claim, exchange: Exchange, summary: str) -> bool:
        """Store the summary. Returns whether facts are still to be drawn."""
        embedding = await embedded_if_possible(self._embedder, summary)
        drawn = None if self._facts.needs_reader(exchange) else await self._facts.plain(exchange)
        await in_database(complete, claim, summary, embedding, drawn)
        return drawn is None


class PendingFacts(Pending):
    """Episodes whose facts are not drawn yet. They are drawn by rules, and by a ``reader`` if there is one."""

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
            # The facts that the rules have found do not wait for the model.
            await self._store(claim, plain, is_all=False)
            raise
        await self._store(claim, _joined(plain, read), is_all=True)
        return False

    async def settle(self, claim: Claim) -> None:
        """Keep only the facts that the rules have found."""
        await self._store(claim, [], is_all=True)

    def needs_reader(self, exchange: Exchange) -> bool:
        """Whether the reader must read the exchange too."""
        return self._reader is not None and states_something(exchange.message)

    async def plain(self, exchange: Exchange) -> Sequence[EmbeddedFact]:
        """The facts that the rules draw from the exchange."""
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
    """Facts that wait for their vector. After the last attempt only ``backfill_embeddings`` adds it."""

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


def _joined(plain: Sequence[DrawnFact], read: Sequence[DrawnFact]) -> list[DrawnFact]:
    """The facts that the rules found, with what the reader says they apply to, and those that only the reader found."""
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
    """The text of a fact, None if it no longer waits. Raises ``UnreadableRow`` and what ``open_vault`` raises."""
    row = PendingVectors.rows().for_user(claim.user_id).filter(id=claim.row_id).first()
    return None if row is None else unembedded_text(open_vault(claim.user_id), row)
