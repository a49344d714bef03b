"""The rows that longer texts are written from: a project with all that belongs to it, and the weeks around a day.

They stand in the message to the model in sections, behind a line that says what is wanted of them. Everything is
bounded, and what is left out is counted.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from agents.calls import ClientAnswer, Row, Table
from agents.sections import Title, write_sections
from agents.together import together
from agents.tools import tables
from agents.tools.briefs.told import MOST_CHARACTERS, cut, section, tried
from agents.tools.dates import day_range
from agents.tools.rows import checkpoint_line, milliseconds, note_line, project_line, task_line, text

WEEK: Final = timedelta(days=7)
_EXCERPT_CHARACTERS: Final = 200


class Wanted(StrEnum):
    """What is wanted of the rows, as the message begins."""

    SUMMARY = "Write the summary of this project as of"
    PLAN = "Suggest a plan for this project as of"
    REVIEW = "Write the review of the weeks around"


_BEGINNING: Final = re.compile(rf"({'|'.join(Wanted)}) (\d{{4}}-\d{{2}}-\d{{2}})\.\n\n")


def message_of(wanted: Wanted, day: date, sections: Mapping[Title, str]) -> str:
    """The message to the model."""
    return f"{wanted} {day}.\n\n{write_sections(sections)}"


def wanted_in(message: str) -> tuple[Wanted, date] | None:
    """What ``message_of`` has written is wanted, and the day; None of any other message."""
    found = _BEGINNING.match(message)
    try:
        return (Wanted(found[1]), date.fromisoformat(found[2])) if found else None
    except ValueError:
        return None


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
    """A project's row, the rows around it in sections, and how many of them there are, in words."""

    row: Row
    sections: Mapping[ProjectSection, str]
    counts: str


async def project_overview(project_id: str, day: date, timezone: ZoneInfo) -> ProjectOverview:
    """The project as it stands on ``day``. Raises ``ModelRetry`` when there is none, and ``ClientError``."""
    project, todo, started, done, checkpoints, notes = await together(
        (
            _project(project_id),
            tables.select(Table.TASKS, projectId=project_id, status="todo", orderBy="dueDate"),
            tables.select(Table.TASKS, projectId=project_id, status="in_progress", orderBy="dueDate"),
            tables.select(Table.TASKS, projectId=project_id, status="done", orderBy="-dueDate"),
            tables.select(Table.CHECKPOINTS, projectId=project_id, orderBy="date"),
            tables.select(Table.NOTES, projectId=project_id, orderBy="-updatedAt"),
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
    sections = {
        ProjectSection.PROJECT: project_line(cut(row)),
        ProjectSection.SUMMARY: text(row, "aiSummary")[:MOST_CHARACTERS],
        ProjectSection.OVERDUE: section(late, timezone, _described_task, "task"),
        ProjectSection.OPEN: section(other, timezone, _described_task, "task"),
        ProjectSection.DONE: section(finished, timezone, task_line, "task"),
        ProjectSection.PAST: section(past, timezone, checkpoint_line, "checkpoint"),
        ProjectSection.AHEAD: section(ahead, timezone, checkpoint_line, "checkpoint"),
        ProjectSection.NOTES: section(notes, timezone, _note_with_text, "note"),
    }
    counted = [
        counted_as(len(waiting.rows), "open task"),
        f"{len(late.rows)} of them overdue",
        counted_as(len(finished.rows), "done task"),
        counted_as(len(ahead.rows), "checkpoint") + " ahead",
        counted_as(len(notes.rows), "note"),
    ]
    return ProjectOverview(row=row, sections=sections, counts=", ".join(counted))


async def week_sections(day: date, timezone: ZoneInfo) -> Mapping[WeekSection, str]:
    """What was done in the week before ``day``, what is late, and what comes in the week from it.

    Raises ``ClientAbsent`` and ``ClientSilent``; a refused read is said. The device does not keep when a task was
    done, so a done one is told for its due date, or for when it was added.
    """
    since, start, end, until = _weeks(day, timezone)
    done_due, done_new, todo, started, checkpoints, projects = await tried(
        (
            tables.select(Table.TASKS, status="done", dueDateFrom=since, dueDateTo=end, orderBy="dueDate"),
            tables.select(Table.TASKS, status="done", orderBy="-createdAt"),
            tables.select(Table.TASKS, status="todo", dueDateTo=until, orderBy="dueDate"),
            tables.select(Table.TASKS, status="in_progress", dueDateTo=until, orderBy="dueDate"),
            tables.select(Table.CHECKPOINTS, dueDateFrom=since, dueDateTo=until, orderBy="date"),
            tables.select(Table.PROJECTS, includeArchived=True),
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
        **{part: section(answer, timezone, task_line, "task") for part, answer in tasks.items()},
        **{part: section(answer, timezone, checkpoint_line, "checkpoint") for part, answer in dates.items()},
        WeekSection.PROJECTS: section(
            projects, timezone, lambda row, _: project_line(row), "project", lambda row: text(row, "id") in named
        ),
    }


def counted_as(count: int, one: str) -> str:
    """``2 open tasks``."""
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


async def _project(project_id: str) -> ClientAnswer:
    return ClientAnswer(row=await tables.get(Table.PROJECTS, project_id, one="project"))


def _weeks(day: date, timezone: ZoneInfo) -> tuple[int, int, int, int]:
    """In ms: where the week before begins, where the day begins and ends, and where the week after ends."""
    since, _ = day_range(day - WEEK, timezone)
    start, end = day_range(day, timezone)
    _, until = day_range(day + WEEK, timezone)
    return since, start, end, until


def _told(answers: Sequence[ClientAnswer | None], is_meant: Callable[[Row], bool]) -> ClientAnswer | None:
    """The rows of those answers that the device gave; None when it gave none of them."""
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
    return _with_excerpt(task_line(row, timezone), text(row, "description"))


def _note_with_text(row: Row, timezone: ZoneInfo) -> str:
    return _with_excerpt(note_line(row, timezone), text(row, "content"))


def _with_excerpt(line: str, said: str) -> str:
    excerpt = " ".join(said[:_EXCERPT_CHARACTERS].split())
    return f"{line}\n  {excerpt}" if excerpt else line
