"""A turn as those see it who count and time: what was asked of models and tools, how long it took, how it ended.

Pure values. Nothing here holds a word of the user's, unless the turn was watched with its content.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from agents.adapters.base import Message, ModelSize
from agents.events import ToolCall, Usage
from agents.kinds import RequestKind

UNKNOWN_TOOL: Final = "(unknown)"
"""A tool that there is not: its name is the model's invention, and might be anything."""


class TurnSource(StrEnum):
    """Where it came from."""

    SOCKET = "socket"
    REST = "rest"
    WORKER = "worker"
    MCP = "mcp"


class TurnOutcome(StrEnum):
    """How it ended."""

    DONE = "done"
    CANCELLED = "cancelled"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnOrigin:
    """Whose turn it is, and what for."""

    user_id: UUID
    request_id: str
    kind: RequestKind
    source: TurnSource


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What a model was sent and what it wrote."""

    messages: Sequence[Message]
    text: str
    calls: Sequence[ToolCall]


@dataclass(frozen=True, kw_only=True, slots=True)
class Generation:
    """One request to a model. Times are seconds from the turn's beginning.

    ``usage`` is None where the provider counts nothing, ``first_text_s`` where it wrote only tool calls or nothing.
    """

    model: str
    size: ModelSize
    began_s: float
    ended_s: float
    ok: bool
    first_text_s: float | None = None
    usage: Usage | None = None
    written: Written | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoken:
    """What a tool was asked and what the model was told of it."""

    arguments: str
    result: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    """One call of a tool. Times are seconds from the turn's beginning; they include waiting for the user's leave."""

    tool: str
    ok: bool
    began_s: float
    ended_s: float
    spoken: Spoken | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedTurn:
    """A turn that has ended. ``model`` is the one that wrote last; ``error_code`` is empty unless it is an error."""

    id: UUID
    origin: TurnOrigin
    started_at: datetime
    duration_s: float
    outcome: TurnOutcome
    error_code: str = ""
    agent: str = ""
    first_text_s: float | None = None
    generations: Sequence[Generation] = field(default_factory=tuple)
    tools: Sequence[ToolUse] = field(default_factory=tuple)

    @property
    def model(self) -> str:
        return self.generations[-1].model if self.generations else ""

    @property
    def usage(self) -> Usage:
        """The tokens of all requests, as far as they were counted."""
        counted = (generation.usage for generation in self.generations if generation.usage is not None)
        return sum(counted, Usage(input_tokens=0, output_tokens=0))

    @property
    def failed_tools(self) -> int:
        return sum(not use.ok for use in self.tools)
