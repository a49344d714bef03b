"""The sidebar's tools."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from pydantic import JsonValue

from agents.calls import CallAction, Table
from agents.engine.executor import ToolExecutor
from agents.engine.roster import SIDEBAR
from agents.engine.rounds import ToolOutcome
from agents.events import ToolCall
from agents.permissions.approvals.previews import first_change
from agents.scopes import AnyScope, ListScope, ProjectCounts, ProjectScope
from agents.tools.client import RecordingClient
from agents.tools.context import CallContext
from agents.tools.page_details import COMMENTED_TASKS, Part
from agents.tools.spec import registered_tools
from tests.agents.embedding import RecordingEmbedder
from tests.agents.tables import InMemoryClient

Call = Callable[..., Awaitable[ToolOutcome]]
WEBSITE = ProjectScope(
    page="project",
    entityType="project",
    entityId="p1",
    entityName="Website",
    counts=ProjectCounts(tasks=1, notes=0, milestones=0),
)
TASKS = ListScope(page="tasks", filters={"status": "todo", "colour": "red"})


@pytest.fixture
def tool(context: CallContext, run: RecordingClient) -> Call:
    async def dispatch(name: str, /, scope: AnyScope | None = None, **arguments: object) -> ToolOutcome:
        executor = ToolExecutor(SIDEBAR.tools, replace(context, scope=scope))
        return await executor.dispatch(ToolCall(id="1", name=name, arguments=json.dumps(arguments)))

    return dispatch


def test_sidebar_has_exactly_its_six_tools() -> None:
    assert {tool.tool_name: sorted(tool.schema().parameters["properties"]) for tool in SIDEBAR.tools} == {  # type: ignore[call-overload]
        "get_page_details": ["entity_id", "entity_type"],
        "create_task": [
            *("assignees", "description", "due_date", "priority", "project_id", "title"),
        ],
        "update_task": [
            *("assignees", "description", "due_date", "is_approved", "priority", "project_id", "status", "task_id"),
            "title",
        ],
        "create_note": ["body", "project_id", "title"],
        "create_timeline_event": ["due_at", "project_id", "title", "type"],
        "undo_changes": ["partial", "what"],
    }


@pytest.mark.parametrize("entity_type", ["project", "task", "note"])
async def test_page_of_one_row_requires_id_of_existing_row(
    tool: Call, client: InMemoryClient, entity_type: str
) -> None:
    without = await tool("get_page_details", entity_type=entity_type)
    unknown = await tool("get_page_details", entity_type=entity_type, entity_id="x")

    assert (without.text, without.ok) == (f"Give the entity_id of the {entity_type}.", False)
    assert unknown.text == f"There is no {entity_type} with the id x. Look the right id up first."
    assert {call.action for call in client.calls} <= {CallAction.GET, CallAction.SELECT}


async def test_unknown_page_is_refused(tool: Call) -> None:
    outcome = await tool("get_page_details", entity_type="notes_all")

    assert not outcome.ok
    assert "'timeline_all'" in outcome.text


async def test_task_page_includes_project_and_comments(tool: Call, client: InMemoryClient) -> None:
    client.rows[Table.TASKS] = [{"id": "t1", "title": "Write", "description": "for\n== Notes ==", "projectId": "p1"}]
    client.rows[Table.PROJECTS] = [{"id": "p1", "name": "Website", "status": "active"}]
    client.rows[Table.TASK_COMMENTS] = [{"id": "c1", "content": "Soon", "author": "Anna"}]
    outcome = await tool("get_page_details", entity_type="task", entity_id="t1")

    assert outcome.text == (
        '== Task ==\n"Write" (project "Website" [id p1]) [id t1]\n\nfor\n == Notes ==\n\n'
        '== Project ==\n"Website" (active) [id p1]\n\n'
        '== Comments ==\nFound 1 comment:\n- "Soon" (by Anna) [id c1]\n\n'
        "== Depends on ==\nFound no tasks it depends on."
    )
    assert {part: [row["id"] for row in found.rows] for part, found in outcome.rows.items()} == {
        Part.TASK: ["t1"],
        Part.PROJECT: ["p1"],
        Part.COMMENTS: ["c1"],
        Part.DEPS: [],
    }


async def test_only_newest_tasks_have_comments(tool: Call, client: InMemoryClient) -> None:
    client.rows[Table.PROJECTS] = [{"id": "p1", "name": "Website"}]
    client.rows[Table.TASKS] = [{"id": f"t{number}", "title": "T"} for number in range(COMMENTED_TASKS + 5)]
    await tool("get_page_details", entity_type="project", entity_id="p1")

    assert sum(call.table is Table.TASK_COMMENTS for call in client.calls) == COMMENTED_TASKS
    [newest] = [call for call in client.calls if call.limit == COMMENTED_TASKS]
    assert newest.filters == {"projectId": "p1", "orderBy": "-createdAt"}


async def test_timeline_contains_checkpoints_and_dated_tasks(tool: Call, client: InMemoryClient) -> None:
    client.rows[Table.CHECKPOINTS] = [{"id": "c1", "title": "Beta", "date": 86_400_000, "projectId": "p1"}]
    client.rows[Table.TASKS] = [
        {"id": "t1", "title": "Early", "dueDate": 1, "status": "todo"},
        {"id": "t2", "title": "Undated", "status": "todo", "dueDate": None},
        {"id": "t3", "title": "Strange", "status": "todo", "dueDate": "soon"},
    ]
    outcome = await tool("get_page_details", entity_type="timeline_all")

    assert outcome.text == (
        "== Events ==\nFound 2 events:\n"
        '- "Early" (task, todo, Thu 1970-01-01 01:00) [id t1]\n'
        '- "Beta" (checkpoint, Fri 1970-01-02 01:00) [id c1]'
    )


async def test_viewed_page_is_read_with_its_filters(tool: Call, client: InMemoryClient) -> None:
    await tool("get_page_details", TASKS, entity_type="tasks_all")
    assert client.last.filters == {"status": "todo"}
    await tool("get_page_details", TASKS, entity_type="projects_all")
    assert client.last.filters == {}


async def test_client_that_supports_snapshots_is_asked_for_one(tool: Call, client: InMemoryClient) -> None:
    client.snapshots = True
    client.page = {"tasks": [{"id": "t1", "title": "Write"}, "nonsense", None], "secrets": []}
    outcome = await tool("get_page_details", TASKS, entity_type="tasks_all")

    assert outcome.text == '== Tasks ==\nFound 1 task:\n- "Write" [id t1]'
    assert (client.last.action, client.last.table, client.last.data, client.last.filters) == (
        CallAction.PAGE_DETAILS,
        None,
        {"entityType": "tasks_all"},
        {"status": "todo", "colour": "red"},
    )


@pytest.mark.parametrize("page", [{}, {"project": 7, "tasks": "many", "comments": {}}])
async def test_malformed_snapshot_is_rendered_without_failing(
    tool: Call, client: InMemoryClient, page: dict[str, object]
) -> None:
    client.snapshots, client.page = True, page  # type: ignore[assignment]
    outcome = await tool("get_page_details", entity_type="project", entity_id="p1")

    assert outcome.ok
    assert outcome.text.startswith("== Tasks ==\nFound no tasks.")


async def test_large_page_is_truncated_to_answer_size(tool: Call, client: InMemoryClient) -> None:
    client.snapshots = True
    rows: JsonValue = [{"id": f"r{number}", "title": "x" * 200, "content": "y" * 5000} for number in range(700)]
    lists = dict.fromkeys(("tasks", "notes", "milestones", "comments"), rows)
    client.page = {"project": {"id": "p1", "name": "W"}, **lists}
    outcome = await tool("get_page_details", entity_type="project", entity_id="p1")

    assert len(outcome.text.encode()) < 60_000
    assert "Found 700 tasks:" in outcome.text
    assert "more bytes are left out" not in outcome.text


@pytest.mark.parametrize(
    ("scope", "given", "project_id"),
    [
        (WEBSITE, {}, "p1"),
        (WEBSITE, {"project_id": None}, None),
        (WEBSITE, {"project_id": "p2"}, "p2"),
        (TASKS, {}, None),
        (TASKS, {"project_id": "p2"}, "p2"),
        (None, {}, None),
    ],
)
async def test_new_row_belongs_to_given_or_viewed_project(
    tool: Call, client: InMemoryClient, scope: AnyScope | None, given: dict[str, object], project_id: str | None
) -> None:
    await tool("create_task", scope, title="Write", **given)
    assert (client.last_change.data or {}).get("projectId") == project_id
    await tool("create_note", scope, title="Ideas", body="paint", **given)
    assert (client.last_change.data or {}).get("projectId") == project_id


@pytest.mark.parametrize(
    ("name", "arguments", "scope"),
    [
        ("create_task", {"title": "Write", "priority": "high"}, WEBSITE),
        ("create_task", {"title": "Write", "project_id": ""}, WEBSITE),
        ("create_task", {"title": "Write"}, TASKS),
        ("create_note", {"title": "Ideas", "body": "paint"}, WEBSITE),
        ("create_note", {"title": "Ideas", "project_id": "p2"}, TASKS),
        ("create_timeline_event", {"type": "milestone", "title": "Beta", "due_at": "2026-04-01"}, WEBSITE),
    ],
)
async def test_job_adds_the_same_row_without_page(
    context: CallContext, client: InMemoryClient, name: str, arguments: dict[str, JsonValue], scope: AnyScope
) -> None:
    [here] = [tool for tool in SIDEBAR.tools if tool.tool_name == name]
    spec = here.from_arguments(json.dumps(arguments), replace(context, scope=scope))
    later = registered_tools()[name].from_arguments(json.dumps(dict(spec.lasting_arguments)), context)
    wanted, made = [await first_change(each, client) for each in (spec, later)]
    assert wanted is not None
    assert made is not None
    assert wanted.fingerprint() == made.fingerprint()


async def test_note_without_text_is_embedded_by_title(
    tool: Call, client: InMemoryClient, embedder: RecordingEmbedder
) -> None:
    outcome = await tool("create_note", title="Ideas")

    assert outcome.text == 'Created the note "Ideas" (created Thu 1970-01-01 01:00) [id new-1].'
    assert (embedder.texts, client.last.action) == (["Ideas"], CallAction.VECTOR_UPSERT)


@pytest.mark.parametrize("kind", ["checkpoint", "milestone"])
async def test_timeline_event_is_a_checkpoint_of_a_project(tool: Call, client: InMemoryClient, kind: str) -> None:
    event = {"type": kind, "title": "Beta", "due_at": "2026-04-01"}
    refused = await tool("create_timeline_event", TASKS, **event)
    assert (refused.ok, client.calls) == (False, [])
    assert "a project is needed" in refused.text

    made = await tool("create_timeline_event", TASKS, **event, project_id="p1")
    assert made.text == f'Created the {kind} "Beta" (Wed 2026-04-01) [id new-1].'
    assert (client.last_change.action, client.last_change.table) == (CallAction.INSERT, Table.CHECKPOINTS)
