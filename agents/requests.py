"""What a request to the assistant is: its kind, where it comes from, and the names in it. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID


class RequestKind(StrEnum):
    """What was asked for. Turn records and the ledger of disclosures store these values."""

    HOME = "home"
    POPUP = "popup"
    CONTEXTUAL = "contextual"
    BRIEF = "brief"
    TASK_BRIEF = "task_brief"
    CHAT = "chat"
    JOB = "job"
    MCP = "mcp"
    VECTORS = "vectors"
    """A client asked for vectors: no turn, so only in the ledger."""


def request_kinds() -> list[tuple[str, str]]:
    """The choices of a column. As a function, so that a new kind needs no migration."""
    return [(kind.value, kind.value) for kind in RequestKind]


MAX_TOOL_CHARS: Final = 100
MAX_NAME_CHARS: Final = 200
"""The longest name that a client makes up, such as a request's id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestOrigin:
    """A user's request, and the ``Device.id`` of the device that it came from and that can be asked.

    An empty id is none in particular.
    """

    user_id: UUID
    request_id: str
    session_id: str = ""
    device_id: str = ""
    program: str = ""
    """The program that called over MCP, as the ledger names it; empty for the user's own clients."""


def storable(name: str) -> str:
    """``name``, which a client made up, without characters that the database cannot store."""
    return name.encode("utf-8", "replace").decode().replace("\0", "")
