"""What is withheld between the device and its readers, call by call."""

from typing import Any
from uuid import uuid4

import pytest

from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from agents.errors import ClientRefused, ClientSilent, Withheld
from agents.permissions.sharing import Marks, SharingFilter, counting
from agents.tools.client import OnLate
from tests.agents.disclosing import KeptMarks
from tests.agents.tables import InMemoryClient

USER = uuid4()
MARKED = Marks(projects=frozenset({"secret"}))


def call(action: CallAction, table: Table | None = None, **fields: Any) -> ClientCall:
    return ClientCall(id="c", action=action, table=table, **fields)


async def asked(client: InMemoryClient, wanted: ClientCall, marks: Marks = MARKED) -> ClientAnswer:
    return await SharingFilter(client, KeptMarks(marks), USER).execute(wanted, on_late=lambda _: None)


@pytest.fixture
def client() -> InMemoryClient:
    client = InMemoryClient()
    client.rows[Table.PROJECTS] = [{"id": "secret", "name": "S"}, {"id": "open", "name": "O"}]
    client.rows[Table.TASKS] = [
        {"id": "t1", "projectId": "secret"},
        {"id": "t2", "projectId": "open"},
        {"id": "t3", "projectId": None},
        {"id": "t4"},
    ]
    client.rows[Table.TASK_COMMENTS] = [
        {"id": "c1", "taskId": "t1"},
        {"id": "c2", "taskId": "t2"},
        {"id": "c3", "taskId": "gone"},
        {"id": "c4"},
        {"id": "c5", "taskId": "t4"},
    ]
    client.rows[Table.CLIENTS] = [{"id": "k1"}]
    return client


@pytest.mark.parametrize(
    ("table", "left"),
    [
        (Table.PROJECTS, ["open"]),
        (Table.TASKS, ["t2", "t3"]),  # t4 has no project
        (Table.TASK_COMMENTS, ["c2"]),  # the projects of the other tasks are unknown, or known to be marked
        (Table.CLIENTS, ["k1"]),
    ],
)
async def test_rows_of_a_marked_project_are_left_out_and_counted(
    client: InMemoryClient, table: Table, left: list[str]
) -> None:
    before = len(client.rows[table])
    with counting() as withheld:
        answer = await asked(client, call(CallAction.SELECT, table))

    assert [row["id"] for row in answer.rows] == left
    rows = before - len(left)
    assert len({row_id for _, row_id in withheld.rows}) == rows


@pytest.mark.parametrize(
    "wanted",
    [
        call(CallAction.GET, Table.PROJECTS, data={"id": "secret"}),
        call(CallAction.GET, Table.TASKS, data={"id": "t1"}),
        call(CallAction.GET, Table.TASKS, data={"id": "t4"}),
        call(CallAction.GET, Table.TASK_COMMENTS, data={"id": "c1"}),
        call(CallAction.SELECT, Table.TASKS, filters={"projectId": "secret"}),
        call(CallAction.VECTOR_SEARCH, Table.NOTES, filters={"projectId": "secret"}, vector=(1.0,)),
        call(CallAction.PAGE_DETAILS, data={"entityType": "project", "entityId": "secret"}),
        call(CallAction.PAGE_DETAILS, data={"entityType": "tasks_all"}, filters={"projectId": "secret"}),
    ],
)
async def test_reading_a_marked_project_is_refused(client: InMemoryClient, wanted: ClientCall) -> None:
    with pytest.raises(Withheld):
        await asked(client, wanted)


async def test_a_row_that_is_not_there_is_still_not_there(client: InMemoryClient) -> None:
    assert (await asked(client, call(CallAction.GET, Table.TASKS, data={"id": "none"}))).row is None


@pytest.mark.parametrize("table", list(Table))
@pytest.mark.parametrize("action", [CallAction.SELECT, CallAction.GET, CallAction.VECTOR_SEARCH])
async def test_a_marked_table_is_not_read(client: InMemoryClient, action: CallAction, table: Table) -> None:
    with pytest.raises(Withheld, match="never shares"):
        await asked(client, call(action, table, data={"id": "x"}), Marks(tables=frozenset({table})))
    assert client.calls == []


@pytest.mark.parametrize(
    ("page", "table", "read"),
    [
        ("project", Table.TASK_COMMENTS, False),
        ("project", Table.CLIENTS, True),
        ("task", Table.PROJECTS, False),
        ("task", Table.NOTES, True),
        ("note", Table.NOTES, False),
        ("timeline_all", Table.TASKS, False),
        ("timeline_all", Table.NOTES, True),
        ("a page that is new", Table.CLIENTS, False),
    ],
)
async def test_a_page_is_read_without_marked_tables_only(
    client: InMemoryClient, page: str, table: Table, *, read: bool
) -> None:
    wanted = call(CallAction.PAGE_DETAILS, data={"entityType": page})
    if read:
        await asked(client, wanted, Marks(tables=frozenset({table})))
        return
    with pytest.raises(Withheld):
        await asked(client, wanted, Marks(tables=frozenset({table})))


async def test_a_snapshot_keeps_only_rows_that_are_shared(client: InMemoryClient) -> None:
    secret, shared = {"projectId": "secret"}, {"projectId": "open"}
    client.page = {
        "project": {"id": "open"},
        "tasks": [{"id": "t1", **secret}, {"id": "t2", **shared}, "no row"],
        "events": [{"id": "e1", "type": "task", **secret}, {"id": "e2", "type": "task", **shared}, {"id": "e3"}],
        "projects": [{"id": "secret"}, {"id": "open"}],
        "comments": [{"id": "c1"}],
        "deps": None,
        "surprise": [{"id": "s1"}],
        "another": {"id": "s2"},
    }

    answer = await asked(client, call(CallAction.PAGE_DETAILS, data={"entityType": "project", "entityId": "open"}))

    assert answer.row == {
        "project": {"id": "open"},
        "tasks": [{"id": "t2", **shared}],
        "events": [{"id": "e2", "type": "task", **shared}],
        "projects": [{"id": "open"}],
        "comments": [{"id": "c1"}],
        "deps": None,
        "surprise": [],
    }


@pytest.mark.parametrize("part", ["task", "note"])
@pytest.mark.parametrize("row", [{"id": "x", "projectId": "secret"}, {"id": "x"}])
async def test_a_snapshot_of_a_row_of_a_marked_project_is_refused(
    client: InMemoryClient, part: str, row: dict[str, str]
) -> None:
    client.page = {part: dict(row)}
    with pytest.raises(Withheld):
        await asked(client, call(CallAction.PAGE_DETAILS, data={"entityType": part, "entityId": "x"}))


async def test_a_change_gives_back_what_it_wrote_and_no_other_column(client: InMemoryClient) -> None:
    client.rows[Table.TASKS][0] |= {"title": "Hidden"}
    update = call(CallAction.UPDATE, Table.TASKS, data={"id": "t1", "updates": {"status": "done"}})
    insert = call(CallAction.INSERT, Table.NOTES, data={"title": "Mine", "projectId": "secret"})
    comment = call(CallAction.INSERT, Table.TASK_COMMENTS, data={"taskId": "t2", "content": "Mine"})

    assert (await asked(client, update)).row == {"status": "done", "id": "t1", "projectId": "secret"}
    assert (await asked(client, insert)).row == {"title": "Mine", "id": "new-1", "projectId": "secret"}
    assert (await asked(client, comment)).row == {"taskId": "t2", "content": "Mine", "id": "new-2"}


async def test_a_change_of_what_is_shared_gives_back_the_row(client: InMemoryClient) -> None:
    update = call(CallAction.UPDATE, Table.TASKS, data={"id": "t2", "updates": {"status": "done"}})
    answer = await asked(client, update)
    assert answer.row is not None
    assert answer.row["id"] == "t2"
    assert await asked(client, call(CallAction.DELETE, Table.TASKS, data={"id": "t1"})) == ClientAnswer(deleted=True)


class _Failing(InMemoryClient):
    """Fails when a task is read by its id."""

    error: Exception = ClientRefused()

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        if call.action is CallAction.GET:
            raise self.error
        return await super().execute(call, on_late=on_late)


async def test_comments_are_withheld_when_the_device_does_not_tell_their_tasks() -> None:
    client = _Failing()
    client.rows[Table.TASK_COMMENTS] = [{"id": "c2", "taskId": "t2"}]
    assert (await asked(client, call(CallAction.SELECT, Table.TASK_COMMENTS))).rows == ()
    client.error = ClientSilent()
    with pytest.raises(ClientSilent):
        await asked(client, call(CallAction.SELECT, Table.TASK_COMMENTS))


async def test_nothing_is_asked_of_the_device_while_the_marks_cannot_be_known(client: InMemoryClient) -> None:
    withholding = SharingFilter(client, KeptMarks(away=True), USER)
    with pytest.raises(Withheld):
        await withholding.execute(call(CallAction.SELECT, Table.TASKS), on_late=lambda _: None)
    assert client.calls == []
