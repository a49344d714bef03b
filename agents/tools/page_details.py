"""What a page of the client shows: a snapshot where the client makes one, else read table by table.

Also the rows within a snapshot, and a page's own filters.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from pydantic import JsonValue

from agents.calls import MAX_ROWS, CallAction, ClientAnswer, Row, Rows, Table
from agents.tools import client
from agents.tools.client import client_supports, execute_on_client, together
from agents.tools.rows import number

COMMENTED_TASKS: Final = 20
"""Comments come with a project's newest tasks only."""

Filters: TypeAlias = Mapping[str, JsonValue] | None


class PageType(StrEnum):
    """The pages that have snapshots; the first three show one row."""

    PROJECT = "project"
    TASK = "task"
    NOTE = "note"
    TASKS_ALL = "tasks_all"
    PROJECTS_ALL = "projects_all"
    TIMELINE_ALL = "timeline_all"


ROW_PAGES: Final = frozenset({PageType.PROJECT, PageType.TASK, PageType.NOTE})


class Part(StrEnum):
    """The parts of a snapshot, by the protocol's names."""

    PROJECT = "project"
    TASK = "task"
    NOTE = "note"
    TASKS = "tasks"
    NOTES = "notes"
    MILESTONES = "milestones"
    COMMENTS = "comments"
    DEPS = "deps"
    PROJECTS = "projects"
    EVENTS = "events"


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A snapshot: single rows, and lists of rows. Notes in a list come without their text."""

    rows: Mapping[Part, Row] = field(default_factory=dict)
    lists: Mapping[Part, Rows] = field(default_factory=dict)


_PARTS: Final[Mapping[PageType, tuple[tuple[Part, ...], tuple[Part, ...]]]] = {
    PageType.PROJECT: ((Part.PROJECT,), (Part.TASKS, Part.NOTES, Part.MILESTONES, Part.COMMENTS)),
    PageType.TASK: ((Part.TASK, Part.PROJECT), (Part.COMMENTS, Part.DEPS)),
    PageType.NOTE: ((Part.NOTE,), ()),
    PageType.TASKS_ALL: ((), (Part.TASKS,)),
    PageType.PROJECTS_ALL: ((), (Part.PROJECTS,)),
    PageType.TIMELINE_ALL: ((), (Part.EVENTS,)),
}


async def read_page(page: PageType, entity_id: str | None = None, *, filters: Filters = None) -> Page | None:
    """The page as the device has it; None when there is no such row.

    Raises ``ClientError``. ``entity_id`` is for the pages of one row, ``filters`` for the others.
    """
    if client_supports(CallAction.PAGE_DETAILS):
        return await _snapshot(page, entity_id, filters)
    if page in ROW_PAGES:
        return await _ROW_READERS[page](entity_id or "")
    return await _LIST_READERS[page](filters)


async def _snapshot(page: PageType, entity_id: str | None, filters: Filters) -> Page | None:
    data = client.filled(entityType=page, entityId=entity_id)
    answer = await execute_on_client(CallAction.PAGE_DETAILS, data=data, filters=dict(filters) if filters else None)
    if answer.row is None:
        return None
    singles, lists = _PARTS[page]
    return Page(
        rows={part: row for part in singles if isinstance(row := answer.row.get(part), dict)},
        lists={part: _rows_in(answer.row.get(part)) for part in lists},
    )


def _rows_in(value: JsonValue) -> Rows:
    """The rows in a list of the client, which may hold anything."""
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    return Rows(rows=tuple(rows[:MAX_ROWS]), omitted=max(0, len(rows) - MAX_ROWS))


async def _project(project_id: str) -> Page | None:
    project, tasks, newest, notes, milestones = await together(
        [
            execute_on_client(CallAction.GET, Table.PROJECTS, {"id": project_id}),
            client.select(Table.TASKS, projectId=project_id),
            execute_on_client(
                CallAction.SELECT,
                Table.TASKS,
                filters={"projectId": project_id, "orderBy": "-createdAt"},
                limit=COMMENTED_TASKS,
            ),
            client.select(Table.NOTES, projectId=project_id),
            client.select(Table.CHECKPOINTS, projectId=project_id, orderBy="date"),
        ]
    )
    if project.row is None:
        return None
    comments = await together(
        client.select(Table.TASK_COMMENTS, taskId=row["id"]) for row in newest.rows[:COMMENTED_TASKS] if row.get("id")
    )
    return Page(
        rows={Part.PROJECT: project.row},
        lists={
            Part.TASKS: _listed(tasks),
            Part.NOTES: Rows(rows=tuple(_without_text(row) for row in notes.rows), omitted=notes.omitted),
            Part.MILESTONES: _listed(milestones),
            Part.COMMENTS: _joined(comments),
        },
    )


async def _task(task_id: str) -> Page | None:
    task, comments = await together(
        [
            execute_on_client(CallAction.GET, Table.TASKS, {"id": task_id}),
            client.select(Table.TASK_COMMENTS, taskId=task_id),
        ]
    )
    if task.row is None:
        return None
    rows = {Part.TASK: task.row}
    if isinstance(project_id := task.row.get("projectId"), str) and project_id:
        project = await execute_on_client(CallAction.GET, Table.PROJECTS, {"id": project_id})
        if project.row is not None:
            rows[Part.PROJECT] = project.row
    return Page(rows=rows, lists={Part.COMMENTS: _listed(comments), Part.DEPS: Rows()})


async def _note(note_id: str) -> Page | None:
    note = await execute_on_client(CallAction.GET, Table.NOTES, {"id": note_id})
    if note.row is None:
        return None
    return Page(rows={Part.NOTE: {**_without_text(note.row), "body": note.row.get("content")}})


async def _all_tasks(filters: Filters) -> Page:
    return Page(lists={Part.TASKS: _listed(await client.select(Table.TASKS, **fitting(Table.TASKS, filters)))})


async def _all_projects(filters: Filters) -> Page:
    projects = await client.select(Table.PROJECTS, **fitting(Table.PROJECTS, filters))
    return Page(lists={Part.PROJECTS: _listed(projects)})


async def _timeline(filters: Filters) -> Page:
    checkpoints, tasks = await together(
        [
            client.select(Table.CHECKPOINTS, **{"orderBy": "date", **fitting(Table.CHECKPOINTS, filters)}),
            client.select(Table.TASKS, **{"orderBy": "dueDate", **fitting(Table.TASKS, filters)}),
        ]
    )
    events = [
        *(_event("checkpoint", row, "date") for row in checkpoints.rows),
        *(_event("task", row, "dueDate") for row in tasks.rows),
    ]
    dated = [(date, event) for event in events if (date := number(event, "date")) is not None]
    rows = tuple(event for _, event in sorted(dated, key=lambda found: found[0]))
    return Page(lists={Part.EVENTS: Rows(rows=rows, omitted=checkpoints.omitted + tasks.omitted)})


def _event(kind: str, row: Row, column: str) -> Row:
    event = {"type": kind, "date": row.get(column), **{name: row.get(name) for name in ("id", "title", "projectId")}}
    return {**event, "status": row["status"]} if "status" in row else event


def _listed(answer: ClientAnswer) -> Rows:
    return Rows(rows=answer.rows, omitted=answer.omitted)


def _joined(answers: Sequence[ClientAnswer]) -> Rows:
    rows = tuple(row for answer in answers for row in answer.rows)
    return Rows(rows=rows[:MAX_ROWS], omitted=max(0, len(rows) - MAX_ROWS) + sum(answer.omitted for answer in answers))


def _without_text(note: Row) -> Row:
    return {name: value for name, value in note.items() if name != "content"}


_ROW_READERS: Final[Mapping[PageType, Callable[[str], Awaitable[Page | None]]]] = {
    PageType.PROJECT: _project,
    PageType.TASK: _task,
    PageType.NOTE: _note,
}
_LIST_READERS: Final[Mapping[PageType, Callable[[Filters], Awaitable[Page]]]] = {
    PageType.TASKS_ALL: _all_tasks,
    PageType.PROJECTS_ALL: _all_projects,
    PageType.TIMELINE_ALL: _timeline,
}


TABLES: Final[Mapping[str, Table]] = {
    "project": Table.PROJECTS,
    "task": Table.TASKS,
    "note": Table.NOTES,
    "tasks": Table.TASKS,
    "notes": Table.NOTES,
    "milestones": Table.CHECKPOINTS,
    "comments": Table.TASK_COMMENTS,
    "deps": Table.TASKS,
    "projects": Table.PROJECTS,
}
"""The table of each part of a snapshot that holds rows of one table."""
EVENTS: Final = "events"
"""The part that holds checkpoints and tasks."""


def rows_on_page(snapshot: Row) -> Iterator[tuple[Table, Row]]:
    """Every row in ``snapshot``, with its table."""
    for part, value in snapshot.items():
        for row in _row_list(value):
            table = TABLES.get(part)
            if part == EVENTS:
                table = table_of_event(row)
            if table is not None:
                yield table, row


def table_of_event(event: Row) -> Table:
    """An event is a task with a due date; anything else is a checkpoint."""
    return Table.TASKS if event.get("type") == "task" else Table.CHECKPOINTS


def _row_list(value: JsonValue) -> list[Row]:
    values = value if isinstance(value, list) else [value]
    return [row for row in values if isinstance(row, dict)]


def _text(value: JsonValue) -> bool:
    return isinstance(value, str) and value != ""


def _moment(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _flag(value: JsonValue) -> bool:
    return isinstance(value, bool)


def _one_of(*values: str) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, str) and value in values


_DATES: Final = {"dueDateFrom": _moment, "dueDateTo": _moment}
_FITTING: Final[Mapping[Table, Mapping[str, Callable[[JsonValue], bool]]]] = {
    Table.TASKS: {
        "projectId": _text,
        "status": _one_of("todo", "in_progress", "done"),
        "search": _text,
        "orderBy": _text,
        **_DATES,
    },
    Table.CHECKPOINTS: {"projectId": _text, "search": _text, **_DATES},
    Table.PROJECTS: {
        "clientId": _text,
        "status": _one_of("active", "archived"),
        "search": _text,
        "orderBy": _text,
        "includeArchived": _flag,
    },
    Table.NOTES: {"projectId": _text, "search": _text},
}


def fitting(table: Table, filters: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    """Those of a page's filters that ``select`` knows for ``table``."""
    known = _FITTING[table]
    return {name: value for name, value in (filters or {}).items() if name in known and known[name](value)}
