"""Trying out a text of a prompt: the installation's model answers a fixed question about fixed rows.

No user data is sent, and nothing is stored.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelAdapter,
    ModelParams,
    SystemMessage,
    ToolMessage,
    UserMessage,
    whole_text,
)
from agents.errors import ModelUnavailable
from agents.events import ToolCall
from agents.prompts.names import EXAMPLES, PromptName
from agents.prompts.rendering import finished, prompt_text, situation

QUESTION: Final = "What should I do first this week, and why?"
ROWS: Final[Sequence[dict[str, str]]] = (
    {"id": "t1", "title": "Send the offer to the bakery", "status": "todo", "priority": "high", "due": "2026-11-25"},
    {"id": "t2", "title": "Choose photos for the website", "status": "in_progress", "priority": "medium", "due": ""},
    {"id": "t3", "title": "Pay the invoice of the printer", "status": "todo", "priority": "low", "due": "2026-11-20"},
)
"""The rows that the device of the example answers with."""
TIMEOUT_S: Final = 60.0
_NOW: Final = datetime(2026, 11, 24, 9, 30, tzinfo=ZoneInfo(EXAMPLES["timezone"]))
"""The time in ``EXAMPLES``."""
_MAX_TOKENS: Final = 1_000
_CALL: Final = ToolCall(id="example", name="list_tasks", arguments="{}")


@dataclass(frozen=True, kw_only=True, slots=True)
class TriedText:
    """The answer of a model to which a text was given."""

    model: str
    answer: str
    seconds: float


@dataclass(kw_only=True, slots=True)
class TryOut:
    """Tries texts with ``adapter``, which is set in a process that has a model."""

    adapter: ModelAdapter | None = None

    def fits(self, name: PromptName) -> bool:
        """Whether a text of this prompt can be tried here: one that answers a user, or is a role in one that does."""
        return self.adapter is not None and (name.is_role or "role" in name.variables)

    async def answer(self, name: PromptName, text: str) -> TriedText:
        """The answer by ``text`` as the prompt ``name``. Raises ``ModelError``, also when the model takes too long."""
        if self.adapter is None:
            raise ModelUnavailable("This process has no model.")
        began = time.perf_counter()
        params = ModelParams(language="en", now=_NOW, max_tokens=_MAX_TOKENS)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await whole_text(self.adapter, _conversation(name, text), params)
        except TimeoutError:
            raise ModelUnavailable(f"The model took longer than {TIMEOUT_S:g} s.") from None
        return TriedText(model=self.adapter.name, answer=answer, seconds=time.perf_counter() - began)


TRY_OUT: Final = TryOut()
"""The ``TryOut`` of this process."""


def _conversation(name: PromptName, text: str) -> Sequence[Message]:
    """A conversation as in a turn after the model has read the rows."""
    whole = prompt_text(PromptName.HOME_SYSTEM) if name.is_role else text
    variables = {**EXAMPLES, "role": text} if name.is_role else EXAMPLES
    return (
        SystemMessage(text=finished(whole, variables, language="en")),
        UserMessage(text=situation(_NOW, EXAMPLES["timezone"])),
        UserMessage(text=QUESTION),
        AssistantMessage(text="", tool_calls=(_CALL,)),
        ToolMessage(call_id=_CALL.id, text=json.dumps(ROWS)),
    )
