"""What tools answered, read back as rows.

Read leniently: what is not told is absent, and facts that are not known are passed over.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time

from agents.offline.commands import Entity, Priority, Status
from agents.tools.wording import Item, read_items

_STATUSES = {"todo": Status.TODO, "to do": Status.TODO, "in progress": Status.IN_PROGRESS, "done": Status.DONE}
_FOUND = re.compile(r"Found (?:no|(?P<count>\d+)) \w")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}))?")
_ID = re.compile(r" ?\[id [^\]]*\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A day, with a time of day where it matters."""

    day: date
    at: time | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row. ``moment`` is a task's due date, a checkpoint's date, and of the others when they were made."""

    entity: Entity
    id: str
    title: str
    status: Status | None = None
    archived: bool = False
    priority: Priority | None = None
    moment: Moment | None = None
    project_id: str | None = None
    people: tuple[str, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rows:
    """The rows of a listing; ``total`` counts those too that were not told."""

    rows: tuple[Row, ...]
    total: int


def read_rows(entity: Entity, text: str) -> Rows | None:
    """The rows a listing tells; None when ``text`` is no listing but says what went wrong."""
    found = _FOUND.match(text)
    if found is None:
        return None
    rows: list[Row] = []
    # Only line breaks end a line of a listing: titles may hold other separators.
    for line in text.split("\n"):
        if line.startswith("- "):
            rows.extend(_row(entity, item) for item in read_items(line)[:1])
        elif rows and line.startswith("  "):
            rows[-1] = replace(rows[-1], excerpt=line.strip())
    return Rows(rows=tuple(rows), total=max(int(found["count"] or 0), len(rows)))


def read_row(entity: Entity, text: str) -> Row | None:
    """The row that a confirmation, or the first line of a detailed answer, tells."""
    items = read_items(text.partition("\n")[0])
    return _row(entity, items[0]) if items else None


def without_ids(sentence: str) -> str:
    """A tool's sentence as a person may read it."""
    return _ID.sub("", sentence).strip()


def _row(entity: Entity, item: Item) -> Row:
    row = Row(entity=entity, id=item.id, title=item.title)
    for fact in item.facts:
        row = _with_fact(row, fact)
    return row


def _with_fact(row: Row, fact: str) -> Row:
    kind, _, rest = fact.partition(" ")
    if status := _STATUSES.get(fact):
        return replace(row, status=status)
    if fact == "archived":
        return replace(row, archived=True)
    if rest == "priority" and kind in set(Priority):
        return replace(row, priority=Priority(kind))
    if kind == "project" and rest:
        return replace(row, project_id=rest)
    if kind in {"for", "by"} and rest:
        return replace(row, people=tuple(rest.split(" & ")))
    if row.moment is None and (moment := _moment(rest if kind in {"due", "created"} else fact)):
        return replace(row, moment=moment)
    return row


def _moment(text: str) -> Moment | None:
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(match[0])
    except ValueError:
        return None
    return Moment(day=moment.date(), at=moment.time() if match[2] else None)
