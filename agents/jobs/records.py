"""Jobs as values, and how the encrypted columns of their rows are read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import JsonValue, TypeAdapter

from accounts.keys.vault import Vault
from agents.jobs.models import JobState, ToolJob
from agents.scopes import AnyScope


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """An earlier message of the conversation."""

    role: Literal["user", "assistant", "system"]
    content: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a user asked, with all that a worker needs to answer as the turn would have. ``language`` is an IETF tag."""

    message: str = field(repr=False)
    history: tuple[Said, ...] = field(default=(), repr=False)
    scope: AnyScope | None = field(default=None, repr=False)
    language: str
    timezone: ZoneInfo
    shown: JsonValue = field(default=None, repr=False)
    """What the user was shown of the tool's change when they approved it. The tool runs only if it is still true."""
    model: str | None = None
    """The model that was chosen, if any."""
    foreign: bool = False
    """Whether any of this may repeat foreign text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewJob:
    """A tool call that is to become a job. ``label`` is the tool's fixed label, empty if it has none."""

    tool: str
    label: str = ""
    arguments: Mapping[str, JsonValue] = field(repr=False)
    asked: Asked


@dataclass(frozen=True, kw_only=True, slots=True)
class JobStatus:
    """The status of a job, without any of the user's text. ``fraction`` is the progress, 0 to 1."""

    id: UUID
    user_id: UUID
    request_id: str
    session_id: str
    device_id: str
    tool: str
    label: str
    state: JobState
    fraction: float | None
    cancel_requested: bool
    created_at: datetime
    updated_at: datetime
    """When its state last changed, as far as that is stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobReport:
    """A job for its user: ``response`` if it is done, ``failure`` if it has failed, both in sentences."""

    status: JobStatus
    response: str | None = field(repr=False)
    failure: str | None = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimedJob:
    """A job that a run holds, and what it is to do. ``attempt`` counts from 1; ``program`` and ``queued_at`` are those
    of ``ToolJob``.
    """

    status: JobStatus
    arguments: Mapping[str, JsonValue] = field(repr=False)
    asked: Asked
    attempt: int
    program: str = ""
    queued_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepResult:
    """What a sweep found: the jobs to ``publish`` again, those that it ended, and when the oldest one was queued."""

    publish: tuple[UUID, ...]
    ended: tuple[JobStatus, ...]
    queued_since: datetime | None = None


_ASKED: Final = TypeAdapter(Asked)


def status_of(row: ToolJob) -> JobStatus:
    """The status of the job in ``row``."""
    return JobStatus(
        id=row.id,
        user_id=row.user_id,
        request_id=row.request_id,
        session_id=row.session_id,
        device_id=row.device_id,
        tool=row.tool,
        label=row.label,
        state=JobState(row.state),
        fraction=row.fraction,
        cancel_requested=row.cancel_requested_at is not None,
        created_at=row.created_at,
        updated_at=max(filter(None, (row.created_at, row.started_at, row.waiting_since, row.finished_at))),
    )


def asked_text(asked: Asked) -> str:
    """``asked`` as JSON."""
    return json.dumps(_ASKED.dump_python(asked, mode="json"))


def arguments_in(row: ToolJob, vault: Vault) -> dict[str, JsonValue]:
    """The arguments of the tool. Raises ``EncryptionError``."""
    arguments: dict[str, JsonValue] = json.loads(vault.open(row, "arguments_encrypted"))
    return arguments


def asked_in(row: ToolJob, vault: Vault) -> Asked:
    """What was asked. Raises ``EncryptionError``, and ``ValidationError`` if a release wrote it in another form."""
    return _ASKED.validate_python(asked_as_stored(row, vault))


def asked_as_stored(row: ToolJob, vault: Vault) -> dict[str, Any]:
    """What was asked, as JSON in the form of the release that wrote it. Raises ``EncryptionError``."""
    asked: dict[str, Any] = json.loads(vault.open(row, "asked_encrypted"))
    return asked


def text_in(row: ToolJob, column: str, vault: Vault) -> str | None:
    """The text in ``column``; None if it is empty. Raises ``EncryptionError``."""
    return vault.open(row, column) if getattr(row, column) else None
