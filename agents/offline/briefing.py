"""Briefs from the rows that the message holds: nothing is asked of tools."""

import re
from datetime import date, timedelta

from agents.offline.answers import Answer, Cards, Timeline
from agents.offline.commands import Entity, Filter
from agents.offline.dates import When
from agents.offline.descriptions import described
from agents.offline.desk import Desk, sentence
from agents.offline.rows import Row, Rows, read_row, read_rows
from agents.offline.showing import by_whom, first_to_do
from agents.sections import read_sections
from agents.tools.briefs.day import AHEAD, DaySection
from agents.tools.briefs.task import TaskSection

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_CHECKPOINTS = 10


def brief_of_day(desk: Desk, message: str) -> Answer:
    """What is overdue, due and next, what presses most, the next checkpoint, and how much is new."""
    found = _DAY.search(message)
    day = date.fromisoformat(found[0]) if found else desk.today
    sections = read_sections(message)
    tasks = {part: _rows(sections, part, Entity.TASK) for part in (DaySection.OVERDUE, DaySection.DUE, DaySection.NEXT)}
    checkpoints = _rows(sections, DaySection.CHECKPOINTS, Entity.CHECKPOINT).rows
    shown = tuple(row for rows in tasks.values() for row in rows.rows)
    said = [_due(desk, day, tasks), first_to_do(desk, shown), _next(desk, checkpoints), _new(desk, sections)]
    timeline = (Timeline(rows=checkpoints[:_MOST_CHECKPOINTS]),) if checkpoints else ()
    cards = Cards(entity=Entity.TASK, rows=shown) if shown else None
    return Answer(text=" ".join(part for part in said if part), shown=cards, more=timeline)


def brief_of_task(desk: Desk, message: str) -> Answer:
    """The task, its project, its comments and the notes that come close to it."""
    sections = read_sections(message)
    told = sections.get(TaskSection.TASK, "")
    task = read_row(Entity.TASK, told)
    if task is None:
        return desk.say(desk.phrases.cannot_here)
    project = read_row(Entity.PROJECT, sections.get(TaskSection.PROJECT, ""))
    parts = [
        f"{desk.quoted(task)}{desk.phrases.details(task, desk.today)}",
        told.partition("\n\n")[2].strip(),
        _of_project(desk, project) if project else "",
        _comments(desk, task, _rows(sections, TaskSection.COMMENTS, Entity.COMMENT).rows),
        _notes(desk, task, _rows(sections, TaskSection.RELATED, Entity.NOTE).rows),
    ]
    return Answer(
        text="\n\n".join(part for part in parts if part), shown=Cards(entity=Entity.TASK, rows=(task,), named=True)
    )


def _rows(sections: dict[str, str], title: str, entity: Entity) -> Rows:
    return read_rows(entity, sections.get(title, "")) or Rows(rows=(), total=0)


def _due(desk: Desk, day: date, tasks: dict[DaySection, Rows]) -> str:
    """``You have 2 overdue tasks, 1 task due today.``"""
    that_day = When(first=day, last=day, deadline=day)
    after = When(first=day + timedelta(days=1), last=day + AHEAD, deadline=day + AHEAD)
    asked = {
        DaySection.OVERDUE: Filter(overdue=True),
        DaySection.DUE: Filter(due=that_day),
        DaySection.NEXT: Filter(due=after),
    }
    counted = [
        f"{rows.total} {described(desk, Entity.TASK, asked[part], rows.total)}"
        for part, rows in tasks.items()
        if rows.total
    ]
    if not counted:
        return desk.phrases.found_none.format(rows=described(desk, Entity.TASK, asked[DaySection.DUE], 0))
    return desk.phrases.found.format(rows=", ".join(counted))


def _next(desk: Desk, checkpoints: tuple[Row, ...]) -> str:
    first = next((row for row in checkpoints if row.moment), None)
    if first is None or first.moment is None:
        return ""
    day = desk.phrases.moment(first.moment, desk.today)
    return desk.phrases.next_checkpoint.format(title=desk.quoted(first), day=day)


def _new(desk: Desk, sections: dict[str, str]) -> str:
    parts = {
        DaySection.NEW_TASKS: Entity.TASK,
        DaySection.NOTES: Entity.NOTE,
        DaySection.COMMENTS: Entity.COMMENT,
    }
    counts = {entity: _rows(sections, part, entity).total for part, entity in parts.items()}
    things = ", ".join(desk.counted(count, entity) for entity, count in counts.items() if count)
    return desk.phrases.new_since.format(things=things) if things else ""


def _of_project(desk: Desk, project: Row) -> str:
    state = desk.phrases.archived if project.archived else desk.phrases.active
    return sentence(desk.phrases.project_state, title=desk.quoted(project), state=state)


def _comments(desk: Desk, task: Row, comments: tuple[Row, ...]) -> str:
    if not comments:
        return desk.phrases.no_comments.format(title=desk.quoted(task))
    count = desk.counted(len(comments), Entity.COMMENT)
    lines = [f"- {row.title} — {by_whom(desk, row)}" for row in comments]
    return "\n".join([sentence(desk.phrases.comments_on, count=count, title=desk.quoted(task)), *lines])


def _notes(desk: Desk, task: Row, notes: tuple[Row, ...]) -> str:
    if not notes:
        return ""
    lines = [f"- {row.title}: {row.excerpt}" if row.excerpt else f"- {row.title}" for row in notes]
    return "\n".join([desk.phrases.notes_about.format(name=desk.quoted(task)), *lines])
