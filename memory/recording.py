"""Records exchanges: the episode at once; a better summary, facts and missing vectors in the background.

An episode is written when its turn ends, with a plain summary and the full text of the exchange. Then it waits until a
process claims it, has a model replace the summary, and extracts the facts that the user has stated. While the user has
the memory turned off, it stays as it is. Facts without a vector wait in the same way (``memory/waiting.py``).
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
from memory.models import MAX_ID_CHARS, MemoryEpisodic, storable
from memory.pending import FactReader, PendingFacts, PendingSummaries, PendingVectors, Summarizer
from memory.revisions import forgotten_since, next_revision
from memory.waiting import LEASE, Claim, Pending, claim_due

logger = logging.getLogger(__name__)
_SWEEP_EVERY_S: Final = 60.0
_OLD_WORDS_EVERY_S: Final = 3_600.0
ATTEMPT_S: Final = 300.0
"""The longest an attempt may take, in seconds: longer than a model on a processor may take."""
_CONCURRENT: Final = 2
"""How many rows one process works on at the same time."""
_BACKLOG: Final = 100
"""How many claims wait in memory. The sweep finds the rows of further ones."""
_PAUSE_S: Final = 0.25
"""How long the work on a new episode waits, because its user may ask again at once."""
_GIVE_WAY_S: Final = 1.0
"""How long it waits at most, even if recalls are still running."""


@transaction.atomic
def write_episode(user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> Claim | None:
    """Write an episode with a plain summary, claimed by the caller.

    None if the memory is turned off, or if something was forgotten since the revision ``as_of``. Raises as
    ``open_vault``.
    """
    key = key_for_writing(user_id)
    # Read after the user's row was locked, so that nothing is recorded after the memory was turned off.
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
    """Writes episodes. In the background, has them summarised, extracts their facts, and makes missing vectors.

    ``begin`` starts the background work and ``aclose`` ends it. The next sweep of any process finds work that was left
    unfinished. Work on a new episode waits until no recall is ``ahead``, for about a second at most. ``failures``
    counts the attempts that have failed since the last success.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        summarizer: Summarizer,
        reader: FactReader | None = None,
    ) -> None:
        self._facts = PendingFacts(embedder, reader)
        self._summaries = PendingSummaries(embedder, summarizer, self._facts)
        self._vectors = PendingVectors(embedder)
        self._backlog: asyncio.Queue[Claim] = asyncio.Queue(_BACKLOG)
        self._tasks: list[asyncio.Task[None]] = []
        self._ahead = 0
        self._no_one_ahead = asyncio.Event()
        self._no_one_ahead.set()
        self.failures = 0

    async def store(self, user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> None:
        """As ``write_episode``. The episode is in the database when this returns."""
        claim = await in_database(write_episode, user_id, exchange, as_of=as_of)
        if claim is not None:
            with suppress(asyncio.QueueFull):
                self._backlog.put_nowait(claim)

    def begin(self) -> None:
        """Start the background work in the running loop. Idempotent."""
        if not self._tasks:
            loops = [self._sweep_forever(), *(self._summarise_forever() for _ in range(_CONCURRENT))]
            self._tasks = [asyncio.create_task(loop, name="memory: recording") for loop in loops]

    async def aclose(self) -> None:
        """End the background work. Idempotent."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def sweep(self) -> int:
        """Work on all rows that are due. Returns how many there were."""
        return sum([await self._take(*each) for each in (self._exchange_steps, (self._facts,), (self._vectors,))])

    @property
    def _exchange_steps(self) -> tuple[Pending, Pending]:
        """The steps of the work on an exchange, in this order, under one claim."""
        return self._summaries, self._facts

    async def _take(self, *steps: Pending) -> int:
        """Claim the rows that are due for the first of ``steps``, and take all steps for them."""
        taken = 0
        while claims := await in_database(claim_due, steps[0].rows(), limit=_CONCURRENT):
            await asyncio.gather(*(self._work_on(claim, steps) for claim in claims))
            taken += len(claims)
        return taken

    async def _work_on(self, claim: Claim, steps: Sequence[Pending]) -> None:
        for pending in steps:
            if not await self._attempt(pending, claim):
                return

    async def _attempt(self, pending: Pending, claim: Claim) -> bool:
        """Take a step. Returns whether the next one is due. Raises nothing but cancellation."""
        try:
            async with asyncio.timeout(ATTEMPT_S):
                goes_on = await pending.make(claim)
        except AccountGone:
            return False
        except UnreadableRow as error:
            logger.warning("%s %s is abandoned: %s", pending.name, claim.row_id, error)
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
        """In the block a user waits for an answer, which the background work would delay."""
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
            await self._work_on(claim, self._exchange_steps)

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
            await asyncio.sleep(_SWEEP_EVERY_S)

    async def _logged(self, work: Awaitable[object], what: str) -> bool:
        """Await ``work``, and log its failure. Returns whether it succeeded. Raises nothing but cancellation."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - the boundary of a background task
            logger.warning("%s failed: %s", what, _loggable(error))
            return False
        return True


def _loggable(error: Exception) -> str:
    """The part of an error that may be logged: messages of other libraries may quote what the user said."""
    return str(error) if isinstance(error, AccountError | EmbeddingFailed) else type(error).__name__
