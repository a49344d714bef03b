"""The events of a running answer, which pass between model, loop and formatter.

Pure values: no Django, no asyncio. ``ModelEvent`` is what one model request yields; ``AgentEvent`` is what the whole
loop (model, tools, model again) yields.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class StopReason(StrEnum):
    """Why a model stopped writing."""

    COMPLETE = "complete"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDelta:
    """A piece of text as the model wrote it; it may be cut anywhere."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A complete call that the model wants: ``arguments`` is the JSON text as written, which may be invalid."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens of one model request, as the provider counted them."""

    input_tokens: int
    output_tokens: int

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelStopped:
    """The last event of one model request."""

    reason: StopReason


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStarted:
    """A tool begins: ``label`` is a short phrase for a person."""

    call: ToolCall
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFinished:
    """A tool ended: ``text`` is what the model reads, ``ok`` is whether the tool did what was asked."""

    call: ToolCall
    text: str
    ok: bool
    duration_ms: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The last event of a loop that ended well: the whole text of the answer and the number of tool rounds."""

    text: str
    tool_rounds: int


ModelEvent: TypeAlias = TextDelta | ToolCall | Usage | ModelStopped
AgentEvent: TypeAlias = TextDelta | ToolStarted | ToolFinished | Usage | Finished
