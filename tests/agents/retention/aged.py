"""Rows of every kind, of any age."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from threading import Event, Thread
from typing import Final
from uuid import UUID, uuid4

from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import Model

from accounts.idempotency import IdempotentAnswer
from accounts.models import User
from accounts.session_models import Device
from agents.calls import Table
from agents.dialogues.models import Dialogue
from agents.jobs.models import JobState, ToolJob, ToolJobStep
from agents.permissions.models import Approval, ApprovalState, Disclosure
from agents.requests import RequestKind
from agents.retention import RetentionDays
from agents.telemetry.models import TurnRecord, TurnTool
from agents.telemetry.turns import TurnOutcome, TurnSource
from agents.tools.spec import Risk
from memory.revisions import ForgottenRows, MemoryRevision

NOW: Final = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
DAY: Final = timedelta(days=1)
A_MOMENT: Final = timedelta(milliseconds=1)
_numbers: Final = count(1)
KEPT: Final = RetentionDays(jobs=90, disclosures=365, turns=60, dialogues=30, removed_devices=90)


def job(
    user: User, ended: datetime, *, state: JobState = JobState.DELIVERED, request: str | None = None, steps: int = 0
) -> ToolJob:
    """A job that has ended in ``state``, and whose end was reported then if the state is ``delivered``."""
    made = ToolJob.objects.create(
        user=user,
        request_id=request or str(uuid4()),
        tool="plan",
        state=state,
        response_encrypted="v1:x" if state in (JobState.DONE, JobState.DELIVERED) else "",
        created_at=ended - DAY,
        finished_at=ended,
        delivered_at=ended if state is JobState.DELIVERED else None,
    )
    for number in range(steps):
        ToolJobStep.objects.create(job=made, user=user, number=number + 1, name=str(number), created_at=ended - DAY)
    return made


def job_under_way(user: User, state: JobState, since: datetime, *, request: str | None = None) -> ToolJob:
    running, waiting = state is JobState.RUNNING, state in (JobState.WAITING_APPROVAL, JobState.WAITING_DEVICE)
    made = ToolJob.objects.create(
        user=user,
        request_id=request or str(uuid4()),
        tool="plan",
        state=state,
        created_at=since,
        attempts=int(running),
        claimed_by="run" if running else "",
        lease_until=since if running else None,
        started_at=since if running else None,
        waiting_since=since if waiting else None,
    )
    ToolJobStep.objects.create(job=made, user=user, number=1, name="said plan", created_at=since)
    return made


def approval(
    user: User, lapsed: datetime, *, state: ApprovalState = ApprovalState.REFUSED, request: str | None = None
) -> Approval:
    """An approval that could be answered in the five minutes before ``lapsed``."""
    return Approval.objects.create(
        user=user,
        request_id=request or str(uuid4()),
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        state=state,
        created_at=lapsed - timedelta(minutes=5),
        expires_at=lapsed,
    )


def disclosure(user: User, at: datetime, *, job_id: UUID | None = None) -> Disclosure:
    return Disclosure.objects.create(
        user=user,
        request_id="r",
        source=RequestKind.HOME,
        job_id=job_id,
        model="large",
        left_server=True,
        table=Table.TASKS.value,
        row_count=1,
        at=at,
    )


def turn(user: User, began: datetime, *tools: str) -> TurnRecord:
    made = TurnRecord.objects.create(
        user=user,
        request_id="r",
        kind=RequestKind.HOME.value,
        source=TurnSource.SOCKET.value,
        started_at=began,
        duration_ms=1,
        tool_calls=len(tools),
        outcome=TurnOutcome.DONE.value,
    )
    for tool in tools:
        TurnTool.objects.create(turn=made, started_at=began, tool=tool, calls=1)
    return made


def dialogue(user: User, silent_since: datetime) -> Dialogue:
    return Dialogue.objects.create(user=user, model="large", created_at=silent_since, updated_at=silent_since)


def device(user: User, name: str, *, removed: datetime | None) -> Device:
    made = Device(user=user, first_seen=NOW - 365 * DAY, last_seen=NOW - 200 * DAY, removed_at=removed)
    made.device_id = name
    made.save(force_insert=True)
    return made


def kept_answer(user: User, given: datetime) -> IdempotentAnswer:
    return IdempotentAnswer.objects.create(user=user, key_digest=uuid4().hex, status=200, created_at=given)


def forgotten_rows(user: User, at: datetime) -> ForgottenRows:
    counter, _ = MemoryRevision.objects.get_or_create(user=user)
    return ForgottenRows.objects.create(counter=counter, revision=next(_numbers), previous=0, row_ids=[], created_at=at)


def staff_session(expired: datetime) -> Session:
    return Session.objects.create(session_key=uuid4().hex, session_data="", expire_date=expired)


@contextmanager
def locked_elsewhere(*rows: Model) -> Iterator[None]:
    """``rows`` are locked by another connection until the end of the block."""
    locked, done = Event(), Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                for row in rows:
                    type(row)._default_manager.select_for_update().get(pk=row.pk)
                locked.set()
                done.wait(30)
        finally:
            connection.close()

    holding = Thread(target=hold)
    holding.start()
    try:
        assert locked.wait(10)
        yield
    finally:
        done.set()
        holding.join()
