"""The summary of a project and the review of a week, from the rows that the message holds."""

from collections.abc import Mapping, Sequence

from agents.offline.commands import Entity, Status
from agents.offline.desk import Desk, sentence
from agents.offline.long_phrases import LongPhrases
from agents.offline.rows import Row, Rows, read_row, read_rows
from agents.offline.showing import first_to_do
from agents.tools.overviews import ProjectSection, WeekSection

_MOST_NAMED = 10


def summary_of(desk: Desk, phrases: LongPhrases, sections: Mapping[str, str]) -> str:
    """A project's state and its rows by name. It is read on other days, so that dates are written in full."""
    project = read_row(Entity.PROJECT, sections.get(ProjectSection.PROJECT, ""))
    if project is None:
        return desk.phrases.cannot_here
    state = desk.phrases.archived if project.archived else desk.phrases.active
    parts = {
        ProjectSection.OVERDUE: (Entity.TASK, phrases.overdue),
        ProjectSection.OPEN: (Entity.TASK, phrases.open),
        ProjectSection.DONE: (Entity.TASK, phrases.done),
        ProjectSection.AHEAD: (Entity.CHECKPOINT, phrases.ahead),
        ProjectSection.NOTES: (Entity.NOTE, phrases.notes),
    }
    said = [
        _named(desk, phrases, entity, template, sections.get(part, "")) for part, (entity, template) in parts.items()
    ]
    found = [part for part in said if part]
    return "\n".join(
        [
            sentence(desk.phrases.project_state, title=desk.quoted(project), state=state),
            phrases.as_of.format(day=desk.today),
            *(found or [desk.phrases.holds_nothing]),
        ]
    )


def review_of(desk: Desk, phrases: LongPhrases, sections: Mapping[str, str]) -> str:
    """What was done, what is overdue, what comes next, and what to begin with."""
    parts = {
        WeekSection.DONE: (Entity.TASK, phrases.done_lately),
        WeekSection.PAST: (Entity.CHECKPOINT, phrases.passed),
        WeekSection.OVERDUE: (Entity.TASK, phrases.overdue),
        WeekSection.NEXT: (Entity.TASK, phrases.due_soon),
        WeekSection.AHEAD: (Entity.CHECKPOINT, phrases.ahead_soon),
    }
    said = [
        _listed(desk, phrases, entity, template, sections.get(part, "")) for part, (entity, template) in parts.items()
    ]
    waiting = [
        row
        for part in (WeekSection.OVERDUE, WeekSection.NEXT)
        for row in rows_in(Entity.TASK, sections.get(part, ""))
        if row.status is not Status.DONE
    ]
    found = [part for part in (*said, first_to_do(desk, waiting)) if part]
    return "\n\n".join(found or [phrases.quiet_week])


def rows_in(entity: Entity, section: str) -> tuple[Row, ...]:
    """The rows that a section tells; none when it tells of a failure."""
    rows = read_rows(entity, section)
    return rows.rows if rows else ()


def _named(desk: Desk, phrases: LongPhrases, entity: Entity, template: str, section: str) -> str:
    """``Overdue: 2 tasks (“Write copy”, 2026-03-27; “Order photos”).``, nothing when there are no rows."""
    rows = read_rows(entity, section)
    if rows is None:
        return _untold(desk, phrases, entity, section)
    if not rows.total:
        return ""
    names = [_name_and_day(desk, row) for row in rows.rows[:_MOST_NAMED]]
    if rows.total > len(names):
        names.append(desk.phrases.more.format(count=rows.total - len(names)))
    return f"- {template.format(rows=desk.counted(rows.total, entity))} ({'; '.join(names)})."


def _name_and_day(desk: Desk, row: Row) -> str:
    # Of a note the moment is when it was made, which says little.
    dated = row.moment is not None and row.entity is not Entity.NOTE
    return f"{desk.quoted(row)}, {row.moment.day}" if dated and row.moment else desk.quoted(row)


def _listed(desk: Desk, phrases: LongPhrases, entity: Entity, template: str, section: str) -> str:
    """A heading with the count, and a line a row."""
    rows = read_rows(entity, section)
    if rows is None:
        return _untold(desk, phrases, entity, section)
    if not rows.total:
        return ""
    return f"{template.format(rows=desk.counted(rows.total, entity))}\n{_lines(desk, rows)}"


def _lines(desk: Desk, rows: Rows) -> str:
    shown: Sequence[Row] = rows.rows[:_MOST_NAMED]
    rest = [f"- {desk.phrases.more.format(count=rows.total - len(shown))}"] if rows.total > len(shown) else []
    return "\n".join([*(f"- {desk.line(row)}" for row in shown), *rest])


def _untold(desk: Desk, phrases: LongPhrases, entity: Entity, section: str) -> str:
    return sentence(phrases.untold, rows=desk.phrases.noun(entity).many) if section else ""
