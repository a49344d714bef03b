"""The viewed page: a quick read of it on the device, and its description for a model."""

import asyncio
import json
from collections.abc import Container, Coroutine, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import ClientAnswer, Row, Table
from agents.errors import ClientError
from agents.provenance import is_foreign
from agents.scopes import ListScope, NoteScope, PageScope, ProjectCounts, ProjectScope, View
from agents.tools import client
from agents.tools.client import together
from agents.tools.page_details import valid_filters
from agents.tools.rows import Line, LineContext, day_range, milliseconds, note_line, task_line

GLANCE_S: Final = 0.25
"""How long an answer waits for the device, in seconds."""
NAME_CHARACTERS: Final = 200
FILTER_CHARACTERS: Final = 500
_ROW_CHARACTERS: Final = 300
_MAX_ROWS: Final = 5
_MAX_NOTES: Final = 40
WITHHELD_PAGE: Final = "a page that they never share: you are not told which, and cannot read it"
"""The ``page_words`` of a page that the user never shares."""
_PAGES: Final = {
    "tasks": "the list of all tasks",
    "timeline": "the timeline of all projects",
    "projects-list": "the list of all projects",
    "notes-list": "the list of all notes",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Glance:
    """What the device said of a page; None for what it did not say.

    ``row`` is the project or note of the page, ``overdue`` are its overdue tasks, and ``notes`` those that it lists.
    """

    row: Row | None = None
    overdue: tuple[Row, ...] | None = None
    notes: tuple[Row, ...] | None = None


async def glance(scope: PageScope, *, today: date, timezone: ZoneInfo, timeout_s: float = GLANCE_S) -> Glance:
    """What the device says of ``scope`` within ``timeout_s`` seconds. Does not raise if it says nothing."""
    until = day_range(today, timezone)[0] - 1
    try:
        async with asyncio.timeout(timeout_s):
            match scope:
                case ProjectScope():
                    found, *late = await together(
                        client.find(Table.PROJECTS, scope.entityId), *_reads(until, projectId=scope.entityId)
                    )
                    return Glance(row=found.row, overdue=_late(late, until))
                case ListScope(page="notes-list"):
                    filters = {"orderBy": "-updatedAt", **valid_filters(Table.NOTES, scope.filters)}
                    return Glance(notes=(await client.select(Table.NOTES, **filters)).rows)
                case ListScope(page="tasks" | "timeline"):
                    return Glance(overdue=await _overdue(until, **valid_filters(Table.TASKS, scope.filters)))
                case ListScope():
                    return Glance(overdue=await _overdue(until))
                case NoteScope():
                    return Glance(row=(await client.find(Table.NOTES, scope.entityId)).row)
    except (TimeoutError, ClientError):
        return Glance()


async def _overdue(until: int, **filters: JsonValue) -> tuple[Row, ...]:
    """Open tasks that were due by ``until`` (ms since the epoch), within the page's own filters, earliest first."""
    return _late(await together(*_reads(until, **filters)), until)


def _reads(until: int, **filters: JsonValue) -> list[Coroutine[Any, Any, ClientAnswer]]:
    own = filters.get("dueDateTo")
    filters |= {"dueDateTo": min(own, until) if isinstance(own, int) else until, "orderBy": "dueDate"}
    states = [filters.pop("status")] if "status" in filters else ["todo", "in_progress"]
    return [client.select(Table.TASKS, **filters, status=state) for state in states if state != "done"]


def _late(answers: Sequence[ClientAnswer], until: int) -> tuple[Row, ...]:
    rows = [row for answer in answers for row in answer.rows]
    return tuple(sorted((row for row in rows if 0 < _due(row) <= until and row.get("status") != "done"), key=_due))


def _due(row: Row) -> int:
    return milliseconds(row, "dueDate")


def view_of(scope: PageScope, glance: Glance, context: LineContext, *, without: Container[Table] = ()) -> View:
    """The viewed page in words and as values: its name, counts and filters, and what the device said of it.

    Rows of the tables ``without`` are not counted. A project or note is named only if the device has returned its row,
    which says where the name came from.
    """
    here = page_words(scope, without=without, named=glance.row is not None)
    words, notes = [f"The user is looking at {here}."], tuple[Row, ...]()
    shown = () if glance.row is None else (glance.row,)
    if (late := glance.overdue) is not None:
        count = "1 task on it is" if len(late) == 1 else f"{len(late)} tasks on it are"
        listed, told = _listed(late, task_line, context, _MAX_ROWS)
        shown = (*shown, *told)
        words.append(f"{count} overdue: {listed}." if late else "No task on it is overdue.")
    if glance.notes is not None:
        count = "There is 1 note" if len(glance.notes) == 1 else f"There are {len(glance.notes)} notes"
        listed, notes = _listed(glance.notes, note_line, context, _MAX_NOTES)
        words.append(f"{count} on it, the latest first: {listed}." if glance.notes else "There are no notes on it.")
    foreign = any(is_foreign(row) for row in (*shown, *notes))
    return View(scope=scope, words=" ".join(words), notes=notes, is_foreign=foreign)


def page_words(scope: PageScope, *, without: Container[Table] = (), named: bool = True) -> str:
    """The page in words: ``the project "Website" [id p1], which holds 3 tasks, 1 note and no milestones``.

    ``without`` is that of ``view_of``. ``named``: whether to name a project or note.
    """
    match scope:
        case ProjectScope(counts=counts):
            here, holds = f"the project {_told(scope, named=named)}", _holdings(counts, without)
            return f"{here}, which holds {holds}" if holds else here
        case NoteScope():
            project = f"in the project [id {_cut(scope.projectId)}]" if scope.projectId else "in no project"
            return f"the note {_told(scope, named=named)}, {project}, {scope.charCount} characters long"
        case ListScope(filters=filters):
            shown = json.dumps(filters, ensure_ascii=False)[:FILTER_CHARACTERS]
            return _PAGES[scope.page] + (f", filtered by {shown}" if filters else "")


def _holdings(counts: ProjectCounts, without: Container[Table]) -> str:
    held = (
        (Table.TASKS, counts.tasks, "task"),
        (Table.NOTES, counts.notes, "note"),
        (Table.CHECKPOINTS, counts.milestones, "milestone"),
    )
    told = [_counted(number, one) for table, number, one in held if table not in without]
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def _counted(number: int, one: str) -> str:
    return f"{number or 'no'} {one if number == 1 else f'{one}s'}"


def _told(scope: ProjectScope | NoteScope, *, named: bool) -> str:
    name = f"{json.dumps(scope.entityName[:NAME_CHARACTERS], ensure_ascii=False)} " if named else ""
    return f"{name}[id {_cut(scope.entityId)}]"


def _listed(rows: Sequence[Row], line: Line, context: LineContext, most: int) -> tuple[str, tuple[Row, ...]]:
    """The first rows whose lines are not too long, in words and as values. The other rows are counted."""
    lines = [(line(row, context), row) for row in rows[:most]]
    told = [(words, row) for words, row in lines if len(words) <= _ROW_CHARACTERS]
    left = len(rows) - len(told)
    more = [f"and {left} more"] if left else []
    return "; ".join([*(words for words, _ in told), *more]), tuple(row for _, row in told)


def _cut(text: str) -> str:
    return " ".join(text[:NAME_CHARACTERS].split())
