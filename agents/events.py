"""The events of an answer in progress, from model to loop to formatter.

Pure values: no Django, no asyncio. One model request yields ``ModelEvent``; the whole loop (model, tools, model again)
yields ``AgentEvent``.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from agents.provenance import Provenance


class StopReason(StrEnum):
    """Why a model stopped writing."""

    COMPLETE = "complete"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    NO_ANSWER = "no_answer"
    """The text only says what the assistant can do, as when the offline assistant did not understand the message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDelta:
    """A piece of the model's text, which may begin and end anywhere, even inside a word."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelState:
    """A model's reasoning in its server's own form, which the server expects back in later rounds.

    ``owner`` is the server and model that it comes from. It is sent to no other. ``items`` is JSON.
    """

    owner: str
    items: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A complete call that the model requests. ``arguments`` is the JSON text as written, which may be invalid.

    Only adapters read ``state``, which is sent back to the model with the call.
    """

    id: str
    name: str
    arguments: str
    state: ModelState | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The tokens of a model request, as counted by the provider.

    ``cached_tokens`` are the input tokens that the provider read from its cache.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelProgress:
    """The part of the request, from 0 to 1, that a slow model has read. Sent before the answer begins."""

    fraction: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelStopped:
    """The last event of one model request. ``lost_call``: the length limit cut off a tool call."""

    reason: StopReason
    lost_call: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStarted:
    """A tool begins. ``label`` is a short phrase for the user."""

    call: ToolCall
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFinished:
    """A tool has ended. ``text`` is its result for the model, and ``ok`` is whether it succeeded.

    ``asks_which``: it failed because the user must say which row is meant. ``is_last``: it was the last call of the
    model's message, so the next step is a model request.
    """

    call: ToolCall
    text: str
    ok: bool
    duration_ms: int
    provenance: Provenance = Provenance.READ
    asks_which: bool = False
    is_last: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The last event of a successful loop: the whole text of the answer and the number of tool rounds.

    ``answers`` is whether the text answers the user's message.
    """

    text: str
    tool_rounds: int
    answers: bool = True


ModelEvent: TypeAlias = TextDelta | ToolCall | Usage | ModelProgress | ModelStopped
AgentEvent: TypeAlias = TextDelta | ToolStarted | ToolFinished | Usage | ModelProgress | Finished
