"""Summaries of exchanges in a sentence or two: by the small model, or without a model."""

import asyncio
import json
import re
from typing import Final

from agents.adapters.base import (
    ModelAdapter,
    ModelParams,
    ModelSize,
    UserMessage,
    shortened,
    spoken,
    texts_in,
    whole_text,
)
from agents.errors import ModelBroken, ModelUnavailable
from agents.prompts.names import PromptName
from agents.prompts.rendering import system_message
from memory.exchange import Exchange

SUMMARY_TIMEOUT_S: Final = 240.0
"""A processor reads some twenty tokens a second, and a long exchange has thousands. No one waits for it."""
MAX_SUMMARY_CHARS: Final = 600
_MAX_READ: Final = 6000
"""How much of the message, and of the answer, the model reads, in characters."""
_MAX_TOKENS: Final = 300
_MAX_SENTENCES: Final = 3
"""One more than the prompt asks for, because abbreviations end with dots, too."""

_FENCE: Final = re.compile(r"^```\w*\s*|\s*```$")
_HEADING: Final = re.compile(r"^(?:#+\s*)?\**(?:summary|riassunto|sintesi)\**[^\S\n]*(?::\**|\n)\s*", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+")


class ModelSummarizer:
    """The memory's ``Summarizer``, with the small model. Whatever the model writes around the summary is removed."""

    def __init__(self, adapter: ModelAdapter, *, timeout_s: float = SUMMARY_TIMEOUT_S) -> None:
        self._adapter = adapter
        self._timeout_s = timeout_s

    async def summarise(self, message: str, response: str, language: str) -> str:
        """A summary of at most ``MAX_SUMMARY_CHARS``. Raises ``ModelError``, also if the model takes too long."""
        exchange = json.dumps({"user": message[:_MAX_READ], "assistant": response[:_MAX_READ]}, ensure_ascii=False)
        conversation = (
            system_message(PromptName.SUMMARY_SYSTEM, {}, language=language),
            UserMessage(text=exchange),
        )
        params = ModelParams(size=ModelSize.SMALL, language=language, max_tokens=_MAX_TOKENS)
        try:
            async with asyncio.timeout(self._timeout_s):
                written = await whole_text(self._adapter, conversation, params)
        except TimeoutError:
            raise ModelUnavailable("The model took too long to write a summary.") from None
        text = _HEADING.sub("", _out_of_json(_FENCE.sub("", spoken(written)).strip()))
        sentences = _SENTENCE_END.split(" ".join(text.split()))
        summary = shortened(" ".join(sentences[:_MAX_SENTENCES]), MAX_SUMMARY_CHARS)
        if not summary:
            raise ModelBroken("The model wrote no summary.")
        return summary


class PlainSummarizer:
    """The memory's ``Summarizer`` without a model: the beginnings of the message and the answer."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        return Exchange(message=message, response=response, language=language).plain_summary()


def _out_of_json(text: str) -> str:
    """The longest text in the JSON that a model wrote instead of sentences; other texts unchanged."""
    if not text.startswith(("{", "[", '"')):
        return text
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return text
    return max(texts_in(value), key=len, default="")
