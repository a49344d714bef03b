import pytest

from agents.calls import CallAction, Table
from agents.engine.roster import ROSTER, AgentName
from agents.errors import ClientSilent, ModelRetry
from agents.permissions.approvals.previews import Effect, effect_of
from agents.permissions.approvals.repository import Preview
from agents.tools.checkpoints import UpdateCheckpoint
from agents.tools.context import CallContext
from agents.tools.notes import CreateNote, DeleteNote
from agents.tools.projects import ListProjects
from agents.tools.spec import Agent, Execution, Risk, ToolSpec
from agents.tools.tasks import CreateTask, DeleteTask, DeleteTaskComment, UpdateTask
from tests.agents.tables import InMemoryClient, Row

TASK: Row = {"id": "t1", "title": "Water the roses", "status": "todo", "description": "All of them"}


def made(tool: type[ToolSpec], context: CallContext, arguments: str) -> ToolSpec:
    return tool.from_arguments(arguments, context)


@pytest.fixture
def client(client: InMemoryClient) -> InMemoryClient:
    client.rows[Table.TASKS] = [dict(TASK)]
    client.rows[Table.NOTES] = [{"id": "n1", "title": "Ideas", "content": "x"}]
    client.rows[Table.TASK_COMMENTS] = [{"id": "c1", "content": "Well done", "author": "Anna"}]
    return client


async def test_preview_of_deletion_shows_row_before_only(client: InMemoryClient, context: CallContext) -> None:
    effect = await effect_of(made(DeleteTask, context, '{"task_id": "t1"}'), client)

    assert effect == Effect(action=CallAction.DELETE, table=Table.TASKS, preview=Preview(before=TASK, after=None))
    assert [call.action for call in client.calls] == [CallAction.GET]
    assert client.rows[Table.TASKS] == [TASK]


async def test_preview_of_update_shows_row_before_and_after(client: InMemoryClient, context: CallContext) -> None:
    effect = await effect_of(
        made(UpdateTask, context, '{"task_id": "t1", "status": "done", "description": null}'), client
    )

    assert effect is not None
    assert effect.preview == Preview(before=TASK, after={**TASK, "status": "done", "description": None})
    assert client.rows[Table.TASKS] == [TASK]


async def test_preview_of_insert_shows_new_row(client: InMemoryClient, context: CallContext) -> None:
    effect = await effect_of(made(CreateNote, context, '{"title": "New", "content": "text"}'), client)

    assert effect == Effect(
        action=CallAction.INSERT,
        table=Table.NOTES,
        preview=Preview(before=None, after={"title": "New", "content": "text"}),
    )
    assert (client.calls, client.vectors) == ([], {})


@pytest.mark.parametrize(
    ("tool", "arguments", "table"),
    [(DeleteTaskComment, '{"comment_id": "c1"}', Table.TASK_COMMENTS), (DeleteNote, '{"note_id": "n1"}', Table.NOTES)],
)
async def test_row_is_read_from_its_table(
    client: InMemoryClient, context: CallContext, tool: type[ToolSpec], arguments: str, table: Table
) -> None:
    effect = await effect_of(made(tool, context, arguments), client)

    assert effect is not None
    assert (effect.table, effect.preview.before) == (table, client.rows[table][0])


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (DeleteTask, '{"task_id": "t9"}', "There is no task with the id t9. Look the right id up first."),
        (UpdateTask, '{"task_id": "t1"}', "Nothing was given that should change. Say which column of the task gets"),
        (UpdateCheckpoint, '{"checkpoint_id": "c", "date": "soon"}', "'soon' is not a date"),
        (CreateTask, '{"title": "x", "due_date": "soon"}', "'soon' is not a date"),
    ],
)
async def test_invalid_call_is_reported_before_approval_is_requested(
    client: InMemoryClient, context: CallContext, tool: type[ToolSpec], arguments: str, told: str
) -> None:
    with pytest.raises(ModelRetry, match=told):
        await effect_of(made(tool, context, arguments), client)


async def test_preview_fails_if_device_does_not_answer(client: InMemoryClient, context: CallContext) -> None:
    client.fail_with = ClientSilent()

    with pytest.raises(ClientSilent):
        await effect_of(made(DeleteTask, context, '{"task_id": "t1"}'), client)


async def test_reading_tool_has_no_effect(client: InMemoryClient, context: CallContext) -> None:
    assert await effect_of(made(ListProjects, context, "{}"), client) is None


def test_every_inline_writing_tool_declares_its_table() -> None:
    general = ROSTER[AgentName.GENERAL_AGENT].tools
    tools = [tool for tool in general if tool.agent is not Agent.ALL and tool.execution is Execution.INLINE]

    assert [tool.tool_name for tool in tools if tool.risk is not Risk.READ and tool.changes is None] == []
