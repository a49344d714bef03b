"""What is withheld between the device and its readers, call by call."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest

from agents.calls import (
    MAX_ROWS,
    CallAction,
    ClientAnswer,
    ClientCall,
    Table,
    UndoConflict,
    UndoEffect,
    UndoneRow,
)
from agents.errors import ClientRefused, ClientSilent, ModelRetry, Withheld
from agents.permissions import withholding
from agents.permissions.sharing import Marks
from agents.permissions.withholding import SharingFilter
from agents.tools.client import OnLate
from tests.agents.disclosing import KeptMarks
from tests.agents.tables import InMemoryClient, Row

USER = uuid4()
MARKED = Marks(projects=frozenset({"secret"}))


def call(action: CallAction, table: Table | None = None, **fields: Any) -> ClientCall:
    return ClientCall(id="c", action=action, table=table, **fields)


def ignore(_: ClientAnswer) -> None:
    """Takes a late answer."""


def through(client: InMemoryClient, marks: Marks = MARKED) -> SharingFilter:
    return SharingFilter(client, KeptMarks(marks), USER)


async def asked(client: InMemoryClient, wanted: ClientCall, marks: Marks = MARKED) -> ClientAnswer:
    return await through(client, marks).execute(wanted, on_late=ignore)


@pytest.fixture
def client() -> InMemoryClient:
    client = InMemoryClient()
    client.rows[Table.PROJECTS] = [{"id": "secret", "name": "S"}, {"id": "open", "name": "O"}]
    client.rows[Table.TASKS] = [
        {"id": "t1", "projectId": "secret", "title": "Hidden"},
        {"id": "t2", "projectId": "open", "title": "Shown"},
        {"id": "t3", "projectId": None},
        {"id": "t4"},
        {"id": "t5", "projectId": ["secret"]},
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
        (Table.TASKS, ["t2", "t3"]),  # the projects of t4 and t5 cannot be known
        (Table.TASK_COMMENTS, ["c2"]),  # the projects of the other tasks are unknown, or known to be marked
        (Table.CLIENTS, ["k1"]),
    ],
)
async def test_rows_of_marked_project_are_left_out(client: InMemoryClient, table: Table, left: list[str]) -> None:
    answer = await asked(client, call(CallAction.SELECT, table))

    assert ([row["id"] for row in answer.rows], answer.omitted) == (left, 0)


@pytest.mark.parametrize(
    "wanted",
    [
        call(CallAction.GET, Table.PROJECTS, data={"id": "secret"}),
        call(CallAction.GET, Table.TASKS, data={"id": "t1"}),
        call(CallAction.GET, Table.TASKS, data={"id": "t4"}),
        call(CallAction.GET, Table.TASK_COMMENTS, data={"id": "c1"}),
        call(CallAction.UPDATE, Table.TASKS, data={"id": "t1", "updates": {"projectId": None}}),
        call(CallAction.UPDATE, Table.TASKS, data={"id": "t1", "updates": {"projectId": "open"}}),
        call(CallAction.UPDATE, Table.PROJECTS, data={"id": "secret", "updates": {"name": "Mine"}}),
        call(CallAction.DELETE, Table.TASKS, data={"id": "t1"}),
        call(CallAction.DELETE, Table.PROJECTS, data={"id": "secret"}),
        call(CallAction.DELETE, Table.TASK_COMMENTS, data={"id": "c1"}),
    ],
)
async def test_marked_row_is_answered_like_unknown_id(client: InMemoryClient, wanted: ClientCall) -> None:
    before = {table: [dict(row) for row in rows] for table, rows in client.rows.items()}
    unknown = replace(wanted, data={**(wanted.data or {}), "id": "none"})

    assert await asked(client, wanted) == await asked(client, unknown) == ClientAnswer()
    assert client.rows == before


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (call(CallAction.INSERT, Table.TASKS, data={"title": "x", "projectId": "secret"}), "no such project"),
        (call(CallAction.INSERT, Table.TASKS, data={"title": "x", "projectId": "none"}), "no such project"),
        (call(CallAction.UPDATE, Table.TASKS, data={"id": "t2", "updates": {"projectId": "secret"}}), "such project"),
        (call(CallAction.UPDATE, Table.TASKS, data={"id": "none", "updates": {"projectId": "none"}}), "such project"),
        (call(CallAction.INSERT, Table.TASK_COMMENTS, data={"content": "x", "taskId": "t1"}), "no such task"),
        (call(CallAction.INSERT, Table.TASK_COMMENTS, data={"content": "x", "taskId": "none"}), "no such task"),
    ],
)
async def test_nothing_is_attached_to_marked_or_unknown_row(
    client: InMemoryClient, wanted: ClientCall, sentence: str
) -> None:
    before = {table: [dict(row) for row in rows] for table, rows in client.rows.items()}
    with pytest.raises(ModelRetry, match=sentence):
        await asked(client, wanted)
    assert client.rows == before


async def test_change_of_shared_row_returns_row(client: InMemoryClient) -> None:
    update = call(CallAction.UPDATE, Table.TASKS, data={"id": "t2", "updates": {"status": "done"}})
    move = call(CallAction.UPDATE, Table.TASKS, data={"id": "t3", "updates": {"projectId": "open"}})
    comment = call(CallAction.INSERT, Table.TASK_COMMENTS, data={"taskId": "t2", "content": "Mine"})

    assert (await asked(client, update)).row == {"id": "t2", "projectId": "open", "title": "Shown", "status": "done"}
    assert (await asked(client, move)).row == {"id": "t3", "projectId": "open"}
    assert (await asked(client, comment)).row == {"id": "new-1", "createdAt": 0, "taskId": "t2", "content": "Mine"}
    assert await asked(client, call(CallAction.DELETE, Table.TASKS, data={"id": "t2"})) == ClientAnswer(deleted=True)


async def test_undo_reports_only_shared_rows(client: InMemoryClient) -> None:
    def undone(table: Table, before: Row | None, after: Row | None) -> UndoneRow:
        row = before or after or {}
        return UndoneRow(table=table, id=str(row["id"]), effect=UndoEffect.REVERTED, before=before, after=after)

    shown = undone(Table.TASKS, {"id": "t2", "projectId": "open"}, None)
    kept = UndoConflict(table=Table.TASK_COMMENTS, id="c2", now={"id": "c2", "taskId": "t2"}, would_be=None)
    client.undo = ClientAnswer(
        undone=(
            shown,
            undone(Table.TASKS, {"id": "t3", "projectId": "open"}, {"id": "t3", "projectId": "secret"}),
            undone(Table.PROJECTS, None, {"id": "secret"}),
            undone(Table.NOTES, {"id": "n1", "projectId": "open"}, None),
        ),
        conflicts=(
            kept,
            UndoConflict(table=Table.TASK_COMMENTS, id="c1", now=None, would_be={"id": "c1", "taskId": "t1"}),
        ),
    )
    marks = Marks(projects=frozenset({"secret"}), tables=frozenset({Table.NOTES}))

    answer = await asked(client, call(CallAction.UNDO, data={"what": {"day": "2026-11-24"}}), marks)

    assert answer == ClientAnswer(undone=(shown,), conflicts=(kept,))


async def test_conflict_of_hidden_row_does_not_block_undo(client: InMemoryClient) -> None:
    hidden = UndoConflict(table=Table.TASKS, id="t1", now={"id": "t1", "projectId": "secret"}, would_be=None)
    client.undo = ClientAnswer(conflicts=(hidden,))

    assert await asked(client, call(CallAction.UNDO, data={"what": {"request": "r"}})) == ClientAnswer()

    asked_for = [made.data for made in client.calls if made.action is CallAction.UNDO]
    assert asked_for == [{"what": {"request": "r"}}, {"what": {"request": "r"}, "partial": True}]


async def test_allowed_change_of_hidden_row_returns_written_columns(client: InMemoryClient) -> None:
    update = call(CallAction.UPDATE, Table.TASKS, data={"id": "t1", "updates": {"status": "done", "projectId": "open"}})
    sharing = through(client)
    [hidden] = await sharing.hidden_in(update)
    assert (hidden.table, hidden.row["title"]) == (Table.TASKS, "Hidden")

    sharing.allow(update)

    assert (await sharing.execute(update, on_late=ignore)).row == {"status": "done", "id": "t1"}
    assert client.rows[Table.TASKS][0]["projectId"] == "open"


async def test_allowed_change_is_used_up_by_next_change(client: InMemoryClient) -> None:
    delete, other = (call(CallAction.DELETE, Table.TASKS, data={"id": row_id}) for row_id in ("t1", "t4"))
    sharing = through(client)

    sharing.allow(delete)

    assert not (await sharing.execute(other, on_late=ignore)).deleted
    assert not (await sharing.execute(delete, on_late=ignore)).deleted


async def test_undo_conflict_of_project_with_hidden_row_omits_that_row(client: InMemoryClient) -> None:
    kept = UndoConflict(table=Table.PROJECTS, id="open", now={"id": "open", "name": "Open"}, would_be=None)
    note: Row = {"id": "n1", "projectId": "open", "title": "Secret"}
    hidden = UndoConflict(table=Table.NOTES, id="n1", now=note, would_be={**note, "projectId": None})
    client.undo = ClientAnswer(conflicts=(kept, hidden))
    undo = call(CallAction.UNDO, data={"what": {"request": "r"}})

    assert await asked(client, undo, Marks(tables=frozenset({Table.NOTES}))) == ClientAnswer(conflicts=(kept,))

    assert [made.data for made in client.calls if made.action is CallAction.UNDO] == [{"what": {"request": "r"}}]


async def test_vector_of_hidden_note_keeps_its_project(client: InMemoryClient) -> None:
    client.rows[Table.NOTES] = [{"id": "n1", "projectId": "secret", "content": "old"}]
    update = call(CallAction.UPDATE, Table.NOTES, data={"id": "n1", "updates": {"content": "new"}})
    sharing = through(client)
    sharing.allow(update)
    answer = await sharing.execute(update, on_late=ignore)
    assert answer.row == {"content": "new", "id": "n1"}

    data = {"id": "n1", "projectId": None, "content": "new"}
    await sharing.execute(call(CallAction.VECTOR_UPSERT, Table.NOTES, data=data, vector=(1.0,)), on_late=ignore)

    assert client.last.data == {"id": "n1", "projectId": "secret", "content": "new"}


@pytest.mark.parametrize("table", list(Table))
@pytest.mark.parametrize("action", [CallAction.SELECT, CallAction.GET, CallAction.VECTOR_SEARCH])
async def test_marked_table_is_not_read(client: InMemoryClient, action: CallAction, table: Table) -> None:
    with pytest.raises(Withheld, match="never shares"):
        await asked(client, call(action, table, data={"id": "x"}), Marks(tables=frozenset({table})))
    assert client.calls == []


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        (Table.TASKS, call(CallAction.UPDATE, Table.TASKS, data={"id": "t2", "updates": {"title": "x"}})),
        (Table.TASKS, call(CallAction.DELETE, Table.TASKS, data={"id": "none"})),
        (Table.TASKS, call(CallAction.INSERT, Table.TASK_COMMENTS, data={"taskId": "t2", "content": "x"})),
        (Table.TASKS, call(CallAction.SELECT, Table.TASK_COMMENTS, filters={"taskId": "t2"})),
        (Table.PROJECTS, call(CallAction.INSERT, Table.TASKS, data={"title": "x", "projectId": "open"})),
        (Table.PROJECTS, call(CallAction.INSERT, Table.TASKS, data={"title": "x", "projectId": "none"})),
    ],
)
async def test_call_that_names_row_of_marked_table_does_not_reach_device(
    client: InMemoryClient, table: Table, wanted: ClientCall
) -> None:
    with pytest.raises(Withheld, match="never shares"):
        await asked(client, wanted, Marks(tables=frozenset({table})))
    assert client.calls == []


async def test_insert_into_marked_table_returns_written_columns(client: InMemoryClient) -> None:
    insert = call(CallAction.INSERT, Table.NOTES, data={"title": "Mine", "content": "Text"})
    answer = await asked(client, insert, Marks(tables=frozenset({Table.NOTES})))
    assert answer.row == {"title": "Mine", "content": "Text", "id": "new-1"}


async def test_snapshot_is_taken_only_if_nothing_is_marked(client: InMemoryClient) -> None:
    client.snapshots = True
    marked, unmarked = through(client), through(client, Marks())
    assert not unmarked.supports(CallAction.PAGE_DETAILS)  # no one has looked yet
    for sharing in (marked, unmarked):
        await sharing.marks()

    assert (marked.supports(CallAction.PAGE_DETAILS), unmarked.supports(CallAction.PAGE_DETAILS)) == (False, True)
    with pytest.raises(Withheld):
        await marked.execute(call(CallAction.PAGE_DETAILS, data={"entityType": "tasks_all"}), on_late=ignore)
    assert client.calls == []


@dataclass
class LimitedClient(InMemoryClient):
    """Obeys the limits of reads and refuses answers with more than ``most`` rows.

    With ``obeys=False`` it gives every row, and the link keeps what a real link keeps.
    """

    most: int = 100_000
    obeys: bool = True

    def answer(self, call: ClientCall) -> ClientAnswer:
        answer, limit = super().answer(call), call.limit or MAX_ROWS
        rows = (answer.rows or answer.results)[: limit if self.obeys else None]
        if len(rows) > self.most:
            raise ClientRefused("The answer would be too large.")
        kept = max(limit, MAX_ROWS)
        if call.action is CallAction.SELECT:
            return ClientAnswer(rows=rows[:kept], omitted=max(0, len(rows) - kept))
        return replace(answer, results=rows[:kept])

    def tasks(self, *projects: str) -> "LimitedClient":
        """With a task of each of ``projects``."""
        self.rows[Table.TASKS] = [{"id": f"t{n}", "projectId": project} for n, project in enumerate(projects)]
        return self


def select(limit: int) -> ClientCall:
    return call(CallAction.SELECT, Table.TASKS, limit=limit)


async def test_limit_applies_to_shared_rows() -> None:
    client = LimitedClient().tasks(*["secret"] * 30, *["open"] * 8, "secret", "open")

    assert [row["id"] for row in (await asked(client, select(5))).rows] == [f"t{n}" for n in range(30, 35)]
    assert len((await asked(client, select(9))).rows) == 9
    assert len((await asked(client, select(20))).rows) == 9


@dataclass
class CountingClient(LimitedClient):
    """Says how many rows fit, by project."""

    def answer(self, call: ClientCall) -> ClientAnswer:
        project = (call.filters or {}).get("projectId")
        assert call.table is not None
        fitting = [row for row in self.rows[call.table] if project in (None, row["projectId"])]
        rows = tuple(fitting[: call.limit])
        return ClientAnswer(rows=rows, unsent=len(fitting) - len(rows))


async def test_rows_beyond_limit_are_counted_without_marked_ones() -> None:
    counting = replace(select(5), count=True)
    client = CountingClient().tasks(*["secret"] * 30, *["open"] * 8, "secret", "open")

    answer = await asked(client, counting)
    assert ([row["id"] for row in answer.rows], answer.unsent, answer.uncounted) == (
        ["t30", "t31", "t32", "t33", "t34"],
        4,
        False,
    )
    of_one = replace(counting, filters={"projectId": "open"})
    assert (await asked(client, of_one)).unsent == 4
    assert (await asked(client, replace(counting, limit=20))).unsent == 0


async def test_rows_are_uncounted_if_marked_ones_cannot_be_counted() -> None:
    client = CountingClient()
    client.rows[Table.PROJECTS] = [{"id": name, "projectId": None} for name in ("a", "b", "secret", "c")]

    assert (await asked(client, call(CallAction.SELECT, Table.PROJECTS, limit=2, count=True))).uncounted
    assert not (await asked(client, call(CallAction.SELECT, Table.PROJECTS, limit=4, count=True))).uncounted


async def test_vector_search_returns_requested_number_of_shared_rows() -> None:
    client = LimitedClient()
    projects = ["secret"] * 12 + ["open"] * 3
    client.rows[Table.NOTES] = [{"id": f"n{n}", "projectId": each, "content": "x"} for n, each in enumerate(projects)]

    answer = await asked(client, call(CallAction.VECTOR_SEARCH, Table.NOTES, vector=(1.0,), limit=2))

    assert [hit["id"] for hit in answer.results] == ["n12", "n13"]


async def test_surplus_rows_of_client_without_limits_are_counted() -> None:
    client = LimitedClient(obeys=False).tasks(*["secret"] * 700, *["open"] * 550)

    answer = await asked(client, select(MAX_ROWS))

    assert (len(answer.rows), answer.omitted) == (MAX_ROWS, 50)


async def test_rows_that_exceed_one_answer_are_read_partly() -> None:
    client = LimitedClient(most=50).tasks(*["secret", "open"] * 200)

    answer = await asked(client, select(MAX_ROWS))

    assert [row["id"] for row in answer.rows] == [f"t{n}" for n in range(1, len(answer.rows) * 2, 2)]
    assert 12 <= len(answer.rows) <= 25


async def test_rows_fetched_from_device_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(withholding, "MAX_FETCHED", 20)
    client = LimitedClient().tasks(*["secret"] * 100, "open")

    assert (await asked(client, select(5))).rows == ()
    assert [each.limit for each in client.calls] == [5, 20]


@dataclass
class FailingClient(InMemoryClient):
    """Fails when the row ``fails_for`` is read, or when any row is."""

    error: Exception | None = None
    fails_for: str | None = None

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        if call.action is CallAction.GET and self.error and self.fails_for in (None, (call.data or {}).get("id")):
            raise self.error
        return await super().execute(call, on_late=on_late)


async def test_comments_are_withheld_if_device_refuses_their_tasks() -> None:
    client = FailingClient(error=ClientRefused())
    client.rows[Table.TASK_COMMENTS] = [{"id": "c2", "taskId": "t2"}]
    assert (await asked(client, call(CallAction.SELECT, Table.TASK_COMMENTS))).rows == ()
    client.error = ClientSilent()
    with pytest.raises(ClientSilent):
        await asked(client, call(CallAction.SELECT, Table.TASK_COMMENTS))


async def test_refused_row_is_unknown_unless_device_refuses_all() -> None:
    wanted = call(CallAction.GET, Table.TASKS, data={"id": "t1"})
    delete = call(CallAction.DELETE, Table.TASKS, data={"id": "t1"})
    client = FailingClient(error=ClientRefused("too large: t1"), fails_for="t1")
    hidden: Row = {"id": "t1", "projectId": "secret"}
    client.rows[Table.TASKS] = [hidden]
    assert await asked(client, wanted) == await asked(client, delete) == ClientAnswer()
    assert client.rows[Table.TASKS] == [hidden]
    client.fails_for = None
    with pytest.raises(ClientRefused, match="too large"):
        await asked(client, wanted)


async def test_late_answer_is_filtered(client: InMemoryClient) -> None:
    late: list[ClientAnswer] = []
    update = call(CallAction.UPDATE, Table.TASKS, data={"id": "t1", "updates": {"status": "done"}})
    sharing = through(client)
    await sharing.marks()
    sharing.allow(update)
    client.fail_with = ClientSilent()
    with pytest.raises(ClientSilent):
        await sharing.execute(update, on_late=late.append)
    [(sent, on_late)] = client.late

    on_late(client.answer(sent))

    assert [answer.row for answer in late] == [{"status": "done", "id": "t1"}]


async def test_device_is_not_called_while_marks_are_unavailable(client: InMemoryClient) -> None:
    withholding = SharingFilter(client, KeptMarks(away=True), USER)
    with pytest.raises(Withheld):
        await withholding.execute(call(CallAction.SELECT, Table.TASKS), on_late=ignore)
    assert client.calls == []
