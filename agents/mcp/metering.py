"""Tokens for tools that are models: whoever has none left today does not begin to talk with one."""

from collections.abc import Callable
from dataclasses import dataclass

from agents.permissions.approvals.consent import Gate
from agents.permissions.quotas.keeper import QuotaKeeper
from agents.tools.context import CallContext
from agents.tools.spec.tool import Agent, ToolSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Metered:
    """The ``Gate`` that ``gate`` is, behind which a model is asked only while its user has tokens."""

    gate: Gate
    quotas: QuotaKeeper

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:
        """As ``Gate.admit``; also raises ``QuotaExceeded``."""
        if tool.agent is Agent.MODELS:
            # Before the user is asked: what they approved would be refused.
            await self.quotas.check_tokens(context.user_id)
        await self.gate.admit(tool, context, on_waiting=on_waiting)
