from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from accounts.models import User
from agents.jobs.models import JobState, ToolJob, ToolJobStep

NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
HELD: Mapping[str, object] = {"claimed_by": "w1", "lease_until": NOW, "started_at": NOW, "attempts": 1}
FITTING: Mapping[JobState, Mapping[str, object]] = {
    JobState.WAITING_APPROVAL: {"waiting_since": NOW},
    JobState.QUEUED: {},
    JobState.RUNNING: HELD,
    JobState.WAITING_DEVICE: {"waiting_since": NOW, "started_at": NOW},
    JobState.DONE: {"finished_at": NOW, "response_encrypted": "v1:x"},
    JobState.FAILED: {"finished_at": NOW, "failure_encrypted": "v1:x"},
    JobState.CANCELLED: {"finished_at": NOW, "cancel_requested_at": NOW},
    JobState.DELIVERED: {"finished_at": NOW, "response_encrypted": "v1:x", "delivered_at": NOW},
}


def write(user: User, state: JobState, /, **values: object) -> ToolJob:
    with transaction.atomic():
        return ToolJob.objects.create(
            user=user, request_id="r", device_id="laptop", tool="plan", call_key="k", state=state, **values
        )


@pytest.mark.parametrize("state", JobState)
def test_consistent_row_of_every_state_is_accepted(alice: User, state: JobState) -> None:
    write(alice, state, **FITTING[state])

    assert ToolJob.objects.get().state == state


@pytest.mark.parametrize(
    ("state", "changed", "broken"),
    [
        (JobState.RUNNING, {"claimed_by": ""}, "held_if_running"),
        (JobState.RUNNING, {"lease_until": None}, "held_if_running"),
        (JobState.RUNNING, {"started_at": None}, "held_if_running"),
        (JobState.RUNNING, {"attempts": 0}, "held_if_running"),
        (JobState.QUEUED, {"claimed_by": "w1"}, "held_if_running"),
        (JobState.DONE, {"lease_until": NOW}, "held_if_running"),
        (JobState.WAITING_DEVICE, {"waiting_since": None}, "waits_since"),
        (JobState.WAITING_APPROVAL, {"waiting_since": None}, "waits_since"),
        (JobState.QUEUED, {"waiting_since": NOW}, "waits_since"),
        (JobState.DONE, {"finished_at": None}, "finished_if_over"),
        (JobState.FAILED, {"finished_at": None}, "finished_if_over"),
        (JobState.CANCELLED, {"finished_at": None}, "finished_if_over"),
        (JobState.DELIVERED, {"finished_at": None}, "finished_if_over"),
        (JobState.QUEUED, {"finished_at": NOW}, "finished_if_over"),
        (JobState.DELIVERED, {"delivered_at": None}, "delivered_if_over"),
        (JobState.DONE, {"delivered_at": NOW}, "delivered_if_over"),
        (JobState.QUEUED, {"delivered_at": NOW}, "delivered_if_over"),
        (JobState.QUEUED, {"cancel_requested_at": NOW}, "cancelled_at_once"),
        (JobState.WAITING_DEVICE, {"cancel_requested_at": NOW}, "cancelled_at_once"),
        (JobState.DONE, {"response_encrypted": ""}, "response_if_done"),
        (JobState.DELIVERED, {"response_encrypted": ""}, "response_if_done"),
        (JobState.FAILED, {"response_encrypted": "v1:x"}, "response_if_done"),
        (JobState.CANCELLED, {"failure_encrypted": "v1:x"}, "failure_if_failed"),
        (JobState.RUNNING, {"fraction": 1.01}, "fraction"),
        (JobState.RUNNING, {"fraction": -0.01}, "fraction"),
        (JobState.RUNNING, {"fraction": float("nan")}, "fraction"),
    ],
)
def test_columns_that_contradict_state_are_refused(
    alice: User, state: JobState, changed: Mapping[str, object], broken: str
) -> None:
    with pytest.raises(IntegrityError, match=f"agents_tooljob_{broken}"):
        write(alice, state, **{**FITTING[state], **changed})


def test_jobs_of_a_call_and_steps_of_a_job_are_unique(alice: User, bob: User) -> None:
    job = write(alice, JobState.QUEUED)
    write(bob, JobState.QUEUED)
    with pytest.raises(IntegrityError, match="agents_tooljob_of_call"):
        write(alice, JobState.QUEUED)

    ToolJobStep.objects.create(job=job, user=alice, number=1, name="plan")
    for number, name, broken in ((1, "check", "number"), (2, "plan", "name")):
        with pytest.raises(IntegrityError, match=f"agents_tooljobstep_{broken}"), transaction.atomic():
            ToolJobStep.objects.create(job=job, user=alice, number=number, name=name)


def test_each_query_uses_its_index(alice: User) -> None:
    over = [
        ToolJob(user=alice, request_id=str(number), state=JobState.CANCELLED, finished_at=NOW, delivered_at=NOW)
        for number in range(500)
    ]
    ToolJob.objects.bulk_create(over)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE agents_tooljob")
    jobs, of_alice = ToolJob.objects, ToolJob.objects.for_user(alice.id)
    searches: list[tuple[QuerySet[ToolJob], str]] = [
        (of_alice.newest_first()[:20], "of_user"),
        (jobs.unpublished(made_before=NOW, published_before=NOW), "under_way"),
        (jobs.lapsed(NOW), "under_way"),
        (of_alice.waiting_for("laptop"), "of_device"),
        (of_alice.untold().filter(device_id="laptop"), "of_device"),
    ]

    for search, index in searches:
        assert f"agents_tooljob_{index}" in search.explain()
