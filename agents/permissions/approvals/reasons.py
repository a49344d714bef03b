"""Why a tool may have to ask although its risk does not demand it."""

from typing import Protocol

from agents.tools.context import CallContext
from agents.tools.spec.tool import ToolSpec


class ReasonToAsk(Protocol):
    """A reason to ask that lies not in a tool's risk but in what it would do."""

    async def __call__(self, tool: ToolSpec, context: CallContext) -> str | None:
        """A sentence for the user, in the user's language; None when there is nothing to ask."""
