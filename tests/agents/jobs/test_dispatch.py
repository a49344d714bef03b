"""Messages about jobs, with a queue that is sometimes unreachable."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.jobs.dispatch import JobDispatch
from agents.jobs.memory import MemoryQueue
from agents.jobs.models import ToolJob
from agents.jobs.queue import Message, QueueUnavailable
from agents.jobs.records import JobStatus
from tests.agents.jobs.making import make

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Fickle(MemoryQueue):
    """A queue that accepts this many messages and is unreachable afterwards."""

    takes: int
    asked: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    async def publish(self, message: Message) -> None:
        self.asked.append(message)
        if len(self.asked) > self.takes:
            raise QueueUnavailable
        await super().publish(message)


async def test_queue_that_goes_away_is_not_tried_for_every_job_and_the_rest_is_found_later(alice: User) -> None:
    queue = Fickle(takes=1)
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
