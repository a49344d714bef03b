"""Policies and approvals in the admin: who and when, never what; and whatever staff decide for a user is recorded."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries

from accounts.audit import reason_of
from accounts.models import AuditEvent, User
from agents.approval_rows import open_question
from agents.models import Approval, Decision, ToolPolicy
from agents.questions import Origin, Wish
from agents.quota_models import UserQuota
from agents.specs.spec import Risk
from agents.turn_models import TurnRecord
from agents.turn_rows import save_turns
from tests.accounts.admin.conftest import signed_in
from tests.agents.turns import turn, use

APPROVALS, POLICIES = "/admin/agents/approval/", "/admin/agents/toolpolicy/"
TURNS, QUOTAS = "/admin/agents/turnrecord/", "/admin/agents/userquota/"


@pytest.fixture
def as_boss(sam: User) -> Client:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    return signed_in(sam)


def asked(user: User, number: int = 0) -> Approval:
    origin = Origin(user_id=user.id, request_id=f"request-{number}", session_id="s-17", device_id="laptop")
    wish = Wish(
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        arguments={"task_id": "quincunx"},
        summary="Delete the task “Marmalade” for good.",
        preview=None,
        plan="plan",
    )
    question = open_question(origin, wish, now=clock.now(), lifetime=timedelta(minutes=5))
    return Approval.objects.get(id=question.id)


@pytest.mark.parametrize("page", ["", "{id}/change/"])
def test_approvals_say_whose_and_when_and_never_what(as_boss: Client, alice: User, page: str) -> None:
    approval = asked(alice)
    shown = as_boss.get(APPROVALS + page.format(id=approval.id)).content.decode()
    assert "alice@example.com" in shown
    assert "delete_task" in shown
    secrets = ("quincunx", "Marmalade", *(getattr(approval, column) for column in Approval.ENCRYPTED))
    assert [secret for secret in secrets if secret and secret in shown] == []


def test_nobody_changes_an_approval(as_boss: Client, alice: User) -> None:
    approval = asked(alice)
    for address in ("add/", f"{approval.id}/delete/"):
        assert as_boss.get(APPROVALS + address).status_code == 403
    assert as_boss.post(f"{APPROVALS}{approval.id}/change/", {"state": "approved"}).status_code == 403


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_of_approvals_costs_the_same_for_any_number(
    as_boss: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        asked(User.objects.create_user(f"user-{position}@example.com"), position)
    with django_assert_num_queries(7):
        as_boss.get(APPROVALS)


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_of_policies_costs_the_same_for_any_number(
    as_boss: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        user = User.objects.create_user(f"user-{position}@example.com")
        ToolPolicy.objects.create(user=user, tool="delete_task", decision=Decision.DENY)
    with django_assert_num_queries(5):
        as_boss.get(POLICIES)


def decided(client: Client, user: User, address: str = "add/", **fields: str) -> str:
    posted = {"user": str(user.id), "risk": "", "tool": "", "decision": "deny", **fields}
    return client.post(POLICIES + address, posted).content.decode()


def test_a_decision_for_a_user_is_recorded_from_beginning_to_end(as_boss: Client, alice: User, sam: User) -> None:
    decided(as_boss, alice, tool="delete_task")
    policy = ToolPolicy.objects.get()
    decided(as_boss, alice, f"{policy.id}/change/", tool="delete_task", decision="auto")
    as_boss.post(f"{POLICIES}{policy.id}/delete/", {"post": "yes"})

    events = AuditEvent.objects.filter(subject_id=alice.id, actor=sam).order_by("created_at")
    assert [(event.action, reason_of(event)) for event in events] == [
        ("add-policy", "delete_task: deny"),
        ("change-policy", "delete_task: auto"),
        ("remove-policy", "delete_task: auto"),
    ]
    assert (ToolPolicy.objects.count(), LogEntry.objects.count()) == (0, 0)


def test_many_decisions_that_are_removed_at_once_are_recorded(as_boss: Client, alice: User) -> None:
    ids = [ToolPolicy.objects.create(user=alice, risk=risk, decision=Decision.DENY).pk for risk in Risk]
    as_boss.post(POLICIES, {"action": "delete_selected", "_selected_action": ids, "post": "yes"})
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
def test_a_decision_about_nothing_in_particular_is_refused(
    as_boss: Client, alice: User, fields: dict[str, str], sentence: str
) -> None:
    assert sentence in decided(as_boss, alice, **fields)
    assert ToolPolicy.objects.count() == 0


def test_the_history_of_a_decision_is_what_was_done_to_the_user(as_boss: Client, alice: User) -> None:
    policy = ToolPolicy.objects.create(user=alice, risk=Risk.READ, decision=Decision.ASK)
    answer = as_boss.get(f"{POLICIES}{policy.pk}/history/")
    assert (answer.status_code, str(alice.id) in answer["Location"]) == (302, True)


@pytest.mark.django_db(transaction=True)
def test_turns_are_listed_with_their_tools_and_nobody_changes_them(as_boss: Client, alice: User) -> None:
    save_turns([turn(alice.id, tools=(use("list_tasks"), use("list_tasks", ok=False)))])
    listed = as_boss.get(TURNS, {"q": "alice", "outcome__exact": "done", "kind__exact": "home"}).content.decode()
    assert "alice@example.com" in listed
    assert "1,234\N{NO-BREAK SPACE}ms" in listed
    assert "2, 1\N{NO-BREAK SPACE}failed" in listed
    address = f"{TURNS}{TurnRecord.objects.get().id}/"
    assert "list_tasks" in as_boss.get(f"{address}change/").content.decode()
    for forbidden in (f"{TURNS}add/", f"{address}delete/"):
        assert as_boss.get(forbidden).status_code == 403


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [1, 3])
def test_the_list_of_turns_costs_the_same_for_any_number(
    as_boss: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    users = [User.objects.create_user(f"user-{position}@example.com") for position in range(number)]
    save_turns([turn(user.id) for user in users])
    with django_assert_num_queries(8):
        as_boss.get(TURNS)


def test_a_quota_for_a_user_is_recorded_from_beginning_to_end(as_boss: Client, alice: User, sam: User) -> None:
    as_boss.post(f"{QUOTAS}add/", {"user": str(alice.id), "turns": "20", "tokens": ""})
    quota = UserQuota.objects.get(user=alice)
    as_boss.post(f"{QUOTAS}{quota.pk}/change/", {"user": str(alice.id), "turns": "", "tokens": "0"})
    as_boss.post(f"{QUOTAS}{quota.pk}/delete/", {"post": "yes"})

    events = AuditEvent.objects.filter(subject_id=alice.id, actor=sam).order_by("created_at")
    assert [(event.action, reason_of(event)) for event in events] == [
        ("add-quota", "turns 20, tokens as everybody"),
        ("change-quota", "turns as everybody, tokens without a limit"),
        ("remove-quota", "turns as everybody, tokens without a limit"),
    ]
    assert (UserQuota.objects.count(), LogEntry.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"turns": "", "tokens": ""},
            "This decides nothing: name a number of turns or of tokens, or delete the quota.",
        ),
        ({"turns": "-1", "tokens": ""}, "Ensure this value is greater than or equal to 0."),
    ],
)
def test_a_quota_that_limits_nothing_sensible_is_refused(
    as_boss: Client, alice: User, fields: dict[str, str], sentence: str
) -> None:
    answer = as_boss.post(f"{QUOTAS}add/", {"user": str(alice.id), **fields}).content.decode()
    assert sentence in answer
    assert UserQuota.objects.count() == 0


def test_a_quota_is_listed_in_words_where_a_number_would_mislead(as_boss: Client, alice: User) -> None:
    quota = UserQuota.objects.create(user=alice, turns=0, tokens=1_500_000)
    shown = as_boss.get(QUOTAS).content.decode()
    assert [words for words in ("no limit", "1,500,000") if words not in shown] == []
    UserQuota.objects.filter(pk=quota.pk).update(turns=None)
    assert "as everybody" in as_boss.get(QUOTAS).content.decode()


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_of_quotas_costs_the_same_for_any_number(
    as_boss: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        UserQuota.objects.create(user=User.objects.create_user(f"user-{position}@example.com"), turns=5)
    with django_assert_num_queries(5):
        as_boss.get(QUOTAS)
