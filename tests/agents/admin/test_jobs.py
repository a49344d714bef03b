"""Staff cancel and retry jobs, as their users could, with a reason that is recorded."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.test import Client

from accounts.audit import reason_of
from accounts.models import AuditEvent, User
from agents.jobs import service
from agents.jobs.models import JobState, ToolJob
from agents.jobs.service import ATTEMPTS, MAX_WAIT
from tests.accounts.admin.conftest import may, signed_in
from tests.agents.jobs.making import NOW, begun, claim, done, make, state_of, waiting

JOBS = "/admin/agents/tooljob/"
REASON = "Its user asked us to, by telephone."


def acted(client: Client, job_id: UUID, action: str) -> int:
    return client.post(f"{JOBS}{job_id}/{action}/", {"confirmed": "yes", "reason": REASON}).status_code


def failed(user: User, **wanted: str) -> UUID:
    job_id = begun(user, **wanted)
    assert service.fail(job_id, "run", "The model was away.", now=NOW) is JobState.FAILED
    return job_id


def events() -> list[tuple[str, UUID, UUID | None, str]]:
    return [(each.action, each.subject_id, each.object_id, reason_of(each)) for each in AuditEvent.objects.all()]


def test_cancelling_ends_waiting_job_and_is_audited(as_superuser: Client, alice: User) -> None:
    job_id = waiting(alice)
    assert acted(as_superuser, job_id, "cancel") == 302
    assert (state_of(job_id), events()) == (JobState.CANCELLED, [("cancel", alice.id, job_id, REASON)])


def test_cancelling_asks_running_job_to_stop(as_superuser: Client, alice: User) -> None:
    job_id = begun(alice)
    assert acted(as_superuser, job_id, "cancel") == 302
    job = ToolJob.objects.get()
    assert (job.state, job.cancel_requested_at is not None) == (JobState.RUNNING, True)


def test_retry_queues_failed_job_as_new(as_superuser: Client, alice: User) -> None:
    job_id = failed(alice)

    assert acted(as_superuser, job_id, "retry") == 302

    assert events() == [("retry", alice.id, job_id, REASON)]
    assert service.sweep(now=NOW + timedelta(seconds=30)).publish == (job_id,)
    again = claim(job_id)
    assert again is not None
    assert (again.attempt, again.arguments) == (1, {"project_id": "p1", "weeks": 3})
    assert service.finish(job_id, "run", "Done.", now=NOW) is JobState.DONE
    assert service.delivered(alice.id, job_id, now=NOW)


def test_retried_job_waits_for_its_device_from_the_start(as_superuser: Client, alice: User) -> None:
    job_id = waiting(alice)
    service.end_overdue(now=NOW + MAX_WAIT)
    assert state_of(job_id) == JobState.FAILED

    assert acted(as_superuser, job_id, "retry") == 302

    claim(job_id, now=NOW + MAX_WAIT)
    service.keep_waiting(job_id, "run", now=NOW + MAX_WAIT)
    assert service.end_overdue(now=NOW + MAX_WAIT + timedelta(hours=1)) == ()


@pytest.mark.parametrize("end", ["done", "cancelled", "shown", "not approved"])
def test_only_undelivered_failed_run_is_retried(as_superuser: Client, alice: User, end: str) -> None:
    if end == "done":
        job_id = done(alice)
    elif end == "cancelled":
        job_id = waiting(alice)
        service.request_cancel(alice.id, job_id, now=NOW)
    elif end == "shown":
        job_id = failed(alice)
        service.delivered(alice.id, job_id, now=NOW)
    else:
        job_id = make(alice, approved=False).id
        service.end_overdue(now=NOW + MAX_WAIT)
    before = state_of(job_id)

    assert f"{job_id}/retry/" not in as_superuser.get(f"{JOBS}{job_id}/change/").content.decode()
    assert acted(as_superuser, job_id, "retry") == 302
    assert (state_of(job_id), events()) == (before, [])


def test_finished_job_is_not_cancelled(as_superuser: Client, alice: User) -> None:
    job_id = done(alice)
    assert f"{job_id}/cancel/" not in as_superuser.get(f"{JOBS}{job_id}/change/").content.decode()
    assert acted(as_superuser, job_id, "cancel") == 302
    assert (state_of(job_id), events()) == (JobState.DONE, [])


def test_page_offers_only_actions_that_job_allows(as_superuser: Client, alice: User) -> None:
    running, over = begun(alice, request="1"), failed(alice, request="2")
    offered = {
        job_id: [
            action
            for action in ("cancel", "retry")
            if f"{job_id}/{action}/" in as_superuser.get(f"{JOBS}{job_id}/change/").content.decode()
        ]
        for job_id in (running, over)
    }
    assert offered == {running: ["cancel"], over: ["retry"]}


def test_actions_require_change_permission(sam: User, alice: User) -> None:
    job_id = begun(alice)
    may(sam, "agents.view_tooljob")
    assert acted(signed_in(sam), job_id, "cancel") == 403
    may(sam, "agents.change_tooljob")
    assert acted(signed_in(User.objects.get(id=sam.id)), job_id, "cancel") == 302


def test_retry_resets_attempts(as_superuser: Client, alice: User) -> None:
    job_id = make(alice).id
    for _ in range(ATTEMPTS):
        claim(job_id)
        service.retry_or_fail(job_id, "run", "The model was away.", now=NOW)
    assert (state_of(job_id), ToolJob.objects.get().attempts) == (JobState.FAILED, ATTEMPTS)
    acted(as_superuser, job_id, "retry")
    assert (state_of(job_id), ToolJob.objects.get().attempts) == (JobState.QUEUED, 0)
