from dataclasses import replace
from datetime import timedelta

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.errors import JobOver
from agents.jobs.models import JobState
from agents.jobs.records import NewJob
from agents.jobs.rows import create
from agents.jobs.store import DatabaseJobs, JobStore
from agents.jobs.sweep import LONGEST_WAIT
from agents.permissions.approvals.questions import Origin
from tests.agents.jobs.making import ARGUMENTS, ASKED, LEASE, NOW

pytestmark = pytest.mark.django_db(transaction=True)

NEW = NewJob(tool="plan_project", arguments=ARGUMENTS, asked=ASKED)


@pytest.fixture
def store() -> JobStore:
    return DatabaseJobs()


@pytest.fixture
def origin(alice: User) -> Origin:
    return Origin(user_id=alice.id, request_id="1", session_id="s", device_id="laptop")


async def test_a_job_goes_its_way_over_the_port(store: JobStore, origin: Origin) -> None:
    job = await store.create(origin, NEW, now=NOW)
    await store.published([job.id], now=NOW)
    claimed = await store.claim(job.id, "a", now=NOW, lease=LEASE)
    assert claimed is not None
    assert (claimed.standing.id, claimed.asked) == (job.id, ASKED)
    assert await store.step(job.id, "a", "plan", "Roses first", now=NOW) == "Roses first"
    assert await store.progress(job.id, "a", fraction=0.5, label="Planning") is True
    assert await store.keep_waiting(job.id, "a", now=NOW) is JobState.WAITING_DEVICE

    assert await store.device_back(origin.user_id, "laptop") == [job.id]
    assert await store.claim(job.id, "b", now=NOW, lease=LEASE) is not None
    assert await store.steps(job.id) == {"plan": "Roses first"}
    assert await store.retry_or_fail(job.id, "b", "It broke", now=NOW) is JobState.QUEUED

    assert await store.claim(job.id, "c", now=NOW, lease=LEASE) is not None
    assert await store.renew(job.id, "c", now=NOW, lease=LEASE) is True
    assert await store.cancel_if_asked(job.id, "c", now=NOW) is False
    assert await store.finish(job.id, "c", "Planned.", now=NOW) is JobState.DONE
    [report] = await store.undelivered(origin.user_id, "laptop")
    assert (report.response, report) == ("Planned.", await store.look(job.id))
    assert await store.delivered(origin.user_id, job.id, now=NOW) is True
    with pytest.raises(JobOver):
        await store.request_cancel(origin.user_id, job.id, now=NOW)


async def test_jobs_are_cancelled_failed_and_swept_over_the_port(store: JobStore, origin: Origin) -> None:
    job = await store.create(origin, NEW, now=NOW)
    later = NOW + timedelta(minutes=1)
    assert (await store.sweep(now=later)).publish == (job.id,)
    assert await store.claim(job.id, "a", now=NOW, lease=LEASE) is not None
    assert await store.fail(job.id, "a", "No such project.", now=NOW) is JobState.FAILED

    other = await store.create(Origin(user_id=origin.user_id, request_id="2"), NEW, now=NOW)
    assert (await store.request_cancel(origin.user_id, other.id, now=NOW)).state is JobState.CANCELLED

    unapproved = await database_sync_to_async(create)(replace(origin, request_id="3"), NEW, now=NOW, approved=False)
    [ended] = await store.end_overdue(now=NOW + LONGEST_WAIT)
    assert (ended.id, ended.state) == (unapproved.id, JobState.FAILED)
