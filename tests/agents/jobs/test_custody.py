"""Jobs while their owner's key is rotated, exported and erased."""

import json

import pytest

from accounts.erasure import forget, rows_to_erase
from accounts.export import export_account
from accounts.keys.rotation import rotate_user_key
from accounts.models import RetiredKey, User
from agents.jobs import journal, service
from agents.jobs.models import JobState, ToolJob, ToolJobStep
from tests.agents.jobs.making import ASKED, LEASE, NOW, begun, claim, done, make
from tests.memory.tampering import damage, half_rotate

pytestmark = [pytest.mark.contracts, pytest.mark.django_db(transaction=True)]


def exported(user: User) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads("".join(export_account(user.id)))
    return found


def test_export_contains_decrypted_jobs_of_owner(alice: User, bob: User) -> None:
    job_id = begun(alice)
    journal.step(job_id, "run", "plan", "Roses first", now=NOW)
    service.finish(job_id, "run", "The garden is planned.", now=NOW)
    failed = begun(alice, request="2")
    service.fail(failed, "run", "There is no such project.", now=NOW)
    done(bob)

    found = exported(alice)
    told, other = sorted(found["agents_tooljob"], key=lambda job: job["state"] == JobState.FAILED)
    assert told == {
        "id": str(job_id),
        "request_id": "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70",
        "session_id": "s",
        "device": "laptop",
        "program": "",
        "tool": "plan_project",
        "arguments": {"project_id": "p1", "weeks": 3},
        "asked": {
            "message": "Plan the secret garden",
            "history": [{"role": "user", "content": "Roses, please"}, {"role": "assistant", "content": "How many?"}],
            "scope": {"type": "project", "id": "p1"},
            "language": "it",
            "timezone": "Europe/Rome",
            "shown": None,
            "model": None,
            "foreign": False,
        },
        "state": "done",
        "response": "The garden is planned.",
        "failure": None,
        "created_at": "2026-03-29T10:00:00+00:00",
        "started_at": "2026-03-29T10:00:00+00:00",
        "finished_at": "2026-03-29T10:00:00+00:00",
        "delivered_at": None,
    }
    assert (other["id"], other["failure"], other["response"]) == (str(failed), "There is no such project.", None)
    [step] = found["agents_tooljobstep"]
    assert (step["job_id"], step["number"], step["name"], step["content"]) == (str(job_id), 1, "plan", "Roses first")
    assert found["unreadable"] == []


def test_export_names_undecryptable_job(alice: User) -> None:
    kept, damaged = done(alice, request="1"), done(alice, request="2")
    damage(ToolJob.objects.get(id=damaged), "response_encrypted")

    found = exported(alice)
    assert [job["id"] for job in found["agents_tooljob"]] == [str(kept)]
    assert [(row["table"], row["id"]) for row in found["unreadable"]] == [("agents_tooljob", str(damaged))]


def test_key_rotation_keeps_jobs_in_every_state_and_retires_older_key(alice: User) -> None:
    running = begun(alice, request="1")
    journal.step(running, "run", "plan", "Roses first", now=NOW)
    finished, queued = done(alice, request="2"), make(alice, request="3").id
    before = exported(alice)

    assert rotate_user_key(alice.id).finished
    assert exported(alice) == before
    assert not RetiredKey.objects.exists()

    assert journal.step(running, "run", "plan", "Tulips first", now=NOW) == "Roses first"
    assert service.finish(running, "run", "Planned.", now=NOW) is JobState.DONE
    claimed = claim(queued)
    assert claimed is not None
    assert claimed.asked == ASKED
    assert {report.status.id for report in service.undelivered(alice.id, "laptop")} == {running, finished}


def test_run_continues_during_key_rotation(alice: User) -> None:
    job_id = begun(alice)
    journal.step(job_id, "run", "plan", "Roses first", now=NOW)
    half_rotate(alice)

    journal.step(job_id, "run", "check", "No roses", now=NOW)
    assert journal.steps(job_id) == {"plan": "Roses first", "check": "No roses"}
    assert claim(job_id, "b", now=NOW + LEASE) is not None
    assert service.finish(job_id, "b", "Planned.", now=NOW) is JobState.DONE
    assert rotate_user_key(alice.id).finished
    report = service.look(job_id)
    assert report is not None
    assert report.response == "Planned."


def test_erasure_deletes_jobs_of_user_only(alice: User, bob: User) -> None:
    for user in (alice, bob):
        job_id = begun(user)
        for name in ("plan", "check"):
            journal.step(job_id, "run", name, "Roses first", now=NOW)
    to_erase = rows_to_erase(alice.id)
    assert (to_erase["agents_tooljob"], to_erase["agents_tooljobstep"]) == (1, 2)
    forget(alice.id)

    assert {row.user_id for row in (*ToolJob.objects.all(), *ToolJobStep.objects.all())} == {bob.id}
    assert ToolJobStep.objects.count() == 2
