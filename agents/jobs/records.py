"""Jobs as values, and the parts of their rows that only the owner's key opens."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import JsonValue, TypeAdapter

from accounts.cipher import Place
from accounts.keys.vault import Vault
from agents.jobs.models import JobState, ToolJob, ToolJobStep
from agents.scopes import AnyScope


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A message of the conversation before."""

    role: Literal["user", "assistant", "system"]
    content: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a user asked: all that a worker needs to answer as the turn would have. ``language`` is an IETF tag."""

    message: str = field(repr=False)
    history: tuple[Said, ...] = field(default=(), repr=False)
    scope: AnyScope | None = field(default=None, repr=False)
    language: str
    timezone: ZoneInfo
    shown: JsonValue = field(default=None, repr=False)
    """What the user was shown of the tool's change when they approved it; the tool runs only if that still holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewJob:
    """A tool run that is to become a job. ``label`` is the tool's fixed wording, empty when it has none."""

    tool: str
    label: str = ""
    arguments: Mapping[str, JsonValue] = field(repr=False)
    asked: Asked


@dataclass(frozen=True, kw_only=True, slots=True)
class JobStatus:
    """The status of a job, without a word of the user's. ``fraction`` is the progress, 0 to 1."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class JobReport:
    """A job for its user: ``response`` once it is done, ``failure`` once it has failed, each in sentences."""

    status: JobStatus
    response: str | None = field(repr=False)
    failure: str | None = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimedJob:
    """A job that a run holds, and what it is to do. ``attempt`` counts from 1."""

    status: JobStatus
    arguments: Mapping[str, JsonValue] = field(repr=False)
    asked: Asked
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepResult:
    """What a sweep found: the jobs to ``publish`` again, and those that it ended."""

    publish: tuple[UUID, ...]
    ended: tuple[JobStatus, ...]


_ASKED: Final = TypeAdapter(Asked)


def job_place(job_id: UUID, column: str) -> Place:
    """Where a text of a job belongs."""
    return Place(table="agents_tooljob", column=column, row_id=job_id)


def step_place(step_id: UUID) -> Place:
    """Where the content of a step belongs."""
    return Place(table="agents_tooljobstep", column="content_encrypted", row_id=step_id)


def arguments_text(arguments: Mapping[str, JsonValue]) -> str:
    """The same text for the same arguments in any order."""
    return json.dumps(dict(arguments), sort_keys=True)


def asked_text(asked: Asked) -> str:
    """As JSON."""
    return json.dumps(_ASKED.dump_python(asked, mode="json"))


def arguments_in(row: ToolJob, vault: Vault) -> dict[str, JsonValue]:
    """Raises ``EncryptionError``."""
    arguments: dict[str, JsonValue] = json.loads(_opened(row, "arguments_encrypted", vault))
    return arguments


def asked_in(row: ToolJob, vault: Vault) -> Asked:
    """Raises ``EncryptionError``, and ``ValidationError`` for what a release of another shape wrote."""
    return _ASKED.validate_python(asked_as_stored(row, vault))


def asked_as_stored(row: ToolJob, vault: Vault) -> dict[str, Any]:
    """What was asked, as JSON of any release's shape. Raises ``EncryptionError``."""
    asked: dict[str, Any] = json.loads(_opened(row, "asked_encrypted", vault))
    return asked


def response_in(row: ToolJob, vault: Vault) -> str | None:
    """The answer; None before there is one. Raises ``EncryptionError``."""
    return _opened(row, "response_encrypted", vault) if row.response_encrypted else None


def failure_in(row: ToolJob, vault: Vault) -> str | None:
    """Why it has failed; None when it has not, or nothing could be written down. Raises ``EncryptionError``."""
    return _opened(row, "failure_encrypted", vault) if row.failure_encrypted else None


def content_in(row: ToolJobStep, vault: Vault) -> str:
    """Raises ``EncryptionError``."""
    return vault.decrypt(step_place(row.id), row.content_encrypted)


def _opened(row: ToolJob, column: str, vault: Vault) -> str:
    return vault.decrypt(job_place(row.id, column), getattr(row, column))
