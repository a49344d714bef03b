import asyncio
from datetime import date
from zoneinfo import ZoneInfo

import pytest
from pydantic import JsonValue

from agents.calls import CallAction, ClientAnswer, ClientCall, Row, Table
from agents.engine.viewed_page import Glance, glance, page_words, view_of
from agents.errors import ClientRefused
from agents.scopes import ListScope, NoteScope, PageScope, ProjectCounts, ProjectScope
from agents.tools.client import OnLate, RecordingClient, using_client
from agents.tools.rows import LineContext
from tests.agents.tables import InMemoryClient

ROME = ZoneInfo("Europe/Rome")
TODAY = date(2026, 3, 29)
UNTIL = 1774738800000 - 1
"""The last millisecond before that day in Rome."""
PROJECT = ProjectScope(
    page="project",
    entityType="project",
    entityId="p1",
    entityName="W",
    counts=ProjectCounts(tasks=0, notes=0, milestones=0),
)


def late(row_id: str, *, due: int = UNTIL, status: str = "todo") -> dict[str, JsonValue]:
    return {"id": row_id, "title": row_id, "dueDate": due, "status": status}


async def seen(scope: PageScope) -> Glance:
    return await glance(scope, today=TODAY, timezone=ROME)


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("scope", "filters"),
    [
        (PROJECT, [{"projectId": "p1", "status": status} for status in ("todo", "in_progress")]),
        (ListScope(page="tasks"), [{"status": status} for status in ("todo", "in_progress")]),
        (
            ListScope(page="projects-list", filters={"status": "active"}),
            [{"status": "todo"}, {"status": "in_progress"}],
        ),
        (
            ListScope(page="tasks", filters={"status": "todo", "projectId": "p2", "colour": 1}),
            [{"status": "todo", "projectId": "p2"}],
        ),
        (ListScope(page="tasks", filters={"status": "done"}), []),
    ],
)
async def test_overdue_tasks_are_read_with_filters_of_page(
    scope: PageScope, filters: list[dict[str, JsonValue]], client: InMemoryClient
) -> None:
    assert await seen(scope) == Glance(overdue=())

    dates = {"dueDateTo": UNTIL, "orderBy": "dueDate"}
    assert [call.filters for call in client.calls if call.action is CallAction.SELECT] == [
        {**one, **dates} for one in filters
    ]


@pytest.mark.usefixtures("run")
async def test_earlier_end_of_page_limits_overdue_tasks(client: InMemoryClient) -> None:
    await seen(ListScope(page="timeline", filters={"dueDateTo": 5, "status": "todo"}))

    assert client.last.filters == {"dueDateTo": 5, "status": "todo", "orderBy": "dueDate"}


@pytest.mark.usefixtures("run")
async def test_rows_that_are_not_overdue_are_ignored(client: InMemoryClient) -> None:
    client.rows[Table.TASKS] = [
        late("b"), late("done", status="done"), late("today", due=UNTIL + 1), {"id": "undated"}, late("a", due=1),
    ]  # fmt: skip
    found = await seen(ListScope(page="tasks", filters={"status": "todo"}))

    assert [row["id"] for row in found.overdue or ()] == ["a", "b"]


@pytest.mark.usefixtures("run")
async def test_note_page_needs_one_read(client: InMemoryClient) -> None:
    scope = NoteScope(page="note", entityType="note", entityId="n", entityName="N", projectId=None, charCount=1)

    assert await seen(scope) == Glance()
    assert [(call.action, call.table, call.data) for call in client.calls] == [
        (CallAction.GET, Table.NOTES, {"id": "n"})
    ]


@pytest.mark.usefixtures("run")
async def test_refusing_device_gives_empty_glance(client: InMemoryClient) -> None:
    client.fail_with = ClientRefused()

    assert await seen(PROJECT) == Glance()


async def test_missing_device_gives_empty_glance() -> None:
    assert await seen(PROJECT) == Glance()


class SilentClient(InMemoryClient):
    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        self.calls.append(call)
        await asyncio.Event().wait()
        raise AssertionError


async def test_slow_device_is_not_awaited() -> None:
    client = SilentClient()
    with using_client(RecordingClient(client)):
        found = await glance(PROJECT, today=TODAY, timezone=ROME, timeout_s=0.0)

    assert found == Glance()


def project(name: str = "Website", *, tasks: int = 0, notes: int = 1, milestones: int = 2) -> ProjectScope:
    return ProjectScope(
        page="project",
        entityType="project",
        entityId="p1",
        entityName=name,
        counts=ProjectCounts(tasks=tasks, notes=notes, milestones=milestones),
    )


def test_project_is_described_with_its_counts() -> None:
    assert page_words(project()) == ('the project "Website" [id p1], which holds no tasks, 1 note and 2 milestones')


NOTE = NoteScope(page="note", entityType="note", entityId="n1", entityName="Ideas", projectId=None, charCount=3)


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(("scope", "table"), [(project(), Table.PROJECTS), (NOTE, Table.NOTES)])
@pytest.mark.parametrize("foreign", [True, False])
async def test_page_has_name_and_its_origin(
    scope: ProjectScope | NoteScope, table: Table, foreign: bool, client: InMemoryClient
) -> None:
    client.rows[table].append({"id": scope.entityId, "foreign": foreign})

    view = view_of(scope, await seen(scope), LineContext(timezone=ROME))

    assert f'"{scope.entityName}" [id {scope.entityId}]' in view.words
    assert view.is_foreign is foreign


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("scope", [project(), NOTE])
async def test_page_name_of_unknown_origin_is_omitted(
    scope: ProjectScope | NoteScope,
) -> None:
    view = view_of(scope, await seen(scope), LineContext(timezone=ROME))

    assert scope.entityName not in view.words
    assert f"[id {scope.entityId}]" in view.words
    assert not view.is_foreign


def test_overdue_tasks_are_described_only_if_known() -> None:
    late = tuple({"id": f"t{number}", "title": f"Late {number}", "status": "todo"} for number in range(7))

    def told(glance: Glance) -> str:
        return view_of(project(), glance, LineContext(timezone=ROME)).words.partition("milestones.")[2]

    assert told(Glance()) == ""
    assert told(Glance(overdue=())) == " No task on it is overdue."
    assert told(Glance(overdue=late[:1])) == ' 1 task on it is overdue: "Late 0" (todo) [id t0].'
    assert told(Glance(overdue=late)).startswith(' 7 tasks on it are overdue: "Late 0" (todo) [id t0]; ')
    assert told(Glance(overdue=late)).endswith("[id t4]; and 2 more.")


def test_notes_of_list_are_described() -> None:
    notes: tuple[Row, ...] = ({"id": "n1", "title": "Ideas", "content": "secret", "createdAt": 0, "updatedAt": 0},)

    assert view_of(ListScope(page="notes-list"), Glance(notes=notes), LineContext(timezone=ROME)).words == (
        "The user is looking at the list of all notes. "
        'There is 1 note on it, the latest first: "Ideas" (created Thu 1970-01-01 01:00) [id n1].'
    )


LONG = "x\n" * 100_000


@pytest.mark.parametrize(
    "scope",
    [
        project(LONG),
        ListScope(page="tasks", filters={"search": LONG}),
        NoteScope(page="note", entityType="note", entityId=LONG, entityName=LONG, projectId=LONG, charCount=1),
    ],
)
def test_view_is_one_bounded_paragraph_for_any_client_data(scope: PageScope) -> None:
    rows = tuple({"id": "t", "title": LONG} for _ in range(500))
    told = view_of(scope, Glance(row=rows[0], overdue=rows, notes=rows), LineContext(timezone=ROME)).words

    assert "\n" not in told
    assert len(told) < 2000


def test_view_has_notes_that_its_words_name() -> None:
    notes: tuple[Row, ...] = ({"id": "n1", "title": "Ideas"}, {"id": "n2", "title": LONG})
    view = view_of(ListScope(page="notes-list"), Glance(notes=notes), LineContext(timezone=ROME))

    assert "[id n1]; and 1 more" in view.words
    assert view.notes == notes[:1]


def test_view_with_foreign_text_is_foreign() -> None:
    rows: tuple[Row, ...] = ({"id": "x1", "title": "Clip", "foreign": True}, {"id": "x2", "title": "Mine"})
    context = LineContext(timezone=ROME)

    assert view_of(project(), Glance(overdue=rows), context).is_foreign
    assert view_of(ListScope(page="notes-list"), Glance(notes=rows), context).is_foreign
    assert not view_of(project(), Glance(overdue=rows[1:]), context).is_foreign
