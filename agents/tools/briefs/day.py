"""The rows that a day's brief is written from: what is late, due and next, and what is new."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from agents.calls import CallAction, ClientAnswer, Row, Table
from agents.sections import write_sections
from agents.tools import tables
from agents.tools.briefs.told import section, tried
from agents.tools.client import execute_on_client
from agents.tools.dates import day_range
from agents.tools.rows import checkpoint_line, comment_line, milliseconds, note_line, project_line, task_line

AHEAD: Final = timedelta(days=7)
"""How far ahead of the day what is next may lie."""
_MOST_LATEST: Final = 50


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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Times:
    """The day and what lies around it, in ms: the day before begins at ``since``, what is next ends at ``until``."""

    since: int
    start: int
    end: int
    until: int

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


async def day_rows(day: date, timezone: ZoneInfo) -> str:
    """The rows of ``day``, in sections. Raises ``ClientAbsent`` and ``ClientSilent``; a refused read is said."""
    times = _times(day, timezone)
    todo, started, checkpoints, new_tasks, notes, comments, projects = await tried(
        (
            tables.select(Table.TASKS, status="todo", dueDateTo=times.until, orderBy="dueDate"),
            tables.select(Table.TASKS, status="in_progress", dueDateTo=times.until, orderBy="dueDate"),
            tables.select(Table.CHECKPOINTS, dueDateFrom=times.start, orderBy="date"),
            _latest(Table.TASKS, "-createdAt"),
            _latest(Table.NOTES, "-updatedAt"),
            _latest(Table.TASK_COMMENTS, "-createdAt"),
            tables.select(Table.PROJECTS, includeArchived=True),
        )
    )
    waiting = _by_date(todo, started)

    def tasks(answer: ClientAnswer | None, is_meant: Callable[[Row], bool]) -> str:
        return section(answer, timezone, task_line, "task", is_meant)

    sections = {
        DaySection.OVERDUE: tasks(waiting, times.is_late),
        DaySection.DUE: tasks(waiting, times.is_due),
        DaySection.NEXT: tasks(waiting, times.is_next),
        DaySection.CHECKPOINTS: section(checkpoints, timezone, checkpoint_line, "checkpoint", times.is_ahead),
        DaySection.NEW_TASKS: tasks(new_tasks, times.is_new),
        DaySection.NOTES: section(notes, timezone, note_line, "note", times.is_new),
        DaySection.COMMENTS: section(comments, timezone, comment_line, "comment", times.is_new),
    }
    return write_sections({**sections, DaySection.PROJECTS: _named(projects, timezone, "".join(sections.values()))})


def _times(day: date, timezone: ZoneInfo) -> _Times:
    since, _ = day_range(day - timedelta(days=1), timezone)
    start, end = day_range(day, timezone)
    _, until = day_range(day + AHEAD, timezone)
    return _Times(since=since, start=start, end=end, until=until)


async def _latest(table: Table, order_by: str) -> ClientAnswer:
    return await execute_on_client(CallAction.SELECT, table, filters={"orderBy": order_by}, limit=_MOST_LATEST)


def _by_date(one: ClientAnswer | None, other: ClientAnswer | None) -> ClientAnswer | None:
    """The tasks of both answers, earliest first; those of one when the device would not tell the other."""
    if one is None or other is None:
        return one or other
    return ClientAnswer(rows=tuple(sorted((*one.rows, *other.rows), key=lambda row: milliseconds(row, "dueDate"))))


def _named(projects: ClientAnswer | None, timezone: ZoneInfo, told: str) -> str:
    """The projects to which the rows in ``told`` belong."""
    return section(
        projects, timezone, lambda row, _: project_line(row), "project", lambda row: f"project {row.get('id')}" in told
    )
