"""Plans that show one row, its comments, the results of a search in notes, the viewed page, and the next task."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from accounts.translations import gettext_noop
from agents.adapters.base import ToolMessage
from agents.offline.answers import PlanAnswer
from agents.offline.commands import OPEN, Filter, FindNotes, ListComments, ListRows, Priority, RowKind, ShowRow, Status
from agents.offline.context import Context, Plan, find_project, find_row, read_all, request
from agents.offline.lists import described, fits, list_rows, priority_rank
from agents.offline.reading import one_line
from agents.offline.rows import Listing, Record
from agents.offline.wording import capitalised
from agents.scopes import ListScope, NoteScope, ProjectScope
from agents.tools.page_details import Part

_MAX_SUGGESTED = 3
_SOON = timedelta(days=7)
_MAX_NOTES = 5
_EXCERPT_CHARS = 400
_LISTED = {"tasks": RowKind.TASK, "projects-list": RowKind.PROJECT, "notes-list": RowKind.NOTE}
_PARTS = {Part.TASKS: RowKind.TASK, Part.NOTES: RowKind.NOTE, Part.MILESTONES: RowKind.CHECKPOINT}
HOLDS_NOTHING = gettext_noop("There is nothing in it.")


def show_row(context: Context, command: ShowRow) -> Plan:
    """One row in detail: a note with its text, a project with its state and open tasks, a task with its details."""
    row = yield from find_row(context, command.target)
    if row.entity is RowKind.NOTE:
        return (yield from show_note(context, row))
    if row.entity is RowKind.PROJECT:
        return (yield from _show_project(context, row))
    line = f"{context.quoted(row)}{context.details(row, todo=True)}"
    return PlanAnswer(text=f"{line}\n\n{row.text}" if row.text else line).with_card(row)


def list_comments(context: Context, command: ListComments) -> Plan:
    """The comments of a task, with their authors and dates."""
    task = yield from find_row(context, command.target)
    comments = read_all(context, RowKind.COMMENT, (yield (request("list_task_comments", task_id=task.id),)))
    return PlanAnswer(text=comments_text(context, task, comments))


def comments_text(context: Context, task: Record, comments: Listing) -> str:
    """The comments of ``task``, a line each, with their authors and dates."""
    if not comments.total:
        return capitalised(context.gettext("The task {title} has no comments.", title=context.quoted(task)))
    count = context.counted(comments.total, RowKind.COMMENT)
    lines = [capitalised(context.gettext("{count} on the task {title}:", count=count, title=context.quoted(task)))]
    for row in comments.records:
        details = (*row.people, context.moment(row.moment) if row.moment else "")
        lines.append(f"- {row.title} — {', '.join(filter(None, details))}")
    left = comments.total - len(comments.records)
    return "\n".join([*lines, *([f"- {context.more(left)}"] if left else [])])


def search_notes(context: Context, command: FindNotes) -> Plan:
    """The notes closest in meaning, each with its beginning."""
    project_id = (yield from find_project(context, command.project)).id if command.project else None
    search = request("search_notes", query=command.query, project_id=project_id, limit=_MAX_NOTES)
    notes = read_all(context, RowKind.NOTE, (yield (search,)))
    name = context.name(command.query)
    if not notes.records:
        return context.say("I found no notes about {name}.", name=name)
    return PlanAnswer(text=notes_text(context, name, notes.records))


def notes_text(context: Context, name: str, notes: Sequence[Record]) -> str:
    """The notes closest to ``name``, a line each, with their beginnings."""
    lines = [capitalised(context.gettext("These of your notes come closest to {name}:", name=name))]
    for note in notes:
        excerpt = one_line(note.text.strip()[:_EXCERPT_CHARS])
        lines.append(f"- {note.title}: {excerpt}" if excerpt else f"- {note.title}")
    return "\n".join(lines)


def what_next(context: Context) -> Plan:
    """The most urgent open tasks."""
    requests = tuple(request("list_tasks", status=status) for status in (Status.TODO, Status.IN_PROGRESS))
    tasks = read_all(context, RowKind.TASK, (yield requests))
    waiting = [row for row in tasks.records if row.status is not Status.DONE]
    if not waiting:
        return PlanAnswer(text=context.gettext("You have no open tasks, so nothing is waiting for you."))
    first, *others = _ranked(context, waiting)[:_MAX_SUGGESTED]
    text = first_to_do(context, waiting)
    if others:
        after = context.gettext("After that:")
        text = f"{text} {after}\n{context.lines(others)}"
    return PlanAnswer(text=text).with_card(first)


def first_to_do(context: Context, waiting: Sequence[Record]) -> str:
    """The sentence about the most urgent task and the reason; empty if there are no tasks."""
    if not waiting:
        return ""
    first = _ranked(context, waiting)[0]
    title, reason = context.quoted(first), _reason(context, first)
    if reason:
        return capitalised(context.gettext("I would start with {title}: {reason}.", title=title, reason=reason))
    return capitalised(context.gettext("I would start with {title}.", title=title))


def _ranked(context: Context, waiting: Sequence[Record]) -> list[Record]:
    """By urgency: late or due today, in progress, due soon, priority, date."""

    def urgency(row: Record) -> tuple[bool, bool, bool, int, date]:
        day, today = row.moment.day if row.moment else date.max, context.today
        return day > today, row.status is not Status.IN_PROGRESS, day > today + _SOON, priority_rank(row), day

    return sorted(waiting, key=urgency)


def show_note(context: Context, row: Record) -> Plan:
    """A note's title and text."""
    [result] = yield (request("get_note", note_id=row.id),)
    note = context.record(RowKind.NOTE, result)
    content = note.text.strip() or context.gettext("The note has no text.")
    return PlanAnswer(text=f"{note.title}\n\n{content}")


def show_page(context: Context) -> Plan:
    """The content of the viewed page, or the answer that there is none, or that it is never shared."""
    match context.view.scope if context.view else None:
        case ProjectScope(entityId=project_id):
            return (yield from _show_project_page(context, project_id))
        case NoteScope(entityId=note_id, entityName=title):
            return (yield from show_note(context, Record(entity=RowKind.NOTE, id=note_id, title=title)))
        case ListScope(page="timeline"):
            return (yield from _show_timeline(context))
        case ListScope(page=page):
            return (yield from list_rows(context, ListRows(entity=_LISTED[page])))
        case None:
            if context.view is None:
                return context.say("I see no page here. Ask me beside a page that you have open.")
            return context.say("You never share this page, so I cannot see it.")


def _show_project(context: Context, row: Record) -> Plan:
    requests = [request("get_project", project_id=row.id)] if context.offers("get_project") else []
    if context.offers("list_tasks"):
        requests += [
            request("list_tasks", project_id=row.id, status=status) for status in (Status.TODO, Status.IN_PROGRESS)
        ]
    results: Sequence[ToolMessage] = (yield tuple(requests)) if requests else ()
    parts = [context.state(row)]
    if context.offers("get_project"):
        read, *results = results
        parts.append(context.record(RowKind.PROJECT, read).text.strip())
    if results:
        tasks = read_all(context, RowKind.TASK, results)
        count = tasks.total - sum(row.status is Status.DONE for row in tasks.records)
        rows = described(context, RowKind.TASK, Filter(statuses=OPEN), count)
        parts.append(context.gettext("It has {rows}.", rows=f"{count} {rows}"))
    return PlanAnswer(text="\n\n".join(filter(None, parts))).with_card(row)


def _reason(context: Context, row: Record) -> str:
    days = (row.moment.day - context.today).days if row.moment else 1
    if row.moment and days < 0:
        return context.gettext("it was due {day}", day=context.day(row.moment.day))
    if days and row.status is Status.IN_PROGRESS:
        return context.gettext("it is already in progress")
    if row.moment:
        return context.gettext("it is due {day}", day=context.moment(row.moment))
    return context.gettext("it has high priority") if row.priority is Priority.HIGH else ""


def _show_project_page(context: Context, project_id: str) -> Plan:
    [page] = yield (request("get_page_details", entity_type="project", entity_id=project_id),)
    project = context.record(RowKind.PROJECT, page, Part.PROJECT)
    parts = {part: context.read(entity, page.rows, part) or Listing() for part, entity in _PARTS.items()}
    waiting = [row for row in parts[Part.TASKS].records if row.status is not Status.DONE]
    opening = f"{context.state(project)} {_contents(context, waiting, parts)}"
    shown = sorted(waiting, key=_by_date), parts[Part.NOTES].records, parts[Part.MILESTONES].records
    return PlanAnswer(text="\n".join([opening, *(context.lines(rows) for rows in shown if rows)]))


def _contents(context: Context, waiting: list[Record], parts: Mapping[Part, Listing]) -> str:
    """``It holds 2 open tasks, 1 of them overdue, and 1 note.``"""
    late = sum(fits(row, Filter(overdue=True), context.today) for row in waiting)
    tasks = f"{len(waiting)} {described(context, RowKind.TASK, Filter(statuses=OPEN), len(waiting))}"
    if late:
        tasks = context.gettext("{rows}, {count} of them overdue", rows=tasks, count=late)
    others = [
        context.counted(parts[part].total, _PARTS[part]) for part in (Part.NOTES, Part.MILESTONES) if parts[part].total
    ]
    things = [tasks, *others] if waiting else others
    return context.gettext("It holds {things}.", things=", ".join(things)) if things else context.gettext(HOLDS_NOTHING)


def _show_timeline(context: Context) -> Plan:
    [page] = yield (request("get_page_details", entity_type="timeline_all"),)
    ahead = [
        row
        for row in context.listing(RowKind.CHECKPOINT, page, Part.EVENTS).records
        if row.moment and row.moment.day >= context.today and row.status is not Status.DONE
    ]
    if not ahead:
        return context.say("There is nothing ahead on the timeline.")
    opening = context.gettext("On the timeline there is still ahead:")
    return PlanAnswer(text=f"{opening}\n{context.lines(sorted(ahead, key=_by_date))}")


def _by_date(row: Record) -> tuple[bool, str]:
    """The key for the order by date, undated rows last."""
    return row.moment is None, f"{row.moment.day} {row.moment.at or ''}" if row.moment else ""
