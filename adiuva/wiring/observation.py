"""The observers of turns, chosen from settings: the recorder, metrics and traces."""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings

from adiuva.database import pool
from adiuva.metrics import metrics
from adiuva.secret_keys import derived_key
from agents.telemetry.recorder import TurnRecorder, save_turns
from agents.telemetry.turns import Observers, TurnListener

if TYPE_CHECKING:
    from agents.telemetry.tracing.langfuse import LangfuseTracer

_LEAVE_S = 5.0
"""How long a stopping process waits for records and traces to be written and sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """The observers of the turns of a process."""

    observers: Observers = field(default_factory=Observers)
    recorder: TurnRecorder = field(default_factory=lambda: TurnRecorder(save_turns))
    tracer: "LangfuseTracer | None" = None

    def begin(self) -> None:
        """Does nothing: observation starts with the first turn."""

    async def aclose(self) -> None:
        """Write and send what is left."""
        sending = [] if self.tracer is None else [self.tracer.aclose(_LEAVE_S)]
        await asyncio.gather(self.recorder.aclose(_LEAVE_S), *sending)


def observation() -> Observation:
    """The observers that settings choose."""
    recorder = TurnRecorder(save_turns)
    listeners: list[TurnListener] = [recorder]
    if settings.METRICS_TOKEN:
        metrics.count_lost(lambda: recorder.lost)
        pool.on_wait.add(metrics.thread_waited)
        listeners.append(metrics)
    if not (settings.LANGFUSE_PUBLIC_KEY and settings.LANGFUSE_SECRET_KEY):
        return Observation(observers=Observers(listeners=tuple(listeners)), recorder=recorder)
    # Imported here: the SDK is slow to import, and most servers do not use it.
    from agents.telemetry.tracing.langfuse import LangfuseTracer

    tracer = LangfuseTracer(
        host=settings.LANGFUSE_HOST,
        public_key=settings.LANGFUSE_PUBLIC_KEY,
        secret_key=settings.LANGFUSE_SECRET_KEY,
        secret=derived_key(settings.SECRET_KEY, purpose="users in traces"),
        environment=settings.LANGFUSE_ENVIRONMENT,
        release=settings.LANGFUSE_RELEASE,
    )
    observers = Observers(listeners=(*listeners, tracer), keep_content=settings.TRACE_CONTENT)
    return Observation(observers=observers, recorder=recorder, tracer=tracer)
