"""Who is told of turns, chosen from settings: what writes them down."""

from dataclasses import dataclass, field

from agents.observing import Observers
from agents.turn_records import TurnRecorder
from agents.turn_rows import save_turns

_LEAVE_S = 5.0
"""How long a process that stops takes for what is not written yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """What watches the turns of a process."""

    observers: Observers = field(default_factory=Observers)
    recorder: TurnRecorder | None = None

    async def aclose(self) -> None:
        """Have what is not written yet written."""
        if self.recorder is not None:
            await self.recorder.aclose(_LEAVE_S)


def observation() -> Observation:
    """What settings ask for."""
    recorder = TurnRecorder(save_turns)
    return Observation(observers=Observers(listeners=(recorder,)), recorder=recorder)
