"""``undo_changes``: which changes it names to the device, and how it reports the result."""

import json
from dataclasses import replace

import pytest

from agents.calls import CallAction, ClientAnswer, Row, Table, UndoConflict, UndoEffect, UndoneRow
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, SIDEBAR
from agents.engine.rounds import ToolOutcome
from agents.events import ToolCall
from agents.tools.client import RecordingClient, using_client
from agents.tools.context import CallContext
from agents.tools.undo import UndoChanges
from tests.agents.approving import Allowed
from tests.agents.tables import InMemoryClient

REQUEST = "0e6b8a3c-1f2d-4c5b-9a7e-3d2c1b0a9f8e"
ROOF: Row = {"id": "t1", "title": "Roof", "status": "todo", "priority": "high"}
DOOR: Row = {"id": "t2", "title": "Door", "status": "todo", "priority": "low"}
IN_CONVERSATION = {"last_change": lambda: REQUEST}


async def run(context: CallContext, client: InMemoryClient, **arguments: object) -> ToolOutcome:
    call = ToolCall(id="c1", name="undo_changes", arguments=json.dumps(arguments))
    with using_client(RecordingClient(client)):
        return await ToolExecutor([UndoChanges], context, gate=Allowed()).dispatch(call)


def undone(effect: UndoEffect, row: Row = ROOF, *, table: Table = Table.TASKS) -> UndoneRow:
    before, after = None if effect is UndoEffect.RESTORED else row, None if effect is UndoEffect.REMOVED else row
    return UndoneRow(table=table, id=str(row["id"]), effect=effect, before=before, after=after)


def test_every_agent_has_undo_tool() -> None:
    for profile in (*ROSTER.values(), SIDEBAR):
        assert UndoChanges in profile.tools, profile.name


@pytest.mark.parametrize(
    ("fields", "arguments", "what"),
    [
        (IN_CONVERSATION, {}, {"request": REQUEST}),
        (IN_CONVERSATION, {"what": " Last "}, {"request": REQUEST}),
        ({}, {"what": "today"}, {"day": "2026-03-29"}),
        ({}, {"what": REQUEST}, {"request": REQUEST}),
        ({}, {"what": f" {REQUEST.upper()}\n"}, {"request": REQUEST.upper()}),
        ({"program": "mcp: tests"}, {}, {"by": "mcp: tests"}),
        ({"program": "mcp: tests"}, {"what": "today"}, {"by": "mcp: tests", "since": 1_774_738_800_000}),
    ],
)
async def test_device_is_told_which_changes_to_undo(
    context: CallContext,
    client: InMemoryClient,
    fields: dict[str, object],
    arguments: dict[str, object],
    what: dict[str, object],
) -> None:
    client.undo = ClientAnswer(undone=(undone(UndoEffect.REVERTED),))
    outcome = await run(replace(context, **fields), client, **arguments)  # type: ignore[arg-type]
    assert outcome.ok
    assert (client.calls[0].action, client.calls[0].data) == (CallAction.UNDO, {"what": what, "partial": False})


async def test_undone_rows_are_listed_with_their_ids(context: CallContext, client: InMemoryClient) -> None:
    note: Row = {"id": "n1", "title": "Ideas", "createdAt": 0}
    client.undo = ClientAnswer(
        undone=(
            undone(UndoEffect.REVERTED),
            undone(UndoEffect.REMOVED, DOOR),
            undone(UndoEffect.RESTORED, note, table=Table.NOTES),
        )
    )
    outcome = await run(context, client, what="today")
    assert outcome.text.split("\n") == [
        "Undone:",
        '- As before: the task "Roof" (todo, high priority) [id t1]',
        '- Removed again: the task "Door" (todo, low priority) [id t2]',
        '- Restored: the note "Ideas" (created Thu 1970-01-01 01:00) [id n1]',
    ]
    assert {table: [row["id"] for row in rows.rows] for table, rows in outcome.rows.items()} == {
        "tasks": ["t1", "t2"],
        "notes": ["n1"],
    }


async def test_conflicts_with_later_changes_are_reported(context: CallContext, client: InMemoryClient) -> None:
    stuck = UndoConflict(table=Table.TASKS, id="t1", now=ROOF, would_be=None)
    client.undo = ClientAnswer(conflicts=(stuck,))
    outcome = await run(context, client, what="today")
    assert not outcome.ok
    assert outcome.text.split("\n") == [
        "Nothing was undone. Left as they are, because of what was changed since:",
        '- the task "Roof" (todo, high priority) [id t1]',
        "Tell the user, who may want the rest undone without them (partial).",
    ]
    client.undo = ClientAnswer(undone=(undone(UndoEffect.REMOVED, DOOR),), conflicts=(stuck,))
    outcome = await run(context, client, what="today", partial=True)
    assert outcome.ok
    assert outcome.text.startswith("Undone:\n- Removed again")
    assert "\nLeft as they are" in outcome.text


@pytest.mark.parametrize(
    ("fields", "arguments", "told"),
    [
        ({"last_change": lambda: None}, {}, "There is nothing to undo. Nothing was changed in this conversation."),
        ({}, {}, "There is nothing to undo. Nothing was changed in this conversation."),
        (IN_CONVERSATION, {}, "There is nothing to undo."),
        ({}, {"what": "everything"}, "what is last or today, not 'everything'."),
        ({"program": "mcp"}, {"what": REQUEST}, f"what is last or today, not '{REQUEST}'."),
    ],
)
async def test_undo_without_changes_or_with_invalid_argument_is_explained(
    context: CallContext,
    client: InMemoryClient,
    fields: dict[str, object],
    arguments: dict[str, object],
    told: str,
) -> None:
    client.undo = ClientAnswer()
    outcome = await run(replace(context, **fields), client, **arguments)  # type: ignore[arg-type]
    assert (outcome.ok, outcome.text) == (False, told)


async def test_device_without_undo_is_reported(context: CallContext, client: InMemoryClient) -> None:
    outcome = await run(context, client, what="today")
    assert (outcome.ok, outcome.text) == (False, "The user's device refused: this device cannot undo changes.")


async def test_long_list_of_undone_rows_is_truncated_with_count(context: CallContext, client: InMemoryClient) -> None:
    many = [undone(UndoEffect.REVERTED, {**ROOF, "id": f"t{number}"}) for number in range(53)]
    client.undo = ClientAnswer(undone=tuple(many))
    lines = (await run(context, client, what="today")).text.split("\n")
    assert (len(lines), lines[-1]) == (52, "- and 3 more")


@pytest.mark.parametrize(
    ("fields", "arguments", "lasting"),
    [
        (IN_CONVERSATION, {"partial": True}, {"what": REQUEST, "partial": True}),
        (IN_CONVERSATION, {"what": "today"}, {"what": "today"}),
        ({}, {"what": "last"}, {"what": "last"}),
        ({"program": "mcp: tests", **IN_CONVERSATION}, {"what": "last"}, {"what": "last"}),
    ],
    ids=["last", "today", "nothing", "a program"],
)
def test_job_undoes_last_change_as_of_question(
    context: CallContext, fields: dict[str, object], arguments: dict[str, object], lasting: dict[str, object]
) -> None:
    spec = UndoChanges.from_arguments(json.dumps(arguments), replace(context, **fields))  # type: ignore[arg-type]
    assert spec.lasting_arguments == lasting
