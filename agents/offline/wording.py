"""Texts, nouns, days and records in the user's language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.offline.commands import Priority, RowKind, Status
from agents.offline.rows import Moment, Record

_MAX_LINES: Final = 20
_NOUNS: Final[Mapping[RowKind | None, tuple[str, str]]] = {
    RowKind.TASK: (gettext_noop("the task"), gettext_noop("no task")),
    RowKind.PROJECT: (gettext_noop("the project"), gettext_noop("no project")),
    RowKind.CHECKPOINT: (gettext_noop("the checkpoint"), gettext_noop("no checkpoint")),
    RowKind.NOTE: (gettext_noop("the note"), gettext_noop("no note")),
    RowKind.COMMENT: (gettext_noop("the comment"), gettext_noop("no comment")),
    None: (gettext_noop("it"), gettext_noop("nothing")),
}
_NEAR_DAYS: Final = {-1: gettext_noop("yesterday"), 0: gettext_noop("today"), 1: gettext_noop("tomorrow")}
STATUSES: Final = {
    Status.TODO: gettext_noop("to do"),
    Status.IN_PROGRESS: gettext_noop("in progress"),
    Status.DONE: gettext_noop("done"),
}
PRIORITIES: Final = {
    Priority.HIGH: gettext_noop("high"),
    Priority.MEDIUM: gettext_noop("medium"),
    Priority.LOW: gettext_noop("low"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """Texts in ``language`` (an IETF tag), at the time ``now``, which is aware and in the user's time zone."""

    language: str
    now: datetime

    @property
    def today(self) -> date:
        return self.now.date()

    def gettext(self, message: str, **parts: object) -> str:
        """``message`` in the user's language, with its parts in braces filled in."""
        return translations(self.language).gettext(message).format(**parts)

    def pgettext(self, context: str, message: str, **parts: object) -> str:
        """As ``gettext``, for a message with another meaning elsewhere."""
        return translations(self.language).pgettext(context, message).format(**parts)

    def ngettext(self, one: str, many: str, count: int) -> str:
        """As ``gettext``, in singular or plural by ``count``."""
        return translations(self.language).ngettext(one, many, count).format(count=count)

    def npgettext(self, context: str, one: str, many: str, count: int) -> str:
        """As ``ngettext``, for a message with another meaning elsewhere."""
        return translations(self.language).npgettext(context, one, many, count)

    def the(self, entity: RowKind | None) -> str:
        """``the task``."""
        return self.gettext(_NOUNS[entity][0])

    def no(self, entity: RowKind | None) -> str:
        """``no task``."""
        return self.gettext(_NOUNS[entity][1])

    def noun(self, entity: RowKind | None, count: int) -> str:
        """``task``, or ``tasks``."""
        match entity:
            case RowKind.TASK:
                return self.ngettext("task", "tasks", count)
            case RowKind.PROJECT:
                return self.ngettext("project", "projects", count)
            case RowKind.CHECKPOINT:
                return self.ngettext("checkpoint", "checkpoints", count)
            case RowKind.NOTE:
                return self.ngettext("note", "notes", count)
            case RowKind.COMMENT:
                return self.ngettext("comment", "comments", count)
            case None:
                return self.ngettext("thing", "things", count)

    def counted(self, count: int, entity: RowKind) -> str:
        """``2 tasks``."""
        return f"{count} {self.noun(entity, count)}"

    def name(self, title: str) -> str:
        """``title`` in the quotation marks of the language."""
        return self.gettext("“{name}”", name=title)

    def quoted(self, record: Record) -> str:
        return self.name(record.title)

    def line(self, record: Record) -> str:
        """A record in one line: its title and its details."""
        return f"{record.title}{self.details(record)}"

    def lines(self, records: Sequence[Record]) -> str:
        """A list of the first twenty records."""
        return self.bullets([self.line(record) for record in records])

    def bullets(self, lines: Sequence[str], *, limit: int = _MAX_LINES, total: int | None = None) -> str:
        """A list of the first ``limit`` lines, and the number of the rest of ``total``."""
        shown = [f"- {line}" for line in lines[:limit]]
        left = (len(lines) if total is None else total) - len(shown)
        return "\n".join([*shown, *([f"- {self.more(left)}"] if left > 0 else [])])

    def more(self, count: int) -> str:
        """``… and 2 more``."""
        return self.gettext("… and {count} more", count=count)

    def day(self, day: date) -> str:
        """``today``, ``tomorrow``, or ``Fri 27 Nov``, with the year if it is not the present one."""
        if near := _NEAR_DAYS.get((day - self.today).days):
            return self.gettext(near)
        weekdays = self.gettext("Mon Tue Wed Thu Fri Sat Sun").split()
        months = self.gettext("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec").split()
        year = "" if day.year == self.today.year else f" {day.year}"
        return f"{weekdays[day.weekday()]} {day.day} {months[day.month - 1]}{year}"

    def moment(self, moment: Moment) -> str:
        """A day, with the time of day if there is one."""
        at = self.gettext("at {time}", time=f"{moment.at:%H:%M}") if moment.at else ""
        return f"{self.day(moment.day)} {at}".rstrip()

    def instant(self, moment: Moment) -> datetime:
        """``moment`` as an aware time. A day without a time of day becomes its midnight."""
        return datetime.combine(moment.day, moment.at or time.min, self.now.tzinfo)

    def prioritised(self, priority: Priority) -> str:
        """``high priority``."""
        return self.gettext("{priority} priority", priority=self.gettext(PRIORITIES[priority]))

    def details(self, record: Record, *, todo: bool = False) -> str:
        """A record's details in brackets after a space; empty if it has none. ``todo``: include the status “to do”."""
        details: list[str] = []
        if record.status and (todo or record.status is not Status.TODO):
            details.append(self.gettext(STATUSES[record.status]))
        if record.archived:
            details.append(self.gettext("archived"))
        if record.priority and record.priority is not Priority.MEDIUM:
            details.append(self.prioritised(record.priority))
        if record.moment:
            day = self.moment(record.moment)
            details.append(self.gettext("due {day}", day=day) if record.entity is RowKind.TASK else day)
        if record.people and record.entity is RowKind.TASK:
            details.append(self.gettext("for {name}", name=", ".join(record.people)))
        return f" ({', '.join(details)})" if details else ""

    def state(self, project: Record) -> str:
        """A sentence that says whether the project is archived."""
        state = self.gettext("archived") if project.archived else self.gettext("active")
        return capitalised(self.gettext("The project {title} is {state}.", title=self.quoted(project), state=state))


def capitalised(text: str) -> str:
    """``text`` with a capital at the start."""
    return text[:1].upper() + text[1:]
