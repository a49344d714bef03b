"""The device's rows before a task, what a task may say of a row, and how rows differ afterwards.

``rows.toml`` and the tasks describe rows in the words of a person: ``project = "Garden"``, ``due = 2026-03-10``. Here
these become columns. Ids and times are the same in every run.
"""

import json
import tempfile
import tomllib
import unicodedata
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from device.store import Store
from device.tables import TABLES, TableName

Said: TypeAlias = str | int | date | datetime | list[str]
"""A value as TOML gives it."""
Row: TypeAlias = dict[str, JsonValue]
Snapshot: TypeAlias = Mapping[TableName, Mapping[str, Row]]
"""All rows of a device, by table and id."""

ROWS: Final = Path(__file__).with_name("rows.toml")
ANYTHING: Final = "*"
"""As an expected value: any text at all."""
_IDS: Final = uuid.UUID("5f6c2c5e-6a0f-4c2b-9a56-0f1f3b0c7d11")
_ORDER: Final = (
    *(TableName.CLIENTS, TableName.PROJECTS, TableName.TASKS),
    *(TableName.TASK_COMMENTS, TableName.CHECKPOINTS, TableName.NOTES),
)
"""Rows come after those that they name."""
_NAMES: Final = {
    "client": ("clientId", TableName.CLIENTS),
    "project": ("projectId", TableName.PROJECTS),
    "task": ("taskId", TableName.TASKS),
}
_DATES: Final = {"due": "dueDate", "date": "date"}
_CONTAINED: Final = frozenset({"content", "description"})
"""Long texts: what is expected must be in them."""
_EVENING: Final = time(18)


class NoSuchRow(Exception):
    """A task names a row that the device does not have, or one of several."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RowChange:
    """A row that was inserted (``before`` is None), deleted (``after`` is None) or changed."""

    table: TableName
    id: str
    before: Row | None = None
    after: Row | None = None

    @property
    def columns(self) -> dict[str, JsonValue]:
        """The columns that changed, with their new values, without those that the device sets by itself."""
        made = {column.name for column in TABLES[self.table] if column.made_here}
        before, after = self.before or {}, self.after or {}
        return {name: after[name] for name in after if name not in made and before.get(name) != after[name]}


class World:
    """The rows of ``rows.toml`` and the moment of all tasks."""

    def __init__(self, text: str) -> None:
        said = tomllib.loads(text)
        self.zone = ZoneInfo(said["zone"])
        self.now: datetime = said["now"].replace(tzinfo=self.zone)
        self._rows: Mapping[TableName, list[dict[str, Said]]] = {table: said.get(table, []) for table in _ORDER}

    @classmethod
    def read(cls) -> "World":
        """The world of this project's evaluation."""
        return cls(ROWS.read_text(encoding="utf-8"))

    def store(self, path: Path) -> Store:
        """A new device at ``path`` with all rows: the older, the earlier in the file."""
        moments, ids = self._moments(), _ids()
        store = Store(path, clock=lambda: _milliseconds(next(moments)), new_id=lambda: next(ids))
        with store.transaction():
            for table in _ORDER:
                for row in self._rows[table]:
                    store.insert(table, self._columns(row, snapshot(store)))
        store.clock = lambda: _milliseconds(self.now)
        return store

    def _moments(self) -> Iterator[datetime]:
        moment = self.now - timedelta(days=14)
        while True:
            yield moment
            moment += timedelta(minutes=1)

    def _columns(self, said: Mapping[str, Said], rows: Snapshot) -> Row:
        return dict(self._column(name, value, rows) for name, value in said.items())

    def _column(self, name: str, value: Said, rows: Snapshot) -> tuple[str, JsonValue]:
        if name in _NAMES:
            column, referred = _NAMES[name]
            return column, found(rows, str(value), table=referred)[1] if value else None
        if name in _DATES:
            return _DATES[name], self._moment(value)
        if isinstance(value, list):
            return name, json.dumps(value, ensure_ascii=False)
        return name, value if isinstance(value, str | int) else str(value)

    def _moment(self, said: Said) -> int | None:
        if not isinstance(said, date):
            return None
        moment = said if isinstance(said, datetime) else datetime.combine(said, _EVENING)
        return _milliseconds(moment.replace(tzinfo=self.zone))

    def differing(
        self, table: TableName, expected: Mapping[str, Said], row: Row, rows: Snapshot, *, given: Row | None = None
    ) -> list[str]:
        """The columns of ``row`` that are not as ``expected``, nor else as in ``given``, by default a new row."""
        wanted = {self._column(name, value, rows)[0]: (name, value) for name, value in expected.items()}
        wrong = []
        for column in TABLES[table]:
            if column.made_here:
                continue
            if column.name in wanted:
                right = self._is(*wanted[column.name], row[column.name], rows)
            else:
                right = row[column.name] == (column.default if given is None else given[column.name])
            if not right:
                wrong.append(column.name)
        return wrong

    def _is(self, name: str, expected: Said, value: JsonValue, rows: Snapshot) -> bool:
        if expected == ANYTHING:
            return value not in (None, "")
        if isinstance(expected, date) and not isinstance(expected, datetime):
            return isinstance(value, int) and datetime.fromtimestamp(value / 1000, self.zone).date() == expected
        if isinstance(expected, list):
            return isinstance(value, str) and sorted(map(folded, json.loads(value))) == sorted(map(folded, expected))
        wanted = self._column(name, expected, rows)[1]
        if isinstance(wanted, str) and isinstance(value, str) and name not in _NAMES:
            if name in _CONTAINED:
                return folded(wanted) in folded(value)
            return folded(wanted).rstrip(".") == folded(value).rstrip(".")
        return value == (wanted or None)


def snapshot(store: Store) -> Snapshot:
    """All rows of a device."""
    return {
        table: {str(row["id"]): dict(row) for row in store.run(f"SELECT * FROM {table} ORDER BY rowid")}  # type: ignore[arg-type] # noqa: S608
        for table in TableName
    }


def seeded_rows(world: World) -> Snapshot:
    """The rows of a new device."""
    with tempfile.TemporaryDirectory() as folder, closing(world.store(Path(folder) / "device.sqlite3")) as store:
        return snapshot(store)


def changes(before: Snapshot, after: Snapshot) -> list[RowChange]:
    """How ``after`` differs from ``before``, row by row."""
    return [
        RowChange(table=table, id=row_id, before=before[table].get(row_id), after=after[table].get(row_id))
        for table in TableName
        for row_id in {**before[table], **after[table]}
        if before[table].get(row_id) != after[table].get(row_id)
    ]


def found(rows: Snapshot, name: str, *, table: TableName | None = None) -> tuple[TableName, str]:
    """Table and id of the row called ``name``; one of several is called ``its project / its title``.

    Raises ``NoSuchRow``.
    """
    project, _, title = name.rpartition(" / ")
    fitting = [
        (where, row_id)
        for where, row_id, row in _each(rows)
        if table in (None, where) and title_of(row) == title and (not project or _project(rows, row) == project)
    ]
    if len(fitting) != 1:
        raise NoSuchRow(f"{len(fitting)} rows are called {name!r}")
    return fitting[0]


def title_of(row: Mapping[str, JsonValue]) -> str:
    """What a person calls the row."""
    return str(row.get("title") or row.get("name") or row.get("content") or "")


def titles(rows: Snapshot) -> Sequence[str]:
    """What all rows are called."""
    return [title_of(row) for _, _, row in _each(rows)]


def folded(text: str) -> str:
    """``text`` as it is compared: regardless of case, composition and white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _each(rows: Snapshot) -> Iterator[tuple[TableName, str, Row]]:
    return ((table, row_id, row) for table in TableName for row_id, row in rows[table].items())


def _project(rows: Snapshot, row: Row) -> str:
    return title_of(rows[TableName.PROJECTS].get(str(row.get("projectId")), {}))


def _ids() -> Iterator[str]:
    number = 0
    while True:
        yield str(uuid.uuid5(_IDS, str(number)))
        number += 1


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
