"""Approvals in the admin: users and times, but no content."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries

from accounts.encryption import encrypted_columns
from accounts.models import User
from agents.permissions.approvals.repository import ProposedCall, open_question
from agents.permissions.models import Approval
from agents.requests import RequestOrigin
from agents.tools.spec import Risk

APPROVALS = "/admin/agents/approval/"


def asked(user: User, number: int = 0) -> Approval:
    origin = RequestOrigin(user_id=user.id, request_id=f"request-{number}", session_id="s-17", device_id="laptop")
    proposed = ProposedCall(
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        arguments={"task_id": "quincunx"},
        summary="Delete the task “Marmalade” for good.",
        preview=None,
        plan="plan",
    )
    question = open_question(origin, proposed, now=clock.now(), lifetime=timedelta(minutes=5))
    return Approval.objects.get(id=question.id)


@pytest.mark.parametrize("page", ["", "{id}/change/"])
def test_approvals_show_user_and_tool_but_no_content(as_superuser: Client, alice: User, page: str) -> None:
    approval = asked(alice)
    shown = as_superuser.get(APPROVALS + page.format(id=approval.id)).content.decode()
    assert "alice@example.com" in shown
    assert "delete_task" in shown
    secrets = ("quincunx", "Marmalade", *(getattr(approval, column) for column in encrypted_columns(Approval)))
    assert [secret for secret in secrets if secret and secret in shown] == []


def test_approval_cannot_be_added_changed_or_deleted(as_superuser: Client, alice: User) -> None:
    approval = asked(alice)
    for address in ("add/", f"{approval.id}/delete/"):
        assert as_superuser.get(APPROVALS + address).status_code == 403
    assert as_superuser.post(f"{APPROVALS}{approval.id}/change/", {"state": "approved"}).status_code == 403


@pytest.mark.parametrize("number", [1, 3])
def test_query_count_does_not_depend_on_number_of_approvals(
    as_superuser: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        asked(User.objects.create_user(f"user-{position}@example.com"), position)
    with django_assert_num_queries(7):
        as_superuser.get(APPROVALS)
