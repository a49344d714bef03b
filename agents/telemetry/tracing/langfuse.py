"""Turns as traces of Langfuse: a span for the turn, below it a generation for each model request and a span a tool.

Langfuse's SDK speaks OpenTelemetry. This module uses only its span processor, neither its client nor a tracer provider,
so it changes no global state and sends no other library's spans. Spans are made when the turn is over, as values that
have ended: starting and ending each one costs six times as much. A thread of the SDK sends them from a bounded queue,
which drops the oldest spans when it is full.
"""

import asyncio
import hmac
import json
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final, TypeAlias
from uuid import UUID

from langfuse import LangfuseOtelSpanAttributes as Name
from langfuse import __version__ as sdk_version
from langfuse._client.constants import LANGFUSE_TRACER_NAME
from langfuse._client.span_processor import LangfuseSpanProcessor  # what the SDK's own client sends with
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, TraceFlags

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agents.telemetry.turns import Generation, GenerationContent, ObservedTurn, ToolUse, TurnOutcome

_TIMEOUT_S: Final = 5
_EVERY_S: Final = 2.0
_TOGETHER: Final = 256
_PSEUDONYM_CHARS: Final = 32
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)

logger = logging.getLogger(__name__)

WARN_EVERY_S: Final = 60.0

_Attributes: TypeAlias = dict[str, str | bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class LangfuseAccess:
    """The address of Langfuse, and the keys of a project."""

    host: str
    public_key: str
    secret_key: str


class LangfuseTracer:
    """The ``Tracer`` of one project. ``secret`` is the key of the users' pseudonyms."""

    def __init__(self, access: LangfuseAccess, *, secret: bytes, every_s: float = _EVERY_S) -> None:
        self._secret = secret
        self._processor = LangfuseSpanProcessor(
            public_key=access.public_key,
            secret_key=access.secret_key,
            base_url=access.host.rstrip("/"),
            timeout=_TIMEOUT_S,
            flush_at=_TOGETHER,
            flush_interval=every_s,
        )
        quiet("opentelemetry", "traces could not be sent to Langfuse; some are lost")
        self._resource = Resource({"service.name": "adiuva"})
        self._scope = InstrumentationScope(
            LANGFUSE_TRACER_NAME, sdk_version, attributes={"public_key": access.public_key}
        )
        self._ids = RandomIdGenerator()

    def __call__(self, turn: ObservedTurn) -> None:
        began, trace_id = _nanoseconds(turn), self._ids.generate_trace_id()
        trace: _Attributes = {
            Name.TRACE_NAME: turn.origin.kind.value,
            Name.TRACE_USER_ID: self.pseudonym(turn.origin.user_id),
        }
        root = self._ended(
            _Times(name=f"{turn.origin.kind} turn", start=began, end=began + _ns(turn.duration_s)),
            trace | _of_turn(turn),
            trace_id=trace_id,
        )
        for generation in turn.generations:
            times = _Times.of(f"{generation.size} model", generation, began)
            self._ended(times, trace | _of_generation(generation, turn), trace_id=trace_id, parent=root)
        for use in turn.tools:
            self._ended(_Times.of(use.tool, use, began), trace | _of_tool(use), trace_id=trace_id, parent=root)

    def pseudonym(self, user_id: UUID) -> str:
        """A stable pseudonym, which reveals its user only to someone who has the secret."""
        return hmac.digest(self._secret, user_id.bytes, "sha256").hex()[:_PSEUDONYM_CHARS]

    async def aclose(self, within_s: float) -> None:
        """As ``Tracer.aclose``. If the server does not answer, its thread goes on until the process ends."""
        loop, sent = asyncio.get_running_loop(), asyncio.Event()

        def leave() -> None:
            self._processor.shutdown()  # type: ignore[no-untyped-call] # the SDK's
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(sent.set)

        threading.Thread(target=leave, name="sending the last traces", daemon=True).start()
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await sent.wait()

    def _ended(
        self, times: "_Times", attributes: _Attributes, *, trace_id: int, parent: SpanContext | None = None
    ) -> SpanContext:
        """Queue an ended span; return its context, for its children."""
        context = SpanContext(trace_id, self._ids.generate_span_id(), is_remote=False, trace_flags=_SAMPLED)
        self._processor.on_end(
            ReadableSpan(
                name=times.name,
                context=context,
                parent=parent,
                resource=self._resource,
                attributes=attributes,
                start_time=times.start,
                end_time=times.end,
                instrumentation_scope=self._scope,
            )
        )
        return context


@dataclass(frozen=True, kw_only=True, slots=True)
class _Times:
    """A span's name and times, in nanoseconds since 1970."""

    name: str
    start: int
    end: int

    @classmethod
    def of(cls, name: str, what: Generation | ToolUse, began: int) -> "_Times":
        return cls(name=name, start=began + _ns(what.began_s), end=began + _ns(what.ended_s))


def _of_turn(turn: ObservedTurn) -> _Attributes:
    attributes: _Attributes = {
        Name.IS_APP_ROOT: True,
        Name.OBSERVATION_TYPE: "span",
        **_metadata(
            request_id=turn.origin.request_id,
            kind=turn.origin.kind.value,
            source=turn.origin.source.value,
            agent=turn.agent,
            outcome=turn.outcome.value,
            first_text_ms=None if turn.first_text_s is None else round(turn.first_text_s * 1000),
        ),
    }
    if turn.outcome is TurnOutcome.ERROR:
        attributes |= {Name.OBSERVATION_LEVEL: "ERROR", Name.OBSERVATION_STATUS_MESSAGE: turn.error_code}
    if turn.outcome is TurnOutcome.CANCELLED:
        attributes |= {Name.OBSERVATION_LEVEL: "WARNING", Name.OBSERVATION_STATUS_MESSAGE: "cancelled"}
    last = turn.generations[-1].content if turn.generations else None
    if last is not None:
        asked = next((message.text for message in reversed(last.messages) if isinstance(message, UserMessage)), "")
        attributes |= {Name.OBSERVATION_INPUT: asked, Name.OBSERVATION_OUTPUT: last.text}
    return attributes


def _of_generation(generation: Generation, turn: ObservedTurn) -> _Attributes:
    attributes: _Attributes = {Name.OBSERVATION_TYPE: "generation", Name.OBSERVATION_MODEL: generation.model}
    if generation.usage is not None:
        counted = {"input": generation.usage.input_tokens, "output": generation.usage.output_tokens}
        attributes[Name.OBSERVATION_USAGE_DETAILS] = json.dumps(counted)
    if generation.first_text_s is not None:
        attributes[Name.OBSERVATION_COMPLETION_START_TIME] = json.dumps(
            (turn.started_at + timedelta(seconds=generation.first_text_s)).isoformat()
        )
    if not generation.ok:
        attributes[Name.OBSERVATION_LEVEL] = "ERROR"
    if generation.content is not None:
        attributes |= _words(generation.content)
    return attributes


def _words(content: GenerationContent) -> _Attributes:
    said = {"text": content.text, "tool_calls": [asdict(call) for call in content.calls]}
    return {
        Name.OBSERVATION_INPUT: json.dumps([_said(message) for message in content.messages]),
        Name.OBSERVATION_OUTPUT: json.dumps(said),
    }


def _said(message: Message) -> dict[str, object]:
    match message:
        case SystemMessage():
            return {"role": "system", "content": message.text}
        case UserMessage():
            return {"role": "user", "content": message.text}
        case AssistantMessage():
            calls = [asdict(call) for call in message.tool_calls]
            return {"role": "assistant", "content": message.text, "tool_calls": calls}
        case ToolMessage():
            return {"role": "tool", "content": message.text, "tool_call_id": message.call_id}


def _of_tool(use: ToolUse) -> _Attributes:
    attributes: _Attributes = {Name.OBSERVATION_TYPE: "tool", **_metadata(ok=use.ok)}
    if not use.ok:
        attributes[Name.OBSERVATION_LEVEL] = "WARNING"
    if use.content is not None:
        attributes |= {Name.OBSERVATION_INPUT: use.content.arguments, Name.OBSERVATION_OUTPUT: use.content.result}
    return attributes


def _metadata(**values: str | float | None) -> _Attributes:
    """Metadata in the SDK's form: values as JSON, empty ones left out."""
    prefix = Name.OBSERVATION_METADATA
    return {f"{prefix}.{name}": json.dumps(value) for name, value in values.items() if value not in (None, "")}


def _nanoseconds(turn: ObservedTurn) -> int:
    return round(turn.started_at.timestamp() * 1_000_000) * 1000


def _ns(seconds: float) -> int:
    return round(seconds * 1_000_000_000)


def quiet(name: str, sentence: str, *, clock: Callable[[], float] = time.monotonic) -> None:
    """Replace every warning of a library's logger by ``sentence``, at most once in ``WARN_EVERY_S``. Idempotent.

    The library's own messages may contain what it was sending.
    """
    library_logger = logging.getLogger(name)
    if not any(isinstance(handler, _RateLimited) for handler in library_logger.handlers):
        library_logger.addHandler(_RateLimited(sentence, clock))
    library_logger.propagate = False


class _RateLimited(logging.Handler):
    def __init__(self, sentence: str, clock: Callable[[], float]) -> None:
        super().__init__(logging.WARNING)
        self._sentence = sentence
        self._clock = clock
        self._warned_at: float | None = None

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - its message is not repeated
        now = self._clock()
        if self._warned_at is None or now - self._warned_at >= WARN_EVERY_S:
            self._warned_at = now
            logger.warning(self._sentence)
