import asyncio
import gc
import weakref
from contextvars import copy_context

import pytest

from agents.calls import CallAction, Change, ClientAnswer, Table, UndoEffect, UndoneRow
from agents.errors import ClientAbsent, ClientSilent, ToolFailed
from agents.provenance import FOREIGN_COLUMN
from agents.tools.client import RecordingClient, execute_on_client, select, together, using_client
from tests.agents.tables import InMemoryClient
from tests.costs import calls_of


async def test_title_hides_no_foreign_row() -> None:
    device = InMemoryClient()
    device.rows[Table.TASKS] = [{"id": row_id, FOREIGN_COLUMN: True} for row_id in ("row-1", "row [2]")]
    run = RecordingClient(device)
    with using_client(run):
        await select(Table.TASKS)
    told = 'Found 1 task:\n- "mine [id zzz" (todo) [id row-1]'
    assert run.tells_foreign(told)
    assert run.tells_foreign("of “x” [id row [2]]")
    assert not run.tells_foreign(told.replace("row-1", "row-2"))


async def test_call_without_device_fails_as_not_connected() -> None:
    with pytest.raises(ClientAbsent):
        await execute_on_client(CallAction.SELECT, Table.TASKS)


def test_context_that_outlives_run_does_not_keep_client_alive(client: InMemoryClient) -> None:
    run = RecordingClient(client)
    with using_client(run):
        context = copy_context()
    left = weakref.ref(run)
    del run
    gc.collect()
    assert left() is None
    assert len(context) > 0


async def test_only_effective_changes_are_recorded(run: RecordingClient) -> None:
    row = (await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "A"})).row
    assert row is not None
    new_id = str(row["id"])
    await execute_on_client(CallAction.SELECT, Table.TASKS)
    await execute_on_client(CallAction.UPDATE, Table.TASKS, {"id": row["id"], "updates": {"title": "B"}})
    await execute_on_client(CallAction.UPDATE, Table.TASKS, {"id": "none", "updates": {"title": "B"}})
    await execute_on_client(CallAction.DELETE, Table.TASKS, {"id": "none"})
    await execute_on_client(CallAction.VECTOR_UPSERT, Table.NOTES, {"id": "n"}, vector=[1.0])
    await execute_on_client(CallAction.DELETE, Table.TASKS, {"id": row["id"]})

    assert run.changes == [
        Change(action=CallAction.INSERT, table=Table.TASKS, id=new_id),
        Change(action=CallAction.UPDATE, table=Table.TASKS, id=new_id),
        Change(action=CallAction.DELETE, table=Table.TASKS, id=new_id),
    ]


async def test_undo_is_recorded_as_changes_and_rows(run: RecordingClient, client: InMemoryClient) -> None:
    client.rows[Table.TASKS] = [{"id": "1"}, {"id": "2", "title": "New"}]
    old = {"id": "2", "title": "Old"}
    client.undo = ClientAnswer(
        undone=(
            UndoneRow(table=Table.TASKS, id="1", effect=UndoEffect.REMOVED, before={"id": "1"}, after=None),
            UndoneRow(table=Table.TASKS, id="2", effect=UndoEffect.REVERTED, before={"id": "2"}, after=old),
            UndoneRow(table=Table.NOTES, id="3", effect=UndoEffect.RESTORED, before=None, after={"id": "3"}),
        )
    )
    await execute_on_client(CallAction.SELECT, Table.TASKS)
    await execute_on_client(CallAction.UNDO, data={"what": {"call": "c"}})

    assert run.changes == [
        Change(action=CallAction.DELETE, table=Table.TASKS, id="1"),
        Change(action=CallAction.UPDATE, table=Table.TASKS, id="2"),
        Change(action=CallAction.INSERT, table=Table.NOTES, id="3"),
    ]
    assert (run.rows(Table.TASKS), run.rows(Table.NOTES)) == ([old], [{"id": "3"}])


async def test_writes_carry_their_author(client: InMemoryClient) -> None:
    with using_client(RecordingClient(client, by="task_agent")):
        await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "A"})
        await execute_on_client(CallAction.SELECT, Table.TASKS)
    assert [call.by for call in client.calls] == ["task_agent", ""]


async def test_rows_are_unique_and_in_order_last_returned(run: RecordingClient, client: InMemoryClient) -> None:
    client.rows[Table.TASKS] = [{"id": "1", "title": "A"}, {"id": "2", "title": "B"}, {"id": "3", "title": "C"}]
    await execute_on_client(CallAction.SELECT, Table.TASKS)
    await execute_on_client(CallAction.UPDATE, Table.TASKS, {"id": "1", "updates": {"title": "A2"}})
    await execute_on_client(CallAction.DELETE, Table.TASKS, {"id": "2"})

    assert run.rows(Table.TASKS) == [{"id": "3", "title": "C"}, {"id": "1", "title": "A2"}]
    assert run.rows(Table.NOTES) == []
    assert [run.row(Table.TASKS, row_id) for row_id in ("1", "2")] == [{"id": "1", "title": "A2"}, None]
    assert run.row(Table.NOTES, "1") is None


async def test_cost_of_row_lookup_does_not_grow_with_reads(run: RecordingClient, client: InMemoryClient) -> None:
    def cost() -> int:
        return calls_of(lambda: run.row(Table.TASKS, "0"))

    client.rows[Table.TASKS] = [{"id": str(number)} for number in range(100)]
    await execute_on_client(CallAction.SELECT, Table.TASKS)
    once = cost()
    for _ in range(5):
        await execute_on_client(CallAction.SELECT, Table.TASKS)
    assert cost() == once


async def test_unanswered_change_is_not_sent_twice(run: RecordingClient, client: InMemoryClient) -> None:
    client.fail_with = ClientSilent()
    with pytest.raises(ClientSilent):
        await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "A"})
    with pytest.raises(ToolFailed, match="outcome is unknown"):
        await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "A"})
    await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "B"})

    assert [call.data for call in client.calls] == [{"title": "A"}, {"title": "B"}]


async def test_unanswered_read_or_upsert_may_be_repeated(run: RecordingClient, client: InMemoryClient) -> None:
    for action, table in ((CallAction.SELECT, Table.TASKS), (CallAction.VECTOR_UPSERT, Table.NOTES)):
        client.fail_with = ClientSilent()
        with pytest.raises(ClientSilent):
            await execute_on_client(action, table, {"id": "1"}, vector=[1.0])
        await execute_on_client(action, table, {"id": "1"}, vector=[1.0])

    assert len(client.calls) == 4


async def test_unsent_change_may_be_repeated(run: RecordingClient, client: InMemoryClient) -> None:
    client.fail_with = ClientAbsent()
    with pytest.raises(ClientAbsent):
        await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "A"})
    await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "A"})

    assert len(run.changes) == 1


async def test_late_answer_is_recorded_as_change(run: RecordingClient, client: InMemoryClient) -> None:
    client.fail_with = ClientSilent()
    with pytest.raises(ClientSilent):
        await execute_on_client(CallAction.INSERT, Table.TASKS, {"title": "A"})
    [(_, on_late)] = client.late
    on_late(ClientAnswer(row={"id": "late"}))

    assert run.changes == [Change(action=CallAction.INSERT, table=Table.TASKS, id="late")]


async def test_together_runs_concurrently_and_keeps_order() -> None:
    barrier = asyncio.Barrier(3)

    async def meet(name: str) -> str:
        await barrier.wait()
        return name

    assert await together(*map(meet, "abc")) == ["a", "b", "c"]


async def test_together_raises_failure_unchanged_and_cancels_others() -> None:
    ended = asyncio.Event()

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ClientAbsent

    with pytest.raises(ClientAbsent):
        await together(wait(), fail())
    assert ended.is_set()
