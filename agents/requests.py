"""Requests to the assistant: their kinds, their origin, and the names that clients choose. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID


class RequestKind(StrEnum):
    """The kind of a request. Turn records and the ledger of disclosures store these values."""

    HOME = "home"
    POPUP = "popup"
    CONTEXTUAL = "contextual"
    BRIEF = "brief"
    TASK_BRIEF = "task_brief"
    CHAT = "chat"
    JOB = "job"
    MCP = "mcp"
    VECTORS = "vectors"
    """A client requested vectors. This is no turn, so only the ledger contains it."""


def request_kinds() -> list[tuple[str, str]]:
    """The choices of a column. A function, so that a new kind needs no migration."""
    return [(kind.value, kind.value) for kind in RequestKind]


MAX_TOOL_CHARS: Final = 100
MAX_NAME_CHARS: Final = 200
"""The maximum length of a name that a client chooses, such as a request's id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestOrigin:
    """A user's request, and the ``Device.id`` of the device that sent it and that can ask the user.

    The id is empty if there is no particular device.
    """

    user_id: UUID
    request_id: str
    session_id: str = ""
    device_id: str = ""
    program: str = ""
    """The program that called over MCP, by its name in the ledger. Empty for the user's own clients."""


def storable(name: str) -> str:
    """``name``, which a client chose, without characters that the database cannot store."""
    return name.encode("utf-8", "replace").decode().replace("\0", "")
