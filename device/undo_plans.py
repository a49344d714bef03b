"""What an undo is to make of each row: as it was before the changes, unless that is in conflict with later ones."""

import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from device.entries import Entry, RowChange, StoredVector
from device.journal import Journal
from device.store import Store
from device.tables import REFERENCES, Row, TableName, column_of

Key: TypeAlias = tuple[TableName, str]
"""A row's table and id."""

MAX_NAMED: Final = 20
"""How many rows of a table are named as what a row cannot be removed for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """A row that stays as it is, because of what was changed since."""

    table: TableName
    id: str
    now: Row | None
    would_be: Row | None


@dataclass(kw_only=True)
class Plan:
    """A row as it is ``now`` and as it is to be, which is ``state`` in the end."""

    now: Row | None
    state: Row | None
    vector: StoredVector | None = None
    conflicted: bool = False

    @property
    def outcome(self) -> Row | None:
        """The row as it will be."""
        return self.now if self.conflicted else self.state

    def take_back(self, change: RowChange) -> None:
        # It may be as it was before already, as when the user has deleted what was inserted.
        if self.state not in (change.after, change.before):
            self.conflicted = True
        self.state = change.before
        if change.is_about_text:
            self.vector = change.vector

    def conflict(self, key: Key) -> Conflict:
        return Conflict(table=key[0], id=key[1], now=self.now, would_be=self.state)


def planned(store: Store, entries: Sequence[Entry]) -> dict[Key, Plan]:
    """The plan for each row that would be changed by taking back ``entries``; these come the newest first."""
    plans: dict[Key, Plan] = {}
    for entry in entries:
        for change in reversed(entry.changes or ()):
            key = change.table, change.id
            if key not in plans:
                now = store.get(*key)
                plans[key] = Plan(now=now, state=now)
            plans[key].take_back(change)
    return {key: plan for key, plan in plans.items() if plan.now != plan.state}


def keep_references(journal: Journal, plans: MutableMapping[Key, Plan]) -> None:
    """Let no row of ``plans`` go or come back so that one points to a row that is not there: both are in conflict then.

    A row that has no plan yet gets one: it would have to be without what it points to, or to be there.
    """
    # A row that stays as it is may need another one.
    while loose := [each for key, plan in plans.items() if not plan.conflicted for each in _loose(journal, plans, key)]:
        for key, plan in loose:
            plans.setdefault(key, plan).conflicted = True


def _loose(journal: Journal, plans: Mapping[Key, Plan], key: Key) -> Iterator[tuple[Key, Plan]]:
    """The row ``key`` and those that cannot be as planned together with it."""
    plan = plans[key]
    found = list(_users(journal.store, plans, key) if plan.state is None else _missing(journal, plans, key, plan))
    if found:
        yield key, plan
    yield from found


def _users(store: Store, plans: Mapping[Key, Plan], key: Key) -> Iterator[tuple[Key, Plan]]:
    """The rows that would still point to ``key``."""
    for table, (column, target) in REFERENCES.items():
        if target is not key[0]:
            continue
        for other, plan in plans.items():
            if other[0] is table and plan.outcome is not None and plan.outcome[column] == key[1]:
                yield other, plan
        rows = store.pointing_to(key[1], table, column, limit=MAX_NAMED + len(plans))
        others = [row for row in rows if (table, str(row["id"])) not in plans]
        for row in others[:MAX_NAMED]:
            yield (table, str(row["id"])), Plan(now=row, state=_without(table, row, column))


def _without(table: TableName, row: Row, column: str) -> Row | None:
    return {**row, column: None} if column_of(table, column).is_nullable else None


def _missing(journal: Journal, plans: Mapping[Key, Plan], key: Key, plan: Plan) -> Iterator[tuple[Key, Plan]]:
    """The row that ``key`` would point to, if it has been deleted; one that never was is none of the journal's."""
    column, table = REFERENCES[key[0]]
    row_id = None if plan.state is None else plan.state[column]
    if not isinstance(row_id, str) or (plan.now is not None and plan.now[column] == row_id):
        return
    target = table, row_id
    if target in plans:
        if plans[target].outcome is None:
            yield target, plans[target]
    elif journal.store.get(*target) is None and (last := _last_known(journal, target)) is not None:
        yield target, Plan(now=None, state=last)


def _last_known(journal: Journal, key: Key) -> Row | None:
    """The row as it was in the latest entry of the journal that changed it."""
    named = f'"id":{json.dumps(key[1], ensure_ascii=False)}'
    for entry in journal.entries("instr(changes, ?) > 0", (named,)):
        for change in reversed(entry.changes or ()):
            if (change.table, change.id) == key:
                return change.after or change.before
    return None
