"""The rows for longer texts: a project with everything in it, and the weeks around a day.

The message to the model has a line that says what to write, and then the rows in sections. Everything is limited, and
what is left out is counted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from agents.adapters.base import Material, Purpose, UserMessage
from agents.calls import ClientAnswer, Row, Rows, Table
from agents.tools import client
from agents.tools.briefs import MAX_CHARACTERS, by_date, cut, dated, excerpting, named_projects, section, tried
from agents.tools.client import together
from agents.tools.rows import (
    LineContext,
    Title,
    ToolResult,
    day_range,
    in_sections,
    note_line,
    project_line,
    task_line,
    text,
)

WEEK: Final = timedelta(days=7)
_EXCERPT_CHARACTERS: Final = 200

WORDS: Final[Mapping[Purpose, str]] = {
    Purpose.PROJECT_SUMMARY: "Write the summary of this project as of",
    Purpose.PROJECT_PLAN: "Suggest a plan for this project as of",
    Purpose.WEEKLY_REVIEW: "Write the review of the weeks around",
}
"""The beginning of the message to the model."""


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
    """The project as of ``day``. Raises ``ModelRetry`` if there is none, and ``ClientError``."""
    project, todo, started, done, checkpoints, notes = await together(
        _project(project_id),
        client.select(Table.TASKS, projectId=project_id, status="todo", orderBy="dueDate"),
        client.select(Table.TASKS, projectId=project_id, status="in_progress", orderBy="dueDate"),
        client.select(Table.TASKS, projectId=project_id, status="done", orderBy="-dueDate"),
        client.select(Table.CHECKPOINTS, projectId=project_id, orderBy="date"),
        client.select(Table.NOTES, projectId=project_id, orderBy="-updatedAt"),
    )
    row = project.row or {}
    start, _ = day_range(day, timezone)
    waiting = by_date([todo, started], _is_open) or ClientAnswer()
    late, other = _split(waiting, dated("dueDate", 1, start - 1))
    finished, _ = _split(done, _is_done)
    ahead, past = _split(checkpoints, dated("date", start))
    described_task = excerpting(task_line, "description", _EXCERPT_CHARACTERS)
    context = LineContext(timezone=timezone, today=day)
    parts = (
        (ProjectSection.OVERDUE, Table.TASKS, late, described_task),
        (ProjectSection.OPEN, Table.TASKS, other, described_task),
        (ProjectSection.DONE, Table.TASKS, finished, None),
        (ProjectSection.PAST, Table.CHECKPOINTS, past, None),
        (ProjectSection.AHEAD, Table.CHECKPOINTS, ahead, None),
        (ProjectSection.NOTES, Table.NOTES, notes, excerpting(note_line, "content", _EXCERPT_CHARACTERS)),
    )
    around = {part: section(part, table, found, context, line=line) for part, table, found, line in parts}
    counted = [
        _counted(waiting, "open task"),
        f"{len(late.rows)} of them overdue",
        _counted(finished, "done task"),
        _counted(ahead, "checkpoint") + " ahead",
        _counted(notes, "note"),
    ]
    return ProjectOverview(row=row, sections={**_project_itself(row, context), **around}, counts=", ".join(counted))


async def week_sections(day: date, timezone: ZoneInfo) -> Mapping[WeekSection, ToolResult]:
    """What was done in the week before ``day``, what is overdue, and what is due in the week after it.

    If the device refuses a read, the section says so. The device does not store when a task was done, so a done task
    counts by its due date, or by when it was created. Raises ``ClientAbsent`` and ``ClientSilent``.
    """
    since, _ = day_range(day - WEEK, timezone)
    start, end = day_range(day, timezone)
    _, until = day_range(day + WEEK, timezone)
    done_due, done_new, todo, started, checkpoints, projects = await tried(
        client.select(Table.TASKS, status="done", dueDateFrom=since, dueDateTo=end, orderBy="dueDate"),
        client.select(Table.TASKS, status="done", orderBy="-createdAt"),
        client.select(Table.TASKS, status="todo", dueDateTo=until, orderBy="dueDate"),
        client.select(Table.TASKS, status="in_progress", dueDateTo=until, orderBy="dueDate"),
        client.select(Table.CHECKPOINTS, dueDateFrom=since, dueDateTo=until, orderBy="date"),
        client.select(Table.PROJECTS, includeArchived=True),
    )
    was_due, is_new = dated("dueDate", since, end), dated("createdAt", since, end)
    done = by_date([done_due, done_new], lambda task: _is_done(task) and (was_due(task) or is_new(task)))
    waiting = by_date([todo, started], _is_open)
    context = LineContext(timezone=timezone, today=day, projects=named_projects(projects))
    parts = (
        (WeekSection.DONE, Table.TASKS, done, lambda _: True),
        (WeekSection.OVERDUE, Table.TASKS, waiting, dated("dueDate", 1, start - 1)),
        (WeekSection.NEXT, Table.TASKS, waiting, dated("dueDate", start, until)),
        (WeekSection.PAST, Table.CHECKPOINTS, checkpoints, dated("date", since, start - 1)),
        (WeekSection.AHEAD, Table.CHECKPOINTS, checkpoints, dated("date", start, until)),
    )
    told = [row for _, _, found, is_meant in parts if found for row in found.rows if is_meant(row)]
    named = {text(row, "projectId") for row in told}
    return {
        **{part: section(part, table, found, context, is_meant) for part, table, found, is_meant in parts},
        WeekSection.PROJECTS: section(
            WeekSection.PROJECTS, Table.PROJECTS, projects, context, lambda row: text(row, "id") in named
        ),
    }


def _project_itself(row: Row, context: LineContext) -> Mapping[ProjectSection, ToolResult]:
    shown = {**cut(row), "aiSummary": text(row, "aiSummary")[:MAX_CHARACTERS]}
    return {
        ProjectSection.PROJECT: ToolResult(
            text=project_line(shown, context), rows={ProjectSection.PROJECT: Rows(rows=(shown,))}
        ),
        ProjectSection.SUMMARY: ToolResult(text=text(shown, "aiSummary")),
    }


def counted_as(count: int, one: str) -> str:
    """The count and the noun, such as ``2 open tasks``."""
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


def _counted(answer: ClientAnswer, one: str) -> str:
    """As ``counted_as``, with “at least” if there are, or may be, more rows than those that were read."""
    return f"{'at least ' if answer.is_cut else ''}{counted_as(len(answer.rows), one)}"


async def _project(project_id: str) -> ClientAnswer:
    return ClientAnswer(row=await client.get(Table.PROJECTS, project_id))


def _split(answer: ClientAnswer, is_meant: Callable[[Row], bool]) -> tuple[ClientAnswer, ClientAnswer]:
    """The rows that are meant, and the others. The rows that were not read are of the same kind as the last one."""
    meant = tuple(row for row in answer.rows if is_meant(row))
    others = tuple(row for row in answer.rows if not is_meant(row))
    is_last = bool(answer.rows) and is_meant(answer.rows[-1])
    return (
        ClientAnswer(rows=meant, uncounted=answer.is_cut and is_last),
        ClientAnswer(rows=others, uncounted=answer.is_cut and not is_last),
    )


def _is_done(task: Row) -> bool:
    return task.get("status") == "done"


def _is_open(task: Row) -> bool:
    return not _is_done(task)
