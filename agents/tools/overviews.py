"""The rows that longer texts are written from: a project with everything in it, and the weeks around a day.

The message to the model has them in sections, after a line that says what to write. Everything is bounded, and what is
left out is counted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from agents.adapters.base import Material, Purpose, UserMessage
from agents.calls import ClientAnswer, Row, Rows, Table
from agents.tools import client
from agents.tools.briefs import MOST_CHARACTERS, cut, section, tried
from agents.tools.client import together
from agents.tools.rows import (
    Title,
    ToolResult,
    day_range,
    in_sections,
    milliseconds,
    note_line,
    project_line,
    task_line,
    text,
    with_excerpt,
)

WEEK: Final = timedelta(days=7)
_EXCERPT_CHARACTERS: Final = 200

WORDS: Final[Mapping[Purpose, str]] = {
    Purpose.PROJECT_SUMMARY: "Write the summary of this project as of",
    Purpose.PROJECT_PLAN: "Suggest a plan for this project as of",
    Purpose.WEEKLY_REVIEW: "Write the review of the weeks around",
}
"""How the message to the model begins."""


def request_for(purpose: Purpose, day: date, sections: Mapping[Title, ToolResult]) -> UserMessage:
    """The message that asks the model to write from ``sections``. ``purpose`` is one of ``WORDS``."""
    found = in_sections(sections)
    material = Material(purpose=purpose, rows=found.rows, day=day)
    return UserMessage(text=f"{WORDS[purpose]} {day}.\n\n{found.text}", material=material)


class ProjectSection(StrEnum):
    """The sections of a project's rows."""

    GOAL = "The goal"
    PROJECT = "The project"
    SUMMARY = "Its summary so far"
    OVERDUE = "Overdue tasks"
    OPEN = "Other open tasks"
    DONE = "Done tasks"
    PAST = "Checkpoints passed"
    AHEAD = "Checkpoints ahead"
    NOTES = "Notes"


class WeekSection(StrEnum):
    """The sections of the rows of two weeks."""

    DONE = "Done tasks that were due or added in the seven days before"
    PAST = "Checkpoints of the seven days before"
    OVERDUE = "Overdue"
    NEXT = "Due today and in the seven days after"
    AHEAD = "Checkpoints today and in the seven days after"
    PROJECTS = "The projects named above"


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectOverview:
    """A project's row, the rows around it in sections, and their counts in words."""

    row: Row
    sections: Mapping[ProjectSection, ToolResult]
    counts: str


async def project_overview(project_id: str, day: date, timezone: ZoneInfo) -> ProjectOverview:
    """The project as of ``day``. Raises ``ModelRetry`` when there is none, and ``ClientError``."""
    project, todo, started, done, checkpoints, notes = await together(
        (
            _project(project_id),
            client.select(Table.TASKS, projectId=project_id, status="todo", orderBy="dueDate"),
            client.select(Table.TASKS, projectId=project_id, status="in_progress", orderBy="dueDate"),
            client.select(Table.TASKS, projectId=project_id, status="done", orderBy="-dueDate"),
            client.select(Table.CHECKPOINTS, projectId=project_id, orderBy="date"),
            client.select(Table.NOTES, projectId=project_id, orderBy="-updatedAt"),
        )
    )
    row = project.row or {}
    start, _ = day_range(day, timezone)
    waiting = _merged([todo, started], _is_open)
    late = _only(waiting, lambda task: 0 < _due(task) < start)
    other = _only(waiting, lambda task: not 0 < _due(task) < start)
    finished = _only(done, _is_done)
    past = _only(checkpoints, lambda checkpoint: milliseconds(checkpoint, "date") < start)
    ahead = _only(checkpoints, lambda checkpoint: milliseconds(checkpoint, "date") >= start)
    parts = (
        (ProjectSection.OVERDUE, Table.TASKS, late, _described_task),
        (ProjectSection.OPEN, Table.TASKS, other, _described_task),
        (ProjectSection.DONE, Table.TASKS, finished, None),
        (ProjectSection.PAST, Table.CHECKPOINTS, past, None),
        (ProjectSection.AHEAD, Table.CHECKPOINTS, ahead, None),
        (ProjectSection.NOTES, Table.NOTES, notes, _note_with_text),
    )
    around = {part: section(part, table, found, timezone, line=line) for part, table, found, line in parts}
    counted = [
        counted_as(len(waiting.rows), "open task"),
        f"{len(late.rows)} of them overdue",
        counted_as(len(finished.rows), "done task"),
        counted_as(len(ahead.rows), "checkpoint") + " ahead",
        counted_as(len(notes.rows), "note"),
    ]
    return ProjectOverview(row=row, sections={**_project_itself(row, timezone), **around}, counts=", ".join(counted))


async def week_sections(day: date, timezone: ZoneInfo) -> Mapping[WeekSection, ToolResult]:
    """What was done in the week before ``day``, what is late, and what comes in the week from it.

    Raises ``ClientAbsent`` and ``ClientSilent``; a refused read is said. The device does not store when a task was
    done, so a done task counts by its due date, or by when it was added.
    """
    since, start, end, until = _weeks(day, timezone)
    done_due, done_new, todo, started, checkpoints, projects = await tried(
        (
            client.select(Table.TASKS, status="done", dueDateFrom=since, dueDateTo=end, orderBy="dueDate"),
            client.select(Table.TASKS, status="done", orderBy="-createdAt"),
            client.select(Table.TASKS, status="todo", dueDateTo=until, orderBy="dueDate"),
            client.select(Table.TASKS, status="in_progress", dueDateTo=until, orderBy="dueDate"),
            client.select(Table.CHECKPOINTS, dueDateFrom=since, dueDateTo=until, orderBy="date"),
            client.select(Table.PROJECTS, includeArchived=True),
        )
    )

    def is_recent(task: Row) -> bool:
        return _is_done(task) and (since <= _due(task) <= end or since <= milliseconds(task, "createdAt") <= end)

    waiting = _told([todo, started], _is_open)
    tasks = {
        WeekSection.DONE: _told([done_due, done_new], is_recent),
        WeekSection.OVERDUE: _within(waiting, 1, start - 1, "dueDate"),
        WeekSection.NEXT: _within(waiting, start, until, "dueDate"),
    }
    dates = {
        WeekSection.PAST: _within(checkpoints, since, start - 1, "date"),
        WeekSection.AHEAD: _within(checkpoints, start, until, "date"),
    }
    named = {text(row, "projectId") for answer in (*tasks.values(), *dates.values()) if answer for row in answer.rows}
    return {
        **{part: section(part, Table.TASKS, answer, timezone) for part, answer in tasks.items()},
        **{part: section(part, Table.CHECKPOINTS, answer, timezone) for part, answer in dates.items()},
        WeekSection.PROJECTS: section(
            WeekSection.PROJECTS, Table.PROJECTS, projects, timezone, lambda row: text(row, "id") in named
        ),
    }


def _project_itself(row: Row, timezone: ZoneInfo) -> Mapping[ProjectSection, ToolResult]:
    shown = {**cut(row), "aiSummary": text(row, "aiSummary")[:MOST_CHARACTERS]}
    return {
        ProjectSection.PROJECT: ToolResult(
            text=project_line(shown, timezone), rows={ProjectSection.PROJECT: Rows(rows=(shown,))}
        ),
        ProjectSection.SUMMARY: ToolResult(text=text(shown, "aiSummary")),
    }


def counted_as(count: int, one: str) -> str:
    """``2 open tasks``."""
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


async def _project(project_id: str) -> ClientAnswer:
    return ClientAnswer(row=await client.get(Table.PROJECTS, project_id))


def _weeks(day: date, timezone: ZoneInfo) -> tuple[int, int, int, int]:
    """In ms: the beginning of the week before, the beginning and end of the day, the end of the week after."""
    since, _ = day_range(day - WEEK, timezone)
    start, end = day_range(day, timezone)
    _, until = day_range(day + WEEK, timezone)
    return since, start, end, until


def _told(answers: Sequence[ClientAnswer | None], is_meant: Callable[[Row], bool]) -> ClientAnswer | None:
    """The rows of the answers that the device gave; None when it gave none."""
    given = [answer for answer in answers if answer is not None]
    return _merged(given, is_meant) if given else None


def _merged(answers: Sequence[ClientAnswer], is_meant: Callable[[Row], bool]) -> ClientAnswer:
    """The tasks that are meant, each once, earliest first, those without a due date last."""
    rows = {text(row, "id"): row for answer in answers for row in answer.rows if is_meant(row)}
    return ClientAnswer(rows=tuple(sorted(rows.values(), key=lambda row: (not _due(row), _due(row)))))


def _within(answer: ClientAnswer | None, first: int, last: int, column: str) -> ClientAnswer | None:
    if answer is None:
        return None
    return _only(answer, lambda row: first <= milliseconds(row, column) <= last)


def _only(answer: ClientAnswer, is_meant: Callable[[Row], bool]) -> ClientAnswer:
    return ClientAnswer(rows=tuple(row for row in answer.rows if is_meant(row)))


def _due(task: Row) -> int:
    return milliseconds(task, "dueDate")


def _is_done(task: Row) -> bool:
    return task.get("status") == "done"


def _is_open(task: Row) -> bool:
    return not _is_done(task)


def _described_task(row: Row, timezone: ZoneInfo) -> str:
    return with_excerpt(task_line(row, timezone), text(row, "description"), _EXCERPT_CHARACTERS)


def _note_with_text(row: Row, timezone: ZoneInfo) -> str:
    return with_excerpt(note_line(row, timezone), text(row, "content"), _EXCERPT_CHARACTERS)
