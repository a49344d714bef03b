"""What is made of remembered rows in the background: their summaries, and their vectors."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from memory import recording, unembedded
from memory.claims import Claim
from memory.embedders.base import Embedder
from memory.facts import give_meaning
from memory.threads import in_thread
from memory.vectors import meaning_if_possible, meaning_of


class Summarizer(Protocol):
    """Whatever writes what is kept of an exchange."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        """One or two sentences in ``language``. Raises whatever it likes: the recording tries again later."""


class Work(Protocol):
    """One kind of thing that rows wait for."""

    @property
    def name(self) -> str:
        """What it makes, for the log."""

    async def claim(self, *, limit: int) -> Sequence[Claim]:
        """Rows whose time has come, claimed for the caller."""

    async def do(self, claim: Claim) -> None:
        """Make it. Raises ``UnreadableRow`` when that will never do, anything else when it may do later."""

    async def postpone(self, claim: Claim) -> bool:
        """Set the next attempt; whether there is one."""

    async def settle(self, claim: Claim) -> None:
        """Do without, after the last attempt."""

    async def leave(self, claim: Claim) -> None:
        """Leave a row that cannot be opened as it is, and try no more."""


class SummaryWork:
    """Summaries of episodes, which take the plain ones' place; the row that finds each episode follows."""

    name = "the summary of episode"

    def __init__(self, embedder: Embedder, summarizer: Summarizer) -> None:
        self._embedder = embedder
        self._summarizer = summarizer

    async def claim(self, *, limit: int) -> Sequence[Claim]:
        return await in_thread(lambda: recording.claim_episodes(limit=limit))

    async def do(self, claim: Claim) -> None:
        exchange = await in_thread(lambda: recording.exchange_of(claim))
        if exchange is None:
            return
        written = await self._summarizer.summarise(exchange.message, exchange.response, exchange.language)
        await self._complete(claim, written.strip() or exchange.plain_summary())

    async def postpone(self, claim: Claim) -> bool:
        return await in_thread(lambda: recording.postpone(claim))

    async def settle(self, claim: Claim) -> None:
        """Keep the plain summary for good."""
        exchange = await in_thread(lambda: recording.exchange_of(claim))
        if exchange is not None:
            await self._complete(claim, exchange.plain_summary())

    async def leave(self, claim: Claim) -> None:
        await in_thread(lambda: recording.give_up(claim))

    async def _complete(self, claim: Claim, summary: str) -> None:
        meaning = await meaning_if_possible(self._embedder, summary)
        await in_thread(lambda: recording.complete(claim, summary, meaning))


class VectorWork:
    """Vectors of facts that have none yet."""

    name = "the vector of fact"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def claim(self, *, limit: int) -> Sequence[Claim]:
        return await in_thread(lambda: unembedded.claim_unembedded(limit=limit))

    async def do(self, claim: Claim) -> None:
        text = await in_thread(lambda: unembedded.text_of(claim))
        if text is not None:
            meaning = await meaning_of(self._embedder, text.content)
            await in_thread(partial(give_meaning, claim.user_id, text.row_id, text.token, meaning))

    async def postpone(self, claim: Claim) -> bool:
        return await in_thread(lambda: unembedded.postpone_vector(claim))

    async def settle(self, claim: Claim) -> None:
        """Leave it to ``backfill_embeddings``."""
        await self.leave(claim)

    async def leave(self, claim: Claim) -> None:
        await in_thread(lambda: unembedded.leave_unembedded(claim))
