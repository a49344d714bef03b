"""The port to a model: messages in, events out, and how to read what a model wrote.

Nothing above ``agents/adapters`` names a vendor.
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
    """The prompt that a system message was made of: its name, and where its text comes from (``PromptOrigin``).

    ``version`` is that at its origin; None for the text of this release.
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
    """Answers what the user's message asks."""
    BRIEF = "brief"
    """The brief of a day."""
    TASK_BRIEF = "task_brief"
    """What to know before starting a task."""
    PROJECT_SUMMARY = "project_summary"
    PROJECT_PLAN = "project_plan"
    WEEKLY_REVIEW = "weekly_review"


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What a message wants written and from which rows, as values: the same that its text says.

    ``rows`` are by the titles of the text's sections, and hold the rows that the text has. ``day`` is the day that is
    written about, for purposes that have one.
    """

    purpose: Purpose
    rows: NamedRows
    day: date | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMessage:
    """What the user says, and the images sent along, which only a model that sees them may get.

    ``material`` is for an adapter that does not read prose; no model is sent it. ``provenance`` is another than
    ``SAID`` if the text holds what goes along with the user's words, such as the page in front of them.
    """

    text: str
    images: tuple[Image, ...] = ()
    material: Material | None = None
    provenance: Provenance = Provenance.SAID


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantMessage:
    """What the model said, and the tools it asked for along with it.

    ``provenance`` is where an earlier answer may have its words from.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    provenance: Provenance = Provenance.READ


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolMessage:
    """The answer of one tool call: a model is sent its ``text``.

    ``ok`` is whether the tool did what was asked. ``rows`` are the rows in ``text`` as values, for an adapter that does
    not read prose; the result of a job has none. ``provenance`` is where the text came from.
    """

    call_id: str
    text: str
    ok: bool = True
    rows: NamedRows = field(default_factory=dict)
    provenance: Provenance = Provenance.READ


Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSchema:
    """A tool as a model sees it: ``parameters`` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, object]


class AnswerFormat(StrEnum):
    """The format of an answer."""

    BLOCKS = "blocks"
    """Text, and the blocks of a home answer."""
    TEXT = "text"
    """Plain text."""


class ToolChoice(StrEnum):
    """Whether a model may call the tools of its request."""

    AUTO = "auto"
    """It decides."""
    NONE = "none"
    """It must answer. The tools stay in the request, so that its beginning is the same as in the rounds before."""
    REQUIRED = "required"
    """It must call one."""


class ModelSize(StrEnum):
    """Which of the configured models: the large one answers, the small one routes and summarises."""

    LARGE = "large"
    SMALL = "small"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelParams:
    """The parameters of one request.

    ``answer_format``, ``language`` (IETF tag), ``now`` (aware, in the user's time zone) and ``view`` (the page in front
    of the user) repeat as values what the system prompt says in prose, for an adapter that does not read prose.
    ``response_schema`` is a JSON Schema that the whole answer must fit. ``required_tools`` are the only ones that the
    model may call because of ``REQUIRED``, where the server can be told so; all if there are none. Some servers ignore
    ``tool_choice``: the caller must not run what is called in spite of ``NONE``, nor rely on a call because of
    ``REQUIRED``.
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
    """A model of any vendor."""

    @property
    def name(self) -> str:
        """Its name, for staff and settings pages."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """One request. Text comes as it is written, tool calls once they are complete, and ``ModelStopped`` last.

        Closing the generator closes the connection to the model. Raises ``ModelUnavailable``, ``ModelRefused`` or
        ``ModelBroken``.
        """


async def whole_text(adapter: ModelAdapter, messages: Sequence[Message], params: ModelParams) -> str:
    """The whole answer to ``messages``, without tools. Raises ``ModelError``, also for an empty answer."""
    async with aclosing(adapter.stream(messages, (), params)) as events:
        words = "".join([event.text async for event in events if isinstance(event, TextDelta)])
    if not words.strip():
        raise ModelBroken("The model ended without an answer.")
    return words


MAX_EARLIER: Final = 40
"""How many earlier messages a model gets at most."""
_FORGOTTEN: Final = 10
"""How many of the earliest are left out at once, so that between that each request begins like the one before."""


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
    """The end of ``history``, which is what a model gets of it."""
    excess = max(len(history) - MAX_EARLIER, 0)
    return history[-(-excess // _FORGOTTEN) * _FORGOTTEN :]


def earlier(history: Sequence[Spoken]) -> list[Message]:
    """The end of ``history`` as a model gets it."""
    return [_BY_ROLE[spoken.role](text=spoken.content) for spoken in latest(history)]


class Parameter(StrEnum):
    """A parameter of a model that a caller may set, by its name in ``ModelParams``."""

    TEMPERATURE = "temperature"
    MAX_TOKENS = "max_tokens"


ALL_PARAMETERS: Final = frozenset(Parameter)


@dataclass(frozen=True, kw_only=True, slots=True)
class Blueprint:
    """A configured model, from which a tool is made.

    ``name`` is short, of lower-case letters, digits and underscores; ``model`` is its name on its server;
    ``parameters`` are those that it takes.
    """

    name: str
    model: str
    adapter: ModelAdapter
    description: str = ""
    parameters: frozenset[Parameter] = ALL_PARAMETERS


_MAX_READ: Final = 100_000
"""The part of an answer that is read, in characters."""
_MAX_BROKEN: Final = 300
"""The number of brackets that begin no JSON after which the search stops."""

_THOUGHTS: Final = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL | re.IGNORECASE)
_FENCE: Final = "```"
_OPENING: Final = re.compile(r"[{\[]")


def prose(words: str, longest: int) -> str:
    """The text itself, in at most ``longest`` characters; may be empty."""
    text = spoken(words)
    first, _, rest = text.partition("\n")
    if first.startswith(_FENCE) and rest.endswith(_FENCE):
        text = rest.removesuffix(_FENCE).strip()
    if text.startswith(("{", "[")):
        # The longest text of the JSON that the model wrote instead of prose.
        texts = (said for _, value in json_values(text) for said in texts_in(value))
        text = max(texts, key=len, default=text).strip()
    return shortened(text, longest)


def spoken(words: str) -> str:
    """``words`` without the thoughts before them, and without lone surrogates, which cannot be stored."""
    text = _THOUGHTS.sub("", words[:_MAX_READ])
    # Some servers cut the opening tag off.
    return text.rpartition("</think>")[2].encode("utf-8", "ignore").decode().strip()


def json_values(text: str) -> Iterator[tuple[str, JsonValue]]:
    """Every JSON object and array in ``text`` with the text before it; for a broken one, those inside it.

    The last item is the text after them, with None.
    """
    decoder = json.JSONDecoder()
    behind = at = broken = 0
    while broken < _MAX_BROKEN and (found := _OPENING.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at = found.end()
            broken += 1
        else:
            yield text[behind : found.start()], value
            behind = at
    yield text[behind:], None


def texts_in(value: JsonValue) -> Iterator[str]:
    """Every text in ``value``, in order, at any depth."""
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            # JSON may contain escaped lone surrogates.
            yield part.encode("utf-8", "ignore").decode()
        elif isinstance(part, dict | list):
            left.extend(reversed(list(part.values() if isinstance(part, dict) else part)))


def shortened(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, cut between words."""
    if len(text) <= limit:
        return text
    head, space, _ = text[: limit - 1].rpartition(" ")
    return f"{head if space and len(head) > limit // 2 else text[: limit - 1]}…"
