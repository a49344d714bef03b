import json
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection

from accounts.erasure import forget, rows_to_erase
from accounts.export import export_account
from accounts.models import User
from agents.telemetry.models import TurnRecord, TurnTool
from agents.telemetry.recorder import save_turns
from agents.telemetry.turns import TurnOutcome
from tests.agents.turns import STARTED, generation, turn, use

pytestmark = pytest.mark.django_db(transaction=True)


def test_turn_is_stored_as_figures(alice: User) -> None:
    generations = (
        generation("small", input_tokens=10, output_tokens=2),
        generation("large", input_tokens=300, output_tokens=40),
        generation("large"),
    )
    tools = (use("list_tasks"), use("list_tasks", ok=False), use("create_task", took_s=1.0))
    save_turns([turn(alice.id, generations=generations, tools=tools)])

    row = TurnRecord.objects.get()
    assert (row.user, row.request_id, row.kind, row.source) == (alice, "r1", "home", "socket")
    assert (row.agent, row.model, row.started_at) == ("task_agent", "large", STARTED)
    assert (row.duration_ms, row.first_text_ms) == (1234, 300)
    assert (row.model_requests, row.input_tokens, row.output_tokens) == (3, 310, 42)
    assert (row.tool_calls, row.tool_failures, row.outcome, row.error_code) == (3, 1, "done", "")
    told = TurnTool.objects.order_by("tool").values_list("tool", "calls", "failures", "duration_ms", "started_at")
    assert list(told) == [("create_task", 1, 0, 1000, STARTED), ("list_tasks", 2, 1, 500, STARTED)]


def test_turn_without_text_has_no_time_to_first_text(alice: User) -> None:
    save_turns([turn(alice.id, first_text_s=None)])
    assert TurnRecord.objects.get().first_text_ms is None


def test_saving_again_changes_nothing(alice: User) -> None:
    first, second = turn(alice.id, tools=(use("list_tasks"),)), turn(alice.id, tools=(use("list_tasks"),))
    save_turns([first])
    save_turns([first, second])
    assert (TurnRecord.objects.count(), TurnTool.objects.count()) == (2, 2)


def test_turns_of_deleted_users_are_left_out(alice: User) -> None:
    save_turns([turn(uuid4()), turn(alice.id)])
    assert [row.user for row in TurnRecord.objects.all()] == [alice]


def test_unstorable_request_id_is_sanitized_and_truncated(alice: User) -> None:
    save_turns([turn(alice.id, request_id="\ud83d\0" + "x" * 500)])
    assert TurnRecord.objects.get().request_id == "?" + "x" * 199


def test_error_code_requires_error_outcome(alice: User) -> None:
    save_turns([turn(alice.id, outcome=TurnOutcome.ERROR, error_code="model_error")])
    with pytest.raises(IntegrityError, match="agents_turnrecord_code_if_error"):
        save_turns([turn(alice.id, error_code="model_error")])


def test_turns_are_exported_and_erased_with_account(alice: User, bob: User) -> None:
    save_turns([turn(alice.id, tools=(use("list_tasks"),)), turn(bob.id, tools=(use("list_tasks"),))])
    exported = json.loads("".join(export_account(alice.id)))
    [told] = exported["agents_turnrecord"]
    assert (told["request_id"], told["duration_ms"], told["started_at"]) == ("r1", 1234, STARTED.isoformat())
    assert rows_to_erase(alice.id)["agents_turnrecord"] == 1

    forget(alice.id)
    assert [row.user for row in TurnRecord.objects.all()] == [bob]
    assert TurnTool.objects.count() == 1


def test_each_query_uses_its_index(alice: User, bob: User) -> None:
    # If half of them were Alice's, another query plan could cost as little.
    save_turns([turn(user.id, tools=(use("list_tasks"),)) for user in (alice, *[bob] * 49) for _ in range(20)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE agents_turnrecord, agents_turntool")
        cursor.execute("SET enable_seqscan = off")
    try:
        plans = {
            "agents_turnrecord_of_user": TurnRecord.objects.for_user(alice.id).since(STARTED).explain(),
            "agents_turnrecord_started": TurnRecord.objects.since(STARTED).order_by("-started_at")[:20].explain(),
            "agents_turntool_started": TurnTool.objects.filter(started_at__gt=STARTED).values("tool").explain(),
        }
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET enable_seqscan")
    assert [index for index, plan in plans.items() if index not in plan] == []
