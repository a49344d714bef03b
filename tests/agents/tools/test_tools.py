import json
from collections.abc import Awaitable, Callable

import pytest

from agents.adapters.base import ToolSchema
from agents.calls import CallAction, ClientAnswer, ClientCall, Row, Table
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, AgentName
from agents.engine.rounds import ToolOutcome
from agents.errors import ClientRefused
from agents.events import ToolCall
from agents.tools.client import RecordingClient
from agents.tools.context import CallContext
from agents.tools.finding import FindTools
from agents.tools.spec import DOMAINS, Agent, registered_tools
from tests.agents.approving import Allowed
from tests.agents.embedding import RecordingEmbedder, unit_vector
from tests.agents.tables import InMemoryClient

Call = Callable[..., Awaitable[ToolOutcome]]


@pytest.fixture
def tool(context: CallContext, run: RecordingClient) -> Call:
    executor = ToolExecutor(ROSTER[AgentName.GENERAL_AGENT].tools, context, gate=Allowed())

    async def dispatch(name: str, /, **arguments: object) -> ToolOutcome:
        return await executor.dispatch(ToolCall(id="1", name=name, arguments=json.dumps(arguments)))

    return dispatch


FIRST = {
    Agent.TASKS: {
        *("list_tasks", "create_task", "update_task", "delete_task", "list_tasks_due_today"),
        *("list_task_comments", "add_task_comment", "delete_task_comment"),
    },
    Agent.PROJECTS: {
        *("list_projects", "list_all_projects", "get_project"),
        *("create_project", "update_project", "delete_project"),
    },
    Agent.CHECKPOINTS: {"list_checkpoints", "create_checkpoint", "update_checkpoint", "delete_checkpoint"},
    Agent.NOTES: {"list_notes", "get_note", "create_note", "update_note", "delete_note", "search_notes"},
}
"""The tools of the first protocol version."""


@pytest.mark.contracts
def test_tools_of_first_protocol_version_still_exist() -> None:
    for agent, names in FIRST.items():
        assert names <= {name for name, tool in registered_tools().items() if tool.agent is agent}


@pytest.mark.contracts
def test_general_agent_has_every_tool_and_domain_agents_have_their_own() -> None:
    known = {tool for tool in registered_tools().values() if tool.agent in (*DOMAINS, Agent.ALL)}
    *general, last = ROSTER[AgentName.GENERAL_AGENT].tools
    assert last is FindTools
    assert set(general) == known
    assert len(general) == len(known)
    twins = {"list_tasks_due_today", "list_all_projects"}
    known = {tool for tool in known if tool.tool_name not in twins}
    for name, domain in zip(list(AgentName)[: len(DOMAINS)], DOMAINS, strict=True):
        tools = ROSTER[name].tools
        assert {tool for tool in known if tool.agent is domain} <= set(tools)
        assert [tool for tool in general if tool in tools and tool.agent is domain] == [
            tool for tool in tools if tool.agent is domain
        ]


def test_tools_are_offered_in_fixed_order() -> None:
    known = [
        *("list_tasks", "create_task", "update_task", "delete_task"),
        *("list_task_comments", "add_task_comment", "delete_task_comment"),
        "list_projects",
        *("remember", "recall", "forget", "search_history", "weekly_review"),
    ]
    offered = [tool.tool_name for tool in ROSTER[AgentName.TASK_AGENT].tools]
    assert [name for name in offered if name in known] == known


def test_every_schema_has_types_and_descriptions() -> None:
    for tool in ROSTER[AgentName.GENERAL_AGENT].tools:
        schema: ToolSchema = tool.schema()
        properties = schema.parameters["properties"]
        assert isinstance(properties, dict)
        assert schema.description
        assert all(entry["type"] and entry.get("description") != "" for entry in properties.values())
        assert "$ref" not in json.dumps(schema.parameters)
        assert "anyOf" not in json.dumps(schema.parameters)


TASK = {"id": "t1", "title": "Buy milk", "status": "in_progress", "priority": "high"}
LINE = '"Buy milk" (in progress, high priority) [id t1]'

READS = [
    ("list_tasks", {}, Table.TASKS, {}),
    (
        "list_tasks",
        {"project_id": "p", "status": "todo", "search": "milk", "order_by": "-dueDate"},
        Table.TASKS,
        {"projectId": "p", "status": "todo", "search": "milk", "orderBy": "-dueDate"},
    ),
    ("list_tasks", {"project_id": "", "search": None}, Table.TASKS, {}),
    ("list_task_comments", {"task_id": "t"}, Table.TASK_COMMENTS, {"taskId": "t"}),
    ("list_projects", {}, Table.PROJECTS, {}),
    (
        "list_projects",
        {"client_id": "c", "include_archived": True},
        Table.PROJECTS,
        {"clientId": "c", "includeArchived": True},
    ),
    ("list_all_projects", {}, Table.PROJECTS, {"includeArchived": True}),
    ("list_checkpoints", {"project_id": "p"}, Table.CHECKPOINTS, {"projectId": "p", "orderBy": "date"}),
    ("list_notes", {}, Table.NOTES, {}),
    ("list_notes", {"project_id": "p"}, Table.NOTES, {"projectId": "p"}),
]


@pytest.mark.parametrize(("name", "arguments", "table", "filters"), READS)
async def test_lists_select_with_given_filters(
    name: str, arguments: dict[str, object], table: Table, filters: object, tool: Call, client: InMemoryClient
) -> None:
    outcome = await tool(name, **arguments)

    assert outcome.text.startswith("Found no ")
    assert (client.last.action, client.last.table, client.last.filters, client.last.limit) == (
        CallAction.SELECT,
        table,
        filters,
        500,
    )


async def test_tasks_due_today_use_users_day(
    tool: Call, client: InMemoryClient, milliseconds: Callable[[str], int]
) -> None:
    await tool("list_tasks_due_today")

    assert client.last.filters == {
        "dueDateFrom": milliseconds("2026-03-29"),
        "dueDateTo": milliseconds("2026-03-30") - 1,
    }


WRITES = [
    (
        "create_task",
        {"title": "Buy milk"},
        (CallAction.INSERT, Table.TASKS),
        {"title": "Buy milk", "status": "todo", "priority": "medium", "isAiSuggested": 0, "isApproved": 1},
        'Created the task "Buy milk" (todo, medium priority) [id new-1].',
    ),
    (
        "create_task",
        {
            "title": "Call",
            "description": "about rent",
            "status": "done",
            "priority": "low",
            "assignees": ["Ann", "Bo (CEO)"],
            "due_date": "2026-04-01T18:00",
            "project_id": "p1",
            "is_ai_suggested": 1,
            "is_approved": 0,
        },
        (CallAction.INSERT, Table.TASKS),
        {
            "title": "Call",
            "description": "about rent",
            "status": "done",
            "priority": "low",
            "assignee": '["Ann", "Bo (CEO)"]',
            "dueDate": 1775059200000,
            "projectId": "p1",
            "isAiSuggested": 1,
            "isApproved": 0,
        },
        (
            'Created the task "Call" (done, low priority, due Wed 2026-04-01 18:00, project "Garden" [id p1], '
            "for Ann & Bo [CEO], suggested; not accepted yet) [id new-1]."
        ),
    ),
    (
        "update_task",
        {"task_id": "t1", "title": "Buy oats", "due_date": None, "assignees": ["Ann"], "project_id": None},
        (CallAction.UPDATE, Table.TASKS),
        {"id": "t1", "updates": {"title": "Buy oats", "assignee": '["Ann"]', "dueDate": None, "projectId": None}},
        'Updated the task "Buy oats" (in progress, high priority, for Ann) [id t1].',
    ),
    (
        "add_task_comment",
        {"task_id": "t1", "content": "Oats?"},
        (CallAction.INSERT, Table.TASK_COMMENTS),
        {"taskId": "t1", "author": "Me", "content": "Oats?"},
        'Added the comment "Oats?" (by Me, Thu 1970-01-01 01:00) [id new-1].',
    ),
    (
        "create_project",
        {"name": "Website", "client_id": "c1"},
        (CallAction.INSERT, Table.PROJECTS),
        {"name": "Website", "clientId": "c1"},
        'Created the project "Website" [id new-1].',
    ),
    (
        "update_project",
        {"project_id": "p1", "status": "archived", "client_id": None},
        (CallAction.UPDATE, Table.PROJECTS),
        {"id": "p1", "updates": {"status": "archived", "clientId": None}},
        'Updated the project "Garden" (archived) [id p1].',
    ),
    (
        "create_checkpoint",
        {"project_id": "p1", "title": "Beta", "date": "2026-04-01"},
        (CallAction.INSERT, Table.CHECKPOINTS),
        {"projectId": "p1", "title": "Beta", "date": 1774994400000, "isAiSuggested": 0, "isApproved": 1},
        'Created the checkpoint "Beta" (Wed 2026-04-01, project "Garden" [id p1]) [id new-1].',
    ),
    (
        "update_checkpoint",
        {"checkpoint_id": "k1", "date": "2026-04-01"},
        (CallAction.UPDATE, Table.CHECKPOINTS),
        {"id": "k1", "updates": {"date": 1774994400000}},
        'Updated the checkpoint "Launch" (Wed 2026-04-01) [id k1].',
    ),
    ("delete_task", {"task_id": "t1"}, (CallAction.DELETE, Table.TASKS), {"id": "t1"}, "Deleted the task [id t1]."),
    (
        "delete_project",
        {"project_id": "p1"},
        (CallAction.DELETE, Table.PROJECTS),
        {"id": "p1"},
        "Deleted the project [id p1].",
    ),
    (
        "delete_checkpoint",
        {"checkpoint_id": "k1"},
        (CallAction.DELETE, Table.CHECKPOINTS),
        {"id": "k1"},
        "Deleted the checkpoint [id k1].",
    ),
    ("delete_note", {"note_id": "n1"}, (CallAction.DELETE, Table.NOTES), {"id": "n1"}, "Deleted the note [id n1]."),
    (
        "delete_task_comment",
        {"comment_id": "m1"},
        (CallAction.DELETE, Table.TASK_COMMENTS),
        {"id": "m1"},
        "Deleted the comment [id m1].",
    ),
]


@pytest.fixture
def filled(client: InMemoryClient) -> InMemoryClient:
    client.rows[Table.TASKS] = [dict(TASK)]
    client.rows[Table.PROJECTS] = [{"id": "p1", "name": "Garden", "status": "active", "aiSummary": "Going well."}]
    client.rows[Table.CHECKPOINTS] = [{"id": "k1", "title": "Launch", "date": 0}]
    client.rows[Table.NOTES] = [{"id": "n1", "title": "Ideas", "content": "# Roses\nor *tulips*?"}]
    client.rows[Table.TASK_COMMENTS] = [{"id": "m1", "content": "Hm", "author": "Ann"}]
    return client


@pytest.mark.parametrize(("name", "arguments", "call", "data", "said"), WRITES)
async def test_writes_send_only_given_columns_and_confirm_change(
    name: str,
    arguments: dict[str, object],
    call: tuple[CallAction, Table],
    data: object,
    said: str,
    tool: Call,
    filled: InMemoryClient,
) -> None:
    outcome = await tool(name, **arguments)

    assert (outcome.text, outcome.ok) == (said, True)
    assert ((filled.last_change.action, filled.last_change.table), filled.last_change.data) == (call, data)


async def test_single_row_is_read_with_its_text(tool: Call, filled: InMemoryClient) -> None:
    assert (await tool("list_tasks")).text == f"Found 1 task:\n- {LINE}"
    assert (await tool("get_project", project_id="p1")).text == '"Garden" (active) [id p1]\n\nGoing well.'
    assert (await tool("get_note", note_id="n1")).text == '"Ideas" [id n1]\n\n# Roses\nor *tulips*?'


@pytest.mark.parametrize(
    ("name", "arguments", "one"),
    [
        ("update_task", {"task_id": "x", "title": "A"}, "task"),
        ("delete_task", {"task_id": "x"}, "task"),
        ("get_project", {"project_id": "x"}, "project"),
        ("update_note", {"note_id": "x", "title": "A"}, "note"),
    ],
)
async def test_missing_row_is_reported(name: str, arguments: dict[str, object], one: str, tool: Call) -> None:
    outcome = await tool(name, **arguments)

    assert (outcome.text, outcome.ok) == (
        f"There is no {one} with the id x. Look the right id up first.",
        False,
    )


async def test_empty_update_is_reported_and_not_sent(tool: Call, client: InMemoryClient) -> None:
    outcome = await tool("update_task", task_id="t1")

    assert outcome.text == "Nothing was given that should change. Say which column of the task gets which value."
    assert client.calls == []


async def test_note_is_stored_and_embedded(tool: Call, client: InMemoryClient, embedder: RecordingEmbedder) -> None:
    outcome = await tool("create_note", title="Ideas", content="roses", project_id="p1")

    insert, _, upsert = client.calls
    assert outcome.text == 'Created the note "Ideas" (created Thu 1970-01-01 01:00) [id new-1].'
    assert insert.data == {"title": "Ideas", "content": "roses", "projectId": "p1"}
    assert (upsert.action, upsert.table, upsert.data, upsert.vector) == (
        CallAction.VECTOR_UPSERT,
        Table.NOTES,
        {"id": "new-1", "projectId": "p1", "content": "roses"},
        tuple(unit_vector("roses").tolist()),
    )


async def test_note_is_embedded_again_only_if_its_text_changes(
    tool: Call, filled: InMemoryClient, embedder: RecordingEmbedder
) -> None:
    await tool("update_note", note_id="n1", title="Better ideas")
    assert embedder.texts == []

    await tool("update_note", note_id="n1", content="tulips")
    assert embedder.texts == ["tulips"]


async def test_note_is_stored_even_if_embedder_fails(
    tool: Call, client: InMemoryClient, embedder: RecordingEmbedder
) -> None:
    embedder.broken = True

    outcome = await tool("create_note", title="Ideas", content="roses")

    assert outcome.ok
    assert outcome.text.endswith("It could not be made searchable by meaning; changing its text will try again.")


@pytest.mark.parametrize(
    ("due", "kept"),
    [
        *(("2026-03-29T12:00", False), ("2026-03-29T11:50", False), ("2026-03-29T12:01", True)),
        *(("2026-03-29T11:30", True), ("2026-03-29", True), ("today", True)),
    ],
)
async def test_current_time_is_not_taken_as_due_date_of_new_task(
    tool: Call, client: InMemoryClient, due: str, kept: bool
) -> None:
    await tool("create_task", title="Buy envelopes", due_date=due)
    assert ("dueDate" in (client.last_change.data or {})) is kept


async def test_current_time_is_not_taken_as_due_date_of_update(tool: Call, filled: InMemoryClient) -> None:
    outcome = await tool("update_task", task_id="t1", priority="high", due_date="2026-03-29T11:50")
    assert outcome.ok
    assert (filled.last_change.data or {})["updates"] == {"priority": "high"}

    refused = await tool("update_task", task_id="t1", due_date="2026-03-29T11:50")
    assert refused.text.startswith("Nothing was given that should change.")


async def test_notes_are_searched_by_vector_of_query(
    tool: Call, filled: InMemoryClient, embedder: RecordingEmbedder
) -> None:
    outcome = await tool("search_notes", query="flowers", project_id="p1", limit=3)

    assert outcome.text == 'Found 1 note:\n- "Ideas" (similarity 0.50) [id n1]\n  # Roses or *tulips*?'
    assert (filled.last.action, filled.last.filters, filled.last.vector, filled.last.limit) == (
        CallAction.VECTOR_SEARCH,
        {"projectId": "p1"},
        tuple(unit_vector("flowers").tolist()),
        3,
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("How many copies of the catalogue do we print?", ["Catalogue"]),
        ("Which colours did we agree on with Harbour Books?", ["Kick-off"]),
        ("quante copie del catalogo stampiamo?", []),
        ("copies", ["Catalogue"]),
    ],
)
async def test_notes_are_found_by_words_of_question_without_vectors(
    tool: Call,
    client: InMemoryClient,
    embedder: RecordingEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
    found: list[str],
) -> None:
    notes: list[Row] = [
        {"id": "n1", "title": "Catalogue", "content": "Print 800 copies of it."},
        {"id": "n2", "title": "Kick-off", "content": "Harbour Books. Colours: navy and sand."},
        {"id": "n3", "title": "Books", "content": "A pattern language."},
    ]

    def with_all_words(call: ClientCall) -> ClientAnswer:
        if call.action is not CallAction.SELECT or call.table is not Table.NOTES:
            raise ClientRefused
        words = str((call.filters or {})["search"]).lower().split()
        return ClientAnswer(rows=tuple(row for row in notes if all(word in str(row).lower() for word in words)))

    embedder.broken = True
    monkeypatch.setattr(client, "answer", with_all_words)

    outcome = await tool("search_notes", query=query)

    assert [row["title"] for part in outcome.rows.values() for row in part.rows] == found


async def test_search_without_embedder_names_tools_that_still_work(tool: Call, embedder: RecordingEmbedder) -> None:
    embedder.broken = True

    outcome = await tool("search_notes", query="flowers")

    assert (outcome.ok, outcome.text) == (
        False,
        "Notes cannot be searched by meaning right now. list_notes and get_note still work.",
    )


async def test_malformed_rows_are_rendered_without_failing(tool: Call, client: InMemoryClient) -> None:
    client.rows[Table.TASKS] = [
        {"id": 7, "title": None, "dueDate": "soon", "assignee": "Ann", "priority": ["x"]},
        {"id": "t2", "title": "T", "dueDate": 1e300, "assignee": "{}"},
    ]

    assert (await tool("list_tasks")).text == (
        'Found 2 tasks:\n- "" (for Ann) [id ]\n- "T" (due an unreadable date, for {}) [id t2]'
    )
