"""The data file: what it accepts, what it creates itself, and what it survives."""

import re
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from device.errors import CallRefused, StoreUnusable
from device.executor import Executor
from device.store import Store, new_uuid, now_ms
from device.tables import TABLES, Row, TableName
from device.vectors import Vectors
from tests.device.clocks import ManualClock, SequentialIds, uuid_of

# The table in the protocol page, read from the page itself.
_PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"
_NEEDED: dict[TableName, Row] = {
    TableName.TASKS: {"title": "Buy milk"},
    TableName.PROJECTS: {"name": "House"},
    TableName.CHECKPOINTS: {"projectId": "p", "title": "Roof", "date": 5},
    TableName.NOTES: {"title": "Ideas"},
    TableName.TASK_COMMENTS: {"taskId": "t", "author": "Anna", "content": "Fine."},
    TableName.CLIENTS: {"name": "Bakery"},
}


@pytest.mark.contracts
def test_tables_have_the_columns_of_the_protocol(store: Store) -> None:
    section = _PROTOCOL.read_text(encoding="utf-8").split("### The client's tables")[1].split("\n## ")[0]
    documented = {
        name: re.sub(r" \([^)]*\)", "", columns).split(", ")
        for name, columns in re.findall(r"^\| `(\w+)` \| (.+?) \|$", section, re.MULTILINE)
    }
    made = {table: [row["name"] for row in store.run(f"PRAGMA table_info({table})")] for table in TableName}
    assert made == documented


def test_insert_gives_id_times_and_defaults(store: Store, clock: ManualClock) -> None:
    assert store.insert(TableName.TASKS, {"title": "Buy milk", "dueDate": 7}) == {
        "id": uuid_of(2),  # the first one is the device's
        "projectId": None,
        "title": "Buy milk",
        "description": None,
        "status": "todo",
        "priority": "medium",
        "assignee": None,
        "dueDate": 7,
        "isAiSuggested": 0,
        "isApproved": 1,
        "createdAt": clock.now,
    }


def test_insert_gives_a_note_its_time_of_change(store: Store, clock: ManualClock) -> None:
    note = store.insert(TableName.NOTES, {"title": "Ideas"})
    assert (note["content"], note["createdAt"], note["updatedAt"]) == ("", clock.now, clock.now)


@pytest.mark.parametrize("table", TableName)
def test_insert_needs_every_required_column(store: Store, table: TableName) -> None:
    needed = _NEEDED[table]
    store.insert(table, needed)
    for column in TABLES[table]:
        if column.required and not column.made_here:
            without = {name: value for name, value in needed.items() if name != column.name}
            with pytest.raises(CallRefused, match=f"^{table} need a {column.name}.$"):
                store.insert(table, without)
            with pytest.raises(CallRefused, match=f"^{column.name} must not be null.$"):
                store.insert(table, {**needed, column.name: None})
    assert store.counts()[table] == 1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"colour": "red"}, 'tasks has no column "colour".'),
        ({"id": "mine"}, "id is made by the device and cannot be given."),
        ({"createdAt": 1}, "createdAt is made by the device and cannot be given."),
        ({"status": "open"}, 'status must be one of todo, in_progress, done, not "open".'),
        ({"status": None}, "status must not be null."),
        ({"priority": "urgent"}, 'priority must be one of high, medium, low, not "urgent".'),
        ({"title": "  "}, "title must not be empty."),
        ({"title": 3}, "title must be text, not 3."),
        ({"title": "\ud83d"}, "title holds half a surrogate pair, which is no character."),
        ({"dueDate": "2026-01-01"}, 'dueDate must be a whole number of milliseconds, not "2026-01-01".'),
        ({"dueDate": 1.5}, "dueDate must be a whole number of milliseconds, not 1.5."),
        ({"dueDate": True}, "dueDate must be a whole number of milliseconds, not true."),
        ({"dueDate": 2**63}, "dueDate must be a whole number of milliseconds, not 9223372036854775808."),
        ({"isApproved": 2}, "isApproved must be 0 or 1, not 2."),
        ({"assignee": "Anna"}, 'assignee must be a JSON array of names, as a string, not "Anna".'),
        ({"assignee": "[1]"}, 'assignee must be a JSON array of names, as a string, not "[1]".'),
        ({"title": {"a": "b" * 100}}, 'title must be text, not {"a": "' + "b" * 53 + "…."),
    ],
)
def test_insert_refuses_what_a_column_cannot_hold(store: Store, given: Row, sentence: str) -> None:
    with pytest.raises(CallRefused) as refused:
        store.insert(TableName.TASKS, {"title": "Buy milk", **given})
    assert str(refused.value) == sentence
    assert store.counts()[TableName.TASKS] == 0


def test_update_changes_only_what_is_given_and_null_clears(store: Store) -> None:
    task = store.insert(TableName.TASKS, {"title": "Buy milk", "dueDate": 7, "description": "two"})
    changed = store.update(TableName.TASKS, str(task["id"]), {"dueDate": None, "status": "done"})
    assert changed == {**task, "dueDate": None, "status": "done"}
    assert store.get(TableName.TASKS, str(task["id"])) == changed


def test_update_of_a_note_moves_its_time_of_change_and_its_vector(store: Store, clock: ManualClock) -> None:
    note = store.insert(TableName.NOTES, {"title": "Ideas"})
    note_id = str(note["id"])
    Vectors(store).upsert(note_id, [1.0], project_id=None, content="")
    clock.now += 5
    assert store.update(TableName.NOTES, note_id, {"projectId": "p"}) == {
        **note,
        "projectId": "p",
        "updatedAt": clock.now,
    }
    assert [hit.id for hit in Vectors(store).nearest([1.0], project_id="p")] == [note_id]


def test_update_of_an_absent_row_changes_nothing(store: Store) -> None:
    assert store.update(TableName.TASKS, "nowhere", {"title": "Buy milk"}) is None
    assert store.counts()[TableName.TASKS] == 0


@pytest.mark.parametrize(
    ("updates", "sentence"),
    [
        ({}, "updates must name at least one column."),
        ({"title": None}, "title must not be null."),
        ({"status": None}, "status must not be null."),
        ({"colour": "red"}, 'tasks has no column "colour".'),
        ({"createdAt": 5}, "createdAt is made by the device and cannot be given."),
    ],
)
def test_update_refuses_what_a_column_cannot_hold(store: Store, updates: Row, sentence: str) -> None:
    task = store.insert(TableName.TASKS, {"title": "Buy milk"})
    with pytest.raises(CallRefused) as refused:
        store.update(TableName.TASKS, str(task["id"]), updates)
    assert str(refused.value) == sentence
    assert store.get(TableName.TASKS, str(task["id"])) == task


def test_delete_says_whether_there_was_a_row(store: Store) -> None:
    task = store.insert(TableName.TASKS, {"title": "Buy milk"})
    assert store.delete(TableName.TASKS, str(task["id"])) is True
    assert store.delete(TableName.TASKS, str(task["id"])) is False


def test_delete_of_a_note_takes_its_vector_along(store: Store) -> None:
    kept, gone = (str(store.insert(TableName.NOTES, {"title": title})["id"]) for title in ("kept", "gone"))
    for note_id in (kept, gone):
        Vectors(store).upsert(note_id, [1.0], project_id=None, content="")
    store.delete(TableName.NOTES, gone)
    assert [hit.id for hit in Vectors(store).nearest([1.0])] == [kept]


def test_transaction_that_fails_leaves_nothing(store: Store) -> None:
    def fail_after_insert() -> None:
        with store.transaction():
            store.insert(TableName.TASKS, {"title": "Buy milk"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_insert()
    assert store.counts()[TableName.TASKS] == 0


def test_transaction_that_cannot_be_committed_leaves_the_store_usable(store: Store) -> None:
    store.run("CREATE TABLE parents (id INTEGER PRIMARY KEY)")
    store.run("CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)")
    store.run("PRAGMA foreign_keys = ON")

    def insert_orphan() -> None:
        with store.transaction():
            store.run("INSERT INTO children VALUES (1)")

    with pytest.raises(sqlite3.IntegrityError):
        insert_orphan()
    store.insert(TableName.TASKS, {"title": "Buy milk"})
    assert store.run("SELECT count(*) AS n FROM children") == [{"n": 0}]


def test_store_serves_many_threads_at_once(store: Store) -> None:
    ready = threading.Barrier(8)

    def insert_some() -> None:
        ready.wait(timeout=10)
        for number in range(20):
            with store.transaction():
                store.insert(TableName.TASKS, {"title": f"task {number}"})

    threads = [threading.Thread(target=insert_some) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert store.counts()[TableName.TASKS] == 160


def test_store_opened_again_is_the_same_device_with_the_same_rows(data_file: Path) -> None:
    with closing(Store(data_file)) as store:
        assert store.is_new
        device_id = store.device_id
        task = store.insert(TableName.TASKS, {"title": "Buy milk"})
    with closing(Store(data_file)) as again:
        assert not again.is_new
        assert again.device_id == device_id
        assert again.select(TableName.TASKS, {}) == [task]


def test_store_open_twice_shows_the_rows_of_the_other(data_file: Path) -> None:
    with closing(Store(data_file)) as one, closing(Store(data_file)) as other:
        task = one.insert(TableName.TASKS, {"title": "Buy milk"})
        assert other.select(TableName.TASKS, {}) == [task]


def test_store_makes_its_folder_and_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deeply" / "nested" / "device.sqlite3"
    with closing(Store(path)) as store:
        store.insert(TableName.TASKS, {"title": "Buy milk"})
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(["device.sqlite3", "device.sqlite3-shm", "device.sqlite3-wal"], 0o600)


def test_store_refuses_a_file_that_is_no_database(data_file: Path) -> None:
    data_file.write_bytes(b"This is a letter to my grandmother." * 100)
    with pytest.raises(StoreUnusable, match=r"device\.sqlite3 cannot be used: file is not a database\.$"):
        Store(data_file)


def test_store_refuses_a_database_of_another_program(data_file: Path) -> None:
    with closing(sqlite3.connect(data_file)) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    with pytest.raises(StoreUnusable, match="it belongs to another program or another version of this one"):
        Store(data_file)


@pytest.mark.parametrize("version", [1, 2])
def test_file_of_an_older_version_is_brought_up_to_date(data_file: Path, version: int) -> None:
    call: dict[str, Any] = {"id": "c1", "action": "insert", "table": "tasks", "data": {"title": "Buy milk"}}
    with closing(Store(data_file)) as store:
        answer = Executor(store).execute(call)
    with closing(sqlite3.connect(data_file, isolation_level=None)) as older:
        older.execute("CREATE TABLE _ledger (id TEXT PRIMARY KEY, hash TEXT, result TEXT, appliedAt INTEGER)")
        older.execute("INSERT INTO _ledger SELECT id, hash, result, at FROM _journal")
        older.execute("DROP TABLE _journal")
        if version == 1:
            older.execute("DROP TABLE _jobs")
        older.execute(f"PRAGMA user_version = {version}")
    for _ in range(2):
        with closing(Store(data_file)) as store:
            assert not store.is_new
            assert store.select(TableName.TASKS, {}) == [answer["row"]]
            assert store.run("SELECT * FROM _jobs") == []
            assert store.run("SELECT count(*) AS n FROM sqlite_master WHERE name = '_ledger'") == [{"n": 0}]
            executor = Executor(store)
            assert executor.execute(call) == answer
            assert executor.execute({**call, "table": "notes"}) == {
                "error": "This call id was used before, with other arguments."
            }
            assert executor.journal.entries("true") == []


def test_store_refuses_a_path_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="cannot be used"):
        Store(tmp_path)


def test_store_uses_the_real_time_and_random_ids_by_itself(data_file: Path) -> None:
    before = now_ms()
    with closing(Store(data_file)) as store:
        task = store.insert(TableName.TASKS, {"title": "Buy milk"})
    created = task["createdAt"]
    assert isinstance(created, int)
    assert before <= created <= now_ms()
    assert new_uuid() != new_uuid()


def test_ids_of_two_devices_differ(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "a")) as one, closing(Store(tmp_path / "b", new_id=SequentialIds())) as other:
        assert one.device_id != other.device_id
        assert other.device_id == uuid_of(1)
