"""The journal: what was changed in the tables, by whom, and how the rows were before.

An entry is written in the transaction of its changes. It says that a call was applied, so that one that comes twice
happens once, and how to undo it (``undoing.py``). What is over is removed beside the writes (``pruning.py``).
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, cast

from device.calls import Call
from device.entries import USER, Answer, Entry, RowChange, StoredVector, Value, written_changes, written_ids
from device.errors import CallRefused
from device.store import Store
from device.tables import Row, TableName

KEPT_MS: Final = 30 * 24 * 3600 * 1000
"""How long an entry is kept. It has the user's words, so not for good; a server repeats a call within a day."""
KEPT_BYTES: Final = 50 * 1024 * 1024
"""How much all entries may hold. Beyond that the oldest lose their changes, but a call stays known."""
_SLICE: Final = 200
"""How many entries are removed in one transaction, so that no call waits long for it."""
_FORGET: Final = "UPDATE _journal SET changes = NULL, result = NULL, bytes = 0 WHERE number = ?"
_FORGOTTEN: Final[Answer] = {"error": "It was done, and what came of it is not kept any more."}


@dataclass(kw_only=True)
class Draft:
    """An entry while its changes are made."""

    id: str
    by: str = USER
    request_id: str | None = None
    hash: str | None = None
    answer: Answer | None = None
    changes: list[RowChange] = field(default_factory=list)
    undoes: Sequence[str] = ()

    def note(self, change: RowChange) -> None:
        """Add ``change``, if it is one; a vector belongs to it only if the text of its note changes."""
        if change.before != change.after:
            self.changes.append(change if change.is_about_text else replace(change, vector=None))


class Journal:
    """Changes the tables and keeps what was changed. Every method is a transaction, or a part of the open one.

    Raises as ``Store`` does.
    """

    def __init__(self, store: Store, *, kept_bytes: int = KEPT_BYTES) -> None:
        self.store = store
        self._kept_bytes = kept_bytes
        self._draft: Draft | None = None

    def once(self, call: Call, apply: Callable[[], Answer]) -> Answer:
        """What ``apply`` returns, or returned when this call came before.

        What ``apply`` changes through the journal is the call's entry. An ``apply`` that raises leaves nothing behind,
        neither its changes nor an entry. Raises ``CallRefused`` when the id is known with other arguments.
        """
        with self.store.transaction():
            known = self.store.run("SELECT hash, result FROM _journal WHERE id = ?", (call.id,))
            if known:
                if known[0]["hash"] != call.fingerprint:
                    raise CallRefused("This call id was used before, with other arguments.")
                result = cast("str | None", known[0]["result"])
                return _FORGOTTEN if result is None else cast("Answer", json.loads(result))
            draft = Draft(id=call.id, by=call.by, request_id=call.request_id, hash=call.fingerprint)
            with self._drafting(draft):
                draft.answer = apply()
            return draft.answer

    @contextmanager
    def entry(self) -> Iterator[Draft]:
        """The changes inside the block are one entry: that of the call being applied, or else one by the user."""
        with self.store.transaction():
            if self._draft is not None:
                yield self._draft
                return
            with self._drafting(Draft(id=self.store.new_id())) as draft:
                yield draft

    def insert(self, table: TableName, given: Row) -> Row:
        """As ``Store.insert``."""
        with self.entry() as draft:
            row = self.store.insert(table, given)
            draft.note(RowChange(table=table, id=cast("str", row["id"]), before=None, after=row))
            return row

    def update(self, table: TableName, row_id: str, updates: Row) -> Row | None:
        """As ``Store.update``."""
        with self.entry() as draft:
            vector = self._vector(table, row_id)
            revised = self.store.revise(table, row_id, updates)
            if revised is None:
                return None
            before, after = revised
            draft.note(RowChange(table=table, id=row_id, before=before, after=after, vector=vector))
            return after

    def delete(self, table: TableName, row_id: str) -> bool:
        """As ``Store.delete``."""
        with self.entry() as draft:
            before, vector = self.store.get(table, row_id), self._vector(table, row_id)
            existed = self.store.delete(table, row_id)
            draft.note(RowChange(table=table, id=row_id, before=before, after=None, vector=vector))
            return existed

    def put(self, table: TableName, row_id: str, row: Row | None, vector: StoredVector | None) -> RowChange:
        """Make a row exactly as it once was, and ``vector`` that of a note if its text changes. What that changes."""
        with self.entry() as draft:
            before, old = self.store.get(table, row_id), self._vector(table, row_id)
            change = RowChange(table=table, id=row_id, before=before, after=row, vector=old)
            self.store.put(table, row_id, row)
            if change.is_about_text:
                self.store.put_vector(row_id, vector)
            draft.note(change)
            return change

    def _vector(self, table: TableName, row_id: str) -> StoredVector | None:
        return self.store.vector(row_id) if table is TableName.NOTES else None

    def entries(self, where: str, parameters: Sequence[Value] = ()) -> list[Entry]:
        """The entries with changes for which the SQL condition ``where`` is true, the newest first."""
        query = f"SELECT * FROM _journal WHERE changes IS NOT NULL AND ({where}) ORDER BY number DESC"  # noqa: S608
        return [Entry.of(stored) for stored in self.store.run(query, parameters)]

    def prune(self) -> bool:
        """Remove a slice of what is not kept any longer, the oldest first. Whether there may be more of it."""
        expired = self.store.run(
            "DELETE FROM _journal WHERE number IN (SELECT number FROM _journal WHERE at < ? ORDER BY at LIMIT ?)"
            " RETURNING number",
            (self.store.clock() - KEPT_MS, _SLICE),
        )
        return bool(expired) or self._shrink()

    def _shrink(self) -> bool:
        """Have a slice of the oldest entries lose their changes, if all hold too much. Whether any has."""
        with self.store.transaction():
            [held] = self.store.run("SELECT coalesce(sum(bytes), 0) AS bytes FROM _journal")
            excess = cast("int", held["bytes"]) - self._kept_bytes
            if excess <= 0:
                return False
            oldest = self.store.run(
                "SELECT number, bytes FROM _journal WHERE bytes > 0 ORDER BY at, number LIMIT ?", (_SLICE,)
            )
            for entry in oldest:
                if excess > 0:
                    self.store.run(_FORGET, (entry["number"],))
                    excess -= cast("int", entry["bytes"])
            return True

    @contextmanager
    def _drafting(self, draft: Draft) -> Iterator[Draft]:
        self._draft = draft
        try:
            yield draft
            if draft.hash is not None or draft.changes or draft.undoes:
                self._write(draft)
        finally:
            self._draft = None

    def _write(self, draft: Draft) -> None:
        result = None if draft.answer is None else json.dumps(draft.answer, ensure_ascii=False)
        changes = written_changes(draft.changes)
        self.store.run(
            "INSERT INTO _journal (id, hash, result, requestId, actor, at, changes, undoes, bytes)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(draft.id, draft.hash, result, draft.request_id, draft.by, self.store.clock()),
                *(changes, written_ids(draft.undoes), len(changes.encode()) + len((result or "").encode())),
            ),
        )
