"""Observing turns: what a turn asked of models and tools, how long that took, and how it ended.

A ``TurnWatch`` in a context variable collects this, so that code that asks a model or runs a tool can note it without
having the watch passed in; without one, nothing is noted. Listeners get the ended turn as an ``ObservedTurn``, which
contains no word of the user's unless content is kept. Work that goes on after a turn, such as summaries for the memory,
belongs to no turn.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias
from uuid import UUID, uuid4

from structlog.contextvars import bound_contextvars

from accounts.timezones import utc_now
from agents.adapters.base import (
    Message,
    ModelAdapter,
    ModelParams,
    ModelSize,
    PromptUse,
    SystemMessage,
    ToolSchema,
)
from agents.events import ModelEvent, TextDelta, ToolCall, Usage
from agents.requests import RequestKind

logger = logging.getLogger(__name__)

UNKNOWN_TOOL: Final = "(unknown)"
"""The recorded name of every tool that does not exist: the model invented the real one."""
PROGRAM_READS: Final = ("resources/list", "resources/read", "prompts/get", "completion/complete")
"""What programs read over MCP without a tool, recorded as a tool of this name."""


class TurnSource(StrEnum):
    """Where a turn came from."""

    SOCKET = "socket"
    REST = "rest"
    WORKER = "worker"
    MCP = "mcp"


class TurnOutcome(StrEnum):
    """How a turn ended."""

    DONE = "done"
    CANCELLED = "cancelled"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnOrigin:
    """The user and request of a turn, and the conversation that it belongs to, as the client named it."""

    user_id: UUID
    request_id: str
    kind: RequestKind
    source: TurnSource
    session_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class GenerationContent:
    """What a model was sent, and what it wrote."""

    messages: Sequence[Message]
    text: str
    calls: Sequence[ToolCall]


@dataclass(frozen=True, kw_only=True, slots=True)
class Generation:
    """One request to a model. Times are in seconds since the turn began.

    ``usage`` is None if the provider counts no tokens, ``first_text_s`` if the model wrote no text. ``stopped`` means
    that the request was given up before its end, for example because the user cancelled: this is no failure of the
    model. ``provider`` is OpenTelemetry's name of the API; ``prompt`` is the prompt of the system message, if known.
    """

    model: str
    size: ModelSize
    began_s: float
    ended_s: float
    ok: bool
    first_text_s: float | None = None
    usage: Usage | None = None
    stopped: bool = False
    provider: str = ""
    prompt: PromptUse | None = None
    content: GenerationContent | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolContent:
    """A tool's arguments, and the text of its result."""

    arguments: str
    result: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    """One call of a tool. Times are in seconds since the turn began and include waiting for the user's approval."""

    tool: str
    ok: bool
    began_s: float
    ended_s: float
    content: ToolContent | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedTurn:
    """A turn that has ended. ``model`` is the one that wrote last. ``error_code`` is empty if there was no error."""

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
        """The tokens of all requests whose provider counts them."""
        counted = (generation.usage for generation in self.generations if generation.usage is not None)
        return sum(counted, Usage(input_tokens=0, output_tokens=0))

    @property
    def failed_tools(self) -> int:
        return sum(not use.ok for use in self.tools)


TurnListener: TypeAlias = Callable[[ObservedTurn], None]
"""Called on the event loop with a turn that has ended. Must not block."""

_UNDER_WAY: Final[ContextVar["TurnWatch | None"]] = ContextVar("turn_watch", default=None)


@dataclass(kw_only=True, slots=True, eq=False)
class TurnWatch:
    """Collects what happens in one turn, texts only with ``keeps_content``. If no end is noted, it was cancelled."""

    origin: TurnOrigin
    keeps_content: bool = False
    agent: str = ""
    first_text_s: float | None = None
    outcome: TurnOutcome = TurnOutcome.CANCELLED
    error_code: str = ""
    generations: list[Generation] = field(default_factory=list)
    tools: list[ToolUse] = field(default_factory=list)
    _began: float = field(default_factory=time.perf_counter, init=False)
    _started_at: datetime = field(default_factory=utc_now, init=False)

    def now(self) -> float:
        """Seconds since the turn began."""
        return time.perf_counter() - self._began

    def result(self) -> ObservedTurn:
        """Everything noted so far."""
        return ObservedTurn(
            id=uuid4(),
            origin=self.origin,
            started_at=self._started_at,
            duration_s=self.now(),
            outcome=self.outcome,
            error_code=self.error_code,
            agent=self.agent,
            first_text_s=self.first_text_s,
            generations=tuple(self.generations),
            tools=tuple(self.tools),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Observers:
    """The listeners to turns. Without any, nothing is collected."""

    listeners: Sequence[TurnListener] = ()
    keep_content: bool = False

    @contextmanager
    def watching(self, origin: TurnOrigin) -> Iterator[None]:
        """The block is one turn: log lines in it name the turn, and at its end the listeners are called."""
        with bound_contextvars(request_id=origin.request_id, user_id=str(origin.user_id)):
            if not self.listeners:
                yield
                return
            watch = TurnWatch(origin=origin, keeps_content=self.keep_content)
            token = _UNDER_WAY.set(watch)
            try:
                yield
            finally:
                _UNDER_WAY.reset(token)
                self._tell(watch.result())

    def _tell(self, turn: ObservedTurn) -> None:
        for listener in self.listeners:
            try:
                listener(turn)
            except Exception:  # the boundary of a listener: it must not break the turn
                logger.exception("a listener failed on a turn")


def note_tool(tool: str, *, ok: bool, took_s: float, arguments: str, result: str) -> None:
    """Note that a tool of the current turn has just ended, after ``took_s`` seconds."""
    watch = _UNDER_WAY.get()
    if watch is None:
        return
    ended_s = watch.now()
    content = ToolContent(arguments=arguments, result=result) if watch.keeps_content else None
    watch.tools.append(ToolUse(tool=tool, ok=ok, began_s=max(0.0, ended_s - took_s), ended_s=ended_s, content=content))


def note_agent(agent: str) -> None:
    """Note that ``agent`` answers in the current turn."""
    watch = _UNDER_WAY.get()
    if watch is not None:
        watch.agent = agent


def note_first_text() -> None:
    """Note that the user sees text of the current turn; only the first call counts."""
    watch = _UNDER_WAY.get()
    if watch is not None and watch.first_text_s is None:
        watch.first_text_s = watch.now()


def note_end(outcome: TurnOutcome, error_code: str = "") -> None:
    """Note how the current turn ends, as its user sees it."""
    watch = _UNDER_WAY.get()
    if watch is not None:
        watch.outcome, watch.error_code = outcome, error_code


class ObservedAdapter:
    """The ``ModelAdapter`` ``inner``, observed. ``provider`` is as in ``Generation``."""

    def __init__(self, inner: ModelAdapter, *, provider: str = "") -> None:
        self._inner = inner
        self._provider = provider

    @property
    def name(self) -> str:
        return self._inner.name

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``. Outside a turn, returns the inner adapter's stream itself."""
        events = self._inner.stream(messages, tools, params)
        watch = _UNDER_WAY.get()
        if watch is None:
            return events
        # The loop appends to this conversation later.
        sent = tuple(messages) if watch.keeps_content else ()
        request = _Request(
            model=self._inner.name,
            size=params.size,
            provider=self._provider,
            prompt=_prompt_of(messages),
            began_s=watch.now(),
        )
        return _noted(events, watch, request, messages=sent)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Request:
    """The fields of a ``Generation`` that are known before the model answers."""

    model: str
    size: ModelSize
    provider: str
    prompt: PromptUse | None
    began_s: float


def _prompt_of(messages: Sequence[Message]) -> PromptUse | None:
    return next((message.prompt for message in messages if isinstance(message, SystemMessage)), None)


async def _noted(
    events: AsyncGenerator[ModelEvent, None], watch: TurnWatch, request: _Request, *, messages: Sequence[Message]
) -> AsyncGenerator[ModelEvent, None]:
    """Yield ``events`` unchanged. An answer has hundreds, so this does as little as possible for each."""
    keeps, ok, stopped, first_text_s, usage = watch.keeps_content, False, False, None, None
    text: list[str] = []
    calls: list[ToolCall] = []
    try:
        async with aclosing(events):
            async for event in events:
                if type(event) is TextDelta:
                    if first_text_s is None:
                        first_text_s = watch.now()
                    if keeps:
                        text.append(event.text)
                elif type(event) is Usage:
                    usage = event
                elif keeps and type(event) is ToolCall:
                    calls.append(event)
                yield event
            ok = True
    except (asyncio.CancelledError, GeneratorExit):
        stopped = True
        raise
    finally:
        content = GenerationContent(messages=messages, text="".join(text), calls=tuple(calls)) if keeps else None
        watch.generations.append(
            Generation(
                model=request.model,
                size=request.size,
                provider=request.provider,
                prompt=request.prompt,
                began_s=request.began_s,
                ended_s=watch.now(),
                ok=ok,
                first_text_s=first_text_s,
                usage=usage,
                stopped=stopped,
                content=content,
            )
        )
