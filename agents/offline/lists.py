"""Plans that show and count rows, and rows in words: ``2 open tasks due today in the project “Website”``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, assert_never

from accounts.translations import gettext_noop
from agents.offline.answers import PlanAnswer, Shown, ShownCards, ShownChart, ShownTable, ShownTimeline
from agents.offline.commands import (
    OPEN,
    Filter,
    Grouping,
    ListRows,
    Priority,
    RowKind,
    Shape,
    Status,
    Target,
)
from agents.offline.context import Context, Plan, Round, Steps, request
from agents.offline.dates import When
from agents.offline.lookups import MOST_PROJECTS, all_projects, find_project, project_named, read_all
from agents.offline.rows import Record, best_match
from agents.offline.wording import PRIORITIES, STATUSES, capitalised

_DONE: Final = frozenset({Status.DONE})
_HEADERS: Final = (gettext_noop("Title"), gettext_noop("Status"), gettext_noop("Priority"), gettext_noop("Due"))
_GROUPINGS: Final = {
    Grouping.STATUS: gettext_noop("by status"),
    Grouping.PRIORITY: gettext_noop("by priority"),
    Grouping.PROJECT: gettext_noop("by project"),
}
_MANY: Final = 2
"""A count that takes the plural."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _FoundRows:
    """The rows to choose from, the question with its names resolved, and how many rows were listed and left out."""

    rows: Sequence[Record]
    projects: Sequence[Record]
    where: Filter
    listed: int
    unseen: int


def list_rows(context: Context, command: ListRows) -> Plan:
    """The rows that are asked for, counted in words and shown as asked."""
    found = yield from _found(context, command)
    command = replace(command, where=found.where)
    kept = sorted((row for row in found.rows if fits(row, found.where, context.today)), key=_order)
    shown = _shown(context, command, found, kept) if kept else None
    return PlanAnswer(text=_text(context, command, found, kept), shown=shown)


def fits(row: Record, where: Filter, today: date) -> bool:
    """Whether ``row`` is one of those that ``where`` asks for, as far as its columns tell."""
    day = row.moment.day if row.moment else None
    return (
        (where.statuses is None or row.status is None or row.status in where.statuses)
        and (where.priority is None or row.priority is where.priority)
        and (where.due is None or (day is not None and where.due.first <= day <= where.due.last))
        and (not where.overdue or (day is not None and day < today and row.status is not Status.DONE))
        and (not where.undated or day is None)
        and (where.assignee is None or _is_for(row, where.assignee))
        and (not where.archived or row.archived)
    )


def _found(context: Context, command: ListRows) -> Steps[_FoundRows]:
    where = _with_usual_statuses(command)
    project_id: str | None = None
    if where.project:
        project = yield from find_project(context, where.project)
        where, project_id = replace(where, project=project.title), project.id
    projects: Sequence[Record] = ()
    if _needs_projects(context, command, project_id):
        listed = read_all(context, RowKind.PROJECT, (yield (all_projects(),)))
        projects = listed.records
    requests = _requests(context, replace(command, where=where), project_id, projects)
    listing = read_all(context, command.entity, (yield requests) if requests else ())
    rows, count = listing.records, len(listing.records)
    unseen = listing.total - count
    return _cleared_up(_FoundRows(rows=rows, projects=projects, where=where, listed=count, unseen=unseen))


def _with_usual_statuses(command: ListRows) -> Filter:
    """The filter; for tasks only open ones, unless the question is about other states, a day, a word or a count."""
    where = command.where
    if command.entity is not RowKind.TASK or where.everything or where.statuses or command.grouping:
        return where
    if (where.due and not where.overdue) or where.words:
        return where
    return replace(where, statuses=OPEN)


def _needs_projects(context: Context, command: ListRows, project_id: str | None) -> bool:
    if command.entity is RowKind.CHECKPOINT and project_id is None:
        return True
    named = command.where.about is not None and command.entity is not RowKind.PROJECT
    return (named or command.grouping is Grouping.PROJECT) and context.offers("list_projects")


def _requests(context: Context, command: ListRows, project_id: str | None, projects: Sequence[Record]) -> Round:
    match command.entity:
        case RowKind.TASK:
            return _task_requests(context, command.where, project_id)
        case RowKind.CHECKPOINT:
            ids = [project_id] if project_id else [row.id for row in projects[:MOST_PROJECTS]]
            return tuple(request("list_checkpoints", project_id=row_id) for row_id in ids)
        case RowKind.PROJECT:
            archived = command.where.everything or command.where.archived
            if archived and context.offers("list_all_projects"):
                return (request("list_all_projects"),)
            return (request("list_projects", include_archived=archived or None),)
        case _:
            return (request("list_notes", project_id=project_id),)


def _task_requests(context: Context, where: Filter, project_id: str | None) -> Round:
    due = where.due
    if due and due.first == due.last == context.today and not project_id and context.offers("list_tasks_due_today"):
        return (request("list_tasks_due_today"),)
    if where.statuses is None:
        return (request("list_tasks", project_id=project_id, search=where.words, order_by="-dueDate" if due else None),)
    return tuple(
        request("list_tasks", project_id=project_id, status=status, search=where.words)
        for status in Status
        if status in where.statuses
    )


def _cleared_up(found: _FoundRows) -> _FoundRows:
    """``about`` is a project if one has that name, else a person with such rows, else a word of their titles."""
    name, rows = found.where.about, found.rows
    if name is None:
        return found
    if project := project_named(found.projects, name):
        mine = tuple(row for row in rows if row.project_id == project.id)
        where = replace(found.where, about=None, project=project.title)
    elif mine := tuple(row for row in rows if row.entity is RowKind.TASK and _is_for(row, name)):
        where = replace(found.where, about=None, assignee=name)
    else:
        mine = tuple(row for row in rows if best_match((row,), Target(name=name, literal=name)).records)
        where = replace(found.where, about=None, words=name)
    return replace(found, rows=mine, where=where)


def _is_for(row: Record, name: str) -> bool:
    return any(name.casefold() in {person.casefold(), *person.casefold().split()} for person in row.people)


def _order(row: Record) -> tuple[bool, date, int]:
    """By date, those without one last; then by priority."""
    rank = list(Priority).index(row.priority) if row.priority else len(Priority)
    return row.moment is None, row.moment.day if row.moment else date.max, rank


def _text(context: Context, command: ListRows, found: _FoundRows, kept: Sequence[Record]) -> str:
    rows = f"{len(kept) or ''} {described(context, command.entity, command.where, len(kept))}".strip()
    if not kept:
        said = [context.gettext("You have no {rows}.", rows=rows)]
    elif command.grouping:
        counts = ", ".join(f"{count} {name}" for name, count in _counts(context, command.grouping, found, kept))
        said = [context.gettext("You have {rows}: {counts}.", rows=rows, counts=counts)]
    else:
        said = [context.gettext("You have {rows}.", rows=rows), _done(context, command, kept)]
    if found.unseen:
        said.append(context.gettext("There are {count} more that I could not look at.", count=found.unseen))
    return " ".join(part for part in said if part)


def _done(context: Context, command: ListRows, kept: Sequence[Record]) -> str:
    """How many of the tasks are done, unless the question names a state."""
    count = sum(row.status is Status.DONE for row in kept)
    if not count or command.where.statuses:
        return ""
    if count == len(kept):
        return context.ngettext("It is done.", "All of them are done.", count)
    return context.ngettext("One of them is done.", "{count} of them are done.", count)


def _shown(context: Context, command: ListRows, found: _FoundRows, kept: Sequence[Record]) -> Shown:
    if command.grouping and command.shape is not Shape.TABLE:
        return _chart(context, command, _counts(context, command.grouping, found, kept))
    if command.shape is Shape.TABLE:
        return _table(context, command.entity, kept)
    if command.entity is RowKind.CHECKPOINT or command.shape is Shape.TIMELINE:
        return ShownTimeline(rows=tuple(kept))
    return ShownCards(entity=command.entity, rows=tuple(kept), whole=len(kept) == found.listed)


def _counts(
    context: Context, grouping: Grouping, found: _FoundRows, kept: Sequence[Record]
) -> tuple[tuple[str, int], ...]:
    match grouping:
        case Grouping.STATUS:
            counts = Counter(row.status for row in kept)
            return tuple((context.gettext(STATUSES[status]), counts[status]) for status in Status if counts[status])
        case Grouping.PRIORITY:
            ranks = Counter(row.priority for row in kept)
            return tuple((context.prioritised(rank), ranks[rank]) for rank in Priority if ranks[rank])
        case Grouping.PROJECT:
            names = {row.id: row.title for row in found.projects}
            none = context.no(RowKind.PROJECT)
            return tuple(Counter(names.get(row.project_id or "", none) for row in kept).most_common())
        case _:
            assert_never(grouping)


def _chart(context: Context, command: ListRows, counts: tuple[tuple[str, int], ...]) -> ShownChart:
    label = context.noun(command.entity, _MANY)
    split = context.gettext(_GROUPINGS[command.grouping or Grouping.STATUS])
    return ShownChart(chart_type=command.chart_type, title=capitalised(f"{label} {split}"), label=label, counts=counts)


def _table(context: Context, entity: RowKind, kept: Sequence[Record]) -> ShownTable:
    dates = [context.moment(row.moment) if row.moment else "" for row in kept]
    if entity is not RowKind.TASK:
        rows = tuple((row.title, said) for row, said in zip(kept, dates, strict=True))
        return ShownTable(headers=(context.gettext("Title"), context.gettext("Date")), rows=rows)
    cells = (
        (
            row.title,
            context.gettext(STATUSES[row.status]) if row.status else "",
            context.gettext(PRIORITIES[row.priority]) if row.priority else "",
            said,
        )
        for row, said in zip(kept, dates, strict=True)
    )
    headers = tuple(context.gettext(header) for header in _HEADERS)
    return ShownTable(headers=headers, rows=tuple(cells))


def described(context: Context, entity: RowKind, where: Filter, count: int) -> str:
    """What ``where`` asks for, in singular or plural by ``count``."""
    words = context.gettext(
        "{open} {overdue} {noun} {status} {priority} {when} {project} {person} {words}",
        noun=context.noun(entity, count),
        open=_open(context, where, count),
        overdue=context.npgettext("tasks", "overdue", "overdue", count) if where.overdue else "",
        status=_status(context, where, count),
        priority=context.gettext("with {priority}", priority=context.prioritised(where.priority))
        if where.priority
        else "",
        when=_when(context, entity, where),
        project=context.gettext("in the project {name}", name=context.name(where.project)) if where.project else "",
        person=context.gettext("for {name}", name=where.assignee) if where.assignee else "",
        words=context.gettext("with {name}", name=context.name(where.words)) if where.words else "",
    )
    return " ".join(words.split())


def _open(context: Context, where: Filter, count: int) -> str:
    """Open or done, the states that have an adjective; what is overdue is open anyway."""
    if where.statuses == OPEN and not where.overdue:
        return context.npgettext("tasks", "open", "open", count)
    return context.npgettext("tasks", "done", "done", count) if where.statuses == _DONE else ""


def _status(context: Context, where: Filter, count: int) -> str:
    """The other states, after the noun."""
    if where.statuses in (None, _DONE, OPEN):
        return ""
    return " + ".join(_adjective(context, status, count) for status in sorted(where.statuses))


def _adjective(context: Context, status: Status, count: int) -> str:
    if status is Status.DONE:
        return context.npgettext("tasks", "done", "done", count)
    return context.gettext(STATUSES[status])


def _when(context: Context, entity: RowKind, where: Filter) -> str:
    if where.undated:
        return context.gettext("without a due date")
    if where.due is None:
        return ""
    said = _span(context, where.due)
    if entity is RowKind.TASK:
        return context.pgettext("tasks", "due {day}", day=said)
    return context.gettext("dated {day}", day=said)


def _span(context: Context, when: When) -> str:
    first, last = context.day(when.first), context.day(when.last)
    if when.first == when.last:
        return first
    return context.gettext("between {first} and {last}", first=first, last=last)
