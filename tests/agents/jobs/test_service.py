import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from pytest_django import Settings

from accounts.encryption import encrypted_columns
from accounts.errors import AccountGone, CorruptedText
from accounts.keys.vault import open_vault
from accounts.models import User
from agents.errors import JobOver, TooManyJobs, UnknownJob
from agents.jobs import service
from agents.jobs.models import JobState, ToolJob
from agents.jobs.records import ClaimedJob, JobStatus, text_in
from chat.protocol.frames import vocabulary
from tests.agents.jobs.making import ARGUMENTS, ASKED, LEASE, NOW, begun, claim, done, make, state_of, waiting
from tests.costs import database_costs
from tests.memory.tampering import damage

LATER = NOW + LEASE
"""When a lease taken or renewed at ``NOW`` has expired."""


def close_account(user: User) -> None:
    """As at the start of an erasure: the key is deleted, the rows still exist."""
    User.objects.filter(id=user.id).update(encryption_key="", master_key_id="", is_active=False)


def test_states_equal_those_of_protocol() -> None:
    assert [state.value for state in JobState] == [state.value for state in vocabulary.JobState]


def test_claimed_job_equals_created_one(alice: User) -> None:
    job = make(alice)

    assert job == JobStatus(
        id=job.id,
        user_id=alice.id,
        request_id="5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70",
        session_id="s",
        device_id="laptop",
        tool="plan_project",
        label="Planning",
        state=JobState.QUEUED,
        fraction=None,
        cancel_requested=False,
        created_at=job.created_at,
        updated_at=job.created_at,
    )
    taken = claim(job.id)
    assert taken is not None
    assert (taken.status.id, taken.status.state, taken.attempt) == (job.id, JobState.RUNNING, 1)
    assert (taken.arguments, taken.asked) == (ARGUMENTS, ASKED)


def test_row_contains_no_plaintext_of_request_or_answer(alice: User) -> None:
    done(alice)
    service.fail(begun(alice, request="2"), "run", "The garden has no roses", now=NOW)
    stored = list(ToolJob.objects.values())

    assert {name for name in stored[0] if name.endswith("_encrypted")} == {*encrypted_columns(ToolJob)}
    for word in ("garden", "Roses, please", "weeks", "project_id", "message", "Europe"):
        assert [name for row in stored for name, value in row.items() if word in str(value)] == []


def test_columns_cannot_be_swapped_between_rows(alice: User) -> None:
    first, second = (ToolJob.objects.get(id=done(alice, request=request)) for request in ("1", "2"))
    first.response_encrypted = second.response_encrypted

    with pytest.raises(CorruptedText):
        text_in(first, "response_encrypted", open_vault(alice.id))


def test_same_call_of_request_is_one_job_in_any_state(alice: User, bob: User) -> None:
    job = make(alice)
    assert make(alice, arguments=dict(reversed([*ARGUMENTS.items()]))) == job
    claim(job.id)
    service.finish(job.id, "run", "Done.", now=NOW)
    again = make(alice)
    assert (again.id, again.state) == (job.id, JobState.DONE)

    others = [make(alice, request="2"), make(alice, tool="write_report"), make(alice, arguments={}), make(bob)]
    assert len({job.id, *(other.id for other in others)}) == 5


def test_unfinished_jobs_per_user_are_limited(alice: User, bob: User) -> None:
    first, _ = make(alice, most=2), make(alice, request="2", most=2)
    with pytest.raises(TooManyJobs, match="at most 2 jobs"):
        make(alice, request="3", most=2)

    assert make(alice, most=2) == first
    assert make(bob, most=2).state is JobState.QUEUED
    service.request_cancel(alice.id, first.id, now=NOW)
    assert make(alice, request="3", most=2).state is JobState.QUEUED


def test_job_of_deleted_user_is_not_created(alice: User) -> None:
    close_account(alice)

    with pytest.raises(AccountGone):
        make(alice)
    with pytest.raises(AccountGone):
        make(User(email="nobody@example.com"))


@pytest.mark.parametrize("name", ["a\0b", "half \ud800"])
def test_unstorable_request_id_does_not_prevent_job(alice: User, name: str) -> None:
    job = make(alice, request=name)

    assert state_of(job.id) == JobState.QUEUED
    assert make(alice, request=name) == job


def test_job_waiting_for_approval_is_not_claimed(alice: User, bob: User) -> None:
    job = make(alice, approved=False)
    assert (job.state, claim(job.id)) == (JobState.WAITING_APPROVAL, None)

    assert [service.approve(user.id, job.id) for user in (bob, alice, alice)] == [False, True, False]
    assert claim(job.id) is not None


def test_second_claim_gets_nothing(alice: User) -> None:
    job = make(alice)

    assert [claim(job.id, owner) is None for owner in ("a", "b")] == [False, True]
    assert service.renew(job.id, "b", now=NOW, lease=LEASE) is False
    assert claim(uuid.uuid4()) is None


def test_claimed_job_has_time_of_queueing(alice: User) -> None:
    job_id = make(alice).id
    first = claim(job_id, now=NOW + timedelta(seconds=5))
    assert first is not None
    assert first.queued_at == NOW
    service.retry_or_fail(job_id, "run", "again", now=NOW)
    queued = ToolJob.objects.get(id=job_id).queued_at
    assert queued is not None
    assert queued > NOW
    again = claim(job_id, now=NOW)
    assert again is not None
    assert again.queued_at == queued


def test_waiting_or_taken_over_job_has_no_time_of_queueing(alice: User) -> None:
    assert ToolJob.objects.get(id=waiting(alice)).queued_at is None
    unapproved = make(alice, request="r2", approved=False).id
    assert ToolJob.objects.get(id=unapproved).queued_at is None
    dead = begun(alice, request="r3")
    taken_over = claim(dead, "another", now=NOW + 2 * LEASE)
    assert taken_over is not None
    assert taken_over.queued_at is None


def test_renewed_lease_holds_until_it_expires(alice: User) -> None:
    job_id = begun(alice, "a")
    assert service.renew(job_id, "a", now=LATER - timedelta(seconds=1), lease=LEASE) is True
    assert claim(job_id, "b", now=LATER) is None

    taken = claim(job_id, "b", now=LATER + LEASE)
    assert taken is not None
    assert taken.attempt == 2


def test_expired_lease_can_be_renewed_until_job_is_claimed(alice: User) -> None:
    job_id = begun(alice, "a")

    assert service.renew(job_id, "a", now=LATER + LEASE, lease=LEASE) is True
    assert claim(job_id, "b", now=LATER + LEASE) is None


STEPS_OF_A_RUN: list[Callable[[UUID], object]] = [
    lambda job_id: service.renew(job_id, "a", now=LATER, lease=LEASE),
    lambda job_id: service.progress(job_id, "a", fraction=0.5, label="Reading"),
    lambda job_id: service.cancel_if_asked(job_id, "a", now=LATER),
    lambda job_id: service.keep_waiting(job_id, "a", now=LATER),
    lambda job_id: service.hand_back(job_id, "a", now=LATER),
    lambda job_id: service.retry_or_fail(job_id, "a", "It broke", now=LATER),
    lambda job_id: service.finish(job_id, "a", "Done.", now=LATER),
    lambda job_id: service.fail(job_id, "a", "It broke", now=LATER),
]


@pytest.mark.parametrize("step", STEPS_OF_A_RUN)
def test_run_that_lost_its_job_does_not_change_it(alice: User, step: Callable[[UUID], object]) -> None:
    job_id = begun(alice, "a")
    assert claim(job_id, "b", now=LATER) is not None
    service.request_cancel(alice.id, job_id, now=LATER)
    before = ToolJob.objects.values().get(id=job_id)

    assert not step(job_id)
    assert ToolJob.objects.values().get(id=job_id) == before


@pytest.mark.parametrize("step", STEPS_OF_A_RUN)
def test_step_of_run_fails_if_job_is_deleted(alice: User, step: Callable[[UUID], object]) -> None:
    job_id = begun(alice, "a")
    alice.delete()

    assert not step(job_id)
    assert claim(job_id) is None


def test_progress_is_stored_and_reported(alice: User) -> None:
    job_id = begun(alice)
    assert service.progress(job_id, "run", fraction=0.25, label="Reading notes") is True
    report = service.look(job_id)

    assert report is not None
    assert (report.status.fraction, report.status.label) == (0.25, "Reading notes")
    assert (report.response, report.failure) == (None, None)


@pytest.mark.parametrize(("end", "fraction"), [(service.finish, 1.0), (service.fail, 0.25)])
def test_finished_job_has_full_progress(alice: User, end: Callable[..., object], fraction: float) -> None:
    job_id = begun(alice)
    service.progress(job_id, "run", fraction=0.25, label="Reading notes")
    end(job_id, "run", "Done.", now=NOW)
    report = service.look(job_id)
    assert report is not None
    assert report.status.fraction == fraction


def test_waiting_for_device_does_not_count_as_attempt(alice: User) -> None:
    job_id = begun(alice, "a")
    assert service.keep_waiting(job_id, "a", now=NOW) is JobState.WAITING_DEVICE
    assert claim(job_id, "b") is None

    for _ in range(5):
        assert service.device_back(alice.id, "laptop") == [job_id]
        taken = claim(job_id, "b")
        assert taken is not None
        assert taken.attempt == 1
        service.keep_waiting(job_id, "b", now=NOW)


def test_connected_device_queues_its_waiting_jobs_longest_wait_first(alice: User, bob: User) -> None:
    first, second = waiting(alice, request="1"), waiting(alice, request="2")
    ToolJob.objects.filter(id=second).update(waiting_since=NOW - LEASE)
    elsewhere, anothers = waiting(alice, device="phone", request="3"), waiting(bob)
    busy = begun(alice, request="4")

    assert service.device_back(alice.id, "laptop") == [second, first]
    assert service.device_back(alice.id, "laptop") == []
    assert [state_of(job_id) for job_id in (first, second)] == [JobState.QUEUED] * 2
    assert [state_of(job_id) for job_id in (elsewhere, anothers)] == [JobState.WAITING_DEVICE] * 2
    assert state_of(busy) == JobState.RUNNING


def test_job_fails_after_third_attempt(alice: User) -> None:
    job_id = make(alice).id
    outcomes = []
    for attempt in range(1, 4):
        taken = claim(job_id, f"run {attempt}")
        assert taken is not None
        assert taken.attempt == attempt
        outcomes.append(service.retry_or_fail(job_id, f"run {attempt}", "The model was away.", now=NOW))

    assert outcomes == [JobState.QUEUED, JobState.QUEUED, JobState.FAILED]
    report = service.look(job_id)
    assert report is not None
    assert (report.failure, report.response) == ("The model was away.", None)


def test_permanent_failure_is_not_retried(alice: User) -> None:
    job_id = begun(alice)

    assert service.fail(job_id, "run", "There is no such project.", now=NOW) is JobState.FAILED
    assert claim(job_id) is None


@pytest.mark.parametrize("response", ["The garden is planned.", "half \ud83d \0", ""])
def test_finished_job_reports_response(alice: User, response: str) -> None:
    report = service.look(done(alice, response))

    assert report is not None
    assert (report.status.state, report.response, report.failure) == (JobState.DONE, response, None)


@pytest.mark.parametrize("state", [JobState.WAITING_APPROVAL, JobState.QUEUED, JobState.WAITING_DEVICE])
def test_job_that_is_not_running_is_cancelled_at_once(alice: User, state: JobState) -> None:
    job_id = waiting(alice) if state is JobState.WAITING_DEVICE else make(alice, approved=state is JobState.QUEUED).id
    assert state_of(job_id) == state

    for _ in range(2):
        status = service.request_cancel(alice.id, job_id, now=NOW)
        assert (status.state, status.cancel_requested) == (JobState.CANCELLED, True)
    assert (claim(job_id), service.device_back(alice.id, "laptop"), service.approve(alice.id, job_id)) == (
        None,
        [],
        False,
    )


def test_running_job_is_cancelled_at_its_next_check(alice: User) -> None:
    job_id = begun(alice)
    assert service.cancel_if_asked(job_id, "run", now=NOW) is False

    for _ in range(2):
        status = service.request_cancel(alice.id, job_id, now=NOW)
        assert (status.state, status.cancel_requested) == (JobState.RUNNING, True)
    assert service.renew(job_id, "run", now=NOW, lease=LEASE) is False
    assert service.cancel_if_asked(job_id, "run", now=NOW) is True
    assert state_of(job_id) == JobState.CANCELLED
    assert service.cancel_if_asked(job_id, "run", now=NOW) is False


@pytest.mark.parametrize(
    ("step", "state"),
    [
        (lambda job_id: service.keep_waiting(job_id, "run", now=NOW), JobState.CANCELLED),
        (lambda job_id: service.hand_back(job_id, "run", now=NOW), JobState.CANCELLED),
        (lambda job_id: service.retry_or_fail(job_id, "run", "It broke", now=NOW), JobState.CANCELLED),
        (lambda job_id: service.finish(job_id, "run", "Done.", now=NOW), JobState.DONE),
    ],
)
def test_job_asked_to_stop_finishes_or_is_not_retried(
    alice: User, step: Callable[[UUID], object], state: JobState
) -> None:
    job_id = begun(alice)
    service.request_cancel(alice.id, job_id, now=NOW)

    assert step(job_id) is state
    assert state_of(job_id) == state


def test_job_asked_to_stop_is_not_taken_over(alice: User) -> None:
    job_id = begun(alice)
    service.request_cancel(alice.id, job_id, now=NOW)

    assert claim(job_id, "b", now=LATER) is None


def test_finished_job_cannot_be_cancelled(alice: User) -> None:
    job_id = done(alice)
    with pytest.raises(JobOver, match="it is done"):
        service.request_cancel(alice.id, job_id, now=NOW)
    service.delivered(alice.id, job_id, now=NOW)
    with pytest.raises(JobOver, match="it is delivered"):
        service.request_cancel(alice.id, job_id, now=NOW)


def test_job_of_another_user_is_unknown(alice: User, bob: User) -> None:
    job_id = make(alice).id

    for wanted in (job_id, uuid.uuid4()):
        with pytest.raises(UnknownJob, match="There is no such job"):
            service.request_cancel(bob.id, wanted, now=NOW)
        assert service.delivered(bob.id, wanted, now=NOW) is False
    assert state_of(job_id) == JobState.QUEUED


def test_finished_job_is_reported_to_its_device_until_acknowledged(alice: User, bob: User) -> None:
    finished, failed, cancelled = done(alice, request="1"), begun(alice, request="2"), make(alice, request="3").id
    service.fail(failed, "run", "No.", now=NOW + timedelta(seconds=1))
    service.request_cancel(alice.id, cancelled, now=NOW + timedelta(seconds=2))
    done(alice, device="phone", request="4")
    done(bob)
    make(alice, request="5")
    begun(alice, request="6")

    told = service.undelivered(alice.id, "laptop")
    assert [(report.status.id, report.response, report.failure) for report in told] == [
        (finished, "The garden is planned.", None),
        (failed, None, "No."),
        (cancelled, None, None),
    ]
    for job_id in (finished, failed, cancelled):
        assert [service.delivered(alice.id, job_id, now=NOW) for _ in range(2)] == [True, False]
    assert service.undelivered(alice.id, "laptop") == []
    assert [state_of(job_id) for job_id in (finished, failed, cancelled)] == ["delivered", "failed", "cancelled"]


def test_devices_with_undelivered_jobs_are_found_in_one_query(alice: User, bob: User) -> None:
    acknowledged = done(alice, request="1")
    service.delivered(alice.id, acknowledged, now=NOW)
    make(alice, request="2")
    assert service.undelivered_devices([alice.id, bob.id]) == set()

    for request in ("3", "4"):
        done(alice, device="phone", request=request)
    done(bob)
    with database_costs() as costs:
        assert service.undelivered_devices([alice.id, bob.id]) == {(alice.id, "phone"), (bob.id, "laptop")}
    assert len(costs.statements) == 1
    assert service.undelivered_devices([alice.id]) == {(alice.id, "phone")}


def test_unfinished_job_is_not_delivered(alice: User) -> None:
    assert service.delivered(alice.id, begun(alice), now=NOW) is False


def test_jobs_are_deleted_with_user(alice: User) -> None:
    job_id = begun(alice)
    alice.delete()

    assert ToolJob.objects.count() == 0
    assert service.look(job_id) is None


@pytest.mark.parametrize("column", ["arguments_encrypted", "asked_encrypted"])
def test_claim_of_undecryptable_job_fails_it(alice: User, column: str) -> None:
    alice.language = "it"
    alice.save(update_fields=["language"])
    job = make(alice)
    damage(ToolJob.objects.get(id=job.id), column)

    assert claim(job.id) is None
    [report] = service.undelivered(alice.id, "laptop")
    assert (report.status.state, report.failure) == (
        JobState.FAILED,
        "Non è stato possibile: i dati conservati non si possono aprire.",
    )


def test_job_in_unknown_format_fails(alice: User) -> None:
    job, vault = make(alice), open_vault(alice.id)
    asked = vault.seal(ToolJob(id=job.id), "asked_encrypted", '{"language": "it"}')
    ToolJob.objects.filter(id=job.id).update(asked_encrypted=asked)

    assert claim(job.id) is None
    assert state_of(job.id) == JobState.FAILED


ENDINGS: list[Callable[[UUID], object]] = [
    lambda job_id: service.finish(job_id, "run", "Done.", now=NOW),
    lambda job_id: service.fail(job_id, "run", "It broke", now=NOW),
]


def test_claim_without_key_fails_job_and_reports_it_once_key_is_back(alice: User, settings: Settings) -> None:
    job = make(alice)
    kept, settings.MASTER_KEYS = settings.MASTER_KEYS, Fernet.generate_key().decode()
    assert claim(job.id) is None
    assert state_of(job.id) == JobState.FAILED
    assert (service.undelivered(alice.id, "laptop"), service.look(job.id)) == ([], None)

    settings.MASTER_KEYS = kept
    [report] = service.undelivered(alice.id, "laptop")
    assert report.failure == "This could not be done: what is kept of it cannot be opened."


@pytest.mark.parametrize("step", ENDINGS)
def test_job_that_ends_without_key_is_failed(alice: User, settings: Settings, step: Callable[[UUID], object]) -> None:
    job_id = begun(alice)
    settings.MASTER_KEYS = Fernet.generate_key().decode()

    assert step(job_id) is JobState.FAILED
    assert state_of(job_id) == JobState.FAILED


@pytest.mark.parametrize("step", ENDINGS)
def test_job_of_user_being_erased_ends_as_cancelled(alice: User, step: Callable[[UUID], object]) -> None:
    queued, running = make(alice, request="1").id, begun(alice, request="2")
    close_account(alice)

    assert claim(queued) is None
    assert step(running) is JobState.CANCELLED
    assert [state_of(job_id) for job_id in (queued, running)] == [JobState.CANCELLED] * 2
    assert service.undelivered(alice.id, "laptop") == []


def test_undecryptable_response_is_left_out(alice: User) -> None:
    kept, damaged = done(alice, request="1"), done(alice, request="2")
    damage(ToolJob.objects.get(id=damaged), "response_encrypted")

    assert [report.status.id for report in service.undelivered(alice.id, "laptop")] == [kept]
    assert service.look(damaged) is None


def race(*steps: Callable[[], object]) -> list[object]:
    """The results of ``steps``, all begun at the same moment."""
    start = threading.Barrier(len(steps), timeout=10)

    def run(step: Callable[[], object]) -> object:
        start.wait()
        try:
            return step()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(steps)) as pool:
        return [future.result(timeout=30) for future in [pool.submit(run, step) for step in steps]]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_one_of_concurrent_claims_gets_job(alice: User, attempt: int) -> None:
    job = make(alice)
    owners = [f"run {number}" for number in range(6)]
    taken = race(*[partial(claim, job.id, owner) for owner in owners])

    [winner] = [owner for owner, claimed in zip(owners, taken, strict=True) if isinstance(claimed, ClaimedJob)]
    row = ToolJob.objects.get()
    assert (row.claimed_by, row.attempts) == (winner, 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_concurrent_claim_and_cancellation_cancel_job(alice: User, attempt: int) -> None:
    job = make(alice)
    claimed, cancelled = race(partial(claim, job.id), lambda: service.request_cancel(alice.id, job.id, now=NOW).state)

    assert cancelled is (JobState.CANCELLED if claimed is None else JobState.RUNNING)
    assert service.cancel_if_asked(job.id, "run", now=NOW) is (claimed is not None)
    assert state_of(job.id) == JobState.CANCELLED


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_finish_at_lease_expiry_ends_job_or_loses_it(alice: User, attempt: int) -> None:
    job_id = begun(alice, "a")
    ended, claimed = race(
        lambda: service.finish(job_id, "a", "Done.", now=LATER), partial(claim, job_id, "b", now=LATER)
    )

    assert (ended is None) is (claimed is not None)
    assert state_of(job_id) == (JobState.DONE if claimed is None else JobState.RUNNING)


@pytest.mark.django_db(transaction=True)
def test_concurrent_identical_calls_make_one_job(alice: User) -> None:
    first, second = race(partial(make, alice), partial(make, alice))

    assert first == second
    assert ToolJob.objects.count() == 1


def test_devices_of_unfinished_jobs_are_needed(alice: User, bob: User) -> None:
    done(alice, device="phone")
    waiting(bob, device="watch")
    assert service.needed_devices(alice.id) == set()

    waiting(alice, request="another", device="laptop")
    assert service.needed_devices(alice.id) == {"laptop"}
