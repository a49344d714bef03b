"""Messages about jobs, with a queue that is sometimes unreachable."""

import asyncio
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.jobs import service
from agents.jobs.dispatch import JobDispatch
from agents.jobs.memory import MemoryQueue
from agents.jobs.models import JobState, ToolJob
from agents.jobs.queue import Message, QueueUnavailable, ToolExecution
from agents.jobs.records import JobStatus, NewJob
from agents.requests import RequestOrigin
from tests.agents.jobs.making import ASKED, make
from tests.chat.sockets import WAIT_S

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class FailingQueue(MemoryQueue):
    """A durable queue that accepts this many messages and is unreachable afterwards."""

    takes: int
    asked: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.is_durable = True

    async def publish(self, message: Message) -> None:
        self.asked.append(message)
        if len(self.asked) > self.takes:
            raise QueueUnavailable
        await super().publish(message)


async def test_publishing_stops_at_first_failure_and_sweep_publishes_rest(alice: User) -> None:
    queue = FailingQueue(takes=1)
    dispatch = JobDispatch(queue=queue, clock=lambda: datetime.now(UTC))
    made: list[JobStatus] = [
        await database_sync_to_async(make)(alice, request=str(number), now=datetime(2026, 3, 29, tzinfo=UTC))
        for number in range(4)
    ]
    await dispatch.publish([job.id for job in made])

    assert [message.job_id for message in queue.asked] == [made[0].id, made[1].id]
    unpublished = ToolJob.objects.filter(published_at=None)
    assert {job_id async for job_id in unpublished.values_list("id", flat=True)} == {job.id for job in made[1:]}
    queue.takes = 100
    await dispatch.sweep()
    assert not await unpublished.aexists()


async def test_sweep_does_not_repeat_message_in_memory_queue(alice: User) -> None:
    queue = MemoryQueue()
    dispatch = JobDispatch(queue=queue, clock=lambda: datetime.now(UTC))
    job: JobStatus = await database_sync_to_async(make)(alice, now=datetime(2026, 3, 29, tzinfo=UTC))
    await ToolJob.objects.filter(id=job.id).aupdate(created_at=datetime(2026, 3, 29, tzinfo=UTC))
    await dispatch.publish([job.id])
    await dispatch.sweep()

    assert queue.take(ToolExecution) is not None
    assert queue.take(ToolExecution) is None


async def test_cancelling_start_cancels_job_being_created(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    queue, creating, go_on, create = MemoryQueue(), asyncio.Event(), threading.Event(), service.create
    loop = asyncio.get_running_loop()

    def slow(*args: Any, **kwargs: Any) -> JobStatus:
        loop.call_soon_threadsafe(creating.set)
        assert go_on.wait(WAIT_S)
        return create(*args, **kwargs)

    monkeypatch.setattr(service, "create", slow)
    dispatch = JobDispatch(queue=queue, clock=lambda: datetime.now(UTC))
    origin = RequestOrigin(user_id=alice.id, request_id="1", session_id="", device_id="laptop")
    starting = asyncio.create_task(dispatch.start(origin, NewJob(tool="plan_project", arguments={}, asked=ASKED)))
    await creating.wait()
    starting.cancel()
    loop.call_soon(go_on.set)
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert (await ToolJob.objects.aget()).state == JobState.CANCELLED
