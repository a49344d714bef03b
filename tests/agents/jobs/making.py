"""Creates jobs for tests, in every state."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from accounts.models import User
from agents.jobs import service
from agents.jobs.models import JobState, ToolJob
from agents.jobs.records import Asked, ClaimedJob, JobStatus, NewJob, Said
from agents.requests import RequestOrigin
from agents.scopes import PopupScope, PopupScopeType

NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
LEASE = timedelta(seconds=60)
REQUEST = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"
ARGUMENTS: Mapping[str, JsonValue] = {"project_id": "p1", "weeks": 3}
ASKED = Asked(
    message="Plan the secret garden",
    history=(Said(role="user", content="Roses, please"), Said(role="assistant", content="How many?")),
    scope=PopupScope(type=PopupScopeType.PROJECT, id="p1"),
    language="it",
    timezone=ZoneInfo("Europe/Rome"),
)


def make(
    user: User,
    *,
    now: datetime = NOW,
    request: str = REQUEST,
    tool: str = "plan_project",
    device: str = "laptop",
    arguments: Mapping[str, JsonValue] = ARGUMENTS,
    approved: bool = True,
    asked: Asked = ASKED,
    program: str = "",
    most: int | None = None,
) -> JobStatus:
    origin = RequestOrigin(user_id=user.id, request_id=request, session_id="s", device_id=device, program=program)
    new = NewJob(tool=tool, label="Planning", arguments=arguments, asked=asked)
    return service.create(origin, new, now=now, approved=approved, most=most)


def claim(job_id: UUID, owner: str = "run", *, now: datetime = NOW) -> ClaimedJob | None:
    return service.claim(job_id, owner, now=now, lease=LEASE)


def begun(user: User, owner: str = "run", **wanted: str) -> UUID:
    """A job claimed by ``owner``."""
    job_id = make(user, **wanted).id  # type: ignore[arg-type] # names only
    assert claim(job_id, owner) is not None
    return job_id


def waiting(user: User, **wanted: str) -> UUID:
    """A job waiting for its device."""
    job_id = begun(user, **wanted)
    assert service.keep_waiting(job_id, "run", now=NOW) is JobState.WAITING_DEVICE
    return job_id


def done(user: User, response: str = "The garden is planned.", **wanted: str) -> UUID:
    """A job that has succeeded."""
    job_id = begun(user, **wanted)
    assert service.finish(job_id, "run", response, now=NOW) is JobState.DONE
    return job_id


def state_of(job_id: UUID) -> str:
    return ToolJob.objects.get(id=job_id).state
