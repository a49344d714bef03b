import json
from dataclasses import replace

import pytest

from agents.calls import CallAction, Table
from agents.engine.roster import SIDEBAR
from agents.errors import ClientSilent, ToolFailed
from agents.permissions.approvals.boundaries import Beyond, leaves_viewed_project
from agents.scopes import AnyScope, ListScope, NoteScope, ProjectCounts, ProjectScope
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


@pytest.fixture
def viewing(context: CallContext) -> CallContext:
    """The user views the page of the project ``WEBSITE``."""
    return replace(context, scope=WEBSITE)


def made(name: str, /, **arguments: object) -> ToolSpec:
    context = CallContext.__new__(CallContext)
    for field in CallContext.__dataclass_fields__:
        object.__setattr__(context, field, None)
    return TOOLS[name].from_arguments(json.dumps(arguments), context)


EVENT = {"type": "milestone", "title": "Beta", "due_at": "2026-04-01"}
CROSSINGS: dict[Beyond, tuple[str, dict[str, object]]] = {
    Beyond.TASK: ("update_task", {"task_id": "t1", "status": "done"}),
    Beyond.DESTINATION: ("update_task", {"task_id": "t1", "project_id": "p2"}),
    Beyond.NEW_TASK: ("create_task", {"title": "Sweep", "project_id": "p2"}),
    Beyond.NEW_NOTE: ("create_note", {"title": "Sweep", "project_id": "p2"}),
    Beyond.NEW_EVENT: ("create_timeline_event", {**EVENT, "title": "Sweep", "project_id": "p2"}),
}


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
async def test_change_outside_viewed_project_is_a_reason_to_ask(
    name: str, arguments: dict[str, object], beyond: Beyond, called: str, viewing: CallContext
) -> None:
    reason = await leaves_viewed_project(made(name, **arguments), viewing)

    assert reason == beyond.value.format(name=called, viewed="Website")


@pytest.mark.parametrize("what", ["today", "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"])
async def test_undoing_more_than_last_change_is_a_reason_to_ask(
    what: str, viewing: CallContext, client: InMemoryClient
) -> None:
    reason = await leaves_viewed_project(made("undo_changes", what=what), viewing)

    assert reason == "It may also undo changes outside of the project in front of you, “Website”."
    assert client.calls == []


@pytest.mark.parametrize("beyond", Beyond)
@pytest.mark.parametrize(("language", "in_front"), [("en", "in front of you"), ("it-IT", "che hai davanti")])
async def test_reason_is_one_sentence_in_users_language(
    beyond: Beyond, language: str, in_front: str, viewing: CallContext, client: InMemoryClient
) -> None:
    client.rows[Table.TASKS] = [{**TASK, "projectId": "p1" if beyond is Beyond.DESTINATION else "p2"}]
    name, arguments = CROSSINGS[beyond]
    reason = await leaves_viewed_project(made(name, **arguments), replace(viewing, language=language))

    assert reason is not None
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
        ("undo_changes", {}),
        ("undo_changes", {"what": "Last"}),
    ],
)
async def test_change_within_viewed_project_is_no_reason_to_ask(
    name: str, arguments: dict[str, object], viewing: CallContext
) -> None:
    assert await leaves_viewed_project(made(name, **arguments), viewing) is None


@pytest.mark.parametrize(
    "scope",
    [
        None,
        ListScope(page="tasks"),
        NoteScope(page="note", entityType="note", entityId="n", entityName="N", projectId="p1", charCount=1),
    ],
)
async def test_other_pages_than_a_project_have_no_boundary(
    scope: AnyScope | None, viewing: CallContext, client: InMemoryClient
) -> None:
    elsewhere = replace(viewing, scope=scope)
    assert await leaves_viewed_project(made("update_task", task_id="t1", status="done"), elsewhere) is None
    assert await leaves_viewed_project(made("create_task", title="New", project_id="p2"), elsewhere) is None
    assert client.calls == []


async def test_row_is_read_from_device(viewing: CallContext, client: InMemoryClient) -> None:
    await leaves_viewed_project(made("update_task", task_id="t1", status="done"), viewing)

    assert (client.last.action, client.last.table, client.last.data) == (CallAction.GET, Table.TASKS, {"id": "t1"})


async def test_change_fails_if_device_does_not_answer(viewing: CallContext, client: InMemoryClient) -> None:
    client.fail_with = ClientSilent()

    with pytest.raises(ToolFailed, match="so nothing was changed"):
        await leaves_viewed_project(made("update_task", task_id="t2", status="done"), viewing)
