"""Which agent answers: by the words of the message where they are clear, else by asking the small model.

Never fails: ``general_agent`` is the fallback.
"""

import asyncio
import json
import logging
import re
from collections import Counter
from typing import Final

from agents.adapters.base import ModelAdapter, ModelParams, ModelSize, SystemMessage, UserMessage
from agents.adapters.whole import whole_text
from agents.engine.roster import AgentName
from agents.errors import ModelError
from agents.prompts.names import PromptName
from agents.prompts.system import system_prompt

logger = logging.getLogger(__name__)

ROUTING_TIMEOUT_S: Final = 3.0
_MAX_MESSAGE: Final = 2000
_MAX_TOKENS: Final = 50

# Stems in the languages we ship. A stem counts when a word begins with it.
_STEMS: Final = {
    AgentName.TASK_AGENT: (
        "task", "todo", "to-do", "due", "overdue", "assign", "comment", "priorit", "urgent",
        "attivit", "compit", "scad", "assegna", "comment", "priorit", "urgent", "cose da fare",
        "weekly", "my week", "review the week", "settimanal", "mia settimana", "rivedi la settimana",
    ),
    AgentName.PROJECT_AGENT: ("project", "client", "customer", "progett", "cliente", "clienti"),
    AgentName.CHECKPOINT_AGENT: (
        "checkpoint", "milestone", "timeline", "deadline",
        "traguard", "tappa", "tappe", "pietra miliare", "pietre miliari",
    ),
    AgentName.NOTE_AGENT: ("note", "notes", "wrote", "written", "nota", "appunt", "scritt"),
}  # fmt: skip
_PATTERNS: Final = {
    agent: re.compile(r"\b(?:" + "|".join(map(re.escape, stems)) + ")", re.IGNORECASE)
    for agent, stems in _STEMS.items()
}

_SCHEMA: Final = {
    "type": "object",
    "properties": {"agent": {"type": "string", "enum": [name.value for name in AgentName]}},
    "required": ["agent"],
    "additionalProperties": False,
}


async def classify_intent(
    message: str, adapter: ModelAdapter, *, language: str, timeout_s: float = ROUTING_TIMEOUT_S
) -> AgentName:
    """The agent for ``message``. Only unclear words ask the model, for ``timeout_s`` seconds at most."""
    return by_words(message) or await _by_model(message, adapter, language, timeout_s)


def by_words(message: str) -> AgentName | None:
    """The agent whose words the message holds; ``general_agent`` for words of several; None for words of none."""
    scores = Counter({agent: len(pattern.findall(message)) for agent, pattern in _PATTERNS.items()})
    spoken_of = [agent for agent, score in scores.items() if score]
    if not spoken_of:
        return None
    return spoken_of[0] if len(spoken_of) == 1 else AgentName.GENERAL_AGENT


async def _by_model(message: str, adapter: ModelAdapter, language: str, timeout_s: float) -> AgentName:
    prompt = system_prompt(PromptName.ROUTER_SYSTEM, {}, language=language)
    conversation = (SystemMessage(text=prompt), UserMessage(text=message[:_MAX_MESSAGE]))
    params = ModelParams(size=ModelSize.SMALL, language=language, max_tokens=_MAX_TOKENS, response_schema=_SCHEMA)
    try:
        async with asyncio.timeout(timeout_s):
            return _named_in(await whole_text(adapter, conversation, params))
    except (ModelError, TimeoutError) as error:
        logger.warning("routing fell back on the general agent: %s", type(error).__name__)
        return AgentName.GENERAL_AGENT


def _named_in(answer: str) -> AgentName:
    """The agent that the model's JSON names, or the only one its text names, since models ignore schemas."""
    try:
        parsed = json.loads(answer)
        return AgentName(parsed["agent"])
    except (ValueError, TypeError, KeyError):
        named = [name for name in AgentName if name in answer]
        return named[0] if len(named) == 1 else AgentName.GENERAL_AGENT
