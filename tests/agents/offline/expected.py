"""Shorthands for the command that a sentence should be understood as."""

from dataclasses import replace
from datetime import date, time
from typing import Any

from agents.offline.commands import (
    AddComment,
    ChangeRow,
    Command,
    CreateRow,
    DeleteRow,
    Details,
    Filter,
    FindNotes,
    Grouping,
    ListComments,
    ListRows,
    RowKind,
    Shape,
    ShowRow,
    Target,
    WritePlan,
    WriteSummary,
)
from agents.offline.dates import When

TODAY = date(2026, 11, 18)  # a Wednesday
TITLE = "{title}"
"""Placeholder for the title that a test draws."""


def on(day: str, at: str | None = None) -> When:
    """One day, in ISO form."""
    found = date.fromisoformat(day)
    return When(first=found, last=found, deadline=found, at=time.fromisoformat(at) if at else None)


def between(first: str, last: str, deadline: str) -> When:
    return When(first=date.fromisoformat(first), last=date.fromisoformat(last), deadline=date.fromisoformat(deadline))


def until(day: str) -> When:
    """All days up to this one."""
    last = date.fromisoformat(day)
    return When(first=date.min, last=last, deadline=last)


def since(day: str) -> When:
    """All days from this one on."""
    first = date.fromisoformat(day)
    return When(first=first, last=date.max, deadline=first)


TOMORROW = on("2026-11-19")
FRIDAY = on("2026-11-20")
THIS_WEEK = between("2026-11-16", "2026-11-22", "2026-11-22")
NEXT_WEEK = between("2026-11-23", "2026-11-29", "2026-11-23")
CHRISTMAS_EVE = on("2026-12-24")


def rows(
    entity: RowKind = RowKind.TASK,
    *,
    shape: Shape = Shape.CARDS,
    chart_type: str = "bar",
    grouping: Grouping | None = None,
    **where: Any,
) -> ListRows:
    return ListRows(
        entity=entity,
        where=replace(Filter(), **where),
        shape=shape,
        chart_type=chart_type,
        grouping=grouping,
    )


def target(
    name: str = TITLE,
    entity: RowKind | None = RowKind.TASK,
    *,
    project: str | None = None,
    parent: Target | None = None,
) -> Target:
    return Target(name=name, literal=name, entity=entity, project=project, parent=parent)


def created(entity: RowKind = RowKind.TASK, title: str = TITLE, **details: Any) -> CreateRow:
    return CreateRow(entity=entity, title=title, details=replace(Details(), **details))


def changed(meant: Target | None = None, **changes: Any) -> ChangeRow:
    return replace(ChangeRow(target=meant or target()), **changes)


def as_titled(command: Command, title: str) -> Command:
    """The expected command for a drawn title."""
    match command:
        case ChangeRow() | DeleteRow() | AddComment() | ShowRow() | ListComments() | WriteSummary() | WritePlan():
            return replace(command, target=_titled(command.target, title))
        case CreateRow():
            content = command.details.content
            details = replace(command.details, content=title if content == TITLE else content)
            return replace(command, title=title if command.title == TITLE else command.title, details=details)
        case FindNotes():
            return replace(command, query=title if command.query == TITLE else command.query)
        case _:
            return command


def without_literals(command: Command) -> Command:
    """``command`` without the exact words that named its target, for comparison with an expected one."""
    match command:
        case ChangeRow() | DeleteRow() | AddComment() | ShowRow() | ListComments() | WriteSummary() | WritePlan():
            return replace(command, target=_plain(command.target))
        case _:
            return command


def _titled(meant: Target, title: str) -> Target:
    name = title if meant.name == TITLE else meant.name
    parent = _titled(meant.parent, title) if meant.parent else None
    return replace(meant, name=name, literal=name, parent=parent)


def _plain(meant: Target) -> Target:
    return replace(meant, literal=meant.name, parent=_plain(meant.parent) if meant.parent else None)
