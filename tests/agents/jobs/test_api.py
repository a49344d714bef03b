import re
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from django.urls import include, path
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from accounts.auth.tokens import issue_tokens
from accounts.models import User
from agents.jobs import journal, service
from agents.jobs.models import JobState, ToolJob
from agents.jobs.service import ATTEMPTS, MAX_WAIT
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.quotas import QuotaService
from agents.rest.urls import addresses
from tests.accounts.device_rows import stored_device
from tests.agents.jobs.making import NOW, begun, done, make, waiting
from tests.memory.tampering import damage
from tests.problems import own

JOBS = "/api/v1/jobs"
PAGE = (
    (Path(__file__).parents[3] / "docs" / "rest.md").read_text(encoding="utf-8").split("## Jobs")[1].split("\n## ")[0]
)
urlpatterns = [path("api/v1/", include(addresses(ApprovalService(), QuotaService())))]
pytestmark = pytest.mark.urls(__name__)
TEXTS = {"arguments", "response", "failure", "unreadable"}


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(alice).access}")
    return client


@pytest.fixture
def as_staff(sam: User) -> Client:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    client = Client()
    client.force_login(sam)
    return client


def test_list_contains_own_jobs_newest_first(as_alice: APIClient, alice: User, bob: User) -> None:
    laptop = stored_device(alice, "laptop")
    old, new = make(alice, now=NOW - MAX_WAIT).id, begun(alice, request="2", device=str(laptop.id))
    make(bob)
    service.progress(new, "run", fraction=0.5, label="Reading notes")
    body = as_alice.get(JOBS).json()

    # The first is of a device that is gone.
    assert [shown["device_id"] for shown in body["results"]] == ["laptop", ""]
    assert (body["count"], [shown["id"] for shown in body["results"]]) == (2, [str(new), str(old)])
    assert body["results"][0] == {
        "id": str(new),
        "request_id": "2",
        "session_id": "s",
        "device_id": "laptop",
        "tool": "plan_project",
        "label": "Reading notes",
        "state": "running",
        "fraction": 0.5,
        "cancel_requested": False,
        "created_at": "2026-03-29T10:00:00Z",
        "started_at": "2026-03-29T10:00:00Z",
        "finished_at": None,
        "delivered_at": None,
    }


def test_list_is_paginated_and_filtered_by_state(as_alice: APIClient, alice: User) -> None:
    made = [str(make(alice, now=NOW - number * MAX_WAIT, request=str(number)).id) for number in range(5)]
    service.request_cancel(alice.id, ToolJob.objects.get(id=made[1]).id, now=NOW)

    seen = [as_alice.get(JOBS, {"limit": 2, "offset": offset}).json() for offset in (0, 2, 4, 6)]
    assert [[shown["id"] for shown in page["results"]] for page in seen] == [made[:2], made[2:4], made[4:], []]
    assert {page["count"] for page in seen} == {5}
    cancelled = as_alice.get(JOBS, {"state": "cancelled"}).json()
    assert (cancelled["count"], [shown["id"] for shown in cancelled["results"]]) == (1, [made[1]])


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 101}, {"offset": -1}, {"state": "lost"}])
def test_invalid_page_is_refused(as_alice: APIClient, query: dict[str, str | int]) -> None:
    answer = as_alice.get(JOBS, query)

    assert (answer.status_code, answer.json()["details"].keys()) == (400, query.keys())


def test_finished_job_has_response(as_alice: APIClient, alice: User) -> None:
    job_id = done(alice)
    [listed] = as_alice.get(JOBS).json()["results"]

    assert as_alice.get(f"{JOBS}/{job_id}").json() == {
        **listed,
        "state": "done",
        "arguments": {"project_id": "p1", "weeks": 3},
        "response": "The garden is planned.",
        "failure": None,
        "unreadable": False,
    }


def test_failed_job_has_reason(as_alice: APIClient, alice: User) -> None:
    job_id = begun(alice)
    service.fail(job_id, "run", "There is no such project.", now=NOW)
    told = as_alice.get(f"{JOBS}/{job_id}").json()

    assert (told["state"], told["failure"], told["response"]) == ("failed", "There is no such project.", None)


def test_undecryptable_job_is_shown_without_its_texts(as_alice: APIClient, alice: User, settings: Settings) -> None:
    damaged, other = done(alice, request="1"), done(alice, request="2")
    damage(ToolJob.objects.get(id=damaged), "response_encrypted")
    shown = [as_alice.get(f"{JOBS}/{damaged}").json()]
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    shown.append(as_alice.get(f"{JOBS}/{other}").json())

    for told in shown:
        assert {name: told[name] for name in TEXTS} == {**dict.fromkeys(TEXTS), "unreadable": True}
        assert told["state"] == "done"


def test_job_that_is_not_running_is_cancelled(as_alice: APIClient, alice: User) -> None:
    job_id = waiting(alice)

    for _ in range(2):
        answer = as_alice.post(f"{JOBS}/{job_id}/cancel")
        assert (answer.status_code, answer.json()) == (
            200,
            {"id": str(job_id), "state": "cancelled", "message": "Cancelled: nothing more is done."},
        )


def test_running_job_is_asked_to_stop(as_alice: APIClient, alice: User) -> None:
    job_id = begun(alice)

    assert as_alice.post(f"{JOBS}/{job_id}/cancel").json()["state"] == "running"
    assert as_alice.get(f"{JOBS}/{job_id}").json()["cancel_requested"] is True
    assert service.cancel_if_asked(job_id, "run", now=NOW) is True


def test_finished_job_is_not_cancelled(as_alice: APIClient, alice: User) -> None:
    answer = as_alice.post(f"{JOBS}/{done(alice)}/cancel")

    assert (answer.status_code, own(answer)) == (
        409,
        {"code": "settled", "message": "This job has ended: it is done."},
    )


def test_job_of_another_user_is_not_found(as_alice: APIClient, bob: User) -> None:
    anothers = make(bob).id

    for answer in (
        ask(address)
        for job_id in (anothers, uuid4())
        for ask, address in ((as_alice.get, f"{JOBS}/{job_id}"), (as_alice.post, f"{JOBS}/{job_id}/cancel"))
    ):
        assert (answer.status_code, own(answer)) == (404, {"code": "not_found", "message": "Not found."})
    assert ToolJob.objects.get(id=anothers).state == JobState.QUEUED


def test_anonymous_requests_are_refused(alice: User) -> None:
    anonymous, job_id = APIClient(), make(alice).id

    assert {anonymous.get(address).status_code for address in (JOBS, f"{JOBS}/{job_id}")} == {401}
    assert anonymous.post(f"{JOBS}/{job_id}/cancel").status_code == 401


@pytest.mark.parametrize("number", [1, 3])
def test_query_count_does_not_depend_on_number_of_jobs(
    as_alice: APIClient, alice: User, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for position in range(number):
        done(alice, request=str(position))
    with django_assert_num_queries(4):
        assert len(as_alice.get(JOBS).json()["results"]) == number


@pytest.mark.contracts
def test_documentation_lists_every_state_and_field(as_alice: APIClient, alice: User) -> None:
    shown = as_alice.get(f"{JOBS}/{done(alice)}").json()

    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)[-len(JobState) :] == [*JobState]
    fields = re.findall(r"\w+", PAGE.split("A job is `{")[1].split("}`")[0])
    assert {*fields} == shown.keys() - TEXTS
    assert [name for name in TEXTS if f"`{name}" not in PAGE] == []
    assert "tried three times" in PAGE
    assert ATTEMPTS == 3
    assert PAGE.count("day") == MAX_WAIT.days * 2


@pytest.mark.urls("adiuva.urls")
def test_admin_shows_states_and_times_but_no_content(as_staff: Client, alice: User) -> None:
    job_id = begun(alice)
    journal.step(job_id, "run", "the step's name", "Roses first", now=NOW)
    service.finish(job_id, "run", "The garden is planned.", now=NOW)
    stored = ToolJob.objects.get()
    hidden = ["garden", "project_id", "Roses", stored.call_key, stored.arguments_encrypted, stored.response_encrypted]

    for page in ("tooljob/", f"tooljob/{job_id}/change/"):
        answer = as_staff.get(f"/admin/agents/{page}")
        assert answer.status_code == 200, page
        shown = answer.content.decode()
        assert "plan_project" in shown
        assert [text for text in hidden if text in shown] == []
    assert as_staff.get("/admin/agents/tooljob/add/").status_code == 403
    assert as_staff.post(f"/admin/agents/tooljob/{job_id}/change/", {"state": "queued"}).status_code == 403


@pytest.mark.urls("adiuva.urls")
def test_admin_shows_progress_and_duration_in_words(as_staff: Client, alice: User) -> None:
    running, away, ended = (begun(alice, request=str(number)) for number in range(3))
    service.progress(running, "run", fraction=0.625, label="Reading")
    service.keep_waiting(away, "run", now=NOW)
    service.finish(ended, "run", "Done.", now=NOW + timedelta(seconds=125))
    service.delivered(alice.id, ended, now=NOW + timedelta(hours=2, seconds=125))

    shown = as_staff.get("/admin/agents/tooljob/").content.decode().replace("\N{NO-BREAK SPACE}", " ")
    for words in ("running, 62%", "waiting for its device", " so far", "2 min 5 s", "2 h"):
        assert words in shown
    one = as_staff.get(f"/admin/agents/tooljob/{running}/change/").content.decode()
    assert ">running, 62%<" in "".join(one.split("\n")).replace("  ", "")


@pytest.mark.urls("adiuva.urls")
@pytest.mark.parametrize("number", [1, 3])
def test_query_count_of_admin_list_does_not_depend_on_number_of_jobs(
    as_staff: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for position in range(number):
        make(alice, request=str(position))
    with django_assert_num_queries(7):
        as_staff.get("/admin/agents/tooljob/")
