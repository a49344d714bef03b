import json

import pytest

from agents.calls import CallAction, Table
from agents.engine.roster import SIDEBAR
from agents.errors import ClientSilent, ToolFailed
from agents.permissions.approvals.boundaries import Beyond, Crossing, crosses_boundary, leaves_viewed_project
from agents.scopes import AnyScope, ListScope, NoteScope, ProjectCounts, ProjectScope
from agents.tools.client import RecordingClient
from agents.tools.context import CallContext
from agents.tools.spec import ToolSpec
from tests.agents.tables import InMemoryClient

pytestmark = pytest.mark.usefixtures("run")

TOOLS = {tool.tool_name: tool for tool in SIDEBAR.tools}
WEBSITE = ProjectScope(
    page="project",
    entityType="project",
    entityId="p1",
    entityName="Website",
    counts=ProjectCounts(tasks=1, notes=0, milestones=0),
)
TASK = {"id": "t1", "title": "Sweep", "projectId": "p2"}


@pytest.fixture(autouse=True)
def _rows(client: InMemoryClient) -> None:
    client.rows[Table.TASKS] = [
        dict(TASK),
        {"id": "t2", "title": "Write", "projectId": "p1"},
        {"id": "t3", "title": "Loose", "projectId": None},
    ]


def made(name: str, /, **arguments: object) -> ToolSpec:
    context = CallContext.__new__(CallContext)
    for field in CallContext.__dataclass_fields__:
        object.__setattr__(context, field, None)
    return TOOLS[name].from_arguments(json.dumps(arguments), context)


EVENT = {"type": "milestone", "title": "Beta", "due_at": "2026-04-01"}


@pytest.mark.parametrize(
    ("name", "arguments", "beyond", "called"),
    [
        ("update_task", {"task_id": "t1", "status": "done"}, Beyond.TASK, "Sweep"),
        ("update_task", {"task_id": "t1", "project_id": "p1"}, Beyond.TASK, "Sweep"),
        ("update_task", {"task_id": "t2", "project_id": "p2"}, Beyond.DESTINATION, "Write"),
        ("create_task", {"title": "New", "project_id": "p2"}, Beyond.NEW_TASK, "New"),
        ("create_note", {"title": "New", "project_id": "p2"}, Beyond.NEW_NOTE, "New"),
        ("create_timeline_event", {**EVENT, "project_id": "p2"}, Beyond.NEW_EVENT, "Beta"),
    ],
)
async def test_what_reaches_another_project_is_a_crossing(
    name: str, arguments: dict[str, object], beyond: Beyond, called: str
) -> None:
    crossing = await crosses_boundary(made(name, **arguments), WEBSITE)

    row = TASK if arguments.get("task_id") == "t1" else None
    if arguments.get("task_id") == "t2":
        row = {"id": "t2", "title": "Write", "projectId": "p1"}
    assert crossing == Crossing(beyond=beyond, name=called, viewed="Website", project_id="p2", row=row)


@pytest.mark.parametrize("beyond", Beyond)
@pytest.mark.parametrize(("language", "in_front"), [("en", "in front of you"), ("it-IT", "che hai davanti")])
def test_a_crossing_is_one_sentence_in_the_users_language(beyond: Beyond, language: str, in_front: str) -> None:
    reason = Crossing(beyond=beyond, name="Sweep", viewed="Website", project_id="p2").reason(language)

    assert (reason.count("."), reason.count("“Sweep”"), reason.endswith("“Website”.")) == (1, 1, True)
    assert in_front in reason


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_task", {"task_id": "t2", "status": "done"}),
        ("update_task", {"task_id": "t2", "project_id": None}),
        ("update_task", {"task_id": "t2", "project_id": "p1"}),
        ("update_task", {"task_id": "t3", "project_id": "p1"}),
        ("update_task", {"task_id": "nobody's", "status": "done"}),
        ("create_task", {"title": "New"}),
        ("create_task", {"title": "New", "project_id": None}),
        ("create_task", {"title": "New", "project_id": "p1"}),
        ("create_note", {"title": "New", "project_id": ""}),
        ("create_timeline_event", EVENT),
        ("get_page_details", {"entity_type": "project", "entity_id": "p2"}),
    ],
)
async def test_what_stays_is_none(name: str, arguments: dict[str, object]) -> None:
    assert await crosses_boundary(made(name, **arguments), WEBSITE) is None


@pytest.mark.parametrize(
    "scope",
    [
        None,
        ListScope(page="tasks"),
        NoteScope(page="note", entityType="note", entityId="n", entityName="N", projectId="p1", charCount=1),
    ],
)
async def test_only_a_projects_page_is_a_boundary(scope: AnyScope | None, client: InMemoryClient) -> None:
    assert await crosses_boundary(made("update_task", task_id="t1", status="done"), scope) is None
    assert client.calls == []


async def test_the_row_is_read_from_the_device(client: InMemoryClient, run: RecordingClient) -> None:
    await crosses_boundary(made("update_task", task_id="t1", status="done"), WEBSITE)

    assert (client.last.action, client.last.table, client.last.data) == (CallAction.GET, Table.TASKS, {"id": "t1"})


async def test_a_device_that_does_not_say_holds_the_change_up(client: InMemoryClient) -> None:
    client.fail_with = ClientSilent()

    with pytest.raises(ToolFailed, match="so nothing was changed"):
        await crosses_boundary(made("update_task", task_id="t2", status="done"), WEBSITE)


async def test_as_a_reason_it_is_one_sentence(context: CallContext) -> None:
    assert await leaves_viewed_project(made("create_task", title="New", project_id="p2"), context) is None
