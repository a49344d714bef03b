"""The port to a model: it takes messages and yields events. Also how the text of a model is read.

No module outside ``agents/adapters`` names a vendor.
"""

import json
import re
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from pydantic import JsonValue

from agents.calls import NamedRows
from agents.errors import ModelBroken
from agents.events import ModelEvent, TextDelta, ToolCall
from agents.images import Image
from agents.provenance import Provenance
from agents.scopes import View


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptUse:
    """The prompt that a system message was made from: its name, and where its text comes from (``PromptOrigin``).

    ``version`` is the version at the origin; None for the text of this release.
    """

    name: str
    origin: str
    version: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemMessage:
    text: str
    prompt: PromptUse | None = field(default=None, compare=False)


class Purpose(StrEnum):
    """What an answer is for."""

    ANSWER = "answer"
    """An answer to the user's message."""
    BRIEF = "brief"
    """The brief of a day."""
    TASK_BRIEF = "task_brief"
    """What to know before starting a task."""
    PROJECT_SUMMARY = "project_summary"
    PROJECT_PLAN = "project_plan"
    WEEKLY_REVIEW = "weekly_review"


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What a message asks the model to write, and from which rows, as values. The text of the message says the same.

    ``rows`` has the rows of the text, by the titles of its sections. ``day`` is the day to write about, for purposes
    that have one.
    """

    purpose: Purpose
    rows: NamedRows
    day: date | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMessage:
    """What the user said, with the images they attached. Only a model that can see images may be sent them.

    ``material`` is for an adapter that does not read prose; it is never sent to a model. ``provenance`` is ``SAID``
    unless the text also has something besides the user's words, such as the page in front of them.
    """

    text: str
    images: tuple[Image, ...] = ()
    material: Material | None = None
    provenance: Provenance = Provenance.SAID


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantMessage:
    """What the model wrote, and the tools that it called.

    ``provenance`` is where the words of an earlier answer may come from.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    provenance: Provenance = Provenance.READ


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolMessage:
    """The result of one tool call, of which a model is sent the ``text``.

    ``ok`` is whether the tool did what it was asked to do. ``rows`` are the rows in ``text`` as values, for an adapter
    that does not read prose; the result of a job has none. ``provenance`` is where the text comes from.
    """

    call_id: str
    text: str
    ok: bool = True
    rows: NamedRows = field(default_factory=dict)
    provenance: Provenance = Provenance.READ


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSchema:
    """The description of a tool for a model. ``parameters`` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, object]


class AnswerFormat(StrEnum):
    """The format of an answer."""

    BLOCKS = "blocks"
    """Text and the blocks of a home answer."""
    TEXT = "text"
    """Plain text."""


class ToolChoice(StrEnum):
    """Whether a model may call the tools of its request."""

    AUTO = "auto"
    """The model decides."""
    NONE = "none"
    """It must answer. The tools stay in the request, so that the request begins like those of the earlier rounds."""
    REQUIRED = "required"
    """It must call a tool."""


class ModelSize(StrEnum):
    """The size of a configured model: the large one answers, the small one routes and summarises."""

    LARGE = "large"
    SMALL = "small"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelParams:
    """The parameters of one request.

    ``answer_format``, ``language`` (IETF tag), ``now`` (aware, in the user's time zone) and ``view`` (the page in front
    of the user) repeat as values what the system prompt says in prose, for an adapter that does not read prose.
    ``response_schema`` is a JSON Schema to which the whole answer must conform. With ``REQUIRED`` the model may call
    only ``required_tools``, if its server supports that; empty means all tools. Some servers ignore ``tool_choice``:
    the caller must not run a tool that is called in spite of ``NONE``, nor rely on ``REQUIRED`` for a call.
    """

    size: ModelSize = ModelSize.LARGE
    answer_format: AnswerFormat = AnswerFormat.TEXT
    language: str = "en"
    now: datetime | None = None
    view: View | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    response_schema: Mapping[str, object] | None = None
    tool_choice: ToolChoice = ToolChoice.AUTO
    required_tools: Collection[str] = ()


class ModelAdapter(Protocol):
    """A connection to a model of any vendor."""

    @property
    def name(self) -> str:
        """The model's name, for staff and settings pages."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """Make one request. Yields text as it is written, tool calls once they are complete, and ``ModelStopped`` last.

        Closing the generator closes the connection to the model. Raises ``ModelUnavailable``, ``ModelRefused`` or
        ``ModelBroken``.
        """


async def whole_text(adapter: ModelAdapter, messages: Sequence[Message], params: ModelParams) -> str:
    """Have the model answer ``messages`` without tools. Raises ``ModelError``, also if the answer is empty."""
    async with aclosing(adapter.stream(messages, (), params)) as events:
        words = "".join([event.text async for event in events if isinstance(event, TextDelta)])
    if not words.strip():
        raise ModelBroken("The model ended without an answer.")
    return words


MAX_EARLIER: Final = 40
"""The maximum number of earlier messages that a model is sent."""
_FORGOTTEN: Final = 10
"""The earliest are left out in groups of this size, so that most requests begin like the previous one."""


class Spoken(Protocol):
    """A stored message of a conversation."""

    @property
    def role(self) -> Literal["user", "assistant", "system"]: ...

    @property
    def content(self) -> str: ...


S = TypeVar("S", bound=Spoken)

_BY_ROLE: Final[Mapping[str, type[UserMessage | AssistantMessage | SystemMessage]]] = {
    "user": UserMessage,
    "assistant": AssistantMessage,
    "system": SystemMessage,
}


def latest(history: Sequence[S]) -> Sequence[S]:
    """The end of ``history``, as much as a model is sent."""
    excess = max(len(history) - MAX_EARLIER, 0)
    return history[-(-excess // _FORGOTTEN) * _FORGOTTEN :]


def earlier(history: Sequence[Spoken]) -> list[Message]:
    """The end of ``history``, as messages for a model."""
    return [_BY_ROLE[spoken.role](text=spoken.content) for spoken in latest(history)]


class Parameter(StrEnum):
    """A model parameter that a caller may set; the value is its name in ``ModelParams``."""

    TEMPERATURE = "temperature"
    MAX_TOKENS = "max_tokens"


ALL_PARAMETERS: Final = frozenset(Parameter)


@dataclass(frozen=True, kw_only=True, slots=True)
class Blueprint:
    """A configured model, from which a tool is made.

    ``name`` is short, and has only lower-case letters, digits and underscores. ``model`` is the model's name on its
    server. ``parameters`` are those that it accepts.
    """

    name: str
    model: str
    adapter: ModelAdapter
    description: str = ""
    parameters: frozenset[Parameter] = ALL_PARAMETERS


_MAX_READ: Final = 100_000
"""The maximum number of characters of an answer that are read."""
_MAX_BROKEN: Final = 300
"""The search for JSON stops after this many brackets that do not begin valid JSON."""

_THOUGHTS: Final = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL | re.IGNORECASE)
_FENCE: Final = "```"
_OPENING: Final = re.compile(r"[{\[]")


def prose(words: str, longest: int) -> str:
    """The prose in ``words``, in at most ``longest`` characters; may be empty.

    Reasoning and a code fence around the text are removed. Of JSON, the longest text in it is returned.
    """
    text = spoken(words)
    first, _, rest = text.partition("\n")
    if first.startswith(_FENCE) and rest.endswith(_FENCE):
        text = rest.removesuffix(_FENCE).strip()
    if text.startswith(("{", "[")):
        # The model wrote JSON instead of prose.
        texts = (said for _, value in json_values(text) for said in texts_in(value))
        text = max(texts, key=len, default=text).strip()
    return shortened(text, longest)


def spoken(words: str) -> str:
    """``words`` without the model's reasoning, and without lone surrogates, which cannot be stored."""
    text = _THOUGHTS.sub("", words[:_MAX_READ])
    # Some servers omit the opening tag.
    return text.rpartition("</think>")[2].encode("utf-8", "ignore").decode().strip()


def json_values(text: str) -> Iterator[tuple[str, JsonValue]]:
    """Every JSON object and array in ``text``, with the text before it. Of an invalid one, the values inside it.

    The last item is the text after all of them, with None.
    """
    decoder = json.JSONDecoder()
    end = at = broken = 0
    while broken < _MAX_BROKEN and (found := _OPENING.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at = found.end()
            broken += 1
        else:
            yield text[end : found.start()], value
            end = at
    yield text[end:], None


def texts_in(value: JsonValue) -> Iterator[str]:
    """Every string in ``value``, at any depth, in order."""
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            # JSON may contain escaped lone surrogates.
            yield part.encode("utf-8", "ignore").decode()
        elif isinstance(part, dict | list):
            left.extend(reversed(list(part.values() if isinstance(part, dict) else part)))


def shortened(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, cut between words if possible."""
    if len(text) <= limit:
        return text
    head, space, _ = text[: limit - 1].rpartition(" ")
    return f"{head if space and len(head) > limit // 2 else text[: limit - 1]}…"
