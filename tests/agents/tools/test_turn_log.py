from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from channels.db import database_sync_to_async
from django.contrib.auth.models import Permission

from accounts.models import User
from agents.errors import ToolFailed
from agents.requests import RequestKind
from agents.telemetry.recorder import save_turns
from agents.telemetry.turns import TurnOutcome
from agents.tools.turn_log import RecentTurns
from tests.agents.turns import STARTED, generation, turn, use

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sam(db: None) -> User:
    """A staff member with the permission to view turn records."""
    sam = User.objects.create_user("sam@example.com")
    sam.is_staff = True
    sam.save(update_fields=["is_staff"])
    sam.user_permissions.add(Permission.objects.get(codename="view_turnrecord"))
    return sam


async def log(user: User, **asked: Any) -> str:
    given = {"request_id": None, "limit": 20, "timezone": ZoneInfo("Asia/Tokyo"), **asked}
    return (await RecentTurns(user_id=user.id, **given).execute()).text


async def test_turn_is_one_line_of_figures(sam: User, alice: User) -> None:
    generations = (generation("small", input_tokens=10, output_tokens=2), generation("large", input_tokens=300))
    tools = (use("list_tasks"), use("list_tasks", ok=False), use("create_task", took_s=1.0))
    await database_sync_to_async(save_turns)([turn(alice.id, generations=generations, tools=tools)])

    assert await log(sam) == (
        "Found 1 turn, the newest first:\n"
        "- 2026-03-29 19:00 home: done, 1234 ms, first text after 300 ms, by task_agent, 2 requests to models with "
        "large last, 310 tokens in and 2 out, create_task (1×, 1000 ms), list_tasks (2×, 1 failed, 500 ms); "
        'request "r1"'
    )


async def test_failed_turn_has_error_code(sam: User, alice: User) -> None:
    failed = turn(alice.id, outcome=TurnOutcome.ERROR, error_code="model_error", kind=RequestKind.JOB)
    await database_sync_to_async(save_turns)([failed])
    assert " job: error (model_error), " in await log(sam)


async def test_newest_turns_come_first_within_limit(sam: User, alice: User) -> None:
    turns = [turn(alice.id, request_id=f"r{n}", started_at=STARTED + timedelta(minutes=n)) for n in range(120)]
    await database_sync_to_async(save_turns)(turns)

    assert [line.rpartition(" ")[2] for line in (await log(sam, limit=2)).splitlines()[1:]] == ['"r119"', '"r118"']
    assert len((await log(sam, limit=1000)).splitlines()) == 101
    assert len((await log(sam, limit=-1)).splitlines()) == 2


async def test_turns_of_one_request_are_found(sam: User, alice: User) -> None:
    turns = [turn(alice.id, request_id="r1"), turn(alice.id, request_id="r2"), turn(alice.id, request_id="r1")]
    await database_sync_to_async(save_turns)(turns)

    assert (await log(sam, request_id="r1")).startswith("Found 2 turns")
    assert await log(sam, request_id="no\0ne") == "Found no turns."


async def test_request_id_cannot_forge_line(sam: User, alice: User) -> None:
    await database_sync_to_async(save_turns)([turn(alice.id, request_id='r"\n- 2026 home: done')])
    assert len((await log(sam)).splitlines()) == 2


@pytest.mark.parametrize("staff", [False, True])
@pytest.mark.parametrize("permitted", [False, True])
async def test_only_staff_with_permission_see_turn_records(alice: User, *, staff: bool, permitted: bool) -> None:
    await database_sync_to_async(save_turns)([turn(alice.id)])
    alice.is_staff = staff
    await alice.asave(update_fields=["is_staff"])
    if permitted:
        permission = await Permission.objects.aget(codename="view_turnrecord")
        await database_sync_to_async(alice.user_permissions.add)(permission)

    if staff and permitted:
        assert (await log(alice)).startswith("Found 1 turn")
        return
    with pytest.raises(ToolFailed, match="Only staff who may see turn records"):
        await log(alice)
