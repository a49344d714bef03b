"""What a turn is asked, and how that becomes a conversation with a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from agents.adapters.base import (
    AnswerFormat,
    AssistantMessage,
    Message,
    ModelAdapter,
    ModelParams,
    SystemMessage,
    UserMessage,
)
from agents.context import CallContext
from agents.prompts.names import PromptName
from agents.prompts.system import prompt_text, system_prompt
from agents.roster import AgentProfile
from agents.scopes import AnyScope
from chat.frames.client import HistoryMessage
from memory.embedders.base import Embedder

MAX_HISTORY: Final = 40
"""How many earlier messages the model gets."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Whom a turn answers."""

    user_id: UUID
    timezone: ZoneInfo
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """What every turn works with. ``clock`` gives the aware present time."""

    adapter: ModelAdapter
    embedder: Embedder
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked of which agent, and in which prompt's manner it answers."""

    message: str
    agent: AgentProfile
    prompt: PromptName
    answer_format: AnswerFormat
    history: Sequence[HistoryMessage] = ()
    session_id: str | None = None
    scope: AnyScope | None = None
    scope_words: str = ""


def conversation(question: Question, person: Person, now: datetime) -> list[Message]:
    """What the model reads: the system prompt, the latest of the history, the message."""
    variables = {
        "now": f"{now:%A} {now:%Y-%m-%d %H:%M}",
        "timezone": person.timezone.key,
        "role": prompt_text(question.agent.role),
        "scope": question.scope_words,
    }
    return [
        SystemMessage(text=system_prompt(question.prompt, variables, language=person.language)),
        *(_said(message) for message in question.history[-MAX_HISTORY:]),
        UserMessage(text=question.message),
    ]


def params(question: Question, person: Person, now: datetime) -> ModelParams:
    """How the model is asked."""
    return ModelParams(answer_format=question.answer_format, language=person.language, now=now)


def context(question: Question, person: Person, kit: Kit) -> CallContext:
    """What the question's tools may know."""
    return CallContext(
        user_id=person.user_id,
        timezone=person.timezone,
        language=person.language,
        now=lambda: kit.clock().astimezone(person.timezone),
        embedder=kit.embedder,
        session_id=question.session_id,
        scope=question.scope,
    )


def _said(message: HistoryMessage) -> Message:
    match message.role:
        case "user":
            return UserMessage(text=message.content)
        case "assistant":
            return AssistantMessage(text=message.content)
        case "system":
            return SystemMessage(text=message.content)
