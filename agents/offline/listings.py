"""Plans that show and count rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import assert_never

from agents.offline.answers import Answer, Cards, Chart, Shown, Table, Timeline
from agents.offline.commands import (
    OPEN,
    Entity,
    Filter,
    Grouping,
    ListRows,
    Priority,
    Shape,
    Status,
    Target,
)
from agents.offline.descriptions import described
from agents.offline.desk import Desk, Plan, Round, Steps, request
from agents.offline.lookups import MOST_PROJECTS, all_projects, find_project, project_named, read_all
from agents.offline.matching import best_match
from agents.offline.rows import Row


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """The rows to choose from, the question with its names cleared up, and how many rows the tools told and hid."""

    rows: Sequence[Row]
    projects: Sequence[Row]
    where: Filter
    told: int
    unseen: int


def list_rows(desk: Desk, command: ListRows) -> Plan:
    """The rows that are asked for, counted in words and shown as asked."""
    found = yield from _found(desk, command)
    if isinstance(found, Answer):
        return found
    command = replace(command, where=found.where)
    kept = sorted((row for row in found.rows if fits(row, found.where, desk.today)), key=_order)
    shown = _shown(desk, command, found, kept) if kept else None
    return Answer(text=_text(desk, command, found, kept), shown=shown)


def fits(row: Row, where: Filter, today: date) -> bool:
    """Whether ``row`` is one of those that ``where`` asks for, as far as its facts tell."""
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


def _found(desk: Desk, command: ListRows) -> Steps[_Found | Answer]:
    where = _with_usual_statuses(command)
    project_id: str | None = None
    if where.project:
        project = yield from find_project(desk, where.project)
        if isinstance(project, Answer):
            return project
        where, project_id = replace(where, project=project.title), project.id
    projects: Sequence[Row] = ()
    if _needs_projects(desk, command, project_id):
        [text] = yield (all_projects(),)
        listed = read_all(desk, Entity.PROJECT, (text,))
        if isinstance(listed, Answer):
            return listed
        projects = listed.rows
    requests = _requests(desk, replace(command, where=where), project_id, projects)
    texts = (yield requests) if requests else ()
    rows = read_all(desk, command.entity, texts)
    if isinstance(rows, Answer):
        return rows
    told = len(rows.rows)
    return _cleared_up(_Found(rows=rows.rows, projects=projects, where=where, told=told, unseen=rows.total - told))


def _with_usual_statuses(command: ListRows) -> Filter:
    """Of tasks, those that are open, unless the question says otherwise or is about a day, a word or a count."""
    where = command.where
    if command.entity is not Entity.TASK or where.everything or where.statuses or command.grouping:
        return where
    if (where.due and not where.overdue) or where.words:
        return where
    return replace(where, statuses=OPEN)


def _needs_projects(desk: Desk, command: ListRows, project_id: str | None) -> bool:
    if command.entity is Entity.CHECKPOINT and project_id is None:
        return True
    named = command.where.about is not None and command.entity is not Entity.PROJECT
    return (named or command.grouping is Grouping.PROJECT) and desk.offers("list_projects")


def _requests(desk: Desk, command: ListRows, project_id: str | None, projects: Sequence[Row]) -> Round:
    match command.entity:
        case Entity.TASK:
            return _task_requests(desk, command.where, project_id)
        case Entity.CHECKPOINT:
            ids = [project_id] if project_id else [row.id for row in projects[:MOST_PROJECTS]]
            return tuple(request("list_checkpoints", project_id=row_id) for row_id in ids)
        case Entity.PROJECT:
            archived = command.where.everything or command.where.archived
            if archived and desk.offers("list_all_projects"):
                return (request("list_all_projects"),)
            return (request("list_projects", include_archived=archived or None),)
        case _:
            return (request("list_notes", project_id=project_id),)


def _task_requests(desk: Desk, where: Filter, project_id: str | None) -> Round:
    due = where.due
    if due and due.first == due.last == desk.today and not project_id and desk.offers("list_tasks_due_today"):
        return (request("list_tasks_due_today"),)
    if where.statuses is None:
        return (request("list_tasks", project_id=project_id, search=where.words, order_by="-dueDate" if due else None),)
    return tuple(
        request("list_tasks", project_id=project_id, status=status, search=where.words)
        for status in Status
        if status in where.statuses
    )


def _cleared_up(found: _Found) -> _Found:
    """``about`` is a project where one has that name, else a person who has such rows, else a word of their titles."""
    name, rows = found.where.about, found.rows
    if name is None:
        return found
    if project := project_named(found.projects, name):
        mine = tuple(row for row in rows if row.project_id == project.id)
        where = replace(found.where, about=None, project=project.title)
    elif mine := tuple(row for row in rows if row.entity is Entity.TASK and _is_for(row, name)):
        where = replace(found.where, about=None, assignee=name)
    else:
        mine = tuple(row for row in rows if best_match((row,), Target(name=name, literal=name)).rows)
        where = replace(found.where, about=None, words=name)
    return replace(found, rows=mine, where=where)


def _is_for(row: Row, name: str) -> bool:
    return any(name.casefold() in {person.casefold(), *person.casefold().split()} for person in row.people)


def _order(row: Row) -> tuple[bool, date, int]:
    """By date, those without one last; then by priority."""
    rank = list(Priority).index(row.priority) if row.priority else len(Priority)
    return row.moment is None, row.moment.day if row.moment else date.max, rank


def _text(desk: Desk, command: ListRows, found: _Found, kept: Sequence[Row]) -> str:
    phrases = desk.phrases
    rows = f"{len(kept) or ''} {described(desk, command.entity, command.where, len(kept))}".strip()
    if not kept:
        said = [phrases.found_none.format(rows=rows)]
    elif command.grouping:
        counts = ", ".join(f"{count} {name}" for name, count in _counts(desk, command.grouping, found, kept))
        said = [phrases.counts.format(rows=rows, counts=counts)]
    else:
        said = [phrases.found.format(rows=rows), _done(desk, command, kept)]
    if found.unseen:
        said.append(phrases.not_all.format(count=found.unseen))
    return " ".join(part for part in said if part)


def _done(desk: Desk, command: ListRows, kept: Sequence[Row]) -> str:
    """How many of the tasks are done, where the question did not say."""
    count = sum(row.status is Status.DONE for row in kept)
    if not count or command.where.statuses:
        return ""
    phrases = desk.phrases.all_done if count == len(kept) else desk.phrases.of_which_done
    return phrases[count > 1].format(count=count)


def _shown(desk: Desk, command: ListRows, found: _Found, kept: Sequence[Row]) -> Shown:
    if command.grouping and command.shape is not Shape.TABLE:
        return _chart(desk, command, _counts(desk, command.grouping, found, kept))
    if command.shape is Shape.TABLE:
        return _table(desk, command.entity, kept)
    if command.entity is Entity.CHECKPOINT or command.shape is Shape.TIMELINE:
        return Timeline(rows=tuple(kept))
    return Cards(entity=command.entity, rows=tuple(kept), whole=len(kept) == found.told)


def _counts(desk: Desk, grouping: Grouping, found: _Found, kept: Sequence[Row]) -> tuple[tuple[str, int], ...]:
    phrases = desk.phrases
    match grouping:
        case Grouping.STATUS:
            counts = Counter(row.status for row in kept)
            return tuple((phrases.statuses[status], counts[status]) for status in Status if counts[status])
        case Grouping.PRIORITY:
            ranks = Counter(row.priority for row in kept)
            return tuple((phrases.prioritised(rank), ranks[rank]) for rank in Priority if ranks[rank])
        case Grouping.PROJECT:
            names = {row.id: row.title for row in found.projects}
            return tuple(Counter(names.get(row.project_id or "", phrases.no_project) for row in kept).most_common())
        case _:
            assert_never(grouping)


def _chart(desk: Desk, command: ListRows, counts: tuple[tuple[str, int], ...]) -> Chart:
    label = desk.phrases.noun(command.entity).many
    split = desk.phrases.groupings[command.grouping or Grouping.STATUS]
    title = f"{label} {split}"
    return Chart(chart_type=command.chart_type, title=title[:1].upper() + title[1:], label=label, counts=counts)


def _table(desk: Desk, entity: Entity, kept: Sequence[Row]) -> Table:
    phrases = desk.phrases
    title, status, priority, due = phrases.headers
    dates = [phrases.moment(row.moment, desk.today) if row.moment else "" for row in kept]
    if entity is not Entity.TASK:
        rows = tuple((row.title, said) for row, said in zip(kept, dates, strict=True))
        return Table(headers=(title, phrases.date_header), rows=rows)
    cells = (
        (
            row.title,
            phrases.statuses[row.status] if row.status else "",
            phrases.priority_words[row.priority] if row.priority else "",
            said,
        )
        for row, said in zip(kept, dates, strict=True)
    )
    return Table(headers=(title, status, priority, due), rows=tuple(cells))
