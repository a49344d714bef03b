"""Undoing: what entries of the journal changed is put back, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from pydantic import JsonValue

from device.entries import USER, Entry, RowChange, Value
from device.errors import CallRefused
from device.journal import Journal
from device.tables import Row, shown, valid_text
from device.undo_plans import Conflict, keep_references, planned

_FORMS: Final = '{"call": …}, {"request": …}, {"by": …}, {"by": …, "since": …}, {"by": …, "day": …} or {"day": …}'

_LATEST_REQUEST: Final = """requestId = (
    SELECT requestId FROM _journal
    WHERE actor = coalesce(?, actor) AND requestId IS NOT NULL
        AND undoneBy IS NULL AND undoes IS NULL AND changes <> '[]'
    ORDER BY number DESC LIMIT 1
)"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Which:
    """Entries of the journal, as a condition in SQL."""

    where: str
    parameters: Sequence[Value]


@dataclass(frozen=True, kw_only=True, slots=True)
class Undone:
    """What came of an undo. ``id`` names its own entry, if it has one: undoing that does it all again."""

    rows: Sequence[RowChange] = ()
    conflicts: Sequence[Conflict] = ()
    id: str | None = None

    def answer(self) -> dict[str, JsonValue]:
        """It as the answer to a call."""
        return {
            "undo": {
                "undone": [
                    {**_named(row), "effect": effect_of(row), "before": _json(row.before), "after": _json(row.after)}
                    for row in self.rows
                ],
                "conflicts": [
                    {**_named(row), "now": _json(row.now), "would_be": _json(row.would_be)} for row in self.conflicts
                ],
            }
        }


def effect_of(row: RowChange) -> str:
    """What became of a row that was put back: ``restored``, ``removed`` or ``reverted``."""
    if row.before is None:
        return "restored"
    return "removed" if row.after is None else "reverted"


def read_what(what: Row, zone: tzinfo) -> Which:
    """The entries that ``data.what`` of a call names; a day is one in ``zone``. Raises ``CallRefused``."""
    match sorted(what):
        case ["call"]:
            return Which(where="id = ?", parameters=(valid_text(what["call"], "what.call"),))
        case ["request"]:
            return of_request(valid_text(what["request"], "what.request"))
        case ["by"]:
            return of_latest_request(valid_text(what["by"], "what.by"))
        case ["by", "since"]:
            by, since = valid_text(what["by"], "what.by"), what["since"]
            if not isinstance(since, int) or isinstance(since, bool) or abs(since) >= 2**63:
                raise CallRefused(f"what.since must be a whole number of milliseconds, not {shown(since)}.")
            return Which(where="actor = ? AND at >= ?", parameters=(by, since))
        case ["by", "day"]:
            return of_day(_day(what["day"]), zone, by=valid_text(what["by"], "what.by"))
        case ["day"]:
            return of_day(_day(what["day"]), zone)
        case _:
            raise CallRefused(f"what must be one of {_FORMS}, not {shown(dict(what))}.")


def of_latest_request(by: str | None = None) -> Which:
    """The entries of the latest request that changed something and is not undone; only of one ``by`` this one."""
    return Which(where=_LATEST_REQUEST, parameters=(by,))


def of_request(request_id: str) -> Which:
    """The entries of one request."""
    return Which(where="requestId = ?", parameters=(request_id,))


def of_day(day: date, zone: tzinfo, *, by: str | None = None) -> Which:
    """The entries of a day in ``zone``: those ``by`` this agent, tool or program; else all but the user's own."""
    who = "actor <> ?" if by is None else "actor = ?"
    return Which(where=f"{who} AND at >= ? AND at < ?", parameters=(USER if by is None else by, *day_in(day, zone)))


def day_in(day: date, zone: tzinfo) -> tuple[int, int]:
    """The beginning of ``day`` and of the next one in ``zone``, in milliseconds."""
    start = datetime.combine(day, time(), zone)
    # The last day of the calendar has no next one.
    end = (
        datetime.combine(day, time.max, zone)
        if day == date.max
        else datetime.combine(day + timedelta(days=1), time(), zone)
    )
    return round(start.timestamp() * 1000), round(end.timestamp() * 1000)


def undo(journal: Journal, which: Which, *, partial: bool = False) -> Undone:
    """Undo ``which`` entries, in one transaction.

    A row that is not as its change left it is a conflict and stays as it is, and so are both rows where one would point
    to one that is not there. With a conflict nothing is undone, unless ``partial``. An entry that is undone already is
    left out, unless the one that undoes it is undone along with it.
    """
    with journal.entry() as draft:
        entries = _in_effect(journal.entries(which.where, which.parameters))
        plans = planned(journal.store, entries)
        keep_references(journal, plans)
        conflicts = [plan.conflict(key) for key, plan in plans.items() if plan.conflicted]
        if conflicts and not partial:
            return Undone(conflicts=conflicts)
        # In the order of the changes: rows that were deleted together come back in the same order.
        free = [(key, plan) for key, plan in reversed(plans.items()) if not plan.conflicted]
        put = [journal.put(*key, plan.state, plan.vector) for key, plan in free]
        stuck = {(conflict.table, conflict.id) for conflict in conflicts}
        draft.undoes = [
            entry.id
            for entry in entries
            if not any((change.table, change.id) in stuck for change in entry.changes or ())
        ]
        _mark(journal, draft.id, draft.undoes)
        return Undone(rows=put[::-1], conflicts=conflicts, id=draft.id if draft.undoes else None)


def _in_effect(entries: Sequence[Entry]) -> list[Entry]:
    chosen: dict[str, Entry] = {}
    for entry in entries:
        if entry.undone_by is None or entry.undone_by in chosen:
            chosen[entry.id] = entry
    return list(chosen.values())


def _mark(journal: Journal, undo_id: str, undone: Sequence[str]) -> None:
    """Note that ``undo_id`` undoes the entries ``undone``. What these undid themselves is in effect again."""
    run = journal.store.run
    for entry_id in undone:
        run("UPDATE _journal SET undoneBy = ? WHERE id = ?", (undo_id, entry_id))
    for entry_id in undone:
        again = run("UPDATE _journal SET undoneBy = NULL WHERE undoneBy = ? RETURNING *", (entry_id,))
        for entry in map(Entry.of, again):
            _mark(journal, entry.id, entry.undoes)


def _day(value: JsonValue) -> date:
    text = valid_text(value, "what.day")
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise CallRefused(f"what.day must be a day such as 2026-11-24, not {shown(value)}.")
    return day


def _named(row: RowChange | Conflict) -> dict[str, JsonValue]:
    return {"table": row.table.value, "id": row.id}


def _json(row: Row | None) -> dict[str, JsonValue] | None:
    return None if row is None else dict(row)
