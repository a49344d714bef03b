from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import include, path
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.auth.tokens import issue_tokens
from accounts.models import User
from agents.permissions.approvals import repository
from agents.permissions.approvals.policies import remember_answer
from agents.permissions.approvals.repository import Answer, Preview, ProposedCall, Question
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.models import Approval, ApprovalState, ToolPolicy
from agents.permissions.quotas import QuotaService
from agents.requests import RequestOrigin
from agents.rest.urls import addresses
from agents.tools.spec import Risk

APPROVALS, POLICIES, SHARING, TOOLS = "/api/v1/approvals", "/api/v1/policies", "/api/v1/sharing", "/api/v1/tools"
urlpatterns = [path("api/v1/", include(addresses(ApprovalService(), QuotaService())))]
pytestmark = pytest.mark.urls(__name__)
DEFAULTS = {"risks": {"read": "auto", "write": "auto", "destructive": "ask"}, "tools": {}}


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(alice).access}")
    return client


def ask(user: User, title: str, *, minutes: float = 0) -> Question:
    """A question to ``user``, this many minutes from now."""
    proposed = ProposedCall(
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        arguments={"task_id": title},
        summary=f"Delete {title}.",
        preview=Preview(before={"title": title}, after=None),
        plan=title,
    )
    origin = RequestOrigin(user_id=user.id, request_id=str(uuid4()), session_id="s1")
    return repository.open_question(
        origin, proposed, now=clock.now() + timedelta(minutes=minutes), lifetime=timedelta(minutes=5)
    )


def test_list_contains_own_approvals_pending_first(as_alice: APIClient, alice: User, bob: User) -> None:
    old, answered, new = ask(alice, "old", minutes=-2), ask(alice, "answered", minutes=-1), ask(alice, "new")
    ask(bob, "another's")
    repository.answer(alice.id, answered.id, Answer(approved=True), now=clock.now())
    body = as_alice.get(APPROVALS).json()

    assert body["count"] == 3
    assert [shown["id"] for shown in body["results"]] == [str(question.id) for question in (new, old, answered)]
    [first, *_] = body["results"]
    del first["created_at"], first["expires_at"]
    assert first == {
        "id": str(new.id),
        "request_id": new.request_id,
        "session_id": "s1",
        "tool": "delete_task",
        "risk": "destructive",
        "arguments": {"task_id": "new"},
        "summary": "Delete new.",
        "preview": {"before": {"title": "new"}, "after": None},
        "source": None,
        "group": None,
        "state": "pending",
        "ran": False,
        "answered_at": None,
    }


def test_approvals_are_paginated(as_alice: APIClient, alice: User) -> None:
    asked = [str(ask(alice, str(number), minutes=number / 100).id) for number in range(5)][::-1]

    seen = [as_alice.get(APPROVALS, {"limit": 2, "offset": offset}).json() for offset in (0, 2, 4, 6)]
    assert [[shown["id"] for shown in page["results"]] for page in seen] == [asked[:2], asked[2:4], asked[4:], []]
    assert {page["count"] for page in seen} == {5}


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 101}, {"offset": -1}, {"limit": "many"}])
def test_invalid_page_is_refused(as_alice: APIClient, query: dict[str, str | int]) -> None:
    answer = as_alice.get(APPROVALS, query)

    assert (answer.status_code, answer.json()["details"].keys()) == (400, query.keys())


def test_overdue_approvals_are_expired(as_alice: APIClient, alice: User) -> None:
    ask(alice, "unanswered", minutes=-10)
    [shown] = as_alice.get(APPROVALS).json()["results"]

    assert shown["state"] == "expired"
    assert Approval.objects.get().state == ApprovalState.EXPIRED


@pytest.mark.parametrize("number", [1, 3])
def test_query_count_does_not_depend_on_number_of_approvals(
    as_alice: APIClient, alice: User, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for position in range(number):
        ask(alice, str(position))
    with django_assert_num_queries(5):
        assert len(as_alice.get(APPROVALS).json()["results"]) == number


@pytest.mark.parametrize(
    ("address", "first", "second"),
    [
        (POLICIES, {**DEFAULTS, "tools": {"create_task": "ask"}}, DEFAULTS),
        (SHARING, {"tables": ["notes"], "projects": ["p2", "p1"]}, {"tables": [], "projects": []}),
    ],
    ids=["policies", "sharing"],
)
def test_policies_and_marks_support_conditional_requests(
    as_alice: APIClient, address: str, first: dict[str, object], second: dict[str, object]
) -> None:
    tag = as_alice.get(address)["ETag"]
    assert as_alice.get(address, headers={"If-None-Match": tag}).status_code == 304
    changed = as_alice.put(address, first, format="json", headers={"If-Match": tag})
    late = as_alice.put(address, second, format="json", headers={"If-Match": tag})

    assert (changed.status_code, late.status_code, late.json()["code"]) == (200, 412, "changed_meanwhile")
    read = as_alice.get(address, headers={"If-None-Match": tag})
    assert (read.json(), read["ETag"]) == (changed.json(), changed["ETag"])


@pytest.mark.parametrize("address", [APPROVALS, POLICIES, TOOLS])
def test_anonymous_requests_are_refused(db: None, address: str) -> None:
    assert APIClient().get(address).status_code == 401


def test_policies_start_with_defaults_and_are_replaced_as_a_whole(as_alice: APIClient, bob: User) -> None:
    assert as_alice.get(POLICIES).json() == DEFAULTS
    risks = {"read": "auto", "write": "ask", "destructive": "deny"}
    for tools in ({"create_task": "auto"}, {"delete_task": "ask", "list_tasks": "deny"}):
        answer = as_alice.put(POLICIES, {"risks": risks, "tools": tools}, format="json")
        assert (answer.status_code, answer.json()) == (200, {"risks": risks, "tools": tools})
        assert as_alice.get(POLICIES).json() == answer.json()
    assert ToolPolicy.objects.for_user(bob.id).count() == 0


def test_remembered_answer_is_among_policies(as_alice: APIClient, alice: User) -> None:
    remember_answer(alice.id, "create_task", Risk.WRITE, approved=True)

    assert as_alice.get(POLICIES).json() == {**DEFAULTS, "tools": {"create_task": "auto"}}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"risks": {"read": "auto", "write": "auto"}}, "risks.destructive"),
        ({"risks": {**DEFAULTS["risks"], "write": "perhaps"}}, "risks.write"),
        ({"tools": {"fly": "ask"}}, "tools.fly"),
        ({"tools": {"create_task": "perhaps"}}, "tools.create_task"),
        ({"tools": []}, "tools"),
    ],
)
def test_invalid_policies_change_nothing(as_alice: APIClient, change: object, field: str) -> None:
    answer = as_alice.put(POLICIES, {**DEFAULTS, **change}, format="json")  # type: ignore[dict-item]

    assert (answer.status_code, [*answer.json()["details"]]) == (400, [field])
    assert ToolPolicy.objects.count() == 0


def test_tools_of_policies_are_listed_once(as_alice: APIClient) -> None:
    tools = as_alice.get(TOOLS).json()["results"]

    assert {
        "name": "delete_task",
        "agent": "tasks",
        "risk": "destructive",
        "label": "Deleting a task",
        "description": "Delete a task.",
    } in tools
    assert {"get_page_details", "create_timeline_event", "weekly_review"} < {tool["name"] for tool in tools}
    assert len({tool["name"] for tool in tools}) == len({tool["label"] for tool in tools}) == len(tools)
    every = {"risks": DEFAULTS["risks"], "tools": {tool["name"]: "ask" for tool in tools}}
    assert as_alice.put(POLICIES, every, format="json").status_code == 200


@pytest.mark.urls("adiuva.urls")
def test_admin_shows_states_and_times_but_no_content(sam: User, alice: User) -> None:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    question = ask(alice, "Secret roses")
    remember_answer(alice.id, "create_task", Risk.WRITE, approved=True)
    stored = Approval.objects.get()
    client = Client()
    client.force_login(sam)

    for page in ("approval/", f"approval/{question.id}/change/", "toolpolicy/", "toolpolicy/add/"):
        answer = client.get(f"/admin/agents/{page}")
        assert answer.status_code == 200, page
        shown = answer.content.decode()
        for hidden in ("Secret roses", stored.summary_encrypted, stored.arguments_hash, stored.call_key):
            assert hidden not in shown
    assert "delete_task" in client.get("/admin/agents/approval/").content.decode()
    assert client.get("/admin/agents/approval/add/").status_code == 403


@pytest.mark.urls("adiuva.urls")
@pytest.mark.parametrize("number", [1, 3])
def test_query_count_of_admin_list_does_not_depend_on_number_of_approvals(
    sam: User, alice: User, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    for position in range(number):
        ask(alice, str(position))
    client = Client()
    client.force_login(sam)
    with django_assert_num_queries(7):
        client.get("/admin/agents/approval/")
