"""What a user is asked before a tool runs, and what comes of it, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from pydantic import JsonValue

from agents.calls import Row
from agents.permissions.approvals.models import ApprovalState
from agents.tools.spec.tool import Risk


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """A row as it is and as it would be; None where there is none."""

    before: Row | None
    after: Row | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where a question comes from: a user's turn, and the device that can be asked (empty: none in particular)."""

    user_id: UUID
    request_id: str
    session_id: str = ""
    device_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What a tool would do. ``plan`` is the same text whenever it would do the same to the same row."""

    tool: str
    risk: Risk
    arguments: Mapping[str, JsonValue] = field(repr=False)
    summary: str = field(repr=False)
    preview: Preview | None = field(repr=False)
    plan: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A wish as it is put to the user, under the id that the answer names."""

    id: UUID
    request_id: str
    tool: str
    risk: Risk
    arguments: Mapping[str, JsonValue] = field(repr=False)
    summary: str = field(repr=False)
    preview: Preview | None = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a user answers. ``remember`` lets it hold for every later call of the tool."""

    approved: bool
    reason: str = field(default="", repr=False)
    remember: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """Where a question stands; ``reason`` is what the user said to a refusal."""

    id: UUID
    state: ApprovalState
    expires_at: datetime
    reason: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """An answer that was taken. ``waited_at``: when a turn was last there to hear it."""

    id: UUID
    user_id: UUID
    request_id: str
    state: ApprovalState
    waited_at: datetime | None
    remembered: bool
