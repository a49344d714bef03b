"""Tools for staff, over MCP: none of the assistant's agents has them."""

from typing import ClassVar
from uuid import UUID
from zoneinfo import ZoneInfo

from agents.tools.spec.route import Route
from agents.tools.spec.tool import Agent, LocalService, Risk, ToolSpec
from agents.tools.turn_log import RecentTurns


class TurnLog(ToolSpec):
    """Look up the latest turns of the assistant, of all users: when, how long, which model and tools, how they ended.
    What was said is not kept.
    """

    agent = Agent.STAFF
    risk = Risk.READ
    label = "Looking up turns"
    staff_only = True
    service_cls: ClassVar[type[LocalService] | None] = RecentTurns

    request_id: str | None = Route.prompt("Only those of this request.", default=None)
    limit: int = Route.prompt("How many at most, 1 to 100.", default=20)
    user_id: UUID = Route.context(init=False)
    timezone: ZoneInfo = Route.context(init=False)
