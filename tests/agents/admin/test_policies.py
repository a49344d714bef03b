"""Policies in the admin: every change by staff is recorded."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.audit import reason_of
from accounts.models import AuditEvent, User
from agents.permissions.models import Decision, ToolPolicy
from agents.tools.spec import Risk
from tests.accounts.admin.conftest import may, signed_in

POLICIES = "/admin/agents/toolpolicy/"


@pytest.mark.parametrize("number", [1, 3])
def test_query_count_does_not_depend_on_number_of_policies(
    as_superuser: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        user = User.objects.create_user(f"user-{position}@example.com")
        ToolPolicy.objects.create(user=user, tool="delete_task", decision=Decision.DENY)
    with django_assert_num_queries(5):
        as_superuser.get(POLICIES)


def decided(client: Client, user: User, address: str = "add/", **fields: str) -> str:
    posted = {"user": str(user.id), "risk": "", "tool": "", "decision": "deny", **fields}
    return client.post(POLICIES + address, posted).content.decode()


def test_adding_changing_and_deleting_policy_is_audited(as_superuser: Client, alice: User, sam: User) -> None:
    decided(as_superuser, alice, tool="delete_task")
    policy = ToolPolicy.objects.get()
    decided(as_superuser, alice, f"{policy.id}/change/", tool="delete_task", decision="auto")
    as_superuser.post(f"{POLICIES}{policy.id}/delete/", {"post": "yes"})

    events = AuditEvent.objects.filter(subject_id=alice.id, actor=sam).order_by("created_at")
    assert [(event.action, reason_of(event)) for event in events] == [
        ("add-policy", "delete_task: deny"),
        ("change-policy", "delete_task: auto"),
        ("remove-policy", "delete_task: auto"),
    ]
    assert (ToolPolicy.objects.count(), LogEntry.objects.count()) == (0, 0)


def test_bulk_deletion_of_policies_is_audited(as_superuser: Client, alice: User) -> None:
    ids = [ToolPolicy.objects.create(user=alice, risk=risk, decision=Decision.DENY).pk for risk in Risk]
    as_superuser.post(POLICIES, {"action": "delete_selected", "_selected_action": ids, "post": "yes"})
    assert ToolPolicy.objects.count() == 0
    assert AuditEvent.objects.filter(subject_id=alice.id, action="remove-policy").count() == len(ids)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "A policy is about one risk or about one tool: choose one of them."),
        ({"risk": "write", "tool": "delete_task"}, "A policy is about one risk or about one tool: choose one of them."),
        ({"tool": "delete_everything"}, "There is no such tool."),
    ],
)
def test_policy_without_one_valid_subject_is_refused(
    as_superuser: Client, alice: User, fields: dict[str, str], sentence: str
) -> None:
    assert sentence in decided(as_superuser, alice, **fields)
    assert ToolPolicy.objects.count() == 0


def test_staff_cannot_change_policies_of_users_with_more_permissions(alice: User, bob: User, sam: User) -> None:
    may(sam, *(f"agents.{verb}_toolpolicy" for verb in ("view", "add", "change", "delete")))
    User.objects.filter(id=bob.id).update(is_staff=True, is_superuser=True)
    as_sam, of_bob = signed_in(sam), ToolPolicy.objects.create(user=bob, risk=Risk.READ, decision=Decision.ASK)
    of_alice = ToolPolicy.objects.create(user=alice, risk=Risk.READ, decision=Decision.ASK)
    for user, address in ((bob, "add/"), (bob, f"{of_alice.pk}/change/"), (alice, f"{of_bob.pk}/change/")):
        form = {"user": str(user.id), "risk": "write", "tool": "", "decision": "auto"}
        assert as_sam.post(POLICIES + address, form).status_code == 403, address
    assert as_sam.post(f"{POLICIES}{of_bob.pk}/delete/", {"post": "yes"}).status_code == 403
    as_sam.post(POLICIES, {"action": "delete_selected", "_selected_action": [of_bob.pk], "post": "yes"})

    assert set(ToolPolicy.objects.values_list("user", "risk", "decision")) == {
        (alice.id, Risk.READ, Decision.ASK),
        (bob.id, Risk.READ, Decision.ASK),
    }
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize("permitted", [True, False])
def test_history_link_requires_permission(alice: User, sam: User, *, permitted: bool) -> None:
    may(sam, "agents.change_toolpolicy", "accounts.change_user", *(["accounts.view_auditevent"] if permitted else []))
    policy = ToolPolicy.objects.create(user=alice, risk=Risk.READ, decision=Decision.ASK)
    for page in (f"{POLICIES}{policy.pk}/", f"/admin/accounts/user/{alice.id}/"):
        shown = signed_in(sam).get(f"{page}change/").content.decode()
        assert (f"{page}history/" in shown) is permitted


def test_history_of_policy_redirects_to_events_of_user(as_superuser: Client, alice: User) -> None:
    policy = ToolPolicy.objects.create(user=alice, risk=Risk.READ, decision=Decision.ASK)
    answer = as_superuser.get(f"{POLICIES}{policy.pk}/history/")
    assert (answer.status_code, str(alice.id) in answer["Location"]) == (302, True)
