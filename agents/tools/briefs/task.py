"""The rows that bear on one task: its project, its comments, and the notes that come close to it."""

from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from agents.calls import CallAction, ClientAnswer, Row, Table
from agents.sections import write_sections
from agents.tools import tables
from agents.tools.briefs.related import related_notes
from agents.tools.briefs.told import MOST_BYTES, MOST_CHARACTERS, cut, section, tried
from agents.tools.client import execute_on_client
from agents.tools.rows import comment_line, note_line, project_line, task_line, text
from agents.tools.wording import listing
from memory.embedders.base import Embedder

_EXCERPT_CHARACTERS: Final = 400


class TaskSection(StrEnum):
    """The sections of the rows around a task."""

    TASK = "The task"
    PROJECT = "Its project"
    COMMENTS = "Its comments"
    RELATED = "Notes that come close in meaning"
    NOTES = "Notes of its project"


async def task_rows(task_id: str, timezone: ZoneInfo, embedder: Embedder) -> str | None:
    """The rows around a task, in sections; None when there is no such task.

    Raises ``ClientAbsent`` and ``ClientSilent``; a refused read is said.
    """
    task, comments = await tried(
        (_get(Table.TASKS, task_id), tables.select(Table.TASK_COMMENTS, taskId=task_id)),
    )
    if task is None or task.row is None:
        return None
    row = task.row
    project, notes = await _around(text(row, "projectId"))
    about = f"{text(row, 'title')}\n{text(row, 'description')}"
    related = await related_notes(about, embedder, known=() if notes is None else notes.rows)
    sections = {
        TaskSection.TASK: f"{task_line(cut(row), timezone)}\n\n{text(row, 'description')[:MOST_CHARACTERS]}",
        TaskSection.PROJECT: _told(project),
        TaskSection.COMMENTS: section(comments, timezone, comment_line, "comment"),
        TaskSection.RELATED: listing(
            [_with_excerpt(note, timezone) for note in related], one="note", many="notes", max_bytes=MOST_BYTES
        ),
        TaskSection.NOTES: section(notes, timezone, note_line, "note") if text(row, "projectId") else "",
    }
    return write_sections(sections)


async def _around(project_id: str) -> tuple[ClientAnswer | None, ClientAnswer | None]:
    """A project and its notes."""
    if not project_id:
        return None, None
    project, notes = await tried((_get(Table.PROJECTS, project_id), tables.select(Table.NOTES, projectId=project_id)))
    return project, notes


async def _get(table: Table, row_id: str) -> ClientAnswer:
    return await execute_on_client(CallAction.GET, table, {"id": row_id})


def _told(project: ClientAnswer | None) -> str:
    if project is None or project.row is None:
        return ""
    return f"{project_line(cut(project.row))}\n\n{text(project.row, 'aiSummary')[:MOST_CHARACTERS]}"


def _with_excerpt(note: Row, timezone: ZoneInfo) -> str:
    excerpt = " ".join(text(note, "content")[:_EXCERPT_CHARACTERS].split())
    line = note_line(cut(note), timezone)
    return f"{line}\n  {excerpt}" if excerpt else line
