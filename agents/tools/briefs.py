"""The rows that briefs are written from: those of a day, and those around a task.

Everything is bounded: rows per section, characters per text, bytes per listing. What is left out is counted. When the
device refuses a read, its section says so, and the others are read.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import CallAction, ClientAnswer, Row, Rows, Table
from agents.errors import ClientRefused
from agents.tools import client
from agents.tools.client import execute_on_client, together
from agents.tools.rows import (
    LINES,
    NOUNS,
    ToolResult,
    day_range,
    in_sections,
    listed,
    milliseconds,
    note_line,
    project_line,
    task_line,
    text,
    with_excerpt,
)
from memory.embedders.base import Embedder
from memory.errors import EmbeddingFailed

AHEAD: Final = timedelta(days=7)
"""How far ahead of the day the brief looks."""
MOST_BYTES: Final = 8_000
"""How much of a section reaches the model."""
MOST_CHARACTERS: Final = 4_000
"""How much of a description or a summary reaches the model."""
_MOST_ROWS: Final = 25
_MOST_LATEST: Final = 50
_LONGEST: Final[Mapping[str, int]] = {"title": 200, "name": 200, "content": 500}
_EXCERPT_CHARACTERS: Final = 400
_MOST_RELATED: Final = 5
_NEAR: Final = 0.2
"""Cosine similarity from which a note is worth mentioning; below it, texts have little to do with each other."""
_EMBEDDED_CHARACTERS: Final = 4_000


class DaySection(StrEnum):
    """The sections of a day's rows."""

    OVERDUE = "Overdue"
    DUE = "Due that day"
    NEXT = "Due in the seven days after it"
    CHECKPOINTS = "Next checkpoints"
    NEW_TASKS = "New tasks since the day before"
    NOTES = "New or changed notes since the day before"
    COMMENTS = "New comments since the day before"
    PROJECTS = "The projects named above"


class TaskSection(StrEnum):
    """The sections of the rows around a task."""

    TASK = "The task"
    PROJECT = "Its project"
    COMMENTS = "Its comments"
    RELATED = "Notes that come close in meaning"
    NOTES = "Notes of its project"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Times:
    """The day and what is around it, in ms: the day before begins at ``since``, the days ahead end at ``until``."""

    since: int
    start: int
    end: int
    until: int

    @classmethod
    def around(cls, day: date, timezone: ZoneInfo) -> "_Times":
        since, _ = day_range(day - timedelta(days=1), timezone)
        start, end = day_range(day, timezone)
        _, until = day_range(day + AHEAD, timezone)
        return cls(since=since, start=start, end=end, until=until)

    def is_late(self, task: Row) -> bool:
        return 0 < milliseconds(task, "dueDate") < self.start

    def is_due(self, task: Row) -> bool:
        return self.start <= milliseconds(task, "dueDate") <= self.end

    def is_next(self, task: Row) -> bool:
        return self.end < milliseconds(task, "dueDate") <= self.until

    def is_ahead(self, checkpoint: Row) -> bool:
        return milliseconds(checkpoint, "date") >= self.start

    def is_new(self, row: Row) -> bool:
        changed = max(milliseconds(row, "createdAt"), milliseconds(row, "updatedAt"))
        return self.since <= changed <= self.end


async def day_rows(day: date, timezone: ZoneInfo) -> ToolResult:
    """The rows of ``day``, in sections. Raises ``ClientAbsent`` and ``ClientSilent``; a refused read is said."""
    times = _Times.around(day, timezone)
    todo, started, checkpoints, new_tasks, notes, comments, projects = await tried(
        (
            client.select(Table.TASKS, status="todo", dueDateTo=times.until, orderBy="dueDate"),
            client.select(Table.TASKS, status="in_progress", dueDateTo=times.until, orderBy="dueDate"),
            client.select(Table.CHECKPOINTS, dueDateFrom=times.start, orderBy="date"),
            _latest(Table.TASKS, "-createdAt"),
            _latest(Table.NOTES, "-updatedAt"),
            _latest(Table.TASK_COMMENTS, "-createdAt"),
            client.select(Table.PROJECTS, includeArchived=True),
        )
    )
    waiting = _by_date(todo, started)
    parts = (
        (DaySection.OVERDUE, Table.TASKS, waiting, times.is_late),
        (DaySection.DUE, Table.TASKS, waiting, times.is_due),
        (DaySection.NEXT, Table.TASKS, waiting, times.is_next),
        (DaySection.CHECKPOINTS, Table.CHECKPOINTS, checkpoints, times.is_ahead),
        (DaySection.NEW_TASKS, Table.TASKS, new_tasks, times.is_new),
        (DaySection.NOTES, Table.NOTES, notes, times.is_new),
        (DaySection.COMMENTS, Table.TASK_COMMENTS, comments, times.is_new),
    )
    sections = {part: section(part, table, found, timezone, is_meant) for part, table, found, is_meant in parts}
    told = "".join(result.text for result in sections.values())
    named = section(
        DaySection.PROJECTS, Table.PROJECTS, projects, timezone, lambda row: f"project {row.get('id')}" in told
    )
    return in_sections({**sections, DaySection.PROJECTS: named})


async def task_rows(task_id: str, timezone: ZoneInfo, embedder: Embedder) -> ToolResult | None:
    """The rows around a task, in sections; None when there is no such task.

    Raises ``ClientAbsent`` and ``ClientSilent``; a refused read is said.
    """
    task, comments = await tried(
        (_get(Table.TASKS, task_id), client.select(Table.TASK_COMMENTS, taskId=task_id)),
    )
    if task is None or task.row is None:
        return None
    row = task.row
    project, notes = await _around(text(row, "projectId"))
    about = f"{text(row, 'title')}\n{text(row, 'description')}"
    related = await _related_notes(about, embedder, known=() if notes is None else notes.rows)
    sections = {
        TaskSection.TASK: _whole(TaskSection.TASK, task_line, row, timezone, "description"),
        TaskSection.PROJECT: ToolResult(text=""),
        TaskSection.COMMENTS: section(TaskSection.COMMENTS, Table.TASK_COMMENTS, comments, timezone),
        TaskSection.RELATED: listed(
            TaskSection.RELATED,
            [cut(note) for note in related],
            _note_with_text,
            timezone,
            one="note",
            many="notes",
            max_bytes=MOST_BYTES,
        ),
    }
    if project is not None and project.row is not None:
        sections[TaskSection.PROJECT] = _whole(TaskSection.PROJECT, project_line, project.row, timezone, "aiSummary")
    if text(row, "projectId"):
        sections[TaskSection.NOTES] = section(TaskSection.NOTES, Table.NOTES, notes, timezone)
    return in_sections(sections)


def section(
    name: str,
    table: Table,
    answer: ClientAnswer | None,
    timezone: ZoneInfo,
    is_meant: Callable[[Row], bool] = lambda _: True,
    *,
    line: Callable[[Row, ZoneInfo], str] | None = None,
) -> ToolResult:
    """A listing of the rows that are meant, under ``name``; a sentence when the device refused to give them."""
    one = NOUNS[table]
    if answer is None:
        return ToolResult(text=f"The device would not tell the {one}s.")
    rows = [row for row in answer.rows if is_meant(row)]
    shown = [cut(row) for row in rows[:_MOST_ROWS]]
    omitted = len(rows) - len(shown)
    line = line or LINES[table]
    return listed(name, shown, line, timezone, one=one, many=f"{one}s", omitted=omitted, max_bytes=MOST_BYTES)


def cut(row: Row) -> Row:
    """``row`` with the texts that a line shows shortened."""
    return {name: _shortened(value, _LONGEST.get(name)) for name, value in row.items()}


async def tried(reads: Iterable[Coroutine[Any, Any, ClientAnswer]]) -> list[ClientAnswer | None]:
    """The answers to ``reads``, which run together; None for one that the device refused.

    Raises ``ClientAbsent`` and ``ClientSilent``.
    """
    return await together(_tried(read) for read in reads)


async def _tried(read: Coroutine[Any, Any, ClientAnswer]) -> ClientAnswer | None:
    try:
        return await read
    except ClientRefused:
        return None


async def _latest(table: Table, order_by: str) -> ClientAnswer:
    return await execute_on_client(CallAction.SELECT, table, filters={"orderBy": order_by}, limit=_MOST_LATEST)


def _by_date(one: ClientAnswer | None, other: ClientAnswer | None) -> ClientAnswer | None:
    """The tasks of both answers, earliest first; those of one when the device refused the other."""
    if one is None or other is None:
        return one or other
    return ClientAnswer(rows=tuple(sorted((*one.rows, *other.rows), key=lambda row: milliseconds(row, "dueDate"))))


async def _around(project_id: str) -> tuple[ClientAnswer | None, ClientAnswer | None]:
    """A project and its notes."""
    if not project_id:
        return None, None
    project, notes = await tried((_get(Table.PROJECTS, project_id), client.select(Table.NOTES, projectId=project_id)))
    return project, notes


async def _get(table: Table, row_id: str) -> ClientAnswer:
    return await execute_on_client(CallAction.GET, table, {"id": row_id})


def _whole(
    name: TaskSection, line: Callable[[Row, ZoneInfo], str], row: Row, timezone: ZoneInfo, column: str
) -> ToolResult:
    """One row, with the text in ``column`` below its line."""
    shown = {**cut(row), column: text(row, column)[:MOST_CHARACTERS]}
    return ToolResult(
        text=f"{line(shown, timezone)}\n\n{text(shown, column)}",
        rows={name: Rows(rows=(shown,))},
    )


def _note_with_text(note: Row, timezone: ZoneInfo) -> str:
    return with_excerpt(note_line(note, timezone), text(note, "content"), _EXCERPT_CHARACTERS)


async def _related_notes(about: str, embedder: Embedder, *, known: Sequence[Row]) -> list[Row]:
    """The nearest notes, nearest first; none when notes cannot be searched by meaning.

    ``known`` are rows that need not be read again. Raises ``ClientAbsent`` and ``ClientSilent``.
    """
    try:
        [vector] = await embedder.embed([about[:_EMBEDDED_CHARACTERS]])
        hits = await execute_on_client(
            CallAction.VECTOR_SEARCH, Table.NOTES, vector=vector.tolist(), limit=_MOST_RELATED
        )
    except (EmbeddingFailed, ClientRefused):
        return []
    near = [str(hit.get("id")) for hit in hits.results[:_MOST_RELATED] if _score(hit) >= _NEAR]
    rows = {str(row.get("id")): row for row in known}
    unknown = [row_id for row_id in near if row_id not in rows]
    rows |= dict(zip(unknown, await together(_note(row_id) for row_id in unknown), strict=True))
    return [row for row_id in near if (row := rows[row_id])]


async def _note(row_id: str) -> Row:
    """The row; an empty one when the device no longer has it."""
    try:
        return (await _get(Table.NOTES, row_id)).row or {}
    except ClientRefused:
        return {}


def _score(hit: Row) -> float:
    score = hit.get("score")
    return float(score) if isinstance(score, int | float) else 0.0


def _shortened(value: JsonValue, longest: int | None) -> JsonValue:
    if longest is None or not isinstance(value, str) or len(value) <= longest:
        return value
    return f"{value[:longest]}…"
