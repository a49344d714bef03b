"""Jobs as values: what one is to do, where it stands, what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.jobs.models import JobState
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
class JobStanding:
    """Where a job stands: nothing here is the user's words. ``fraction`` is what is done, 0 to 1."""

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
    """What a user is told of a job: ``response`` once it is done, ``failure`` when it has failed, each a sentence."""

    standing: JobStanding
    response: str | None = field(repr=False)
    failure: str | None = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimedJob:
    """A job that a run holds, and what it is to do. ``attempt`` counts from 1."""

    standing: JobStanding
    arguments: Mapping[str, JsonValue] = field(repr=False)
    asked: Asked
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Swept:
    """What a sweep found: the jobs to ``publish`` again, and those that it ended, whose users are to be told."""

    publish: tuple[UUID, ...]
    ended: tuple[JobStanding, ...]
