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
from agents.events import ToolCall
from agents.telemetry.turns import Generation, ObservedTurn, ToolUse, TurnOutcome

_PSEUDONYM_CHARS: Final = 32
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)

logger = logging.getLogger(__name__)

WARN_EVERY_S: Final = 60.0

_Attributes: TypeAlias = dict[str, str | bool]


class LangfuseTracer:
    """The ``TurnListener`` that sends turns to a project of the Langfuse at ``host``, which it identifies by its keys.

    ``secret`` is the key of the users' pseudonyms. Traces are of ``environment`` and ``release`` unless that is empty.
    """

    def __init__(
        self,
        *,
        host: str,
        public_key: str,
        secret_key: str,
        secret: bytes,
        environment: str = "",
        release: str = "",
        every_s: float = 2.0,
    ) -> None:
        self._secret = secret
        given = {Name.ENVIRONMENT: environment, Name.RELEASE: release}
        self._server: _Attributes = {name: value for name, value in given.items() if value}
        self._processor = LangfuseSpanProcessor(
            public_key=public_key,
            secret_key=secret_key,
            base_url=host.rstrip("/"),
            timeout=5,
            flush_at=256,
            flush_interval=every_s,
        )
        quiet("opentelemetry", "traces could not be sent to Langfuse; some are lost")
        self._resource = Resource({"service.name": "adiuva"})
        self._scope = InstrumentationScope(LANGFUSE_TRACER_NAME, sdk_version, attributes={"public_key": public_key})
        self._ids = RandomIdGenerator()

    def __call__(self, turn: ObservedTurn) -> None:
        """Send ``turn`` soon. Never waits or raises: if it cannot be sent, it is lost, with a warning."""
        began, trace_id = round(turn.started_at.timestamp() * 1_000_000) * 1000, self._ids.generate_trace_id()
        trace: _Attributes = {
            **self._server,
            Name.TRACE_NAME: turn.origin.kind.value,
            Name.TRACE_USER_ID: self.pseudonym(turn.origin.user_id),
        }
        root = self._ended(
            f"{turn.origin.kind} turn",
            trace | _of_turn(turn),
            trace_id=trace_id,
            start=began,
            end=began + _ns(turn.duration_s),
        )
        below: list[tuple[str, _Attributes, Generation | ToolUse]] = [
            *((f"{each.size} model", _of_generation(each, turn), each) for each in turn.generations),
            *((use.tool, _of_tool(use), use) for use in turn.tools),
        ]
        for name, attributes, what in below:
            start, end = began + _ns(what.began_s), began + _ns(what.ended_s)
            self._ended(name, trace | attributes, trace_id=trace_id, start=start, end=end, parent=root)

    def pseudonym(self, user_id: UUID) -> str:
        """A stable pseudonym, which reveals its user only to someone who has the secret."""
        return hmac.digest(self._secret, user_id.bytes, "sha256").hex()[:_PSEUDONYM_CHARS]

    async def aclose(self, within_s: float) -> None:
        """Send what is left, for at most ``within_s`` seconds.

        If the server does not answer, its thread goes on until the process ends.
        """
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
        self,
        name: str,
        attributes: _Attributes,
        *,
        trace_id: int,
        start: int,
        end: int,
        parent: SpanContext | None = None,
    ) -> SpanContext:
        """Queue a span that has ended, with times in nanoseconds since 1970; return its context, for its children."""
        context = SpanContext(trace_id, self._ids.generate_span_id(), is_remote=False, trace_flags=_SAMPLED)
        self._processor.on_end(
            ReadableSpan(
                name=name,
                context=context,
                parent=parent,
                resource=self._resource,
                attributes=attributes,
                start_time=start,
                end_time=end,
                instrumentation_scope=self._scope,
            )
        )
        return context


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
        attributes[Name.OBSERVATION_STATUS_MESSAGE] = "cancelled"
    last = turn.generations[-1].content if turn.generations else None
    if last is not None:
        asked = next((message.text for message in reversed(last.messages) if isinstance(message, UserMessage)), "")
        attributes |= {Name.OBSERVATION_INPUT: asked, Name.OBSERVATION_OUTPUT: last.text}
    return attributes


def _of_generation(generation: Generation, turn: ObservedTurn) -> _Attributes:
    attributes: _Attributes = {Name.OBSERVATION_TYPE: "generation", Name.OBSERVATION_MODEL: generation.model}
    if generation.usage is not None:
        usage = generation.usage
        # Langfuse adds the kinds up.
        counted = {"input": usage.input_tokens - usage.cached_tokens, "output": usage.output_tokens}
        counted |= {"input_cached_tokens": usage.cached_tokens} if usage.cached_tokens else {}
        attributes[Name.OBSERVATION_USAGE_DETAILS] = json.dumps(counted)
    if generation.first_text_s is not None:
        attributes[Name.OBSERVATION_COMPLETION_START_TIME] = json.dumps(
            (turn.started_at + timedelta(seconds=generation.first_text_s)).isoformat()
        )
    if generation.stopped:
        attributes[Name.OBSERVATION_STATUS_MESSAGE] = "stopped"
    elif not generation.ok:
        attributes[Name.OBSERVATION_LEVEL] = "ERROR"
    if (content := generation.content) is not None:
        said = {"text": content.text, "tool_calls": [_called(call) for call in content.calls]}
        attributes[Name.OBSERVATION_INPUT] = json.dumps([_said(message) for message in content.messages])
        attributes[Name.OBSERVATION_OUTPUT] = json.dumps(said)
    return attributes


def _said(message: Message) -> dict[str, object]:
    match message:
        case SystemMessage():
            return {"role": "system", "content": message.text}
        case UserMessage():
            return {"role": "user", "content": message.text}
        case AssistantMessage():
            calls = [_called(call) for call in message.tool_calls]
            return {"role": "assistant", "content": message.text, "tool_calls": calls}
        case ToolMessage():
            return {"role": "tool", "content": message.text, "tool_call_id": message.call_id}


def _called(call: ToolCall) -> dict[str, str]:
    """``call`` without what its server wants back with it."""
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


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
