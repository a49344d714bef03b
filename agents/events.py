"""The events of a running answer, which pass between model, loop and formatter.

Pure values: no Django, no asyncio. ``ModelEvent`` is what one model request yields; ``AgentEvent`` is what the whole
loop (model, tools, model again) yields.
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
    """It has only said what it can do, as the offline assistant does where it understands nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDelta:
    """A piece of text as the model wrote it; it may be cut anywhere."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelState:
    """What a model's server wants back in later rounds: its reasoning, in a form of its own.

    ``owner`` is the server and model that it comes from; to another it means nothing. ``items`` is JSON.
    """

    owner: str
    items: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """A complete call that the model wants: ``arguments`` is the JSON text as written, which may be invalid.

    Only adapters read ``state``, which goes back to the model with the call.
    """

    id: str
    name: str
    arguments: str
    state: ModelState | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens of one model request, as the provider counted them.

    ``cached_tokens`` are those of the input that the provider had read before, at an earlier request.
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
    """How much of the request a slow model has read before it begins to answer, from 0 to 1."""

    fraction: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelStopped:
    """The last event of one model request. ``lost_call`` is whether the length limit has cut off a call."""

    reason: StopReason
    lost_call: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStarted:
    """A tool begins: ``label`` is a short phrase for a person."""

    call: ToolCall
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFinished:
    """A tool ended: ``text`` is what the model reads, ``ok`` is whether the tool did what was asked.

    ``asks_which``: it did not, because the user has to say which row is meant. ``is_last``: no other call of the
    model's message is left, so the model is asked next.
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
    """The last event of a loop that ended well: the whole text of the answer and the number of tool rounds.

    ``answers`` is whether the text says anything about what was asked.
    """

    text: str
    tool_rounds: int
    answers: bool = True


ModelEvent: TypeAlias = TextDelta | ToolCall | Usage | ModelProgress | ModelStopped
AgentEvent: TypeAlias = TextDelta | ToolStarted | ToolFinished | Usage | ModelProgress | Finished
