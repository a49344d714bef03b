"""A quick look at the page in front of the user, before the model is asked: what is overdue there."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import ClientAnswer, Row, Table
from agents.errors import ClientError
from agents.scopes import ListScope, NoteScope, PageScope, ProjectScope
from agents.together import together
from agents.tools import tables
from agents.tools.dates import day_range
from agents.tools.page_filters import fitting
from agents.tools.rows import milliseconds

GLANCE_S: Final = 0.25
"""How long an answer may be held up by a look at the device."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Glance:
    """What the device told. None is what it did not: ``overdue`` are open tasks, ``notes`` those on a list of notes."""

    overdue: tuple[Row, ...] | None = None
    notes: tuple[Row, ...] | None = None


async def glance(scope: PageScope, *, today: date, timezone: ZoneInfo, timeout_s: float = GLANCE_S) -> Glance:
    """What the device tells of ``scope`` within ``timeout_s`` seconds; never raises for what it does not."""
    past, _ = day_range(today, timezone)
    try:
        async with asyncio.timeout(timeout_s):
            return await _looked(scope, past - 1)
    except (TimeoutError, ClientError):
        return Glance()


async def _looked(scope: PageScope, until: int) -> Glance:
    match scope:
        case ProjectScope():
            return Glance(overdue=await _overdue(until, projectId=scope.entityId))
        case ListScope(page="notes-list"):
            notes = await tables.select(Table.NOTES, **{"orderBy": "-updatedAt", **fitting(Table.NOTES, scope.filters)})
            return Glance(notes=notes.rows)
        case ListScope(page="tasks" | "timeline"):
            return Glance(overdue=await _overdue(until, **fitting(Table.TASKS, scope.filters)))
        case ListScope():
            return Glance(overdue=await _overdue(until))
        case NoteScope():
            return Glance()


async def _overdue(until: int, **filters: JsonValue) -> tuple[Row, ...]:
    """Open tasks that were due by ``until`` (ms), within the page's own filters; earliest first."""
    own = filters.get("dueDateTo")
    filters |= {"dueDateTo": min(own, until) if isinstance(own, int) else until, "orderBy": "dueDate"}
    states = [filters.pop("status")] if "status" in filters else ["todo", "in_progress"]
    reads: list[Coroutine[Any, Any, ClientAnswer]] = [
        tables.select(Table.TASKS, **filters, status=state) for state in states if state != "done"
    ]
    rows = [row for answer in await together(reads) for row in answer.rows]
    late = [row for row in rows if 0 < _due(row) <= until and row.get("status") != "done"]
    return tuple(sorted(late, key=_due))


def _due(row: Row) -> int:
    return milliseconds(row, "dueDate")
