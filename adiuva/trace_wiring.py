"""Who is told of turns, chosen from settings: what writes them down, counts them, and shows them elsewhere."""

import asyncio
from dataclasses import dataclass, field

from django.conf import settings

from adiuva.derived_keys import derived_key
from adiuva.metrics import metrics
from agents.telemetry.recorder import TurnRecorder
from agents.telemetry.rows import save_turns
from agents.telemetry.tracing.base import NoTracer, Tracer
from agents.telemetry.watching import Observers, TurnListener

_LEAVE_S = 5.0
"""How long a process that stops takes for what is not written or sent yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """What watches the turns of a process."""

    observers: Observers = field(default_factory=Observers)
    recorder: TurnRecorder | None = None
    tracer: Tracer = field(default_factory=NoTracer)

    def begin(self) -> None:
        """Nothing is to be done: it begins with the first turn that it hears of."""

    async def aclose(self) -> None:
        """Have what is left written and sent."""
        recording = [] if self.recorder is None else [self.recorder.aclose(_LEAVE_S)]
        await asyncio.gather(self.tracer.aclose(_LEAVE_S), *recording)


def observation() -> Observation:
    """What settings ask for."""
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
    # Here and not at the top: the SDK takes a while to import, and most servers have no use for it.
    from agents.telemetry.tracing.langfuse import LangfuseAccess, LangfuseTracer

    access = LangfuseAccess(
        host=settings.LANGFUSE_HOST,
        public_key=settings.LANGFUSE_PUBLIC_KEY,
        secret_key=settings.LANGFUSE_SECRET_KEY,
    )
    return LangfuseTracer(access, secret=derived_key(settings.SECRET_KEY, purpose="users in traces"))
