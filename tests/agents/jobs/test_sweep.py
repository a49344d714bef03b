from datetime import timedelta
from uuid import UUID

import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from accounts.models import User
from agents.jobs import service
from agents.jobs.models import JobState, ToolJob
from agents.jobs.records import SweepResult
from agents.jobs.service import MAX_WAIT, MESSAGE_LASTS, PUBLISH_WITHIN, end_overdue, sweep
from tests.agents.jobs.making import LEASE, NOW, begun, claim, done, make, state_of, waiting
from tests.agents.jobs.test_service import close_account

NOTHING = SweepResult(publish=(), ended=())
A_MOMENT = timedelta(milliseconds=1)
A_DAY_LATER = NOW + MAX_WAIT


def ended(found: SweepResult) -> list[tuple[UUID, JobState]]:
    return [(status.id, status.state) for status in found.ended]


def failure_of(job_id: UUID) -> str | None:
    report = service.look(job_id)
    return None if report is None else report.failure


def test_unpublished_job_is_published(alice: User) -> None:
    job_id = make(alice).id

    assert sweep(now=NOW + PUBLISH_WITHIN - A_MOMENT).publish == ()
    for _ in range(2):
        assert sweep(now=NOW + PUBLISH_WITHIN) == SweepResult(publish=(job_id,), ended=(), queued_since=NOW)


def test_job_whose_message_may_be_lost_is_published_again(alice: User) -> None:
    job_id = make(alice).id
    service.published([job_id], now=NOW)

    assert sweep(now=NOW + MESSAGE_LASTS - A_MOMENT).publish == ()
    assert sweep(now=NOW + MESSAGE_LASTS).publish == (job_id,)
    service.published([job_id], now=NOW + MESSAGE_LASTS)
    assert sweep(now=NOW + MESSAGE_LASTS + PUBLISH_WITHIN).publish == ()


def test_only_queued_jobs_are_published_oldest_first(alice: User, bob: User) -> None:
    new, old = make(alice, request="1").id, make(bob, now=NOW - LEASE).id
    running = begun(alice, request="2")
    waiting(alice, request="3")
    done(alice, request="4")
    make(alice, request="5", approved=False)
    service.published([new, old, running], now=NOW - MESSAGE_LASTS)

    assert sweep(now=NOW).publish == (old, new)


@pytest.mark.parametrize("again", ["a failure", "the device"])
def test_requeued_job_is_published_again(alice: User, again: str) -> None:
    job_id = make(alice).id
    service.published([job_id], now=NOW)
    assert claim(job_id) is not None
    if again == "a failure":
        service.retry_or_fail(job_id, "run", "It broke", now=NOW)
    else:
        service.keep_waiting(job_id, "run", now=NOW)
        service.device_back(alice.id, "laptop")

    assert sweep(now=NOW + PUBLISH_WITHIN).publish == (job_id,)


def test_sweep_reports_oldest_time_of_queueing(alice: User) -> None:
    assert sweep(now=NOW).queued_since is None
    make(alice, request="r1", now=NOW)
    make(alice, request="r2", now=NOW - timedelta(seconds=9))
    begun(alice, request="r3")
    make(alice, request="r4", approved=False, now=NOW - timedelta(hours=1))
    assert sweep(now=NOW).queued_since == NOW - timedelta(seconds=9)


def test_job_of_dead_worker_is_queued_again_until_third_attempt(alice: User) -> None:
    job_id, moment = make(alice).id, NOW
    for attempt in range(1, 4):
        taken = claim(job_id, "run", now=moment)
        assert taken is not None
        assert taken.attempt == attempt
        assert sweep(now=moment + LEASE - A_MOMENT).ended == ()
        moment += LEASE
        found = sweep(now=moment)
        assert found.publish == ((job_id,) if attempt < 3 else ())
        assert service.renew(job_id, "run", now=moment, lease=LEASE) is False

    assert ended(found) == [(job_id, JobState.FAILED)]
    assert failure_of(job_id) == (
        "This was interrupted again and again, so it was given up. Some of it may have been done."
    )


def test_third_attempt_is_not_taken_over(alice: User) -> None:
    job_id = begun(alice)
    ToolJob.objects.filter(id=job_id).update(attempts=3)

    assert claim(job_id, "b", now=NOW + LEASE) is None


def test_job_asked_to_stop_is_cancelled_when_its_worker_dies(alice: User) -> None:
    job_id = begun(alice)
    service.request_cancel(alice.id, job_id, now=NOW)
    found = sweep(now=NOW + LEASE)

    assert (ended(found), found.publish) == ([(job_id, JobState.CANCELLED)], ())


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "The device was away for too long"), ("it", "Il dispositivo è rimasto assente troppo a lungo")],
)
def test_jobs_fail_after_device_is_away_for_a_day(alice: User, language: str, words: str) -> None:
    alice.language = language
    alice.save(update_fields=["language"])
    job_id = waiting(alice)
    assert sweep(now=A_DAY_LATER - A_MOMENT) == NOTHING

    assert ended(sweep(now=A_DAY_LATER)) == [(job_id, JobState.FAILED)]
    assert (failure_of(job_id) or "").startswith(words)
    assert service.device_back(alice.id, "laptop") == []


def test_day_of_waiting_starts_at_first_absence_of_device(alice: User) -> None:
    job_id = waiting(alice)
    for hours in (10, 20, 30):
        assert service.device_back(alice.id, "laptop") == [job_id]
        assert claim(job_id, now=NOW + timedelta(hours=hours)) is not None
        # A running job is left alone, however old it is.
        assert sweep(now=NOW + timedelta(hours=hours)) == NOTHING
        assert service.keep_waiting(job_id, "run", now=NOW + timedelta(hours=hours)) is JobState.WAITING_DEVICE
        found = sweep(now=NOW + timedelta(hours=hours))
        assert ended(found) == ([(job_id, JobState.FAILED)] if hours == 30 else [])


def test_day_of_waiting_starts_now_if_first_absence_is_unknown(alice: User) -> None:
    job_id = waiting(alice)
    ToolJob.objects.update(first_away_at=None)

    assert sweep(now=A_DAY_LATER - A_MOMENT) == NOTHING
    assert ended(sweep(now=A_DAY_LATER)) == [(job_id, JobState.FAILED)]


def test_job_without_approval_fails_after_a_day(alice: User) -> None:
    job_id = make(alice, approved=False).id

    assert ended(sweep(now=A_DAY_LATER)) == [(job_id, JobState.FAILED)]
    assert failure_of(job_id) == "Nobody approved this in time, so nothing was done."


def overdue_jobs(user: User) -> list[UUID]:
    """A job waiting for its device, and one whose last worker died."""
    died = begun(user, request="2")
    ToolJob.objects.filter(id=died).update(attempts=3)
    return [died, waiting(user, request="1")]


def test_sweep_continues_despite_erased_users_and_missing_keys(alice: User, bob: User, settings: Settings) -> None:
    of_alice, of_bob = overdue_jobs(alice), overdue_jobs(bob)
    close_account(alice)
    settings.MASTER_KEYS = Fernet.generate_key().decode()

    found = sweep(now=A_DAY_LATER)
    assert dict(ended(found)) == {
        **dict.fromkeys(of_alice, JobState.CANCELLED),
        **dict.fromkeys(of_bob, JobState.FAILED),
    }
    assert [state_of(job_id) for job_id in of_bob] == [JobState.FAILED] * 2
    assert sweep(now=A_DAY_LATER) == NOTHING


def test_end_overdue_ends_only_overdue_jobs(alice: User) -> None:
    overdue = overdue_jobs(alice)
    queued, lapsed = make(alice, request="3").id, begun(alice, request="4")

    assert {status.id for status in end_overdue(now=A_DAY_LATER)} == set(overdue)
    assert [state_of(job_id) for job_id in (queued, lapsed)] == [JobState.QUEUED, JobState.RUNNING]


def test_second_sweep_ends_nothing(alice: User) -> None:
    overdue = overdue_jobs(alice)

    assert [len(sweep(now=A_DAY_LATER).ended) for _ in range(2)] == [len(overdue), 0]
