"""Answers to the server's questions, and who gives them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from device.frames import ApprovalRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What was answered. ``remember`` asks the server not to ask about this tool again."""

    approved: bool
    reason: str | None = None
    remember: bool = False


Approver: TypeAlias = Callable[[ApprovalRequest], Awaitable[Verdict | None]]
"""Asks the user; None leaves the question open. It is cancelled when the answer is no longer needed."""


class Approval(StrEnum):
    """What the terminal does when the assistant must ask."""

    ASK = "ask"
    ALWAYS = "always"
    NEVER = "never"
