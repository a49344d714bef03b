"""The rows for briefs: those of a day, and those around a task.

Everything is limited: rows per section, characters per text, bytes per listing. What is left out is counted. If the
device refuses a read, the section says so, and the others are not affected.
"""

import math
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from agents.calls import CallAction, ClientAnswer, Row, Rows, Table
from agents.errors import ClientRefused
from agents.tools import client
from agents.tools.client import execute_on_client, together
from agents.tools.rows import (
    LINES,
    NOUNS,
    Line,
    LineContext,
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
from memory.errors import EmbeddingFailed
from memory.index import Embedder

AHEAD: Final = timedelta(days=7)
"""How far the brief of a day looks ahead."""
MAX_BYTES: Final = 8_000
"""The size limit of a section, in bytes."""
MAX_CHARACTERS: Final = 4_000
"""The length limit of a description or a summary."""
_MAX_ROWS: Final = 25
_MAX_LATEST: Final = 50
_MAX_CHARS: Final[Mapping[str, int]] = {"title": 200, "name": 200, "content": 500}
_EXCERPT_CHARACTERS: Final = 400
_MAX_RELATED: Final = 5
_NEAR: Final = 0.2
"""The cosine similarity from which a note is related; below it, texts have little to do with each other."""
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


async def day_rows(day: date, timezone: ZoneInfo) -> ToolResult:
    """The rows of ``day``, in sections. Raises ``ClientAbsent`` and ``ClientSilent``."""
    since, _ = day_range(day - timedelta(days=1), timezone)
    start, end = day_range(day, timezone)
    _, until = day_range(day + AHEAD, timezone)
    todo, started, checkpoints, new_tasks, notes, comments, projects = await tried(
        client.select(Table.TASKS, status="todo", dueDateTo=until, orderBy="dueDate"),
        client.select(Table.TASKS, status="in_progress", dueDateTo=until, orderBy="dueDate"),
        client.select(Table.CHECKPOINTS, dueDateFrom=start, orderBy="date"),
        client.select(Table.TASKS, _MAX_LATEST, orderBy="-createdAt"),
        client.select(Table.NOTES, _MAX_LATEST, orderBy="-updatedAt"),
        client.select(Table.TASK_COMMENTS, _MAX_LATEST, orderBy="-createdAt"),
        client.select(Table.PROJECTS, includeArchived=True),
    )

    def is_new(row: Row) -> bool:
        return since <= max(milliseconds(row, "createdAt"), milliseconds(row, "updatedAt")) <= end

    waiting = by_date([todo, started])
    context = LineContext(timezone=timezone, today=day, projects=named_projects(projects))
    parts = (
        (DaySection.OVERDUE, Table.TASKS, waiting, dated("dueDate", 1, start - 1)),
        (DaySection.DUE, Table.TASKS, waiting, dated("dueDate", start, end)),
        (DaySection.NEXT, Table.TASKS, waiting, dated("dueDate", end + 1, until)),
        (DaySection.CHECKPOINTS, Table.CHECKPOINTS, checkpoints, dated("date", start)),
        (DaySection.NEW_TASKS, Table.TASKS, new_tasks, is_new),
        (DaySection.NOTES, Table.NOTES, notes, is_new),
        (DaySection.COMMENTS, Table.TASK_COMMENTS, comments, is_new),
    )
    sections = {part: section(part, table, found, context, is_meant) for part, table, found, is_meant in parts}
    told = "".join(result.text for result in sections.values())
    named = section(DaySection.PROJECTS, Table.PROJECTS, projects, context, lambda row: f"[id {row.get('id')}]" in told)
    return in_sections({**sections, DaySection.PROJECTS: named})


async def task_rows(task_id: str, today: date, timezone: ZoneInfo, embedder: Embedder) -> ToolResult | None:
    """The rows around a task as of ``today``, in sections; None if there is no such task.

    Raises ``ClientAbsent`` and ``ClientSilent``.
    """
    task, comments = await tried(client.find(Table.TASKS, task_id), client.select(Table.TASK_COMMENTS, taskId=task_id))
    if task is None or task.row is None:
        return None
    row = task.row
    project, notes = None, None
    if project_id := text(row, "projectId"):
        project, notes = await tried(
            client.find(Table.PROJECTS, project_id), client.select(Table.NOTES, projectId=project_id)
        )
    about = f"{text(row, 'title')}\n{text(row, 'description')}"
    related = await _related_notes(about, embedder, known=() if notes is None else notes.rows)
    found = () if project is None or project.row is None else (project.row,)
    context = LineContext(timezone=timezone, today=today, projects=named_projects(ClientAnswer(rows=found)))
    sections = {
        TaskSection.TASK: _whole(TaskSection.TASK, task_line, row, context, "description"),
        TaskSection.PROJECT: ToolResult(text=""),
        TaskSection.COMMENTS: section(TaskSection.COMMENTS, Table.TASK_COMMENTS, comments, context),
        TaskSection.RELATED: listed(
            TaskSection.RELATED,
            Rows(rows=tuple(cut(note) for note in related)),
            excerpting(note_line, "content", _EXCERPT_CHARACTERS),
            context,
            one="note",
            max_bytes=MAX_BYTES,
        ),
    }
    if project is not None and project.row is not None:
        sections[TaskSection.PROJECT] = _whole(TaskSection.PROJECT, project_line, project.row, context, "aiSummary")
    if project_id:
        sections[TaskSection.NOTES] = section(TaskSection.NOTES, Table.NOTES, notes, context)
    return in_sections(sections)


def section(
    name: str,
    table: Table,
    answer: ClientAnswer | None,
    context: LineContext,
    is_meant: Callable[[Row], bool] = lambda _: True,
    *,
    line: Line | None = None,
) -> ToolResult:
    """A listing of the rows that ``is_meant`` selects, under ``name``; a sentence if the device refused the read."""
    one = NOUNS[table]
    if answer is None:
        return ToolResult(text=f"The device would not tell the {one}s.")
    rows = [row for row in answer.rows if is_meant(row)]
    # The rows are sorted by what they are selected by, so if the last one is not meant, no later one is.
    is_cut = bool(rows) and rows[-1] is answer.rows[-1] and answer.is_cut
    shown = tuple(cut(row) for row in rows[:_MAX_ROWS])
    found = Rows(rows=shown, omitted=len(rows) - len(shown), uncounted=is_cut)
    return listed(name, found, line or LINES[table], context, one=one, max_bytes=MAX_BYTES)


def cut(row: Row) -> Row:
    """``row`` with shortened texts in the columns that a line shows."""
    shown = dict(row)
    for name, longest in _MAX_CHARS.items():
        value = row.get(name)
        if isinstance(value, str) and len(value) > longest:
            shown[name] = f"{value[:longest]}…"
    return shown


def excerpting(line: Line, column: str, longest: int) -> Line:
    """``line``, followed by the beginning of the text in ``column``."""
    return lambda row, context: with_excerpt(line(row, context), text(row, column), longest)


def named_projects(projects: ClientAnswer | None) -> Mapping[str, str]:
    """The names of ``projects``, by id; none if the device refused the read."""
    return {} if projects is None else {text(row, "id"): text(cut(row), "name") for row in projects.rows}


def dated(column: str, first: int, last: float = math.inf) -> Callable[[Row], bool]:
    """A function that says whether the time in ``column`` is between ``first`` and ``last`` (ms, inclusive)."""
    return lambda row: first <= milliseconds(row, column) <= last


def by_date(
    answers: Iterable[ClientAnswer | None], is_meant: Callable[[Row], bool] = lambda _: True
) -> ClientAnswer | None:
    """The tasks that are meant, each once, earliest first, without a due date last; None if all reads were refused."""
    given = [answer for answer in answers if answer is not None]
    tasks = {text(row, "id"): row for answer in given for row in answer.rows if is_meant(row)}
    found = sorted(tasks.values(), key=lambda task: milliseconds(task, "dueDate") or math.inf)
    return ClientAnswer(rows=tuple(found), uncounted=any(answer.is_cut for answer in given)) if given else None


async def tried(*reads: Coroutine[Any, Any, ClientAnswer]) -> list[ClientAnswer | None]:
    """The answers to ``reads``, which run concurrently; None for a read that the device refused.

    Raises ``ClientAbsent`` and ``ClientSilent``.
    """

    async def answer_to(read: Coroutine[Any, Any, ClientAnswer]) -> ClientAnswer | None:
        try:
            return await read
        except ClientRefused:
            return None

    return await together(*map(answer_to, reads))


def _whole(name: TaskSection, line: Line, row: Row, context: LineContext, column: str) -> ToolResult:
    """One row: its line, and below it the text in ``column``."""
    shown = {**cut(row), column: text(row, column)[:MAX_CHARACTERS]}
    return ToolResult(
        text=f"{line(shown, context)}\n\n{text(shown, column)}",
        rows={name: Rows(rows=(shown,))},
    )


async def _related_notes(about: str, embedder: Embedder, *, known: Sequence[Row]) -> list[Row]:
    """The nearest notes in meaning, nearest first; none if notes cannot be searched by meaning.

    ``known`` are notes that have already been read. Raises ``ClientAbsent`` and ``ClientSilent``.
    """
    try:
        [vector] = await embedder.embed([about[:_EMBEDDED_CHARACTERS]], query=True)
        hits = await execute_on_client(
            CallAction.VECTOR_SEARCH, Table.NOTES, vector=vector.tolist(), limit=_MAX_RELATED
        )
    except (EmbeddingFailed, ClientRefused):
        return []
    near = [
        str(hit.get("id"))
        for hit in hits.results[:_MAX_RELATED]
        if isinstance(score := hit.get("score"), int | float) and score >= _NEAR
    ]
    rows = {str(row.get("id")): row for row in known}
    unknown = [row_id for row_id in near if row_id not in rows]
    answers = await tried(*(client.find(Table.NOTES, row_id) for row_id in unknown))
    # The device may have deleted one in the meantime.
    rows |= {row_id: answer.row for row_id, answer in zip(unknown, answers, strict=True) if answer and answer.row}
    return [rows[row_id] for row_id in near if row_id in rows]
