from dataclasses import replace
from datetime import timedelta

import pytest

from accounts.database import in_database
from accounts.models import User
from agents.errors import JobOver
from agents.jobs import journal, service
from agents.jobs.models import JobState
from agents.jobs.records import NewJob
from agents.jobs.service import MAX_WAIT, end_overdue, sweep
from agents.requests import RequestOrigin
from tests.agents.jobs.making import ARGUMENTS, ASKED, LEASE, NOW

pytestmark = pytest.mark.django_db(transaction=True)

NEW = NewJob(tool="plan_project", arguments=ARGUMENTS, asked=ASKED)


@pytest.fixture
def origin(alice: User) -> RequestOrigin:
    return RequestOrigin(user_id=alice.id, request_id="1", session_id="s", device_id="laptop")


async def test_job_runs_through_its_states_from_event_loop(origin: RequestOrigin) -> None:
    job = await in_database(service.create, origin, NEW, now=NOW)
    await in_database(service.published, [job.id], now=NOW)
    claimed = await in_database(service.claim, job.id, "a", now=NOW, lease=LEASE)
    assert claimed is not None
    assert (claimed.status.id, claimed.asked) == (job.id, ASKED)
    assert await in_database(journal.step, job.id, "a", "plan", "Roses first", now=NOW) == "Roses first"
    assert await in_database(service.progress, job.id, "a", fraction=0.5, label="Planning") is True
    assert await in_database(service.keep_waiting, job.id, "a", now=NOW) is JobState.WAITING_DEVICE

    assert await in_database(service.device_back, origin.user_id, "laptop") == [job.id]
    assert await in_database(service.claim, job.id, "b", now=NOW, lease=LEASE) is not None
    assert await in_database(journal.steps, job.id) == {"plan": "Roses first"}
    assert await in_database(service.retry_or_fail, job.id, "b", "It broke", now=NOW) is JobState.QUEUED

    assert await in_database(service.claim, job.id, "c", now=NOW, lease=LEASE) is not None
    assert await in_database(service.renew, job.id, "c", now=NOW, lease=LEASE) is True
    assert await in_database(service.cancel_if_asked, job.id, "c", now=NOW) is False
    assert await in_database(service.finish, job.id, "c", "Planned.", now=NOW) is JobState.DONE
    [report] = await in_database(service.undelivered, origin.user_id, "laptop")
    assert (report.response, report) == ("Planned.", await in_database(service.look, job.id))
    assert await in_database(service.delivered, origin.user_id, job.id, now=NOW) is True
    with pytest.raises(JobOver):
        await in_database(service.request_cancel, origin.user_id, job.id, now=NOW)


async def test_jobs_are_cancelled_failed_and_swept_from_event_loop(origin: RequestOrigin) -> None:
    job = await in_database(service.create, origin, NEW, now=NOW)
    later = NOW + timedelta(minutes=1)
    assert (await in_database(sweep, now=later)).publish == (job.id,)
    assert await in_database(service.claim, job.id, "a", now=NOW, lease=LEASE) is not None
    assert await in_database(service.fail, job.id, "a", "No such project.", now=NOW) is JobState.FAILED

    other = await in_database(service.create, RequestOrigin(user_id=origin.user_id, request_id="2"), NEW, now=NOW)
    assert (await in_database(service.request_cancel, origin.user_id, other.id, now=NOW)).state is JobState.CANCELLED

    unapproved = await in_database(service.create, replace(origin, request_id="3"), NEW, now=NOW, approved=False)
    [ended] = await in_database(end_overdue, now=NOW + MAX_WAIT)
    assert (ended.id, ended.state) == (unapproved.id, JobState.FAILED)
