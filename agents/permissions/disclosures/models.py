"""Models that are sent nothing before it stands in a ledger."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from agents.adapters.base import AssistantMessage, Message, ModelAdapter, ModelParams, ToolSchema
from agents.errors import Unrecorded
from agents.events import ModelEvent
from agents.permissions.disclosures.ledger import Ledger
from memory.embedders.base import Embedder, Vector
from memory.errors import EmbeddingFailed


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgeredAdapter:
    """A ``ModelAdapter`` whose requests are in the ledger."""

    adapter: ModelAdapter
    ledger: Ledger

    @property
    def name(self) -> str:
        return self.adapter.name

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``; also raises ``Unrecorded``, and then the model was sent nothing."""
        await self.ledger.telling(self.name, _told(messages))
        async with aclosing(self.adapter.stream(messages, tools, params)) as events:
            async for event in events:
                yield event


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgeredEmbedder:
    """An ``Embedder`` whose texts are in the ledger."""

    embedder: Embedder
    ledger: Ledger

    @property
    def name(self) -> str:
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        return self.embedder.dimensions

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """As ``Embedder.embed``. What cannot be written down is not sent, which is ``EmbeddingFailed`` as well."""
        try:
            await self.ledger.embedding(self.name, texts)
        except Unrecorded:
            raise EmbeddingFailed from None
        return await self.embedder.embed(texts)


def _told(messages: Sequence[Message]) -> Iterator[str]:
    # What the model said itself tells it no row.
    return (message.text for message in messages if not isinstance(message, AssistantMessage))
