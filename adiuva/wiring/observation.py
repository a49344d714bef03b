"""The observers of turns, chosen from settings: the recorder, metrics and traces."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings

from adiuva.database import pool
from adiuva.metrics import metrics
from adiuva.secret_keys import derived_key
from agents.telemetry.recorder import TurnRecorder, save_turns
from agents.telemetry.turns import Observers, TurnListener

if TYPE_CHECKING:
    from agents.telemetry.tracing.export import TurnTracer

_LEAVE_S = 5.0
"""How long a stopping process waits for records and traces to be written and sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """The observers of the turns of a process."""

    observers: Observers = field(default_factory=Observers)
    recorder: TurnRecorder = field(default_factory=lambda: TurnRecorder(save_turns))
    tracers: "Sequence[TurnTracer]" = ()

    def begin(self) -> None:
        """Does nothing: observation starts with the first turn."""

    async def aclose(self) -> None:
        """Write and send what is left."""
        await asyncio.gather(self.recorder.aclose(_LEAVE_S), *(tracer.aclose(_LEAVE_S) for tracer in self.tracers))


def observation() -> Observation:
    """The observers that settings choose."""
    recorder, tracers = TurnRecorder(save_turns), _tracers()
    listeners: list[TurnListener] = [recorder, *tracers]
    if settings.METRICS_TOKEN:
        metrics.count_lost(lambda: recorder.lost)
        pool.on_wait.add(metrics.thread_waited)
        listeners.append(metrics)
    keeps = bool(tracers) and settings.TRACE_CONTENT
    observers = Observers(listeners=tuple(listeners), keep_content=keeps)
    return Observation(observers=observers, recorder=recorder, tracers=tracers)


def _tracers() -> "Sequence[TurnTracer]":
    """One for each place that traces go to."""
    to_langfuse = bool(settings.LANGFUSE_PUBLIC_KEY and settings.LANGFUSE_SECRET_KEY)
    if not (to_langfuse or settings.OTLP_ENDPOINT):
        return ()
    # Imported here: OpenTelemetry and Langfuse's SDK are slow to import, and most servers do not use them.
    from agents.telemetry.tracing.export import OtlpEndpoint, TurnTracer

    secret = derived_key(settings.SECRET_KEY, purpose="users in traces")
    tracers: list[TurnTracer] = []
    if to_langfuse:
        from agents.telemetry.tracing.langfuse import LangfuseConvention, langfuse_endpoint

        endpoint = langfuse_endpoint(
            host=settings.LANGFUSE_HOST,
            public_key=settings.LANGFUSE_PUBLIC_KEY,
            secret_key=settings.LANGFUSE_SECRET_KEY,
        )
        named = LangfuseConvention(environment=settings.LANGFUSE_ENVIRONMENT, release=settings.LANGFUSE_RELEASE)
        tracers.append(TurnTracer(endpoint, named, secret=secret))
    if settings.OTLP_ENDPOINT:
        from agents.telemetry.tracing.genai import GenAiConvention

        # As OpenTelemetry's own variable for all signals: the address without the path of one.
        url = f"{settings.OTLP_ENDPOINT.rstrip('/')}/v1/traces"
        known = {"deployment.environment.name": settings.ENVIRONMENT, "service.version": settings.RELEASE}
        tracers.append(
            TurnTracer(
                OtlpEndpoint(url=url, headers=settings.OTLP_HEADERS),
                GenAiConvention(),
                secret=secret,
                resource={name: value for name, value in known.items() if value},
            )
        )
    return tuple(tracers)
