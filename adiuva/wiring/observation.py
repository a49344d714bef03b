"""The observers of turns, chosen from settings: the recorder, metrics and traces."""

import asyncio
from dataclasses import dataclass, field

from django.conf import settings

from adiuva.metrics import metrics
from adiuva.secret_keys import derived_key
from agents.telemetry.recorder import TurnRecorder, save_turns
from agents.telemetry.tracing.base import NoTracer, Tracer
from agents.telemetry.turns import Observers, TurnListener

_LEAVE_S = 5.0
"""How long a stopping process waits for records and traces to be written and sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """The observers of the turns of a process."""

    observers: Observers = field(default_factory=Observers)
    recorder: TurnRecorder | None = None
    tracer: Tracer = field(default_factory=NoTracer)

    def begin(self) -> None:
        """Does nothing: observation starts with the first turn."""

    async def aclose(self) -> None:
        """Write and send what is left."""
        recording = [] if self.recorder is None else [self.recorder.aclose(_LEAVE_S)]
        await asyncio.gather(self.tracer.aclose(_LEAVE_S), *recording)


def observation() -> Observation:
    """The observers that settings choose."""
    recorder = TurnRecorder(save_turns)
    listeners: list[TurnListener] = [recorder]
    if settings.METRICS_TOKEN:
        metrics.count_lost(lambda: recorder.lost)
        listeners.append(metrics)
    if not (settings.LANGFUSE_PUBLIC_KEY and settings.LANGFUSE_SECRET_KEY):
        return Observation(observers=Observers(listeners=tuple(listeners)), recorder=recorder)
    tracer = _langfuse()
    observers = Observers(listeners=(*listeners, tracer), keep_content=settings.TRACE_CONTENT)
    return Observation(observers=observers, recorder=recorder, tracer=tracer)


def _langfuse() -> Tracer:
    # Imported here: the SDK is slow to import, and most servers do not use it.
    from agents.telemetry.tracing.langfuse import LangfuseAccess, LangfuseTracer

    access = LangfuseAccess(
        host=settings.LANGFUSE_HOST,
        public_key=settings.LANGFUSE_PUBLIC_KEY,
        secret_key=settings.LANGFUSE_SECRET_KEY,
    )
    return LangfuseTracer(access, secret=derived_key(settings.SECRET_KEY, purpose="users in traces"))
