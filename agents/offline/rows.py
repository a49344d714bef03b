"""The tools' rows as records, the search for records by their title, and the record in a job's text."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo
from typing import Final

from pydantic import JsonValue

from agents.calls import Row, Rows, Table
from agents.offline.commands import Priority, RowKind, Status, Target
from agents.offline.grammar import grammars
from agents.offline.reading import one_line
from agents.tools.rows import ROW_IN_TEXT, assignees, text

TABLES: Final = {
    RowKind.TASK: Table.TASKS,
    RowKind.PROJECT: Table.PROJECTS,
    RowKind.CHECKPOINT: Table.CHECKPOINTS,
    RowKind.NOTE: Table.NOTES,
    RowKind.COMMENT: Table.TASK_COMMENTS,
}
_TITLES: Final = {RowKind.PROJECT: "name", RowKind.COMMENT: "content"}
_MOMENTS: Final = {RowKind.TASK: "dueDate", RowKind.CHECKPOINT: "date"}
_TEXTS: Final = ("content", "body", "description", "aiSummary")
_DATED: Final = re.compile(r"(?:due )?(?:[A-Z][a-z]{2} )?\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?")
_WEEKDAY: Final = re.compile(r"^[A-Z][a-z]{2} ")
_ID: Final = re.compile(r" ?\[id [^\]]*\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A day, optionally with a time of day."""

    day: date
    at: time | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One row. ``made`` is the time of its creation.

    ``moment`` is a task's due date or a checkpoint's date. For a note or a comment it is ``made``, and a project has
    none. ``text`` is a note's text, a task's description or a project's summary.
    """

    entity: RowKind
    id: str
    title: str
    status: Status | None = None
    archived: bool = False
    priority: Priority | None = None
    moment: Moment | None = None
    made: Moment | None = None
    project_id: str | None = None
    people: tuple[str, ...] = ()
    text: str = ""

    def is_for(self, name: str) -> bool:
        """Whether ``name`` is the whole name of one of its people, or a part of it."""
        return any(is_name_of(name, person) for person in self.people)


def is_name_of(name: str, person: str) -> bool:
    """Whether ``name`` is the person's whole name, or a part of it."""
    return name.casefold() in {person.casefold(), *person.casefold().split()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The records of a listing. ``total`` includes those that the tool left out. If ``uncounted``, it is a minimum."""

    records: tuple[Record, ...] = ()
    total: int = 0
    uncounted: bool = False


def read_listing(entity: RowKind, rows: Rows, timezone: tzinfo | None) -> Listing:
    """The records of ``rows``."""
    records = tuple(read_record(entity, row, timezone) for row in rows.rows)
    return Listing(records=records, total=len(records) + rows.omitted, uncounted=rows.uncounted)


def read_record(entity: RowKind, row: Row, timezone: tzinfo | None) -> Record:
    """The client's ``row``. Rows are untrusted: values of a wrong type are ignored."""
    status, priority = text(row, "status"), text(row, "priority")
    people = [text(row, "author")] if entity is RowKind.COMMENT else assignees(row)
    made = _moment(row.get("createdAt"), timezone)
    own_date = _MOMENTS.get(entity)
    return Record(
        entity=entity,
        id=text(row, "id"),
        title=text(row, _TITLES.get(entity, "title")),
        status=Status(status) if status in set(Status) else None,
        archived=status == "archived",
        priority=Priority(priority) if priority in set(Priority) else None,
        moment=_moment(row.get(own_date), timezone) if own_date else None if entity is RowKind.PROJECT else made,
        made=made,
        project_id=text(row, "projectId") or None,
        people=tuple(name for name in people if name),
        text=next(filter(None, (text(row, column).strip() for column in _TEXTS)), ""),
    )


def record_in(entity: RowKind, outcome: str) -> Record | None:
    """The record in the first line of a job's ``outcome``, which is a text without rows."""
    match = ROW_IN_TEXT.search(outcome.partition("\n")[0])
    if match is None:
        return None
    record = Record(entity=entity, id=match[3], title=json.loads(match[1]))
    for fact in (match[2] or "").split(", "):
        if fact.removesuffix(" priority") in set(Priority):
            record = replace(record, priority=Priority(fact.removesuffix(" priority")))
        elif record.moment is None and _DATED.fullmatch(fact):
            record = replace(record, moment=_moment_in(_WEEKDAY.sub("", fact.removeprefix("due "))))
    return record


def without_ids(sentence: str) -> str:
    """A tool's sentence for the user, without ids."""
    return _ID.sub("", sentence).strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class TitleMatch:
    """The records that match a name best; ``exact`` if it is their whole title."""

    records: tuple[Record, ...]
    exact: bool


def best_match(records: Iterable[Record], target: Target) -> TitleMatch:
    """The records whose title is the name, or else those that contain it, or else those with all its words.

    Finally, small words such as articles are ignored: “the note about the bakery” can mean “Kick-off with the bakery”.
    """
    candidates = tuple(records)
    name, words = _plain(target.name), _plain(target.name).split()
    content_words = set(words).difference(*(each.small for each in grammars()))
    exactly: tuple[Callable[[Record], bool], ...] = (
        lambda record: record.title == target.literal,
        lambda record: record.title.casefold() == target.literal.casefold(),
        lambda record: one_line(record.title.casefold()) == one_line(target.literal.casefold()),
        lambda record: one_line(record.title.casefold()) == one_line(target.name.casefold()),
        lambda record: bool(name) and _plain(record.title) in {name, _plain(target.literal)},
    )
    partly: tuple[Callable[[Record], bool], ...] = (
        lambda record: bool(name) and f" {name}" in f" {_plain(record.title)}",
        lambda record: bool(name) and name in _plain(record.title),
        lambda record: bool(words) and set(words) <= set(_plain(record.title).split()),
        lambda record: bool(content_words) and content_words <= set(_plain(record.title).split()),
    )
    for tests, exact in ((exactly, True), (partly, False)):
        for test in tests:
            if found := tuple(record for record in candidates if test(record)):
                return TitleMatch(records=found, exact=exact)
    return TitleMatch(records=(), exact=False)


def _moment(at_ms: JsonValue, timezone: tzinfo | None) -> Moment | None:
    """``at_ms`` in the user's time zone. Midnight is a day without a time."""
    if not isinstance(at_ms, int | float) or isinstance(at_ms, bool):
        return None
    try:
        moment = datetime.fromtimestamp(at_ms / 1000, timezone)
    except (ValueError, OverflowError, OSError):
        return None
    has_time = (moment.hour, moment.minute) != (0, 0)
    return Moment(day=moment.date(), at=time(moment.hour, moment.minute) if has_time else None)


def _moment_in(fact: str) -> Moment | None:
    try:
        moment = datetime.fromisoformat(fact)
    except ValueError:
        return None
    return Moment(day=moment.date(), at=moment.time() if " " in fact else None)


def _plain(title: str) -> str:
    """The words of ``title``, with letters and digits only."""
    return " ".join("".join(mark if mark.isalnum() else " " for mark in title.casefold()).split())
