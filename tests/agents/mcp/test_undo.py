"""Programs undo what they changed themselves."""

from agents.calls import CallAction, ClientAnswer, Table, UndoEffect, UndoneRow
from tests.agents.mcp.worlds import World, called, serving


async def test_program_undoes_its_own_latest_call() -> None:
    world = World()
    assert world.client is not None
    row = {"id": "new-1", "title": "Roof"}
    world.client.undo = ClientAnswer(
        undone=(UndoneRow(table=Table.TASKS, id="new-1", effect=UndoEffect.REMOVED, before=row, after=None),)
    )
    async with serving(world) as client:
        await called(client, "create_task", {"title": "Roof"})
        undone = await called(client, "undo_changes", {})

    insert, undo = (call for call in world.client.calls if call.is_write)
    assert (insert.action, insert.by) == (CallAction.INSERT, "mcp: tests")
    assert (undo.data, undo.by) == ({"what": {"by": "mcp: tests"}, "partial": False}, "mcp: tests")
    assert 'Removed again: the task "Roof"' in undone["result"]["content"][0]["text"]
    assert insert.request_id != undo.request_id != ""
