"""Plans that show one row, its comments, what the notes say, and what to do next."""

from collections.abc import Sequence
from datetime import date, timedelta

from agents.offline.answers import Answer, Cards
from agents.offline.commands import (
    OPEN,
    Entity,
    Filter,
    ListComments,
    Priority,
    SearchNotes,
    ShowRow,
    Status,
)
from agents.offline.descriptions import described
from agents.offline.desk import Desk, Plan, request, sentence
from agents.offline.lookups import find_project, find_row, read_all
from agents.offline.rows import Row, read_row

_SUGGESTED = 3
_SOON = timedelta(days=7)
_NOTES_TOLD = 5


def show_row(desk: Desk, command: ShowRow) -> Plan:
    """One row with what belongs to it: a note's text, a project's state and open tasks, a task's facts."""
    row = yield from find_row(desk, command.target)
    if isinstance(row, Answer):
        return row
    if row.entity is Entity.NOTE:
        return (yield from show_note(desk, row))
    if row.entity is Entity.PROJECT:
        return (yield from _project(desk, row))
    return Answer(text=f"{desk.quoted(row)}{desk.phrases.details(row, desk.today)}", shown=_card(row))


def list_comments(desk: Desk, command: ListComments) -> Plan:
    """The comments of a task, with who said them and when."""
    task = yield from find_row(desk, command.target)
    if isinstance(task, Answer):
        return task
    comments = read_all(desk, Entity.COMMENT, (yield (request("list_task_comments", task_id=task.id),)))
    if isinstance(comments, Answer):
        return comments
    phrases = desk.phrases
    if not comments.rows:
        return desk.say(phrases.no_comments, title=desk.quoted(task))
    lines = [f"- {row.title} — {by_whom(desk, row)}" for row in comments.rows]
    count = desk.counted(len(comments.rows), Entity.COMMENT)
    return Answer(text="\n".join([sentence(phrases.comments_on, count=count, title=desk.quoted(task)), *lines]))


def search_notes(desk: Desk, command: SearchNotes) -> Plan:
    """The notes that come closest in meaning, each with how it begins."""
    project_id: str | None = None
    if command.project:
        project = yield from find_project(desk, command.project)
        if isinstance(project, Answer):
            return project
        project_id = project.id
    texts = yield (request("search_notes", query=command.query, project_id=project_id, limit=_NOTES_TOLD),)
    notes = read_all(desk, Entity.NOTE, texts)
    if isinstance(notes, Answer):
        return notes
    name = desk.phrases.quoted(command.query)
    if not notes.rows:
        return desk.say(desk.phrases.no_notes_about, name=name)
    lines = [f"- {row.title}: {row.excerpt}" if row.excerpt else f"- {row.title}" for row in notes.rows]
    return Answer(text="\n".join([sentence(desk.phrases.notes_about, name=name), *lines]))


def what_next(desk: Desk) -> Plan:
    """The open task that presses most, and the ones after it."""
    texts = yield tuple(request("list_tasks", status=status) for status in (Status.TODO, Status.IN_PROGRESS))
    tasks = read_all(desk, Entity.TASK, texts)
    if isinstance(tasks, Answer):
        return tasks
    waiting = [row for row in tasks.rows if row.status is not Status.DONE]
    if not waiting:
        return Answer(text=desk.phrases.nothing_open)
    first, *others = _ranked(desk, waiting)[:_SUGGESTED]
    text = first_to_do(desk, waiting)
    if others:
        text = f"{text} {desk.phrases.then}\n{desk.lines(others)}"
    return Answer(text=text, shown=_card(first))


def first_to_do(desk: Desk, waiting: Sequence[Row]) -> str:
    """Which of the tasks presses most, and why; nothing when there are none."""
    if not waiting:
        return ""
    first = _ranked(desk, waiting)[0]
    reason = _reason(desk, first)
    template = desk.phrases.start_with if reason else desk.phrases.start_plain
    return sentence(template, title=desk.quoted(first), reason=reason)


def _ranked(desk: Desk, waiting: Sequence[Row]) -> list[Row]:
    return sorted(waiting, key=lambda row: _pressing(row, desk.today))


def show_note(desk: Desk, row: Row) -> Plan:
    """A note's title and text."""
    [text] = yield (request("get_note", note_id=row.id),)
    note = read_row(Entity.NOTE, text)
    if note is None:
        return desk.failed(text)
    content = text.partition("\n\n")[2].strip()
    return Answer(text=f"{note.title}\n\n{content or desk.phrases.empty_note}")


def _project(desk: Desk, row: Row) -> Plan:
    requests = [request("get_project", project_id=row.id)] if desk.offers("get_project") else []
    if desk.offers("list_tasks"):
        requests += [
            request("list_tasks", project_id=row.id, status=status) for status in (Status.TODO, Status.IN_PROGRESS)
        ]
    texts: Sequence[str] = (yield tuple(requests)) if requests else ()
    state = desk.phrases.archived if row.archived else desk.phrases.active
    said = [sentence(desk.phrases.project_state, title=desk.quoted(row), state=state)]
    if desk.offers("get_project"):
        if read_row(Entity.PROJECT, texts[0]) is None:
            return desk.failed(texts[0])
        said.append(texts[0].partition("\n\n")[2].strip())
        texts = texts[1:]
    if texts:
        tasks = read_all(desk, Entity.TASK, texts)
        if isinstance(tasks, Answer):
            return tasks
        count = sum(row.status is not Status.DONE for row in tasks.rows)
        rows = described(desk, Entity.TASK, Filter(statuses=OPEN), count)
        said.append(sentence(desk.phrases.project_tasks, rows=f"{count} {rows}"))
    return Answer(text="\n\n".join(part for part in said if part), shown=_card(row))


def _pressing(row: Row, today: date) -> tuple[bool, bool, bool, int, date]:
    """What sorts first presses most: late or due today, under way, due within days, priority, date."""
    day = row.moment.day if row.moment else date.max
    rank = list(Priority).index(row.priority) if row.priority else len(Priority)
    return day > today, row.status is not Status.IN_PROGRESS, day > today + _SOON, rank, day


def _reason(desk: Desk, row: Row) -> str:
    phrases = desk.phrases
    if row.moment and row.moment.day < desk.today:
        return phrases.because_overdue.format(day=phrases.day(row.moment.day, desk.today))
    if row.moment and row.moment.day == desk.today:
        return phrases.because_due.format(day=phrases.moment(row.moment, desk.today))
    if row.status is Status.IN_PROGRESS:
        return phrases.because_started
    if row.moment:
        return phrases.because_due.format(day=phrases.moment(row.moment, desk.today))
    return phrases.because_priority if row.priority is Priority.HIGH else ""


def by_whom(desk: Desk, row: Row) -> str:
    """Who said it, and when."""
    when = desk.phrases.moment(row.moment, desk.today) if row.moment else ""
    return ", ".join(part for part in (*row.people, when) if part)


def _card(row: Row) -> Cards:
    return Cards(entity=row.entity, rows=(row,), named=True)
