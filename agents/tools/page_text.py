"""A page of the client told to a model: a section a part, a line a row."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from agents.calls import Row
from agents.sections import write_sections
from agents.tools.dates import to_iso
from agents.tools.page_details import Page, Part, Rows
from agents.tools.rows import checkpoint_line, comment_line, note_line, project_line, task_line, text
from agents.tools.wording import item, listing

Line: TypeAlias = Callable[[Row, ZoneInfo], str]


def page_text(page: Page, timezone: ZoneInfo) -> str:
    """Everything on ``page``; every list is bounded, and what is left out of it is counted."""
    rows = {_TITLES[part]: _ROWS[part](row, timezone) for part, row in page.rows.items()}
    return write_sections(
        {**rows, **{_TITLES[part]: _list(part, found, timezone) for part, found in page.lists.items()}}
    )


def title_of(part: Part) -> str:
    """The title of the section that tells ``part``."""
    return _TITLES[part]


def _list(part: Part, found: Rows, timezone: ZoneInfo) -> str:
    line, one, many, max_bytes = _LISTS[part]
    lines = [line(row, timezone) for row in found.rows]
    return listing(lines, one=one, many=many, omitted=found.omitted, max_bytes=max_bytes)


def event_line(row: Row, timezone: ZoneInfo) -> str:
    """``"Beta" (checkpoint, 2026-12-01, project …) [id …]``."""
    date = row.get("date")
    facts = [
        text(row, "type"),
        text(row, "status").replace("_", " "),
        to_iso(int(date), timezone) if isinstance(date, int | float) and not isinstance(date, bool) else "",
        f"project {project}" if (project := text(row, "projectId")) else "",
    ]
    return item(text(row, "title"), facts, text(row, "id"))


def _project(row: Row, _timezone: ZoneInfo) -> str:
    return f"{project_line(row)}\n\n{text(row, 'aiSummary')}"


def _task(row: Row, timezone: ZoneInfo) -> str:
    return f"{task_line(row, timezone)}\n\n{text(row, 'description')}"


def _note(row: Row, timezone: ZoneInfo) -> str:
    return f"{note_line(row, timezone)}\n\n{text(row, 'body')}"


_TITLES: Final = {part: part.value.capitalize() for part in Part} | {Part.DEPS: "Depends on"}
_ROWS: Final[Mapping[Part, Line]] = {Part.PROJECT: _project, Part.TASK: _task, Part.NOTE: _note}
_LISTS: Final[Mapping[Part, tuple[Line, str, str, int]]] = {
    # Together they stay within what one call may tell a model.
    Part.TASKS: (task_line, "task", "tasks", 30_000),
    Part.NOTES: (note_line, "note", "notes", 8_000),
    Part.MILESTONES: (checkpoint_line, "milestone", "milestones", 6_000),
    Part.COMMENTS: (comment_line, "comment", "comments", 12_000),
    Part.DEPS: (task_line, "task it depends on", "tasks it depends on", 4_000),
    Part.PROJECTS: (lambda row, _: project_line(row), "project", "projects", 50_000),
    Part.EVENTS: (event_line, "event", "events", 50_000),
}
