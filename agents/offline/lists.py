"""Plans that show and count rows, and descriptions such as ``2 open tasks due today in the project “Website”``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from typing import Final, assert_never

from accounts.translations import gettext_noop
from agents.offline.answers import PlanAnswer, Shown, ShownCards, ShownChart, ShownTable, ShownTimeline
from agents.offline.commands import OPEN, Filter, Grouping, ListRows, Priority, RowKind, Shape, Status, Target
from agents.offline.context import (
    MAX_PROJECTS,
    Context,
    Plan,
    Round,
    Steps,
    all_projects,
    find_project,
    read_all,
    request,
)
from agents.offline.dates import When
from agents.offline.rows import Moment, Record, best_match
from agents.offline.wording import PRIORITIES, STATUSES, capitalised

_DONE: Final = frozenset({Status.DONE})
_TASK_HEADERS: Final = (gettext_noop("Title"), gettext_noop("Status"), gettext_noop("Priority"), gettext_noop("Due"))
_HEADERS: Final = (gettext_noop("Title"), gettext_noop("Date"))
_GROUPINGS: Final = {
    Grouping.STATUS: gettext_noop("by status"),
    Grouping.PRIORITY: gettext_noop("by priority"),
    Grouping.PROJECT: gettext_noop("by project"),
    Grouping.PERSON: gettext_noop("by person"),
}
_MANY: Final = 2
"""Any count with a plural noun."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _FoundRows:
    """The rows to choose from, the filter with its names resolved, and the numbers of listed and of omitted rows.

    With ``uncounted``, there may be more than these.
    """

    rows: Sequence[Record]
    projects: Sequence[Record]
    where: Filter
    listed: int
    unseen: int
    uncounted: bool


def list_rows(context: Context, command: ListRows) -> Plan:
    """The requested rows, counted in words, and shown in the requested shape."""
    found = yield from _found(context, command)
    command = replace(command, where=found.where)
    kept = sorted(
        (row for row in found.rows if fits(row, found.where, context.today)), key=_rank if command.ranked else _order
    )
    text = _text(context, command, found, kept)
    if command.latest and len(kept) > 1:
        text = _latest_text(context, command, len(kept))
        kept = sorted(kept, key=_made_at, reverse=True)[: command.latest]
    shown = (_shown(context, command, found, kept),) if kept else ()
    return PlanAnswer(text=text, shown=shown)


def fits(row: Record, where: Filter, today: date) -> bool:
    """Whether ``row`` matches ``where``, as far as its columns tell."""
    day = row.moment.day if row.moment else None
    return (
        (where.statuses is None or row.status is None or row.status in where.statuses)
        and (where.priority is None or row.priority is where.priority)
        and (where.due is None or _is_in(row.moment, where.due))
        and (where.made is None or _is_in(row.made, where.made))
        and (not where.overdue or (day is not None and day < today and row.status is not Status.DONE))
        and (not where.undated or day is None)
        and (not where.unassigned or not row.people)
        and (not where.unfiled or row.project_id is None)
        and (not where.filed or row.project_id is not None)
        and (where.assignee is None or row.is_for(where.assignee))
        and (not where.archived or row.archived)
    )


def _is_in(moment: Moment | None, span: When) -> bool:
    return moment is not None and span.first <= moment.day <= span.last


def _found(context: Context, command: ListRows) -> Steps[_FoundRows]:
    where = _with_usual_statuses(command)
    project_id: str | None = None
    if where.project:
        project = yield from find_project(context, where.project)
        where, project_id = replace(where, project=project.title), project.id
    projects: Sequence[Record] = ()
    may_be_named = where.about is not None and command.entity is not RowKind.PROJECT
    is_named = may_be_named or command.grouping is Grouping.PROJECT
    in_all = command.entity is RowKind.CHECKPOINT and project_id is None
    if in_all or (is_named and context.offers("list_projects")):
        projects = read_all(context, RowKind.PROJECT, (yield (all_projects(),))).records
    if may_be_named and (called := _called(where.about, projects)):
        where, project_id = replace(where, about=None, project=called.title), called.id
    requests = _requests(replace(command, where=where), project_id, projects)
    listing = read_all(context, command.entity, (yield requests) if requests else ())
    rows, count = listing.records, len(listing.records)
    unseen, uncounted = listing.total - count, listing.uncounted
    return _cleared_up(
        _FoundRows(rows=rows, projects=projects, where=where, listed=count, unseen=unseen, uncounted=uncounted)
    )


def _with_usual_statuses(command: ListRows) -> Filter:
    """The filter, which selects only open tasks unless the question has other states, a day, a word or a grouping."""
    where = command.where
    is_dated = where.made or (where.due and not where.due.is_open and not where.overdue)
    is_narrow = where.everything or where.statuses or where.words or is_dated
    if command.entity is not RowKind.TASK or command.grouping or is_narrow:
        return where
    return replace(where, statuses=OPEN)


def _requests(command: ListRows, project_id: str | None, projects: Sequence[Record]) -> Round:
    match command.entity:
        case RowKind.TASK:
            return _task_requests(command.where, project_id)
        case RowKind.CHECKPOINT:
            ids = [project_id] if project_id else [row.id for row in projects[:MAX_PROJECTS]]
            return tuple(request("list_checkpoints", project_id=row_id) for row_id in ids)
        case RowKind.PROJECT:
            archived = command.where.everything or command.where.archived
            return (request("list_projects", include_archived=archived or None),)
        case _:
            return (request("list_notes", project_id=project_id),)


def _task_requests(where: Filter, project_id: str | None) -> Round:
    if where.statuses is None:
        due = where.due
        due = None if where.overdue else due
        first = due.first.isoformat() if due and not due.is_open else None
        last = due.last.isoformat() if due and due.last < date.max else None
        return (request("list_tasks", project_id=project_id, search=where.words, due_from=first, due_to=last),)
    return tuple(
        request("list_tasks", project_id=project_id, status=status, search=where.words)
        for status in Status
        if status in where.statuses
    )


def _called(name: str | None, projects: Sequence[Record]) -> Record | None:
    """The project with this name; None if there is none, or several."""
    match = best_match(projects, Target(name=name or "", literal=name or ""))
    return match.records[0] if match.exact and len(match.records) == 1 else None


def _cleared_up(found: _FoundRows) -> _FoundRows:
    """Resolve ``about`` to a person with matching rows, or else to a word in their titles or in a project's title."""
    name, rows = found.where.about, found.rows
    if name is None:
        return found
    if mine := tuple(row for row in rows if row.entity is RowKind.TASK and row.is_for(name)):
        where = replace(found.where, about=None, assignee=name)
    else:
        target = Target(name=name, literal=name)
        mine = tuple(row for row in rows if best_match((row,), target).records)
        where = replace(found.where, about=None, words=name)
        partly = best_match(found.projects, target).records
        if not mine and len(partly) == 1:
            mine = tuple(row for row in rows if row.project_id == partly[0].id)
            where = replace(where, words=None, project=partly[0].title)
    return replace(found, rows=mine, where=where)


def _order(row: Record) -> tuple[bool, date, int]:
    """The key for the order by date, undated rows last, and then by priority."""
    return row.moment is None, row.moment.day if row.moment else date.max, priority_rank(row)


def priority_rank(row: Record) -> int:
    """The key for the order by priority, the highest first and rows without one last."""
    return list(Priority).index(row.priority) if row.priority else len(Priority)


def _rank(row: Record) -> tuple[int, bool, date]:
    """The key for the order by priority, and then by date."""
    undated, day, rank = _order(row)
    return rank, undated, day


def _made_at(row: Record) -> tuple[date, time]:
    return (row.made.day, row.made.at or time.min) if row.made else (date.min, time.min)


def _latest_text(context: Context, command: ListRows, count: int) -> str:
    rows = f"{count} {described(context, command.entity, command.where, count)}"
    shown = min(count, command.latest or count)
    text = context.npgettext("rows", "The latest of your {rows}:", "The latest of your {rows}:", shown)
    return text.format(rows=rows)


def _text(context: Context, command: ListRows, found: _FoundRows, kept: Sequence[Record]) -> str:
    rows = f"{len(kept) or ''} {described(context, command.entity, command.where, len(kept))}".strip()
    if not kept:
        sentences = [context.gettext("You have no {rows}.", rows=rows)]
    elif command.grouping:
        counted = _counts(context, command.grouping, found, kept, in_words=True)
        counts = ", ".join(f"{count} {name}" for name, count in counted)
        sentences = [context.gettext("You have {rows}: {counts}.", rows=rows, counts=counts)]
    elif _is_named(command, kept):
        sentences = [context.gettext("You have {rows}: {counts}.", rows=rows, counts=context.line(kept[0]))]
    else:
        sentences = [context.gettext("You have {rows}.", rows=rows)]
        done = 0 if command.where.statuses else sum(row.status is Status.DONE for row in kept)
        if done == len(kept):
            sentences.append(context.ngettext("It is done.", "All of them are done.", done))
        elif done:
            sentences.append(context.ngettext("One of them is done.", "{count} of them are done.", done))
    if found.unseen:
        sentences.append(context.gettext("There are {count} more that I could not look at.", count=found.unseen))
    elif found.uncounted:
        sentences.append(context.gettext("There may be more that I could not look at."))
    return " ".join(sentences)


def _is_named(command: ListRows, kept: Sequence[Record]) -> bool:
    """Whether the text names the rows. It names a single checkpoint, because a timeline shows too little of it."""
    return command.entity is RowKind.CHECKPOINT and command.shape is Shape.CARDS and len(kept) == 1


def _shown(context: Context, command: ListRows, found: _FoundRows, kept: Sequence[Record]) -> Shown:
    if command.grouping and command.shape is not Shape.TABLE:
        label = context.noun(command.entity, _MANY)
        title = capitalised(f"{label} {context.gettext(_GROUPINGS[command.grouping])}")
        counts = _counts(context, command.grouping, found, kept, in_words=False)
        return ShownChart(chart_type=command.chart_type, title=title, label=label, counts=counts)
    if command.shape is Shape.TABLE:
        is_task = command.entity is RowKind.TASK
        headers = tuple(context.gettext(header) for header in (_TASK_HEADERS if is_task else _HEADERS))
        return ShownTable(headers=headers, rows=tuple(_cells(context, row, is_task=is_task) for row in kept))
    if command.entity is RowKind.CHECKPOINT or command.shape is Shape.TIMELINE:
        return ShownTimeline(rows=tuple(kept), named=_is_named(command, kept))
    return ShownCards(entity=command.entity, rows=tuple(kept), whole=len(kept) == found.listed and not command.ordered)


def _counts(
    context: Context, grouping: Grouping, found: _FoundRows, kept: Sequence[Record], *, in_words: bool
) -> tuple[tuple[str, int], ...]:
    """Counts by name. ``in_words``: by names for a sentence, and not for a chart whose title names the property."""
    match grouping:
        case Grouping.STATUS:
            counts = Counter(row.status for row in kept)
            return tuple(
                (_state(context, status, counts[status]), counts[status]) for status in Status if counts[status]
            )
        case Grouping.PRIORITY:
            ranks = Counter(row.priority for row in kept)
            named = context.prioritised if in_words else lambda rank: context.gettext(PRIORITIES[rank])
            return tuple((named(rank), ranks[rank]) for rank in Priority if ranks[rank])
        case Grouping.PROJECT:
            names = {row.id: row.title for row in found.projects}
            none = context.no(RowKind.PROJECT)
            return tuple(Counter(names.get(row.project_id or "", none) for row in kept).most_common())
        case Grouping.PERSON:
            people = Counter(name for row in kept for name in row.people).most_common()
            alone = sum(not row.people for row in kept)
            return (*people, (context.gettext("nobody"), alone)) if alone else tuple(people)
        case _:
            assert_never(grouping)


def _cells(context: Context, row: Record, *, is_task: bool) -> tuple[str, ...]:
    when = context.moment(row.moment) if row.moment else ""
    if not is_task:
        return row.title, when
    status = context.gettext(STATUSES[row.status]) if row.status else ""
    return row.title, status, context.gettext(PRIORITIES[row.priority]) if row.priority else "", when


def described(context: Context, entity: RowKind, where: Filter, count: int) -> str:
    """The rows of ``where`` in words, in singular or plural by ``count``."""
    before, after = _states(context, where, count)
    words = context.gettext(
        "{open} {overdue} {noun} {status} {priority} {when} {made} {project} {person} {words}",
        noun=context.noun(entity, count),
        open=before,
        overdue=context.npgettext("tasks", "overdue", "overdue", count) if where.overdue else "",
        status=after,
        priority=context.gettext("with {priority}", priority=context.prioritised(where.priority))
        if where.priority
        else "",
        when=_when(context, entity, where),
        made=_made(context, where, count),
        project=_project(context, where),
        person=_person(context, where),
        words=context.gettext("with {name}", name=context.name(where.words)) if where.words else "",
    )
    return " ".join(words.split())


def _states(context: Context, where: Filter, count: int) -> tuple[str, str]:
    """The states in words: those for before the noun, if there is an adjective, or those for after it."""
    if where.statuses == _DONE:
        return _state(context, Status.DONE, count), ""
    if where.statuses == OPEN:
        # Overdue tasks are always open.
        return "" if where.overdue else context.npgettext("tasks", "open", "open", count), ""
    return "", " + ".join(_state(context, status, count) for status in sorted(where.statuses or ()))


def _state(context: Context, status: Status, count: int) -> str:
    """The state of ``count`` tasks in words."""
    if status is Status.DONE:
        return context.npgettext("tasks", "done", "done", count)
    return context.gettext(STATUSES[status])


def _when(context: Context, entity: RowKind, where: Filter) -> str:
    if where.undated:
        return context.gettext("without a due date")
    if where.due is None:
        return ""
    day = _days(context, where.due)
    if entity is RowKind.TASK:
        return context.pgettext("tasks", "due {day}", day=day)
    return context.gettext("dated {day}", day=day)


def _made(context: Context, where: Filter, count: int) -> str:
    if where.made is None:
        return ""
    created = context.npgettext("tasks", "created", "created", count)
    return f"{created} {_days(context, where.made)}"


def _days(context: Context, when: When) -> str:
    if when.is_open:
        return context.gettext("by {day}", day=context.day(when.last))
    first = context.day(when.first)
    if when.last == date.max:
        return context.gettext("from {day} on", day=first)
    if when.first == when.last:
        return first
    return context.gettext("between {first} and {last}", first=first, last=context.day(when.last))


def _project(context: Context, where: Filter) -> str:
    if where.unfiled:
        return context.gettext("without a project")
    if where.filed:
        return context.gettext("in a project")
    return context.gettext("in the project {name}", name=context.name(where.project)) if where.project else ""


def _person(context: Context, where: Filter) -> str:
    if where.unassigned:
        return context.gettext("without an assignee")
    return context.gettext("for {name}", name=where.assignee) if where.assignee else ""
