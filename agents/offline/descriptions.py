"""Rows in words: ``2 open tasks due today in the project “Website”``."""

from datetime import date

from agents.offline.commands import OPEN, Entity, Filter, Status
from agents.offline.dates import When
from agents.offline.desk import Desk
from agents.offline.phrases import Phrases

_DONE = frozenset({Status.DONE})


def described(desk: Desk, entity: Entity, where: Filter, count: int) -> str:
    """What ``where`` asks for, in the number of ``count``."""
    phrases = desk.phrases
    number = 0 if count == 1 else 1
    noun = phrases.noun(entity)
    words = phrases.described.format(
        noun=noun.one if count == 1 else noun.many,
        open=_open(phrases, where, number),
        overdue=phrases.overdue[number] if where.overdue else "",
        status=_status(phrases, where, number),
        priority=phrases.with_priority.format(priority=phrases.prioritised(where.priority)) if where.priority else "",
        when=_when(phrases, entity, where, desk.today),
        project=phrases.in_project.format(name=phrases.quoted(where.project)) if where.project else "",
        person=phrases.for_person.format(name=where.assignee) if where.assignee else "",
        words=phrases.with_words.format(name=phrases.quoted(where.words)) if where.words else "",
    )
    return " ".join(words.split())


def _open(phrases: Phrases, where: Filter, number: int) -> str:
    """Open or done, the states that have an adjective; what is overdue is open anyway."""
    if where.statuses == OPEN and not where.overdue:
        return phrases.open[number]
    return phrases.done[number] if where.statuses == _DONE else ""


def _status(phrases: Phrases, where: Filter, number: int) -> str:
    """The other states, said behind the noun."""
    statuses = where.statuses or OPEN
    if statuses in (_DONE, OPEN):
        return ""
    return " + ".join(phrases.status_adjectives[status][number] for status in sorted(statuses))


def _when(phrases: Phrases, entity: Entity, where: Filter, today: date) -> str:
    if where.undated:
        return phrases.undated
    if where.due is None:
        return ""
    said = _span(phrases, where.due, today)
    return phrases.falling_due.format(day=said) if entity is Entity.TASK else phrases.dated_rows.format(day=said)


def _span(phrases: Phrases, when: When, today: date) -> str:
    first, last = phrases.day(when.first, today), phrases.day(when.last, today)
    return first if when.first == when.last else phrases.between.format(first=first, last=last)
