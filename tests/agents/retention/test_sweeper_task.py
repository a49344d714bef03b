"""Old rows are deleted in the background: after the start, repeatedly, and again after database errors."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from channels.db import database_sync_to_async
from django.db import OperationalError

from accounts.models import User
from agents import retention
from agents.permissions.models import Approval
from agents.retention import RULES, RetentionRule, RetentionSweeper, delete_batch
from tests.agents.retention.aged import DAY, KEPT, NOW, approval, dialogue

pytestmark = pytest.mark.django_db(transaction=True)


@asynccontextmanager
async def running_sweeper(*, first_s: float = 0.0, every_s: float = 0.02) -> AsyncIterator[RetentionSweeper]:
    work = RetentionSweeper(KEPT, first_s=first_s, every_s=every_s, pause_s=0.0, clock=lambda: NOW)
    work.begin()
    work.begin()
    try:
        yield work
    finally:
        await work.aclose()


async def old_approval(user: User) -> None:
    await database_sync_to_async(approval)(user, NOW - 100 * DAY)


async def until_all_are_deleted() -> None:
    async with asyncio.timeout(20):
        while await Approval.objects.aexists():  # noqa: ASYNC110 - the database sends no event
            await asyncio.sleep(0.01)


def tasks() -> int:
    return [task.get_name() for task in asyncio.all_tasks()].count("deleting old rows")


async def test_sweeper_runs_repeatedly(alice: User) -> None:
    await old_approval(alice)
    async with running_sweeper():
        assert tasks() == 1
        await until_all_are_deleted()
        await old_approval(alice)
        await until_all_are_deleted()
    assert tasks() == 0


@pytest.mark.parametrize(("first_s", "kinds"), [(60.0, 0), (0.0, len(RULES))])
async def test_sweeper_waits_before_its_first_run(monkeypatch: pytest.MonkeyPatch, first_s: float, kinds: int) -> None:
    asked: list[object] = []

    async def nothing(*work: object) -> int:
        asked.append(work)
        return 0

    monkeypatch.setattr(retention, "in_database", nothing)
    async with running_sweeper(first_s=first_s, every_s=60):
        for _ in range(5):
            await asyncio.sleep(0)
    assert len(asked) == kinds


async def test_unavailable_database_is_retried_and_logged_once(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries = 0

    def failing(rule: RetentionRule, *border: object) -> int:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise OperationalError("away")
        return delete_batch(rule, NOW - 90 * DAY)

    await old_approval(alice)
    monkeypatch.setattr(retention, "delete_batch", failing)
    # Retried after the first pause, not after the long one.
    async with running_sweeper(every_s=60):
        await until_all_are_deleted()
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "deleting what is old failed; it is tried again"
    ]


def _fill(user: User) -> None:
    for number in range(3):
        approval(user, NOW - (100 + number) * DAY)
    dialogue(user, NOW - 100 * DAY)


@pytest.mark.parametrize(("fill", "said"), [(_fill, ["approvals 3, conversations 1"]), (lambda _: None, [])])
async def test_sweep_logs_deleted_rows_in_one_line(
    alice: User, caplog: pytest.LogCaptureFixture, fill: Callable[[User], None], said: list[str]
) -> None:
    await database_sync_to_async(fill)(alice)
    caplog.set_level("INFO", logger="agents.retention")
    await RetentionSweeper(KEPT, pause_s=0.0, clock=lambda: NOW).sweep()

    assert [record.message for record in caplog.records if record.name == "agents.retention"] == [
        f"what was old has been deleted: {what}" for what in said
    ]
