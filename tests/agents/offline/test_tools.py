"""The offline assistant with the real tools, through the real loop."""

import inspect
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from zoneinfo import ZoneInfo

import pytest

from agents.adapters.base import ModelParams, UserMessage
from agents.calls import CallAction, Table
from agents.engine import loop
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, AgentName
from agents.offline import OfflineAdapter
from agents.tools.client import RecordingClient
from agents.tools.context import CallContext
from agents.tools.routes import REQUIRED
from tests.agents.approving import Allowed
from tests.agents.conftest import NOW
from tests.agents.offline.world import World
from tests.agents.scripts import finished
from tests.agents.tables import InMemoryClient

TOOLS = {tool.tool_name: tool for tool in ROSTER[AgentName.GENERAL_AGENT].tools}

Ask: TypeAlias = Callable[[str], Awaitable[str]]


@pytest.mark.parametrize("name", sorted(schema.name for schema in World().schemas()))
def test_tool_of_test_world_has_parameters_of_real_one(name: str) -> None:
    real = {route_name: route for route_name, route in TOOLS[name].routes.items() if route.shown}
    parameters = inspect.signature(getattr(World(), f"_{name}")).parameters.values()
    named = {parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD}
    assert named <= set(real)
    assert {route_name for route_name, route in real.items() if route.default is REQUIRED} <= named


@pytest.fixture
def ask(context: CallContext, client: InMemoryClient, run: RecordingClient, milliseconds: Callable[[str], int]) -> Ask:
    """A function that returns the assistant's answer to a message, with some rows on Alice's device."""
    client.rows[Table.PROJECTS] = [{"id": "p1", "name": "Website", "status": "active", "createdAt": 0}]
    client.rows[Table.TASKS] = [
        {
            "id": "t1",
            "title": 'Buy "oat" milk (2 l), [now]',
            "status": "todo",
            "priority": "high",
            "dueDate": milliseconds("2026-03-29T18:00"),
            "projectId": "p1",
            "assignee": '["Anna", "Bob"]',
        },
        {"id": "t2", "title": "Tidy up", "status": "done", "priority": "low"},
    ]
    client.rows[Table.CHECKPOINTS] = [
        {"id": "c1", "title": "Beta", "projectId": "p1", "date": milliseconds("2026-04-01")}
    ]
    client.rows[Table.NOTES] = [{"id": "n1", "title": "Ideas", "content": "# Paint\n\nthe kitchen", "createdAt": 0}]
    params = ModelParams(now=NOW.astimezone(ZoneInfo("Europe/Rome")))

    async def said(message: str) -> str:
        executor = ToolExecutor(tuple(TOOLS.values()), context, gate=Allowed())
        answer = loop.run(OfflineAdapter(), [UserMessage(text=message)], executor, params)
        return (await finished(answer)).text

    return said


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (
            "all tasks assigned to Bob",
            (
                "You have 1 task for Bob.\n"
                '- Buy "oat" milk (2 l), [now] (high priority, due today at 18:00, for Anna, Bob)'
            ),
        ),
        ("completed tasks", "You have 1 done task.\n- Tidy up (done, low priority)"),
        ("checkpoints", "You have 1 checkpoint: Beta (Wed 1 Apr)."),
        ("read note Ideas", "Ideas\n\n# Paint\n\nthe kitchen"),
        ("search my notes for paint", "These of your notes come closest to “paint”:\n- Ideas: # Paint the kitchen"),
        ("show project Website", "The project “Website” is active.\n\nIt has 1 open task."),
        ("reopen Tidy up", "I marked the task “Tidy up” as to do."),
        ("rename checkpoint Beta to Gamma", "I renamed the checkpoint “Beta” to “Gamma”."),
        ("archive Website", "I archived the project “Website”."),
        ("delete note Ideas", "I deleted the note “Ideas”."),
        ("comment on Tidy up: “the hall too” as Anna", "I added the comment to the task “Tidy up”."),
        ("create a note called Plans: the garden", "I created the note “Plans” (Thu 1 Jan 1970 at 01:00)."),
        ("create a checkpoint Gamma in project Website on 4 May", "I created the checkpoint “Gamma” (Mon 4 May)."),
        ("delete task Fly", "I found no task called “Fly”."),
    ],
)
async def test_sentence_is_carried_out_by_real_tools(ask: Ask, message: str, answer: str) -> None:
    assert await ask(message) == answer


async def test_task_reaches_device_with_every_detail(
    ask: Ask, client: InMemoryClient, milliseconds: Callable[[str], int]
) -> None:
    await ask(
        "aggiungi un'attività Compra pane per domani alle 8 con priorità alta assegnata a Eva nel progetto Website"
    )
    assert (client.last.action, client.last.table) == (CallAction.INSERT, Table.TASKS)
    assert client.last.data == {
        "title": "Compra pane",
        "status": "todo",
        "priority": "high",
        "dueDate": milliseconds("2026-03-30T08:00"),
        "assignee": '["Eva"]',
        "projectId": "p1",
        "isAiSuggested": 0,
        "isApproved": 1,
    }
