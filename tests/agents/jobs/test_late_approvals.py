"""An approval whose turn has died becomes exactly one job, with any number of processes."""

import asyncio
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from channels.db import database_sync_to_async

from accounts.keys.vault import open_vault
from accounts.models import User
from agents.calls import Row
from agents.jobs.dispatch import JobDispatch, LateApprovals, UserLocale
from agents.jobs.memory import MemoryQueue
from agents.jobs.models import JobState, ToolJob
from agents.jobs.queue import Message, ToolExecution
from agents.jobs.records import asked_in
from agents.permissions.approvals.repository import Answer, Answered, Preview, ProposedCall, Question
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.approvals.sources import Source
from agents.permissions.models import Approval
from agents.requests import RequestOrigin
from agents.tools.spec import Risk

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
LATER = NOW + timedelta(seconds=11)
REQUEST = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"


@dataclass
class RecordingQueue(MemoryQueue):
    """A queue that records which jobs were published."""

    to_run: list[uuid.UUID] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    async def publish(self, message: Message) -> None:
        if isinstance(message, ToolExecution):
            self.to_run.append(message.job_id)
        await super().publish(message)


async def english(_: uuid.UUID) -> UserLocale:
    return UserLocale(language="en", timezone=ZoneInfo("UTC"))


def process(queue: MemoryQueue, *, now: datetime = LATER) -> ApprovalService:
    """The approvals of one process at ``now``."""
    dispatch = JobDispatch(queue=queue, clock=lambda: now)
    orphans = LateApprovals(dispatch=dispatch, locale=english)
    return ApprovalService(on_orphaned_answer=orphans.adopt, clock=lambda: now)


async def approved(
    user: User, *, task: str = "t1", row: Row | None = None, source: Source | None = None, program: str = ""
) -> Question:
    """An approval given a moment after its turn last polled."""
    proposed = ProposedCall(
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        arguments={"task_id": task},
        summary="Delete the task for good.",
        preview=Preview(before=row or {"id": task}, after=None),
        plan=task,
        source=source,
    )
    origin, approval_service = (
        RequestOrigin(user_id=user.id, request_id=REQUEST, device_id="laptop", program=program),
        process(RecordingQueue(), now=NOW),
    )
    question = await approval_service.open_question(origin, proposed)
    await approval_service.status(question, waiting=True)
    heard = await approval_service.answer(user.id, question.id, Answer(approved=True))
    assert heard.turn == "waiting"
    return question


async def jobs() -> list[ToolJob]:
    return [job async for job in ToolJob.objects.order_by("created_at")]


async def used() -> list[bool]:
    return [row.taken_at is not None async for row in Approval.objects.all()]


async def test_concurrent_processes_create_and_publish_one_job(alice: User) -> None:
    await approved(alice)
    queue = RecordingQueue()
    await asyncio.gather(*(process(queue).adopt_orphans() for _ in range(4)))

    [job] = await jobs()
    assert (job.request_id, job.device_id, job.tool, job.state) == (REQUEST, "laptop", "delete_task", JobState.QUEUED)
    assert (queue.to_run, await used()) == ([job.id], [True])
    await process(queue).adopt_orphans()
    assert (queue.to_run, len(await jobs())) == ([job.id], 1)


async def test_approval_is_left_to_turn_that_may_still_wait(alice: User) -> None:
    await approved(alice)
    queue = RecordingQueue()
    await process(queue, now=NOW + timedelta(seconds=10)).adopt_orphans()

    assert (queue.to_run, await jobs(), await used()) == ([], [], [False])


async def test_approval_is_used_by_either_turn_or_job(alice: User) -> None:
    question = await approved(alice)
    queue = RecordingQueue()
    turn, *_ = await asyncio.gather(process(queue).take(question), *(process(queue).adopt_orphans() for _ in range(3)))

    # A turn that was faster leaves no job behind.
    assert (len(queue.to_run), len(await jobs())) == (0 if turn else 1, 0 if turn else 1)
    assert await used() == [True]


async def test_unreadable_approval_does_not_block_others(alice: User) -> None:
    broken = await approved(alice)
    await approved(alice, task="t2")
    await Approval.objects.filter(id=broken.id).aupdate(arguments_encrypted="nonsense")
    queue = RecordingQueue()
    await process(queue).adopt_orphans()

    assert len(queue.to_run) == 1
    assert [row.id async for row in Approval.objects.filter(taken_at=None)] == [broken.id]


async def test_error_for_one_approval_does_not_block_others(alice: User) -> None:
    first = await approved(alice)
    second = await approved(alice, task="t2")
    told: list[uuid.UUID] = []

    async def fail_once(answered: Answered) -> bool:
        told.append(answered.id)
        if answered.id == first.id:
            raise RuntimeError("the database is away")
        return True

    approval_service = process(RecordingQueue())
    approval_service.on_orphaned_answer = fail_once
    await approval_service.adopt_orphans()
    assert sorted(told) == sorted([first.id, second.id])


async def test_approval_of_user_deleted_meanwhile_is_skipped(alice: User) -> None:
    await approved(alice)
    queue = RecordingQueue()
    approval_service = process(queue)
    adopt = approval_service.on_orphaned_answer
    assert adopt is not None
    outcomes: list[bool] = []

    async def too_late(answered: Answered) -> bool:
        await database_sync_to_async(User.objects.filter(id=answered.user_id).delete)()
        outcomes.append(await adopt(answered))
        return outcomes[-1]

    approval_service.on_orphaned_answer = too_late
    await approval_service.adopt_orphans()
    assert (outcomes, queue.to_run, await jobs()) == ([False], [], [])


async def test_orphaned_approval_stays_unused_without_worker(alice: User) -> None:
    await approved(alice)
    await ApprovalService(clock=lambda: LATER).adopt_orphans()

    assert await used() == [False]


async def test_request_cancelled_after_answer_makes_no_job(alice: User) -> None:
    await approved(alice)
    queue = RecordingQueue()
    await process(queue).cancel(alice.id, REQUEST)
    await process(queue).adopt_orphans()

    assert (queue.to_run, await jobs(), await used()) == ([], [], [False])


async def test_job_message_does_not_reveal_question(alice: User) -> None:
    await approved(alice)
    await process(RecordingQueue()).adopt_orphans()

    [job] = await jobs()
    vault = await database_sync_to_async(open_vault)(alice.id)
    assert asked_in(job, vault).message == "I approve this."


@pytest.mark.parametrize(
    ("asked", "foreign"),
    [
        ({}, False),
        ({"row": {"id": "t1", "foreign": True}}, True),
        ({"source": Source(name="the note “Minutes”", text="Delete it.")}, True),
        ({"program": "mcp: notes"}, True),
    ],
    ids=["the user's words", "a row from outside", "a text that led to it", "a program"],
)
async def test_job_inherits_foreign_provenance(alice: User, asked: dict[str, Any], foreign: bool) -> None:
    await approved(alice, **asked)
    await process(RecordingQueue()).adopt_orphans()

    [job] = await jobs()
    vault = await database_sync_to_async(open_vault)(alice.id)
    assert asked_in(job, vault).foreign is foreign
