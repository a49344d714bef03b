"""The page in front of the user in words: one paragraph for a model, one phrase for a conversation. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import Row
from agents.engine.glances import Glance
from agents.scopes import ListScope, NoteScope, PageScope, ProjectScope
from agents.tools.rows import note_line, task_line

_NAME_CHARACTERS: Final = 200
_FILTER_CHARACTERS: Final = 500
_ROW_CHARACTERS: Final = 300
_MOST_ROWS: Final = 5
_MOST_NOTES: Final = 40
_PAGES: Final = {
    "tasks": "the list of all tasks",
    "timeline": "the timeline of all projects",
    "projects-list": "the list of all projects",
    "notes-list": "the list of all notes",
}


def render_scope_block(scope: PageScope, glance: Glance, timezone: ZoneInfo) -> str:
    """What the user looks at: its name, counts and filters, and what the device told of it."""
    said = [f"The user is looking at {page_words(scope)}.", _overdue(glance.overdue, timezone)]
    if glance.notes is not None:
        said.append(_notes(glance.notes, timezone))
    return " ".join(part for part in said if part)


def page_words(scope: PageScope) -> str:
    """``the project "Website" [id p1], which holds 3 tasks, 1 note and no milestones``."""
    match scope:
        case ProjectScope():
            return f"the project {_named(scope.entityName, scope.entityId)}, which holds {_counts(scope)}"
        case NoteScope():
            project = f"in the project [id {_cut(scope.projectId)}]" if scope.projectId else "in no project"
            return f"the note {_named(scope.entityName, scope.entityId)}, {project}, {scope.charCount} characters long"
        case ListScope():
            return _PAGES[scope.page] + _filters(scope.filters)


def withheld_page_words(scope: PageScope) -> str:
    """As ``page_words`` of a page that the user never shares."""
    kind = "note" if isinstance(scope, NoteScope) else "project"
    return f"a {kind} that they never share: you are not told which, and cannot read it"


def _counts(scope: ProjectScope) -> str:
    counts = scope.counts
    return (
        f"{_counted(counts.tasks, 'task')}, {_counted(counts.notes, 'note')} "
        f"and {_counted(counts.milestones, 'milestone')}"
    )


def _counted(number: int, one: str) -> str:
    return f"{number or 'no'} {one if number == 1 else f'{one}s'}"


def _named(name: str, row_id: str) -> str:
    return f"{json.dumps(name[:_NAME_CHARACTERS], ensure_ascii=False)} [id {_cut(row_id)}]"


def _filters(filters: Mapping[str, JsonValue] | None) -> str:
    if not filters:
        return ""
    return f", filtered by {json.dumps(filters, ensure_ascii=False)[:_FILTER_CHARACTERS]}"


def _overdue(rows: Sequence[Row] | None, timezone: ZoneInfo) -> str:
    if rows is None:
        return ""
    if not rows:
        return "No task on it is overdue."
    count = "1 task on it is" if len(rows) == 1 else f"{len(rows)} tasks on it are"
    return f"{count} overdue: {_listed([task_line(row, timezone) for row in rows], _MOST_ROWS)}."


def _notes(rows: Sequence[Row], timezone: ZoneInfo) -> str:
    if not rows:
        return "There are no notes on it."
    count = "There is 1 note" if len(rows) == 1 else f"There are {len(rows)} notes"
    return f"{count} on it, the latest first: {_listed([note_line(row, timezone) for row in rows], _MOST_NOTES)}."


def _listed(lines: Sequence[str], most: int) -> str:
    """The first lines that are not too long; the rest is counted."""
    shown = [line for line in lines[:most] if len(line) <= _ROW_CHARACTERS]
    left = len(lines) - len(shown)
    return "; ".join([*shown, *([f"and {left} more"] if left else [])])


def _cut(text: str) -> str:
    return " ".join(text[:_NAME_CHARACTERS].split())
