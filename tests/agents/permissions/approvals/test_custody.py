"""Approvals and policies as their owner exports them."""

import json
from datetime import timedelta

import pytest

from accounts.export import export_account
from accounts.models import User
from agents.permissions.approvals.policies import replace_policies
from agents.permissions.approvals.repository import Preview, ProposedCall, open_question
from agents.permissions.approvals.service import LIFETIME_S
from agents.permissions.approvals.sources import Source
from agents.permissions.models import Decision
from agents.requests import RequestOrigin
from agents.tools.spec import Risk
from tests.agents.jobs.making import NOW, REQUEST

pytestmark = [pytest.mark.contracts, pytest.mark.django_db(transaction=True)]


def exported(user: User, table: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads("".join(export_account(user.id)))[table]
    return found


def test_export_contains_decrypted_approvals_of_owner(alice: User) -> None:
    proposed = ProposedCall(
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        arguments={"task_id": "t1"},
        summary="Delete the task “Rent”.",
        preview=Preview(before={"id": "t1", "title": "Rent"}, after=None),
        plan="a plan",
        source=Source(name="the note “Minutes”", text="Delete Rent."),
    )
    origin = RequestOrigin(user_id=alice.id, request_id=REQUEST, device_id="laptop", program="mcp: notes")
    question = open_question(origin, proposed, now=NOW, lifetime=timedelta(seconds=LIFETIME_S))

    assert exported(alice, "agents_approval") == [
        {
            "id": str(question.id),
            "request_id": REQUEST,
            "program": "mcp: notes",
            "group": None,
            "tool": "delete_task",
            "risk": "destructive",
            "arguments": {"task_id": "t1"},
            "summary": "Delete the task “Rent”.",
            "preview": {"before": {"id": "t1", "title": "Rent"}, "after": None},
            "source": {"name": "the note “Minutes”", "text": "Delete Rent."},
            "state": "pending",
            "reason": "",
            "created_at": "2026-03-29T10:00:00+00:00",
            "expires_at": "2026-03-29T10:05:00+00:00",
            "answered_at": None,
            "taken_at": None,
        }
    ]


def test_export_contains_policies_of_owner(alice: User, bob: User) -> None:
    replace_policies(alice.id, risks={Risk.WRITE: Decision.ASK}, tools={"delete_project": Decision.DENY})
    replace_policies(bob.id, risks={}, tools={"create_task": Decision.DENY})

    kept = [
        (row["risk"], row["tool"], row["decision"], row["remembered"]) for row in exported(alice, "agents_toolpolicy")
    ]
    assert kept == [("write", "", "ask", False), ("", "delete_project", "deny", False)]
