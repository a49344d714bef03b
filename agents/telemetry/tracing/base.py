"""The port to a service that shows traces of turns."""

from typing import Protocol

from agents.telemetry.turns import ObservedTurn


class Tracer(Protocol):
    """A ``TurnListener`` that sends turns to such a service."""

    def __call__(self, turn: ObservedTurn) -> None:
        """Send ``turn`` soon. Never waits or raises: if it cannot be sent, it is lost, with a warning."""

    async def aclose(self, within_s: float) -> None:
        """Send what is left, for at most ``within_s`` seconds."""


class NoTracer:
    """A ``Tracer`` that does nothing."""

    def __call__(self, turn: ObservedTurn) -> None:
        """Does nothing."""

    async def aclose(self, within_s: float) -> None:
        """Does nothing."""
