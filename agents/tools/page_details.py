"""What a page of the client shows: a snapshot if the client can make one, or else rows that are read table by table.

Also the rows within a snapshot, and a page's own filters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, TypeAlias, get_args

from pydantic import JsonValue

from agents.calls import MAX_ROWS, CallAction, ClientAnswer, Row, Rows, Table
from agents.tools import client
from agents.tools.client import client_supports, execute_on_client, together
from agents.tools.rows import ProjectStatus, TaskStatus, number

COMMENTED_TASKS: Final = 20
"""A project's page has the comments of this many of its newest tasks."""

Filters: TypeAlias = Mapping[str, JsonValue] | None


class PageType(StrEnum):
    """The pages that have snapshots. The first three show one row."""

    PROJECT = "project"
    TASK = "task"
    NOTE = "note"
    TASKS_ALL = "tasks_all"
    PROJECTS_ALL = "projects_all"
    TIMELINE_ALL = "timeline_all"


ROW_PAGES: Final = frozenset({PageType.PROJECT, PageType.TASK, PageType.NOTE})


class Part(StrEnum):
    """The parts of a snapshot, by their names in the protocol."""

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
    """A snapshot: single rows, and lists of rows. Notes in a list do not have their text."""

    rows: Mapping[Part, Row] = field(default_factory=dict)
    lists: Mapping[Part, Rows] = field(default_factory=dict)

    @property
    def every_row(self) -> Sequence[Row]:
        """The rows of all parts."""
        return [*self.rows.values(), *(row for found in self.lists.values() for row in found.rows)]


_PARTS: Final[Mapping[PageType, tuple[tuple[Part, ...], tuple[Part, ...]]]] = {
    PageType.PROJECT: ((Part.PROJECT,), (Part.TASKS, Part.NOTES, Part.MILESTONES, Part.COMMENTS)),
    PageType.TASK: ((Part.TASK, Part.PROJECT), (Part.COMMENTS, Part.DEPS)),
    PageType.NOTE: ((Part.NOTE,), ()),
    PageType.TASKS_ALL: ((), (Part.TASKS,)),
    PageType.PROJECTS_ALL: ((), (Part.PROJECTS,)),
    PageType.TIMELINE_ALL: ((), (Part.EVENTS,)),
}


async def read_page(page: PageType, entity_id: str | None = None, *, filters: Filters = None) -> Page | None:
    """The page as of now; None if there is no such row.

    Raises ``ClientError``. ``entity_id`` is for the pages of one row, ``filters`` for the others.
    """
    if client_supports(CallAction.PAGE_DETAILS):
        return await _snapshot(page, entity_id, filters)
    match page:
        case PageType.PROJECT:
            return await _project(entity_id or "")
        case PageType.TASK:
            return await _task(entity_id or "")
        case PageType.NOTE:
            return await _note(entity_id or "")
        case PageType.TASKS_ALL:
            tasks = await client.select(Table.TASKS, **valid_filters(Table.TASKS, filters))
            return Page(lists={Part.TASKS: tasks.selected})
        case PageType.PROJECTS_ALL:
            projects = await client.select(Table.PROJECTS, **valid_filters(Table.PROJECTS, filters))
            return Page(lists={Part.PROJECTS: projects.selected})
        case PageType.TIMELINE_ALL:
            return await _timeline(filters)


async def _snapshot(page: PageType, entity_id: str | None, filters: Filters) -> Page | None:
    data = client.filled(entityType=page, entityId=entity_id)
    answer = await execute_on_client(CallAction.PAGE_DETAILS, data=data, filters=dict(filters) if filters else None)
    if answer.row is None:
        return None
    singles, lists = _PARTS[page]
    return Page(
        rows={part: row for part in singles if isinstance(row := answer.row.get(part), dict)},
        lists={part: _bounded(found if isinstance(found := answer.row.get(part), list) else []) for part in lists},
    )


async def _project(project_id: str) -> Page | None:
    project, tasks, newest, notes, milestones = await together(
        client.find(Table.PROJECTS, project_id),
        client.select(Table.TASKS, projectId=project_id),
        client.select(Table.TASKS, COMMENTED_TASKS, projectId=project_id, orderBy="-createdAt"),
        client.select(Table.NOTES, projectId=project_id),
        client.select(Table.CHECKPOINTS, projectId=project_id, orderBy="date"),
    )
    if project.row is None:
        return None
    commented = [row["id"] for row in newest.rows[:COMMENTED_TASKS] if row.get("id")]
    comments = await together(*(client.select(Table.TASK_COMMENTS, taskId=task_id) for task_id in commented))
    return Page(
        rows={Part.PROJECT: project.row},
        lists={
            Part.TASKS: tasks.selected,
            Part.NOTES: replace(notes.selected, rows=tuple(_without_text(row) for row in notes.rows)),
            Part.MILESTONES: milestones.selected,
            Part.COMMENTS: _joined(comments, MAX_ROWS),
        },
    )


async def _task(task_id: str) -> Page | None:
    task, comments = await together(
        client.find(Table.TASKS, task_id), client.select(Table.TASK_COMMENTS, taskId=task_id)
    )
    if task.row is None:
        return None
    rows = {Part.TASK: task.row}
    if isinstance(project_id := task.row.get("projectId"), str) and project_id:
        project = await client.find(Table.PROJECTS, project_id)
        if project.row is not None:
            rows[Part.PROJECT] = project.row
    return Page(rows=rows, lists={Part.COMMENTS: comments.selected, Part.DEPS: Rows()})


async def _note(note_id: str) -> Page | None:
    row = (await client.find(Table.NOTES, note_id)).row
    return None if row is None else Page(rows={Part.NOTE: {**_without_text(row), "body": row.get("content")}})


async def _timeline(filters: Filters) -> Page:
    checkpoints, tasks = await together(
        client.select(Table.CHECKPOINTS, **{"orderBy": "date", **valid_filters(Table.CHECKPOINTS, filters)}),
        client.select(Table.TASKS, **{"orderBy": "dueDate", **valid_filters(Table.TASKS, filters)}),
    )
    events = [
        *(_event("checkpoint", row, "date") for row in checkpoints.rows),
        *(_event("task", row, "dueDate") for row in tasks.rows),
    ]
    dated = [(date, event) for event in events if (date := number(event, "date")) is not None]
    rows = tuple(event for _, event in sorted(dated, key=lambda found: found[0]))
    return Page(lists={Part.EVENTS: replace(_joined((checkpoints, tasks)), rows=rows)})


def _event(kind: str, row: Row, column: str) -> Row:
    event = {"type": kind, "date": row.get(column), **{name: row.get(name) for name in ("id", "title", "projectId")}}
    return {**event, "status": row["status"]} if "status" in row else event


def _joined(answers: Sequence[ClientAnswer], limit: int | None = None) -> Rows:
    """The rows of several selects, at most ``limit``."""
    rows = tuple(row for answer in answers for row in answer.rows)
    kept = rows[:limit]
    omitted = sum(answer.selected.omitted for answer in answers) + len(rows) - len(kept)
    return Rows(rows=kept, omitted=omitted, uncounted=any(answer.uncounted for answer in answers))


def _bounded(values: Iterable[object]) -> Rows:
    """The rows among ``values``, which may contain anything. If they reach the limit, there may be more."""
    rows = [row for row in values if isinstance(row, dict)]
    omitted = max(0, len(rows) - MAX_ROWS)
    return Rows(rows=tuple(rows[:MAX_ROWS]), omitted=omitted, uncounted=len(rows) == MAX_ROWS)


def _without_text(note: Row) -> Row:
    return {name: value for name, value in note.items() if name != "content"}


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
"""The table of each part of a snapshot whose rows are of one table. ``events`` has checkpoints and tasks."""


def rows_on_page(snapshot: Row) -> Iterator[tuple[Table, Row]]:
    """Every row in ``snapshot``, with its table."""
    for part, value in snapshot.items():
        for row in value if isinstance(value, list) else [value]:
            if not isinstance(row, dict):
                continue
            table = table_of_event(row) if part == Part.EVENTS else TABLES.get(part)
            if table is not None:
                yield table, row


def table_of_event(event: Row) -> Table:
    """The table of an event, which is either a task with a due date or a checkpoint."""
    return Table.TASKS if event.get("type") == "task" else Table.CHECKPOINTS


_FILTERS: Final[Mapping[Table, tuple[str, ...]]] = {
    Table.TASKS: ("projectId", "status", "search", "orderBy", "dueDateFrom", "dueDateTo"),
    Table.CHECKPOINTS: ("projectId", "search", "dueDateFrom", "dueDateTo"),
    Table.PROJECTS: ("clientId", "status", "search", "orderBy", "includeArchived"),
    Table.NOTES: ("projectId", "search"),
}
_TYPES: Final[Mapping[str, type]] = {"dueDateFrom": int, "dueDateTo": int, "includeArchived": bool}
"""The types of the filters that are not text."""
_STATES: Final = {Table.TASKS: get_args(TaskStatus), Table.PROJECTS: get_args(ProjectStatus)}


def valid_filters(table: Table, filters: Filters) -> dict[str, JsonValue]:
    """Those of a page's filters that ``select`` accepts for ``table``."""

    def fits(name: str, value: JsonValue) -> bool:
        if name == "status":
            return value in _STATES[table]
        return type(value) is _TYPES.get(name, str) and value != ""

    return {name: value for name, value in (filters or {}).items() if name in _FILTERS[table] and fits(name, value)}
