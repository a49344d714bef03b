"""The port to whoever shows traces of turns."""

from typing import Protocol

from agents.telemetry.turns import ObservedTurn


class Tracer(Protocol):
    """A ``TurnListener`` that sends turns elsewhere."""

    def __call__(self, turn: ObservedTurn) -> None:
        """Have ``turn`` sent soon. Never waits and never raises: what cannot be sent is lost, and warned of."""

    async def aclose(self, within_s: float) -> None:
        """Send what is left, for ``within_s`` seconds at most."""


class NoTracer:
    """The ``Tracer`` of a server that shows its turns to nobody."""

    def __call__(self, turn: ObservedTurn) -> None:
        """Nothing."""

    async def aclose(self, within_s: float) -> None:
        """Nothing."""
