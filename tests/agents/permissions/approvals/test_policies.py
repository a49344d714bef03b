import threading

import pytest
from django.db import IntegrityError, connection

from accounts.models import User
from agents.permissions.approvals.policies import Policies, policies_of, remember_answer, replace_policies
from agents.permissions.models import Decision, ToolPolicy
from agents.tools.spec import Risk

AUTO, ASK, DENY = Decision.AUTO, Decision.ASK, Decision.DENY


@pytest.mark.parametrize(("risk", "decision"), [(Risk.READ, AUTO), (Risk.WRITE, AUTO), (Risk.DESTRUCTIVE, ASK)])
def test_defaults_ask_only_for_destructive_tools(alice: User, risk: Risk, decision: Decision) -> None:
    assert policies_of(alice.id).decision("some_tool", risk) is decision
    assert Policies().decision("some_tool", risk) is decision


def test_tool_decision_overrides_risk_decision(alice: User, bob: User) -> None:
    replace_policies(alice.id, risks={Risk.WRITE: DENY}, tools={"create_task": ASK, "delete_task": AUTO})
    policies = policies_of(alice.id)

    assert policies.decision("create_task", Risk.WRITE) is ASK
    assert policies.decision("create_note", Risk.WRITE) is DENY
    assert policies.decision("delete_task", Risk.DESTRUCTIVE) is AUTO
    assert policies.decision("delete_note", Risk.DESTRUCTIVE) is ASK
    assert policies_of(bob.id) == Policies()


def test_replacing_policies_removes_all_earlier_decisions(alice: User) -> None:
    replace_policies(alice.id, risks={Risk.READ: ASK}, tools={"create_task": DENY})
    remember_answer(alice.id, "create_note", Risk.WRITE, approved=True)
    replace_policies(alice.id, risks={Risk.WRITE: ASK}, tools={})

    assert policies_of(alice.id) == Policies(risks={**Policies().risks, Risk.WRITE: ASK})


@pytest.mark.parametrize(("approved", "decision"), [(True, AUTO), (False, DENY)])
def test_answer_is_remembered_for_its_tool_only(alice: User, approved: bool, decision: Decision) -> None:
    replace_policies(alice.id, risks={Risk.WRITE: ASK}, tools={"create_task": ASK})

    assert remember_answer(alice.id, "create_task", Risk.WRITE, approved=approved) is True
    assert policies_of(alice.id).decision("create_task", Risk.WRITE) is decision
    assert policies_of(alice.id).decision("create_note", Risk.WRITE) is ASK


@pytest.mark.parametrize("approved", [True, False])
def test_answer_about_destructive_tool_is_not_remembered(alice: User, approved: bool) -> None:
    assert remember_answer(alice.id, "delete_task", Risk.DESTRUCTIVE, approved=approved) is False
    assert ToolPolicy.objects.count() == 0


def test_remembered_answer_does_not_apply_once_tool_is_destructive(alice: User) -> None:
    remember_answer(alice.id, "tidy_up", Risk.WRITE, approved=True)
    policies = policies_of(alice.id)

    assert policies.decision("tidy_up", Risk.WRITE) is AUTO
    assert policies.decision("tidy_up", Risk.DESTRUCTIVE) is ASK


@pytest.mark.parametrize(("risk", "tool"), [("", ""), ("write", "create_task")])
def test_policy_is_about_either_risk_or_tool(alice: User, risk: str, tool: str) -> None:
    with pytest.raises(IntegrityError):
        ToolPolicy.objects.create(user=alice, risk=risk, tool=tool, decision=ASK)


@pytest.mark.django_db(transaction=True)
def test_concurrent_replacements_leave_one_complete_set(alice: User) -> None:
    start = threading.Barrier(2, timeout=10)

    def decide(decision: Decision) -> None:
        start.wait()
        replace_policies(alice.id, risks=dict.fromkeys(Risk, decision), tools={"create_task": decision})
        connection.close()

    threads = [threading.Thread(target=decide, args=(decision,)) for decision in (ASK, DENY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({policy.decision for policy in ToolPolicy.objects.for_user(alice.id)}) == 1
    assert ToolPolicy.objects.count() == 4
