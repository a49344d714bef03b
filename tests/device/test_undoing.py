"""Undoing, compared with a simple model: for changes by anybody, and a device that is cut off at any moment."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from device.entries import StoredVector
from device.executor import Executor
from device.journal import Journal
from device.store import Store
from device.tables import TableName
from device.undoing import of_day, of_request, undo
from tests.costs import coverage_paused
from tests.device.clocks import ManualClock, SequentialIds
from tests.effort import tries

Key: TypeAlias = tuple[TableName, str]
State: TypeAlias = dict[Key, Any]
"""The rows; of notes, with their vectors."""

_TABLES = (TableName.PROJECTS, TableName.TASKS, TableName.TASK_COMMENTS, TableName.NOTES)
_INSERTED = (*_TABLES, TableName.NOTES)
_TEXTS = ("Roof", "", "naïve 😀\u0000", "Roof")


@dataclass
class Logged:
    """What the model knows of an entry: each row before and after, as the tables had them."""

    id: str
    by: str
    request: str | None
    changes: dict[Key, tuple[Any, Any]]
    undoes: Sequence[str] = ()
    undone_by: str | None = None


@dataclass
class Model:
    """A list of entries, the oldest first."""

    entries: list[Logged] = field(default_factory=list)

    def add(self, entry: Logged) -> None:
        """Add an entry; what it undoes is undone, and what that had undone is in effect again."""
        if entry.changes or entry.undoes:
            self.entries.append(entry)
            self._mark(entry)

    def _mark(self, undo: Logged) -> None:
        for entry in self.entries:
            if entry.id in undo.undoes:
                entry.undone_by = undo.id
        for entry_id in undo.undoes:
            for entry in self.entries:
                if entry.undone_by == entry_id:
                    entry.undone_by = None
                    self._mark(entry)

    def undone(self, what: Mapping[str, Any], now: State, *, partial: bool) -> tuple[State, list[Key], list[str]]:
        """The rows after an undo, the conflicts, and the entries that are undone."""
        chosen: list[Logged] = []
        for entry in reversed(self.entries):
            named = all(getattr(entry, "id" if name == "call" else name) == value for name, value in what.items())
            if named and entry.undone_by in (None, *(each.id for each in chosen)):
                chosen.append(entry)
        after, changed_since = dict(now), set[Key]()
        for entry in chosen:
            for key, (before, left) in entry.changes.items():
                row = _row(after.get(key))
                if row not in (_row(left), _row(before)):
                    changed_since.add(key)
                after[key] = _put_back(before, left, after.get(key))
        # What is as it would be is no conflict, and keeps the vector that it has.
        after = {key: now.get(key) if _row(now.get(key)) == _row(after[key]) else after[key] for key in after}
        after = {key: _kept(after[key], now.get(key)) for key in after}
        conflicts = {key for key in changed_since if after[key] != now.get(key)}
        while loose := self._loose({**after, **{key: now.get(key) for key in conflicts}}, now):
            conflicts |= loose
        if conflicts and not partial:
            return now, [*conflicts], []
        for key in conflicts:
            after[key] = now.get(key)
        ids = [entry.id for entry in chosen if not set(entry.changes) & set(conflicts)]
        return {key: value for key, value in after.items() if value is not None}, [*conflicts], ids

    def _loose(self, after: Mapping[Key, Any], now: State) -> set[Key]:
        """The rows that would point to one that is not there, as they do not now, and what they would point to."""
        known = {*now, *(key for entry in self.entries for key in entry.changes)}
        loose = set[Key]()
        for key, value in after.items():
            target = _target(key, value)
            is_missing = target in known and after.get(target) is None
            if target is not None and is_missing and (target in now or _target(key, now.get(key)) != target):
                loose |= {key, target}
        return loose


def _target(key: Key, value: Any) -> Key | None:
    """The row that a row points to."""
    name, table = {
        TableName.TASK_COMMENTS: ("taskId", TableName.TASKS),
        TableName.PROJECTS: ("clientId", TableName.CLIENTS),
    }.get(key[0], ("projectId", TableName.PROJECTS))
    return None if value is None or value[0][name] is None else (table, value[0][name])


def _row(value: Any) -> Any:
    return None if value is None else value[0]


def _text(value: Any) -> Any:
    return None if value is None else value[0].get("content")


def _put_back(before: Any, left: Any, current: Any) -> Any:
    """``before``; a note whose text the change did not touch keeps the vector of its text."""
    if before is None or _text(before) != _text(left):
        return before
    return before[0], None if current is None else current[1]


def _kept(after: Any, now: Any) -> Any:
    """``after``; a note whose text is the same as now has the same vector, in the project of the note."""
    if after is None or now is None or _text(after) != _text(now) or now[1] is None:
        return after
    vector = now[1]
    moved = StoredVector(project_id=after[0]["projectId"], content=vector.content, vector=vector.vector)
    return after[0], moved if after[0]["projectId"] != now[0]["projectId"] else vector


def _state(store: Store) -> State:
    return {
        (table, str(row["id"])): (row, store.vector(str(row["id"])) if table is TableName.NOTES else None)
        for table in _TABLES
        for row in store.select(table, {})
    }


class Device:
    """A device whose file is closed, copied and opened again at any time, beside the model."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ids, self._clock, self._copies = SequentialIds(), ManualClock(), 0
        self.model = Model()
        self.calls = 0
        self._open(folder / "0.sqlite3")

    def _open(self, path: Path) -> None:
        self._path = path
        self.store = Store(path, clock=self._clock, new_id=self._ids, zone=UTC)
        self.store.run("PRAGMA synchronous = OFF")  # the machine itself is not cut off
        self.executor = Executor(self.store)

    def reopen(self) -> None:
        self.store.close()
        self._open(self._path)

    def kill(self) -> None:
        """Go on with the files as they are, without closing them."""
        self._copies += 1
        path = self._folder / f"{self._copies}.sqlite3"
        for suffix in ("", "-wal"):
            if (file := Path(f"{self._path}{suffix}")).exists():
                shutil.copy(file, f"{path}{suffix}")
        self.store.close()
        self._open(path)

    def call(self, action: str, **fields: Any) -> dict[str, Any]:
        """Make a call, and compare what came of it with the model."""
        self.calls += 1
        self._clock.now += 1
        call = {"id": f"c{self.calls}", "action": action, **fields}
        before = _state(self.store)
        answer = self.executor.execute(call)
        after = _state(self.store)
        # It comes again: after a lost answer, and after a refusal because of its size.
        assert self.executor.execute(call, max_bytes=0) == answer
        assert _state(self.store) == after
        if action != "undo":
            self.model.add(Logged(call["id"], fields.get("by", ""), fields.get("request_id"), _changes(before, after)))
        return answer

    def refused(self, **fields: Any) -> None:
        """Make a call whose answer is too large, so that what it did is taken back."""
        before = _state(self.store)
        assert "error" in self.executor.execute({"id": "too large", **fields}, max_bytes=0)
        assert _state(self.store) == before

    def undo(self, what: Mapping[str, str], *, partial: bool) -> None:
        before = _state(self.store)
        expected, conflicts, ids = self.model.undone(what, before, partial=partial)
        named = {"by": what["by"], "since": 0} if "by" in what else what
        answer = self.call("undo", data={"what": named, "partial": partial}, by="undoer")["undo"]
        assert _state(self.store) == expected
        assert sorted((row["table"], row["id"]) for row in answer["conflicts"]) == sorted(conflicts)
        told = {(row["table"], row["id"]): (row["before"], row["after"]) for row in answer["undone"]}
        changed = {key: (before.get(key), expected.get(key)) for key in before.keys() | expected.keys()}
        assert told == {key: (_row(one), _row(two)) for key, (one, two) in changed.items() if _row(one) != _row(two)}
        undone = _changes(before, expected)
        self.model.add(Logged(f"c{self.calls}", "undoer", None, undone, undoes=ids))


def _changes(before: State, after: State) -> dict[Key, tuple[Any, Any]]:
    keys = sorted(before.keys() | after.keys())
    return {key: (before.get(key), after.get(key)) for key in keys if _row(before.get(key)) != _row(after.get(key))}


_STEPS = st.tuples(
    st.sampled_from(
        [*("insert", "update", "delete", "vector", "hand") * 2, *("undo",) * 6, "insert", "kill", "reopen", "refused"]
    ),
    *(st.integers(0, 11) for _ in range(3)),
)


def _take(device: Device, kind: str, first: int, second: int, third: int) -> None:
    rows = sorted(_state(device.store))
    table, row_id = rows[first % len(rows)] if rows else (TableName.TASKS, "nobody")
    told = {"by": f"agent {third % 2}", "request_id": f"r{second % 3}"}
    updates = _updates(rows, table, second, third)
    match kind:
        case "insert":
            table = _INSERTED[first % len(_INSERTED)]
            device.call("insert", table=table, data={**_NEEDED[table], **_updates(rows, table, second, third)}, **told)
        case "update":
            device.call("update", table=table, data={"id": row_id, "updates": updates}, **told)
        case "delete":
            device.call("delete", table=table, data={"id": row_id}, **told)
        case "vector":
            notes = device.store.select(TableName.NOTES, {})
            for row in notes[first % max(1, len(notes)) :][:1]:
                data = {name: row[name] for name in ("id", "projectId", "content")}
                device.call("vector_upsert", table=TableName.NOTES, data=data, vector=[1.0, float(third)], **told)
        case "hand":
            _by_hand(device, table, row_id, updates, third)
        case "undo":
            device.undo(_what(device, first, second), partial=third > 6)
        case "kill":
            device.kill()
        case "reopen":
            device.reopen()
        case _:
            device.refused(action="update", table=table, data={"id": row_id, "updates": updates})


def _what(device: Device, first: int, second: int) -> Mapping[str, str]:
    """One entry, a recent one more often than not; those of a request, an agent or the user."""
    entries = device.model.entries
    match first:
        case 0 | 1:
            return {"request": f"r{second % 3}"}
        case 2 | 3:
            return {"by": ("agent 0", "agent 1", "undoer", "user")[second % 4]}
        case _:
            return {"call": entries[-1 - second % min(len(entries), first)].id if entries else "nobody"}


_NEEDED: Mapping[TableName, Mapping[str, Any]] = {
    TableName.PROJECTS: {"name": "House"},
    TableName.TASKS: {"title": "Roof"},
    TableName.TASK_COMMENTS: {"taskId": "t", "author": "Anna", "content": "Fine."},
    TableName.NOTES: {"title": "Ideas"},
}


def _updates(rows: Sequence[Key], table: TableName, second: int, third: int) -> dict[str, Any]:
    """Half of them are about what the row points to: one of ``rows``, or one that never was."""
    if table is TableName.PROJECTS:
        return {"name": f"House {third % 3}"}
    target = TableName.TASKS if table is TableName.TASK_COMMENTS else TableName.PROJECTS
    there = [row_id for name, row_id in rows if name is target]
    if table is TableName.TASK_COMMENTS:
        return {"taskId": [*there, "t"][third % (len(there) + 1)]} if second % 2 else {"content": f"text {third % 3}"}
    project = [*there, None, "p"][third % (len(there) + 2)]
    if second % 2:
        return {"projectId": project}
    if table is TableName.NOTES:
        return {"projectId": project, "content": _TEXTS[third % 4]}
    return {"dueDate": 2**62 + third % 2, "description": _TEXTS[third % 4]}


def _by_hand(device: Device, table: TableName, row_id: str, updates: Mapping[str, Any], third: int) -> None:
    """An update, or a row with all comments deleted at once."""
    before, journal = _state(device.store), device.executor.journal
    with journal.entry() as draft:
        if third % 3:
            journal.update(table, row_id, updates)
        else:
            journal.delete(table, row_id)
            for comment in device.store.select(TableName.TASK_COMMENTS, {}):
                journal.delete(TableName.TASK_COMMENTS, str(comment["id"]))
    device.model.add(Logged(draft.id, "user", None, _changes(before, _state(device.store))))


@settings(max_examples=tries(40, long=1000), deadline=None)
@given(steps=st.lists(_STEPS, min_size=8, max_size=30))
def test_undo_does_what_a_simple_model_of_the_journal_says(steps: list[tuple[str, int, int, int]]) -> None:
    """Rows, comments and vectors are byte for byte as the model says, or the conflict is named and nothing changes."""
    with coverage_paused(), TemporaryDirectory() as folder:
        device = Device(Path(folder))
        try:
            for step in steps:
                _take(device, *step)
        finally:
            device.store.close()


@pytest.fixture
def roman(data_file: Path, clock: ManualClock) -> Iterator[Store]:
    with closing(Store(data_file, clock=clock, new_id=SequentialIds(), zone=ZoneInfo("Europe/Rome"))) as store:
        yield store


def _insert(executor: Executor, call_id: str, title: str) -> None:
    executor.execute({"id": call_id, "request_id": "r", "action": "insert", "table": "tasks", "data": {"title": title}})


def test_a_day_is_one_of_the_devices_calendar(roman: Store, clock: ManualClock) -> None:
    executor = Executor(roman)
    clock.now = 1_774_738_800_000  # 29 March 2026 in Rome, whose day has 23 hours
    for number, hours in enumerate((-0.001, 0, 22.999, 23)):
        data: JsonValue = {"name": f"client {number}"}
        clock.now += round(hours * 3_600_000)
        executor.execute({"id": f"c{number}", "action": "insert", "table": "clients", "data": data})
        clock.now = 1_774_738_800_000
    undone = undo(Journal(roman), of_day(date(2026, 3, 29), roman.zone))
    assert sorted(str((row.before or {})["name"]) for row in undone.rows) == ["client 1", "client 2"]


def test_of_many_rows_that_keep_a_project_some_are_named(store: Store) -> None:
    executor = Executor(store)
    executor.execute({"id": "p", "request_id": "r", "action": "insert", "table": "projects", "data": {"name": "House"}})
    [house] = store.select(TableName.PROJECTS, {})
    for number in range(25):
        executor.journal.insert(TableName.TASKS, {"title": f"task {number}", "projectId": house["id"]})
    undone = undo(executor.journal, of_request("r"))
    named = [(each.now or {}).get("title") for each in undone.conflicts]
    assert named == [None, *(f"task {number}" for number in range(20))]
    assert store.get(TableName.PROJECTS, str(house["id"])) == house


def test_an_undo_by_the_user_is_in_the_journal_as_theirs(store: Store) -> None:
    executor = Executor(store)
    _insert(executor, "c1", "Roof")
    journal = executor.journal
    first = undo(journal, of_request("r"))
    again = undo(journal, of_request("r"))
    assert (len(first.rows), len(again.rows), again.id) == (1, 0, None)
    assert [(entry.by, entry.undoes, entry.undone_by) for entry in journal.entries("true")] == [
        ("user", ("c1",), None),
        ("assistant", (), first.id),
    ]


def test_an_undo_that_fails_in_the_middle_changes_nothing(store: Store) -> None:
    executor = Executor(store)
    for number in range(2):
        _insert(executor, f"c{number}", f"task {number}")
    before = store.select(TableName.TASKS, {})
    store.run("CREATE TRIGGER full BEFORE INSERT ON _journal BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    assert executor.execute({"id": "u", "action": "undo", "data": {"what": {"request": "r"}}}) == {
        "error": "The device's database could not do it: the disk is full."
    }
    assert store.select(TableName.TASKS, {}) == before
    assert [entry.undone_by for entry in executor.journal.entries("true")] == [None, None]


def test_rows_deleted_for_one_request_come_back_in_the_same_order(store: Store) -> None:
    executor = Executor(store)
    titles = [f"task {number}" for number in range(3)]
    for title in titles:
        executor.journal.insert(TableName.TASKS, {"title": title})
    for row in store.select(TableName.TASKS, {}):
        data: JsonValue = {"id": str(row["id"])}
        call_id = f"d{row['id']}"
        executor.execute({"id": call_id, "request_id": "r", "action": "delete", "table": "tasks", "data": data})
    assert store.select(TableName.TASKS, {}) == []
    undo(executor.journal, of_request("r"))
    assert [row["title"] for row in store.select(TableName.TASKS, {})] == titles


def test_the_changes_of_an_entry_read_back(store: Store) -> None:
    journal = Journal(store)
    note = journal.insert(TableName.NOTES, {"title": "Ideas", "content": "naïve 😀\u0000"})
    vector = StoredVector(project_id=None, content="naïve", vector=b"\x00\xff\x80")
    store.put_vector(str(note["id"]), vector)
    journal.delete(TableName.NOTES, str(note["id"]))
    [deleted, _] = journal.entries("true")
    assert [change.vector for change in deleted.changes or ()] == [vector]
    stored = store.run("SELECT changes FROM _journal ORDER BY number DESC")[0]["changes"]
    assert json.loads(str(stored)) == [
        {
            "table": "notes",
            "id": note["id"],
            "before": note,
            "after": None,
            "vector": {"projectId": None, "content": "naïve", "vector": "AP+A"},
        }
    ]
