"""A plan for a project, made of the goal and of the rows that the message holds: JSON, as any model is to write it."""

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TypeAlias

from agents.offline.commands import Entity, Priority
from agents.offline.desk import Desk
from agents.offline.long_phrases import LongPhrases
from agents.offline.reviewing import rows_in
from agents.offline.spelling import one_line
from agents.tools.overviews import ProjectSection

_LONGEST_GOAL = 120
_MOST_LATE = 3
_MOST_UNDATED = 3
_FIRST_STEP = timedelta(days=1)
_TIDIED_UP = timedelta(days=3)
_HALF = timedelta(days=14)
_WHOLE = timedelta(days=28)

Suggested: TypeAlias = dict[str, str]


def plan_for(desk: Desk, phrases: LongPhrases, sections: Mapping[str, str]) -> str:
    """Steps to the goal, what is late and what has no date, and two checkpoints; nothing that is there already."""
    goal = one_line(sections.get(ProjectSection.GOAL, ""))
    goal = goal if len(goal) <= _LONGEST_GOAL else f"{goal[:_LONGEST_GOAL]}…"
    known = {row.title.casefold() for part, entity in _KNOWN.items() for row in rows_in(entity, sections.get(part, ""))}
    plan = {
        "tasks": [task for task in _tasks(desk, phrases, sections, goal) if task["title"].casefold() not in known],
        "checkpoints": [
            {"title": title, "date": (desk.today + distance).isoformat()}
            for title, distance in (
                (phrases.halfway.format(goal=goal), _HALF),
                (phrases.reached.format(goal=goal), _WHOLE),
            )
            if title.casefold() not in known
        ],
    }
    return json.dumps(plan, ensure_ascii=False)


_KNOWN = {
    ProjectSection.OVERDUE: Entity.TASK,
    ProjectSection.OPEN: Entity.TASK,
    ProjectSection.DONE: Entity.TASK,
    ProjectSection.PAST: Entity.CHECKPOINT,
    ProjectSection.AHEAD: Entity.CHECKPOINT,
}


def _tasks(desk: Desk, phrases: LongPhrases, sections: Mapping[str, str], goal: str) -> Iterator[Suggested]:
    yield _task(desk, phrases.list_steps.format(goal=goal), Priority.HIGH, _FIRST_STEP)
    late = rows_in(Entity.TASK, sections.get(ProjectSection.OVERDUE, ""))
    for row in late[:_MOST_LATE]:
        why = phrases.because_late.format(day=row.moment.day) if row.moment else ""
        yield _task(desk, phrases.settle_late.format(title=desk.quoted(row)), Priority.HIGH, _TIDIED_UP) | (
            {"description": why} if why else {}
        )
    waiting = rows_in(Entity.TASK, sections.get(ProjectSection.OPEN, ""))
    for row in [row for row in waiting if row.moment is None][:_MOST_UNDATED]:
        yield _task(desk, phrases.set_date.format(title=desk.quoted(row)), Priority.MEDIUM, _TIDIED_UP)
    yield _task(desk, phrases.look_back.format(goal=goal), Priority.LOW, _HALF)


def _task(desk: Desk, title: str, priority: Priority, distance: timedelta) -> Suggested:
    return {"title": title, "priority": priority.value, "dueDate": (desk.today + distance).isoformat()}
