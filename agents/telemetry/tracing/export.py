"""Turns as traces over OTLP: a span for the turn, and below it one for each request to a model and for each tool call.

A ``Convention`` decides what the spans contain. This module uses OpenTelemetry's span processor and exporter without a
tracer provider, so it changes no global state and sends no other library's spans. Spans are created after the turn has
ended, as values: starting and ending each one would cost six times as much. A thread of the SDK sends them from a
bounded queue, which drops the oldest spans when it is full.
"""

import asyncio
import hmac
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from agents.telemetry.turns import Generation, ObservedTurn, ToolUse

logger = logging.getLogger(__name__)

WARN_EVERY_S: Final = 60.0
_PSEUDONYM_CHARS: Final = 32
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)
_TIMEOUT_S: Final = 5
_BATCH: Final = 256
_NAME: Final = "adiuva"

Attributes: TypeAlias = dict[str, str | bool | int | float]


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanContent:
    """What a span contains besides its times. ``failed`` marks an error."""

    name: str
    attributes: Attributes
    kind: SpanKind = SpanKind.INTERNAL
    failed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Pseudonyms:
    """The pseudonyms of a turn's user and session. ``session`` is empty for a turn without one."""

    user: str
    session: str


class Convention(Protocol):
    """How turns are described for a receiver of traces."""

    def turn(self, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:
        """The root span of a trace."""

    def generation(self, generation: Generation, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:
        """The span of a request to a model."""

    def tool(self, use: ToolUse, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:
        """The span of a tool call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OtlpEndpoint:
    """Where traces are sent by OTLP over HTTP. ``url`` is the full address, such as ``…/v1/traces``."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class TurnTracer:
    """The ``TurnListener`` that sends turns to ``endpoint`` as ``convention`` describes them.

    ``secret`` is the key of the pseudonyms. ``resource`` are attributes of this server, by OpenTelemetry's names.
    """

    def __init__(
        self,
        endpoint: OtlpEndpoint,
        convention: Convention,
        *,
        secret: bytes,
        resource: Mapping[str, str] | None = None,
        every_s: float = 2.0,
    ) -> None:
        self._secret = secret
        self._convention = convention
        exporter = OTLPSpanExporter(
            endpoint=endpoint.url,
            headers=dict(endpoint.headers),
            timeout=_TIMEOUT_S,
            compression=Compression.Gzip,
        )
        self._processor = BatchSpanProcessor(
            exporter,
            schedule_delay_millis=every_s * 1000,
            max_export_batch_size=_BATCH,
            export_timeout_millis=_TIMEOUT_S * 1000,
        )
        quiet("opentelemetry", "traces could not be sent; some are lost")
        self._resource = Resource({"service.name": _NAME, **(resource or {})})
        self._scope = InstrumentationScope(_NAME)
        self._ids = RandomIdGenerator()

    def __call__(self, turn: ObservedTurn) -> None:
        """Send ``turn`` soon. Never waits or raises: if it cannot be sent, it is lost, with a warning."""
        began, trace_id = round(turn.started_at.timestamp() * 1_000_000) * 1000, self._ids.generate_trace_id()
        who, convention = self._pseudonyms(turn), self._convention
        root = self._ended(convention.turn(turn, who), trace_id=trace_id, start=began, end=began + _ns(turn.duration_s))
        children: list[tuple[SpanContent, Generation | ToolUse]] = [
            *((convention.generation(each, turn, who), each) for each in turn.generations),
            *((convention.tool(use, turn, who), use) for use in turn.tools),
        ]
        for content, each in children:
            start, end = began + _ns(each.began_s), began + _ns(each.ended_s)
            self._ended(content, trace_id=trace_id, start=start, end=end, parent=root)

    def pseudonym(self, user_id: UUID, session_id: str = "") -> str:
        """A stable pseudonym of a user, or of one of their sessions, which reveals neither without the secret."""
        named = user_id.bytes + session_id.encode("utf-8", "replace")
        return hmac.digest(self._secret, named, "sha256").hex()[:_PSEUDONYM_CHARS]

    def _pseudonyms(self, turn: ObservedTurn) -> Pseudonyms:
        user_id, session_id = turn.origin.user_id, turn.origin.session_id
        session = self.pseudonym(user_id, session_id) if session_id else ""
        return Pseudonyms(user=self.pseudonym(user_id), session=session)

    async def aclose(self, within_s: float) -> None:
        """Send the remaining spans, for at most ``within_s`` seconds.

        If the server does not answer, the thread that sends them runs until the process ends.
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
        self, content: SpanContent, *, trace_id: int, start: int, end: int, parent: SpanContext | None = None
    ) -> SpanContext:
        """Queue a span that has ended, with times in nanoseconds since 1970. Returns its context, for its children."""
        context = SpanContext(trace_id, self._ids.generate_span_id(), is_remote=False, trace_flags=_SAMPLED)
        self._processor.on_end(
            ReadableSpan(
                name=content.name,
                context=context,
                parent=parent,
                resource=self._resource,
                attributes=content.attributes,
                kind=content.kind,
                status=Status(StatusCode.ERROR if content.failed else StatusCode.UNSET),
                start_time=start,
                end_time=end,
                instrumentation_scope=self._scope,
            )
        )
        return context


def _ns(seconds: float) -> int:
    return round(seconds * 1_000_000_000)


def quiet(name: str, sentence: str, *, clock: Callable[[], float] = time.monotonic) -> None:
    """Log ``sentence`` instead of a library's warnings, at most once in ``WARN_EVERY_S``. Idempotent.

    The library's own messages may contain the data that it was sending.
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
