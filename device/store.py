"""The device's database: the six tables of the protocol and the device's own in one SQLite file.

One connection, used by one thread at a time. Other processes may have the same file open: a write takes SQLite's own
lock before it reads anything.
"""

import os
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Final, TypeAlias, cast

from pydantic import JsonValue

from device.entries import StoredVector, Value
from device.errors import StoreUnusable
from device.machine import machine_timezone
from device.selecting import SELECT_LIMIT, count_statement, folded, select_statement
from device.tables import TABLES, Column, Kind, Row, TableName, checked_insert, checked_updates, has_column, valid_text

Clock: TypeAlias = Callable[[], int]
"""Gives the milliseconds since 1970."""
IdMaker: TypeAlias = Callable[[], str]

_VERSION: Final = 3
"""2 came with ``_jobs``, 3 with ``_journal`` in the place of ``_ledger``."""
_LOCK_TIMEOUT_S: Final = 10.0


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def new_uuid() -> str:
    return str(uuid.uuid4())


class Store:
    """The tables. Every method may be called from any thread; each is a transaction, or a part of the open one.

    Raises ``CallRefused`` for what the tables cannot hold, and ``sqlite3.Error`` for what SQLite cannot do.
    """

    def __init__(
        self, path: Path, *, clock: Clock = now_ms, new_id: IdMaker = new_uuid, zone: tzinfo | None = None
    ) -> None:
        """Open the file ``path``; create it and its folder if there is none. Raises ``StoreUnusable``.

        ``zone`` is where the user's days begin and end; without it, the machine's.
        """
        self.clock = clock
        self.new_id = new_id
        self.zone = zone or machine_timezone() or UTC
        self._lock = threading.RLock()
        try:
            self._connection = _connected(path)
            with _closed_on_error(self._connection):
                self.is_new = self._prepare()
                [(self.device_id,)] = self._connection.execute("SELECT id FROM _device").fetchall()
        except (OSError, sqlite3.Error) as error:
            raise StoreUnusable(f"The data file {path} cannot be used: {error}.") from error

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs all of the body or nothing. Within another transaction it is a part of that one."""
        with self._lock:
            if self._in_transaction():
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._in_transaction():
                    self._connection.execute("ROLLBACK")

    def run(self, sql: str, parameters: Sequence[Value] = ()) -> list[Mapping[str, Value]]:
        """The rows that one statement gives, by column name."""
        with self._lock:
            return [dict(row) for row in self._connection.execute(sql, parameters)]

    def select(self, table: TableName, filters: Row, *, limit: int = SELECT_LIMIT) -> list[Row]:
        """At most ``limit`` rows where ``filters``; see ``select_statement``."""
        statement = select_statement(table, filters, limit=limit)
        return _rows(self.run(statement.sql, statement.parameters))

    def count(self, table: TableName, filters: Row) -> int:
        """How many rows fit ``filters``."""
        statement = count_statement(table, filters)
        [counted] = self.run(statement.sql, statement.parameters)
        return cast("int", counted["count"])

    def get(self, table: TableName, row_id: str) -> Row | None:
        return next(iter(_rows(self.run(f"SELECT * FROM {table} WHERE id = ?", (valid_text(row_id, "id"),)))), None)  # noqa: S608 - a name of ours

    def pointing_to(self, row_id: str, table: TableName, column: str, *, limit: int) -> list[Row]:
        """At most ``limit`` rows of ``table`` that have ``row_id`` in ``column``, the oldest first."""
        query = f"SELECT * FROM {table} WHERE {column} = ? ORDER BY createdAt, rowid LIMIT ?"  # noqa: S608 - names of ours
        return _rows(self.run(query, (row_id, limit)))

    def insert(self, table: TableName, given: Row) -> Row:
        """The new row, with its id, its times and its defaults."""
        now = self.clock()
        made: dict[str, str | int | None] = {"id": self.new_id(), "createdAt": now}
        if has_column(table, "updatedAt"):
            made["updatedAt"] = now
        row = {**made, **checked_insert(table, given)}
        with self.transaction():
            self._insert(table, row)
            return self._existing(table, cast("str", row["id"]))

    def update(self, table: TableName, row_id: str, updates: Row) -> Row | None:
        """The row as it is now; None when there is no such row. A note's vector moves with it to another project."""
        revised = self.revise(table, row_id, updates)
        return None if revised is None else revised[1]

    def revise(self, table: TableName, row_id: str, updates: Row) -> tuple[Row, Row] | None:
        """As ``update``, and before it the row as it was."""
        changed = checked_updates(table, updates)
        if has_column(table, "updatedAt"):
            changed["updatedAt"] = self.clock()
        with self.transaction():
            before = self.get(table, row_id)
            if before is None:
                return None
            self._set(table, row_id, changed)
            return before, {**before, **changed}

    def delete(self, table: TableName, row_id: str) -> bool:
        """Whether there was such a row. A note's vector goes with it."""
        with self.transaction():
            existed = self.get(table, row_id) is not None
            self.run(f"DELETE FROM {table} WHERE id = ?", (row_id,))  # noqa: S608
            if table is TableName.NOTES:
                self.run("DELETE FROM _vectors WHERE id = ?", (row_id,))
            return existed

    def put(self, table: TableName, row_id: str, row: Row | None) -> None:
        """Make the row exactly ``row``, which is one that it was before; None: delete it. A note's vector follows."""
        with self.transaction():
            if row is None:
                self.delete(table, row_id)
            elif self.get(table, row_id) is None:
                self._insert(table, row)
            else:
                self._set(table, row_id, row)

    def vector(self, note_id: str) -> StoredVector | None:
        """The vector of a note, if it has one."""
        found = self.run("SELECT projectId, content, vector FROM _vectors WHERE id = ?", (note_id,))
        if not found:
            return None
        project_id, content, vector = found[0].values()
        return StoredVector(
            project_id=cast("str | None", project_id), content=cast("str", content), vector=cast("bytes", vector)
        )

    def put_vector(self, note_id: str, vector: StoredVector | None) -> None:
        """Store or replace the vector of a note; None: delete it."""
        if vector is None:
            self.run("DELETE FROM _vectors WHERE id = ?", (note_id,))
            return
        self.run(
            "INSERT OR REPLACE INTO _vectors (id, projectId, content, vector) VALUES (?, ?, ?, ?)",
            (note_id, vector.project_id, vector.content, vector.vector),
        )

    def counts(self) -> Mapping[TableName, int]:
        """How many rows each table has."""
        return {table: cast("int", self.run(f"SELECT count(*) AS n FROM {table}")[0]["n"]) for table in TableName}  # noqa: S608

    def _in_transaction(self) -> bool:
        return self._connection.in_transaction

    def _insert(self, table: TableName, row: Row) -> None:
        marks = ", ".join("?" for _ in row)
        self.run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", _values(row))  # noqa: S608

    def _set(self, table: TableName, row_id: str, columns: Row) -> None:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        self.run(f"UPDATE {table} SET {assignments} WHERE id = ?", (*_values(columns), row_id))  # noqa: S608
        if table is TableName.NOTES and "projectId" in columns:
            [project_id] = _values({"projectId": columns["projectId"]})
            self.run("UPDATE _vectors SET projectId = ? WHERE id = ?", (project_id, row_id))

    def _existing(self, table: TableName, row_id: str) -> Row:
        row = self.get(table, row_id)
        assert row is not None  # noqa: S101 - it was written in this very transaction
        return row

    def _prepare(self) -> bool:
        """Make the tables, if the file has none. Whether it had none."""
        with self.transaction():
            [(version,)] = self._connection.execute("PRAGMA user_version").fetchall()
            [(tables,)] = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
            if version == _VERSION:
                return False
            if version in _UPDATES:
                for statement in _since(version):
                    self._connection.execute(statement)
                return False
            if version != 0 or tables != 0:
                raise sqlite3.DatabaseError("it belongs to another program or another version of this one")
            for statement in _schema():
                self._connection.execute(statement)
            self._connection.execute("INSERT INTO _device (id) VALUES (?)", (self.new_id(),))
            return True


def _connected(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    # SQLite would make the file readable for everyone; the files beside it get the same permissions.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, timeout=_LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    with _closed_on_error(connection):
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.create_function("folded", 1, folded, deterministic=True)
    return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _schema() -> Iterator[str]:
    for table, columns in TABLES.items():
        yield f"CREATE TABLE {table} ({', '.join(_definition(column) for column in columns)})"
    yield "CREATE INDEX task_due ON tasks (dueDate)"  # what is due: dueDateFrom, dueDateTo
    yield "CREATE INDEX comment_task ON taskComments (taskId)"  # the comments of a task
    yield "CREATE TABLE _vectors (id TEXT PRIMARY KEY, projectId TEXT, content TEXT NOT NULL, vector BLOB NOT NULL)"
    yield "CREATE TABLE _device (id TEXT NOT NULL)"
    yield _JOBS
    yield from _JOURNAL
    yield f"PRAGMA user_version = {_VERSION}"


_JOBS: Final = "CREATE TABLE _jobs (id TEXT PRIMARY KEY NOT NULL)"
_JOURNAL: Final = (
    """CREATE TABLE _journal (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT, result TEXT,
    requestId TEXT, actor TEXT NOT NULL, at INTEGER NOT NULL, changes TEXT, undoes TEXT, undoneBy TEXT,
    bytes INTEGER NOT NULL)""",
    "CREATE INDEX journal_request ON _journal (requestId)",  # the entries of a request
    "CREATE INDEX journal_time ON _journal (at, bytes)",  # those of a day, the oldest, and how much all hold
    "CREATE INDEX journal_undone ON _journal (undoneBy) WHERE undoneBy IS NOT NULL",  # what an entry undoes
)
_UPDATES: Final[Mapping[int, Sequence[str]]] = {
    1: (_JOBS,),
    2: (
        *_JOURNAL,
        """INSERT INTO _journal (id, hash, result, actor, at, bytes)
        SELECT id, hash, result, '', appliedAt, length(result) FROM _ledger ORDER BY appliedAt, rowid""",
        "DROP TABLE _ledger",
    ),
}
"""What makes the next version of one."""


def _since(version: int) -> Iterator[str]:
    """What a file of ``version`` lacks."""
    for before in range(version, _VERSION):
        yield from _UPDATES[before]
    yield f"PRAGMA user_version = {_VERSION}"


def _definition(column: Column) -> str:
    affinity = "INTEGER" if column.kind in {Kind.MILLISECONDS, Kind.FLAG} else "TEXT"
    if column.name == "id":
        return f"id {affinity} PRIMARY KEY NOT NULL"
    return f"{column.name} {affinity}" + ("" if column.is_nullable else " NOT NULL")


def _values(row: Row) -> tuple[Value, ...]:
    # As in _rows.
    return cast("tuple[Value, ...]", tuple(row.values()))


def _rows(found: list[Mapping[str, Value]]) -> list[Row]:
    # The six tables hold text and whole numbers only: `Column.checked` lets nothing else in.
    return cast("list[Mapping[str, JsonValue]]", found)
