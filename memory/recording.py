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
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone as clock

from accounts.cipher import encrypt
from accounts.database import in_database
from accounts.encryption import place_of
from accounts.errors import AccountError, AccountGone
from accounts.sealing import key_for_writing
from memory.errors import EmbeddingFailed, UnreadableRow
from memory.exchange import Exchange
from memory.forgetting import drop_old_words
from memory.index import Embedder
from memory.models import (
    MAX_ID_CHARS,
    MemoryEpisodic,
    storable,
)
from memory.pending import FactReader, PendingFacts, PendingSummaries, PendingVectors, Summarizer
from memory.revisions import forgotten_since, next_revision
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
_PAUSE_S: Final = 0.25
"""After how long the work on an episode begins that was just written: its user may already ask again."""
_GIVE_WAY_S: Final = 1.0
"""After how long it begins although messages are still recalled for."""


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


def _loggable(error: Exception) -> str:
    """What may be logged of an error: messages of other libraries may quote what the user said."""
    return str(error) if isinstance(error, AccountError | EmbeddingFailed) else type(error).__name__
