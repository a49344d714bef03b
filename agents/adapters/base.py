"""The port to a model: messages in, events out. Nothing above ``agents/adapters`` names a vendor."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeAlias

from agents.events import ModelEvent, ToolCall
from agents.scopes import View


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemMessage:
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMessage:
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantMessage:
    """What the model said, and the tools it asked for along with it."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolMessage:
    """The answer of one tool call, for the model to read."""

    call_id: str
    text: str


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSchema:
    """A tool as a model sees it: ``parameters`` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, object]


class AnswerFormat(StrEnum):
    """How the answer is to be written."""

    BLOCKS = "blocks"
    """The stream of JSON blocks of a home answer."""
    TEXT = "text"
    """Plain text."""


class Purpose(StrEnum):
    """What an answer is for."""

    ANSWER = "answer"
    """Whatever the user's message asks."""
    BRIEF = "brief"
    """The brief of a day, from the rows that the message holds."""
    TASK_BRIEF = "task_brief"
    """What to know before starting a task, from the rows that the message holds."""


class ModelSize(StrEnum):
    """Which of the configured models: the large one answers, the small one routes and summarises."""

    LARGE = "large"
    SMALL = "small"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelParams:
    """How one request is to be made.

    ``purpose``, ``answer_format``, ``language`` (IETF tag), ``now`` (aware, in the user's time zone) and ``view`` (the
    page in front of the user) repeat as values what the system prompt says in prose, for an adapter that reads no
    prose. ``response_schema`` is a JSON Schema that the whole answer must fit.
    """

    size: ModelSize = ModelSize.LARGE
    purpose: Purpose = Purpose.ANSWER
    answer_format: AnswerFormat = AnswerFormat.TEXT
    language: str = "en"
    now: datetime | None = None
    view: View | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    response_schema: Mapping[str, object] | None = field(default=None)


class ModelAdapter(Protocol):
    """A model, whoever makes it."""

    @property
    def name(self) -> str:
        """What to call it, for staff and settings pages."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """One request. Text comes as it is written; tool calls once they are complete; ``ModelStopped`` last.

        Closing the generator closes the connection to the model. Raises ``ModelUnavailable``, ``ModelRefused`` or
        ``ModelBroken``.
        """
