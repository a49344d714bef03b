"""Briefs, summaries, plans and reviews, from the rows that come with the message. They call no tools."""

import json
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Final, TypeAlias

from accounts.translations import gettext_noop
from agents.calls import NamedRows
from agents.offline.answers import PlanAnswer, ShownCards, ShownTimeline
from agents.offline.commands import Filter, Priority, RowKind, Status
from agents.offline.context import CANNOT_HERE, Context
from agents.offline.dates import When
from agents.offline.lists import described
from agents.offline.reading import one_line
from agents.offline.rows import Listing
from agents.offline.showing import HOLDS_NOTHING, comments_text, first_to_do, notes_text
from agents.tools.briefs import AHEAD, DaySection, TaskSection
from agents.tools.overviews import ProjectSection, WeekSection
from agents.tools.rows import text

_MAX_CHECKPOINTS: Final = 10
_MAX_NAMED: Final = 10
_MAX_GOAL_CHARS: Final = 120
_MAX_LATE: Final = 3
_MAX_UNDATED: Final = 3
_FIRST_STEP: Final = timedelta(days=1)
_TIDIED_UP: Final = timedelta(days=3)
_HALF: Final = timedelta(days=14)
_WHOLE: Final = timedelta(days=28)

Parts: TypeAlias = Mapping[str, tuple[RowKind, str]]
_SUMMARY: Final[Parts] = {
    ProjectSection.OVERDUE: (RowKind.TASK, gettext_noop("Overdue: {rows}")),
    ProjectSection.OPEN: (RowKind.TASK, gettext_noop("Still to do: {rows}")),
    ProjectSection.DONE: (RowKind.TASK, gettext_noop("Done: {rows}")),
    ProjectSection.AHEAD: (RowKind.CHECKPOINT, gettext_noop("Ahead: {rows}")),
    ProjectSection.NOTES: (RowKind.NOTE, gettext_noop("Written down: {rows}")),
}
_REVIEW: Final[Parts] = {
    WeekSection.DONE: (RowKind.TASK, gettext_noop("Done in the last seven days: {rows}")),
    WeekSection.PAST: (RowKind.CHECKPOINT, gettext_noop("Passed in the last seven days: {rows}")),
    WeekSection.OVERDUE: (RowKind.TASK, _SUMMARY[ProjectSection.OVERDUE][1]),
    WeekSection.NEXT: (RowKind.TASK, gettext_noop("Due in the next seven days: {rows}")),
    WeekSection.AHEAD: (RowKind.CHECKPOINT, gettext_noop("Ahead in the next seven days: {rows}")),
}
_NEW: Final = {
    DaySection.NEW_TASKS: RowKind.TASK,
    DaySection.NOTES: RowKind.NOTE,
    DaySection.COMMENTS: RowKind.COMMENT,
}
_KNOWN: Final = {
    RowKind.TASK: (ProjectSection.OVERDUE, ProjectSection.OPEN, ProjectSection.DONE),
    RowKind.CHECKPOINT: (ProjectSection.PAST, ProjectSection.AHEAD),
}


def brief_of_day(context: Context, rows: NamedRows, day: date) -> PlanAnswer:
    """The overdue, due and coming tasks, the most urgent one, the next checkpoint, and the number of new rows."""
    parts = (DaySection.OVERDUE, DaySection.DUE, DaySection.NEXT)
    tasks = {part: _listing(context, RowKind.TASK, rows, part) for part in parts}
    checkpoints = _listing(context, RowKind.CHECKPOINT, rows, DaySection.CHECKPOINTS).records
    shown = tuple(record for listing in tasks.values() for record in listing.records)
    sentences = [_due(context, day, tasks), first_to_do(context, shown)]
    if dated := [(checkpoint, checkpoint.moment) for checkpoint in checkpoints if checkpoint.moment]:
        title, moment = context.quoted(dated[0][0]), context.moment(dated[0][1])
        sentences.append(context.gettext("Next checkpoint: {title}, {day}.", title=title, day=moment))
    counts = {entity: _listing(context, entity, rows, part).total for part, entity in _NEW.items()}
    if things := ", ".join(context.counted(count, entity) for entity, count in counts.items() if count):
        sentences.append(context.gettext("New or changed since the day before: {things}.", things=things))
    cards = (ShownCards(entity=RowKind.TASK, rows=shown),) if shown else ()
    timeline = (ShownTimeline(rows=checkpoints[:_MAX_CHECKPOINTS]),) if checkpoints else ()
    return PlanAnswer(text=" ".join(filter(None, sentences)), shown=(*cards, *timeline))


def brief_of_task(context: Context, rows: NamedRows) -> PlanAnswer:
    """The task, its project, its comments and related notes."""
    task = context.read_one(RowKind.TASK, rows, TaskSection.TASK)
    if task is None:
        return context.say(CANNOT_HERE)
    project = context.read_one(RowKind.PROJECT, rows, TaskSection.PROJECT)
    comments = _listing(context, RowKind.COMMENT, rows, TaskSection.COMMENTS)
    notes = _listing(context, RowKind.NOTE, rows, TaskSection.RELATED).records
    parts = [
        f"{context.quoted(task)}{context.details(task)}",
        task.text.strip(),
        context.state(project) if project else "",
        comments_text(context, task, comments),
        notes_text(context, context.quoted(task), notes) if notes else "",
    ]
    return PlanAnswer(text="\n\n".join(filter(None, parts))).with_card(task)


def summary_of(context: Context, rows: NamedRows) -> PlanAnswer:
    """A project's state and its rows by name. Dates are written in full, because it is also read on other days."""
    project = context.read_one(RowKind.PROJECT, rows, ProjectSection.PROJECT)
    if project is None:
        return context.say(CANNOT_HERE)
    parts = _part_texts(context, rows, _SUMMARY, named=True)
    as_of = context.gettext("This is how it stood on {day}:", day=context.today)
    return PlanAnswer(text="\n".join([context.state(project), as_of, *(parts or [context.gettext(HOLDS_NOTHING)])]))


def review_of(context: Context, rows: NamedRows) -> PlanAnswer:
    """The tasks that are done, overdue and next, the checkpoints, and the task to start with."""
    waiting = [
        record
        for part in (WeekSection.OVERDUE, WeekSection.NEXT)
        for record in _listing(context, RowKind.TASK, rows, part).records
        if record.status is not Status.DONE
    ]
    parts = _part_texts(context, rows, _REVIEW, named=False)
    first = first_to_do(context, waiting)
    if not parts and not first:
        return context.say("Nothing was done, nothing is overdue, and nothing is due in the next seven days.")
    return PlanAnswer(text="\n\n".join([*parts, *([first] if first else [])]))


def plan_for(context: Context, rows: NamedRows) -> PlanAnswer:
    """The JSON of a plan: steps to the goal, late and undated tasks, and two checkpoints.

    It suggests no title that the project has already.
    """
    goal = _goal(rows)
    known = {
        record.title.casefold()
        for entity, parts in _KNOWN.items()
        for part in parts
        for record in _listing(context, entity, rows, part).records
    }
    checkpoints = (
        (context.gettext("Halfway to: {goal}", goal=goal), _HALF),
        (context.gettext("Reached: {goal}", goal=goal), _WHOLE),
    )
    plan = {
        "tasks": [task for task in _tasks(context, rows, goal) if task["title"].casefold() not in known],
        "checkpoints": [
            {"title": title, "date": (context.today + distance).isoformat()}
            for title, distance in checkpoints
            if title.casefold() not in known
        ],
    }
    return PlanAnswer(text=json.dumps(plan, ensure_ascii=False))


def _listing(context: Context, entity: RowKind, rows: NamedRows, part: str) -> Listing:
    """The records of a part; none if the device refused to return them."""
    return context.read(entity, rows, part) or Listing()


def _due(context: Context, day: date, tasks: Mapping[DaySection, Listing]) -> str:
    """``You have 2 overdue tasks, 1 task due today.``"""
    asked = {
        DaySection.OVERDUE: Filter(overdue=True),
        DaySection.DUE: Filter(due=When(first=day, last=day, deadline=day)),
        DaySection.NEXT: Filter(due=When(first=day + timedelta(days=1), last=day + AHEAD, deadline=day + AHEAD)),
    }
    counted = [
        f"{listing.total} {described(context, RowKind.TASK, asked[part], listing.total)}"
        for part, listing in tasks.items()
        if listing.total
    ]
    if not counted:
        none = described(context, RowKind.TASK, asked[DaySection.DUE], 0)
        return context.gettext("You have no {rows}.", rows=none)
    return context.gettext("You have {rows}.", rows=", ".join(counted))


def _part_texts(context: Context, rows: NamedRows, parts: Parts, *, named: bool) -> list[str]:
    """A line for each part that is not empty or was refused; unless ``named``, with a line for each record."""
    texts: list[str] = []
    for part, (entity, message) in parts.items():
        listing = context.read(entity, rows, part)
        if listing is None:
            texts.append(context.gettext("I could not read the {rows}.", rows=context.noun(entity, 2)))
        elif listing.total:
            counted = context.gettext(message, rows=context.counted(listing.total, entity))
            lines = [context.line(record) for record in listing.records]
            listed = f"{counted}\n{context.bullets(lines, limit=_MAX_NAMED, total=listing.total)}"
            texts.append(_named(context, counted, listing) if named else listed)
    return texts


def _named(context: Context, counted: str, listing: Listing) -> str:
    """``- Overdue: 2 tasks (“Write copy”, 2026-03-27; “Order photos”).``"""
    names = []
    for record in listing.records[:_MAX_NAMED]:
        # The moment of a note is its creation, which matters little.
        day = f", {record.moment.day}" if record.moment and record.entity is not RowKind.NOTE else ""
        names.append(f"{context.quoted(record)}{day}")
    if listing.total > len(names):
        names.append(context.more(listing.total - len(names)))
    return f"- {counted} ({'; '.join(names)})."


def _goal(rows: NamedRows) -> str:
    section = rows.get(ProjectSection.GOAL)
    goal = one_line(text(section.rows[0], "goal")) if section else ""
    return goal if len(goal) <= _MAX_GOAL_CHARS else f"{goal[:_MAX_GOAL_CHARS]}…"


def _tasks(context: Context, rows: NamedRows, goal: str) -> Iterator[dict[str, str]]:
    steps = context.gettext("Write down the steps to: {goal}", goal=goal)
    yield _task(context, steps, Priority.HIGH, _FIRST_STEP)
    for record in _listing(context, RowKind.TASK, rows, ProjectSection.OVERDUE).records[:_MAX_LATE]:
        settle = context.gettext("Finish or postpone {title}", title=context.quoted(record))
        task = _task(context, settle, Priority.HIGH, _TIDIED_UP)
        reason = context.gettext("It was due {day}.", day=record.moment.day) if record.moment else ""
        yield {**task, "description": reason} if reason else task
    open_tasks = _listing(context, RowKind.TASK, rows, ProjectSection.OPEN).records
    for record in [record for record in open_tasks if record.moment is None][:_MAX_UNDATED]:
        date_it = context.gettext("Set a due date for {title}", title=context.quoted(record))
        yield _task(context, date_it, Priority.MEDIUM, _TIDIED_UP)
    look_back = context.gettext("Look back at the plan for: {goal}", goal=goal)
    yield _task(context, look_back, Priority.LOW, _HALF)


def _task(context: Context, title: str, priority: Priority, distance: timedelta) -> dict[str, str]:
    return {"title": title, "priority": priority.value, "dueDate": (context.today + distance).isoformat()}
