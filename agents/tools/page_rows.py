"""The rows within a snapshot of a page: which part of it holds rows of which table. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import JsonValue

from agents.calls import Row, Table

TABLES: Final[Mapping[str, Table]] = {
    "project": Table.PROJECTS,
    "task": Table.TASKS,
    "note": Table.NOTES,
    "tasks": Table.TASKS,
    "notes": Table.NOTES,
    "milestones": Table.CHECKPOINTS,
    "comments": Table.TASK_COMMENTS,
    "deps": Table.TASKS,
    "projects": Table.PROJECTS,
}
"""The table of each part that holds rows of one table."""
EVENTS: Final = "events"
"""The part that holds checkpoints and tasks."""


def rows_on_page(snapshot: Row) -> Iterator[tuple[Table, Row]]:
    """Every row in ``snapshot``, and its table."""
    for part, value in snapshot.items():
        for row in _rows_in(value):
            table = TABLES.get(part)
            if part == EVENTS:
                table = table_of_event(row)
            if table is not None:
                yield table, row


def table_of_event(event: Row) -> Table:
    """An event is a task with a due date, or a checkpoint, whatever it calls itself."""
    return Table.TASKS if event.get("type") == "task" else Table.CHECKPOINTS


def _rows_in(value: JsonValue) -> list[Row]:
    values = value if isinstance(value, list) else [value]
    return [row for row in values if isinstance(row, dict)]
