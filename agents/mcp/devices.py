"""The port to the devices of those who call over MCP."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from agents.calls import CallAction, ClientAnswer, ClientCall
from agents.errors import ClientAbsent
from agents.tools.client import ClientExecutor, OnLate


class NoClient:
    """The ``ClientExecutor`` of who has no device connected. What is done on the server works all the same."""

    def supports(self, action: CallAction) -> bool:  # noqa: ARG002
        return False

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:  # noqa: ARG002
        raise ClientAbsent


@dataclass(frozen=True, kw_only=True, slots=True)
class Reached:
    """The device of one call; without an id none is connected."""

    client: ClientExecutor = field(default_factory=NoClient)
    device_id: str = ""


class Devices(Protocol):
    """Reaches devices, on whichever process they are."""

    def reached(self, user_id: UUID, request_id: str) -> AbstractAsyncContextManager[Reached]:
        """The user's device that was used last, for as long as the call lasts."""
