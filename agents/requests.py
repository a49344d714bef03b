"""What is asked of the assistant: the kinds that records of turns and the ledger of disclosures tell apart. Pure."""

from enum import StrEnum
from typing import Final


class RequestKind(StrEnum):
    """What was asked for."""

    HOME = "home"
    POPUP = "popup"
    CONTEXTUAL = "contextual"
    BRIEF = "brief"
    TASK_BRIEF = "task_brief"
    CHAT = "chat"
    JOB = "job"
    MCP = "mcp"
    VECTORS = "vectors"
    """Those that a client asks for itself; they are no turns, and only in the ledger."""


REQUEST_KINDS: Final = [(kind.value, kind.value) for kind in RequestKind]
"""As choices of a column."""
