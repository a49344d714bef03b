import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from pytest_django import Settings

from accounts.models import User
from agents.errors import JobLost, JobUnreadable
from agents.jobs import journal, service
from agents.jobs.models import ToolJobStep
from tests.agents.jobs.making import LEASE, NOW, begun, claim
from tests.agents.jobs.test_service import close_account
from tests.memory.tampering import damage, move


def write(job_id: UUID, name: str, content: str, owner: str = "run") -> str:
    return journal.step(job_id, owner, name, content, now=NOW)


def test_steps_are_read_in_order_of_writing(alice: User) -> None:
    job_id = begun(alice)
    assert journal.steps(job_id) == {}
    written = {name: f"{name}: half \ud83d \0" for name in ("plan", "check", "answer")}
    for name, content in written.items():
        assert write(job_id, name, content) == content

    assert [*journal.steps(job_id).items()] == [*written.items()]
    assert [step.number for step in ToolJobStep.objects.order_by("number")] == [1, 2, 3]
    assert [value for row in ToolJobStep.objects.values() for value in row.values() if "half" in str(value)] == []


def test_step_is_written_once_and_returned_to_second_run(alice: User) -> None:
    job_id = begun(alice)
    write(job_id, "plan", "Roses first")
    assert write(job_id, "plan", "Tulips first") == "Roses first"
    assert claim(job_id, "b", now=NOW + LEASE) is not None

    assert write(job_id, "plan", "Tulips first", owner="b") == "Roses first"
    assert journal.steps(job_id) == {"plan": "Roses first"}


def test_each_job_has_its_own_journal(alice: User, bob: User) -> None:
    jobs = [begun(alice, request="1"), begun(alice, request="2"), begun(bob)]
    for number, job_id in enumerate(jobs):
        write(job_id, "plan", str(number))

    assert [journal.steps(job_id) for job_id in jobs] == [{"plan": str(number)} for number in range(3)]


def test_run_that_lost_its_job_writes_nothing(alice: User) -> None:
    job_id = begun(alice, "a")
    assert claim(job_id, "b", now=NOW + LEASE) is not None

    with pytest.raises(JobLost):
        write(job_id, "plan", "Roses first", owner="a")
    service.finish(job_id, "b", "Done.", now=NOW)
    for lost in (job_id, uuid4()):
        with pytest.raises(JobLost):
            write(lost, "plan", "Roses first", owner="b")
    assert ToolJobStep.objects.count() == 0


def test_erasure_of_user_ends_run(alice: User) -> None:
    job_id = begun(alice)
    write(job_id, "plan", "Roses first")
    close_account(alice)

    with pytest.raises(JobLost):
        write(job_id, "check", "No roses")
    with pytest.raises(JobLost):
        journal.steps(job_id)


def test_undecryptable_journal_is_reported(alice: User, settings: Settings) -> None:
    job_id, other = begun(alice, request="1"), begun(alice, request="2")
    for written in (job_id, other):
        write(written, "plan", "Roses first")
    damage(ToolJobStep.objects.get(job_id=job_id), "content_encrypted")
    with pytest.raises(JobUnreadable):
        journal.steps(job_id)
    with pytest.raises(JobUnreadable):
        write(job_id, "plan", "Tulips first")

    settings.MASTER_KEYS = Fernet.generate_key().decode()
    with pytest.raises(JobUnreadable):
        journal.steps(other)
    with pytest.raises(JobUnreadable):
        write(other, "check", "No roses")


def test_swapped_step_contents_are_detected(alice: User) -> None:
    job_id = begun(alice)
    for name in ("plan", "check"):
        write(job_id, name, name)
    plan, check = ToolJobStep.objects.order_by("number")
    move(plan, check, "content_encrypted")

    with pytest.raises(JobUnreadable):
        journal.steps(job_id)


@pytest.mark.django_db(transaction=True)
def test_concurrently_written_steps_are_unique_and_ordered(alice: User) -> None:
    job_id = begun(alice)
    start = threading.Barrier(6, timeout=10)

    def run(number: int) -> str:
        start.wait()
        try:
            return write(job_id, f"step {number % 2}", str(number))
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        given = [future.result(timeout=30) for future in [pool.submit(run, number) for number in range(6)]]

    kept = journal.steps(job_id)
    assert sorted(kept) == ["step 0", "step 1"]
    assert given == [kept[f"step {number % 2}"] for number in range(6)]
    assert [step.number for step in ToolJobStep.objects.order_by("number")] == [1, 2]
