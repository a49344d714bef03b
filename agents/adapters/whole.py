"""An answer as a whole, for those who do not show it while it is written."""

from collections.abc import Sequence
from contextlib import aclosing

from agents.adapters.base import Message, ModelAdapter, ModelParams
from agents.errors import ModelBroken
from agents.events import TextDelta


async def whole_text(adapter: ModelAdapter, messages: Sequence[Message], params: ModelParams) -> str:
    """All that the model writes to ``messages`` when it has no tools. Raises ``ModelError``, also for no words."""
    async with aclosing(adapter.stream(messages, (), params)) as events:
        words = "".join([event.text async for event in events if isinstance(event, TextDelta)])
    if not words.strip():
        raise ModelBroken("The model ended without an answer.")
    return words
