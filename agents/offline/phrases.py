"""What the assistant says, as data: one ``Phrases`` a language. In braces stands what is filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from agents.offline.commands import Entity, Field, Grouping, Missing, Priority, Status, Talk
from agents.offline.rows import Moment, Row
from agents.permissions.approvals.refusals import Refusal


@dataclass(frozen=True, kw_only=True, slots=True)
class Noun:
    """A kind of thing: ``task``, ``tasks``, ``the task``, ``no task``."""

    one: str
    many: str
    the: str
    none: str


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """One language. Pairs are singular and plural."""

    quotes: str
    nouns: Mapping[Entity, Noun]
    thing: Noun
    statuses: Mapping[Status, str]
    status_adjectives: Mapping[Status, tuple[str, str]]
    open: tuple[str, str]
    done: tuple[str, str]
    overdue: tuple[str, str]
    undated: str
    priority: str
    priority_words: Mapping[Priority, str]
    no_project: str
    groupings: Mapping[Grouping, str]
    archived: str
    today: str
    tomorrow: str
    yesterday: str
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    at: str
    due: str
    falling_due: str
    dated_rows: str
    with_priority: str
    between: str
    described: str
    in_project: str
    for_person: str
    with_words: str
    found: str
    found_none: str
    of_which_done: tuple[str, str]
    more: str
    all_done: tuple[str, str]
    not_all: str
    counts: str
    headers: tuple[str, str, str, str]
    date_header: str
    created: str
    changed: str
    marked: str
    renamed: str
    moved: str
    archived_it: str
    restored_it: str
    deleted: str
    commented: str
    cleared: Mapping[Field, str]
    myself: str
    failed: str
    refusals: Mapping[Refusal, str]
    cannot_here: str
    unclear_answer: str
    several: str
    same_title: str
    none_called: str
    not_certain: str
    talk: Mapping[Talk, str]
    missing: Mapping[Missing, str]
    examples: Mapping[Entity | None, str]
    filed_examples: Mapping[Entity | None, str]
    plan_example: str
    no_page: str
    page_never_shared: str
    notes_read_only: str
    not_beside_page: str
    holds: str
    holds_nothing: str
    of_which_overdue: str
    events: str
    no_events: str
    next_checkpoint: str
    new_since: str
    start_with: str
    start_plain: str
    because_overdue: str
    because_started: str
    because_due: str
    because_priority: str
    then: str
    nothing_open: str
    empty_note: str
    notes_about: str
    no_notes_about: str
    project_state: str
    project_tasks: str
    active: str
    not_for: str
    comments_on: str
    no_comments: str
    remembered: str
    recalled: str
    recalled_nothing: str
    about: str
    forgot: str
    forget_which: str
    history: str
    no_history: str
    begun: str
    summarized: str
    planned: str
    left_out: str
    reviewed: str
    reported: str

    def noun(self, entity: Entity | None) -> Noun:
        return self.nouns[entity] if entity else self.thing

    def quoted(self, title: str) -> str:
        """``title`` in the quotation marks of the language."""
        return f"{self.quotes[0]}{title}{self.quotes[1]}"

    def prioritised(self, priority: Priority) -> str:
        """``high priority``."""
        return self.priority.format(priority=self.priority_words[priority])

    def day(self, day: date, today: date) -> str:
        """A day as one says it: today, tomorrow, Fri 27 Nov, with the year when it is another one."""
        near = {-1: self.yesterday, 0: self.today, 1: self.tomorrow}
        if word := near.get((day - today).days):
            return word
        year = "" if day.year == today.year else f" {day.year}"
        return f"{self.weekdays[day.weekday()]} {day.day} {self.months[day.month - 1]}{year}"

    def moment(self, moment: Moment, today: date) -> str:
        """A day, and the time of day where there is one."""
        said = self.day(moment.day, today)
        return f"{said} {self.at.format(time=f'{moment.at:%H:%M}')}" if moment.at else said

    def details(self, row: Row, today: date) -> str:
        """What is worth saying of a row, in brackets with a space before them; nothing when nothing is."""
        parts = [
            self.statuses[row.status] if row.status and row.status is not Status.TODO else "",
            self.archived if row.archived else "",
            self.prioritised(row.priority) if row.priority and row.priority is not Priority.MEDIUM else "",
            self._dated(row, today),
            self.for_person.format(name=", ".join(row.people)) if row.people and row.entity is Entity.TASK else "",
        ]
        said = ", ".join(part for part in parts if part)
        return f" ({said})" if said else ""

    def _dated(self, row: Row, today: date) -> str:
        if row.moment is None:
            return ""
        moment = self.moment(row.moment, today)
        return self.due.format(day=moment) if row.entity is Entity.TASK else moment
