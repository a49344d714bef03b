"""Runs the server's calls in the device's database and says what came of them.

The one place where what went wrong with a call becomes the answer's ``error``.
"""

import json
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, assert_never, cast

from pydantic import JsonValue

from device.calls import SEARCH_LIMIT, WRITES, Action, Call, read_call
from device.entries import Answer
from device.errors import CallRefused, DeviceError
from device.journal import Journal
from device.pages import page_details
from device.selecting import SELECT_LIMIT
from device.store import Store
from device.tables import Row, shown, valid_text
from device.undoing import read_what, undo

if TYPE_CHECKING:
    from device.vectors import Vectors

logger = logging.getLogger(__name__)

MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024


class Executor:
    """Every action of the protocol's "Calls into the client's database". May be used from any thread.

    ``journal`` keeps what the calls changed.
    """

    def __init__(self, store: Store, *, journal: Journal | None = None) -> None:
        self._store = store
        self.journal = journal or Journal(store)

    def execute(self, frame: Mapping[str, JsonValue], *, max_bytes: int = MAX_ANSWER_BYTES) -> Answer:
        """The answer to a call frame. Never raises: every failure is an answer ``{"error": sentence}``.

        An answer of more than ``max_bytes`` becomes an error too; a write whose answer would be one does not happen.
        """
        try:
            return self._answer(read_call(frame), max_bytes)
        except DeviceError as error:
            return {"error": str(error)}
        except sqlite3.Error as error:
            return {"error": f"The device's database could not do it: {error}."}
        except Exception:  # the boundary of a call: the server waits for an answer in any case
            logger.exception("A call failed")
            return {"error": "Something went wrong on the device."}

    def _answer(self, call: Call, max_bytes: int) -> Answer:
        def apply() -> Answer:
            answer = self._applied(call)
            _refuse_too_large(answer, max_bytes)
            return answer

        if call.action in WRITES:
            return self.journal.once(call, apply)
        return apply()

    def _applied(self, call: Call) -> Answer:
        store, journal = self._store, self.journal
        match call.action:
            case Action.SELECT:
                return self._selected(call)
            case Action.GET:
                return _answer(row=store.get(call.table, call.row_id))
            case Action.INSERT:
                return _answer(row=journal.insert(call.table, call.data))
            case Action.UPDATE:
                return _answer(row=journal.update(call.table, call.row_id, call.part("updates")))
            case Action.DELETE:
                return _answer(deleted=journal.delete(call.table, call.row_id))
            case Action.VECTOR_UPSERT:
                return self._upserted(call)
            case Action.VECTOR_SEARCH:
                return self._searched(call)
            case Action.PAGE_DETAILS:
                return _answer(row=page_details(store, call))
            case Action.UNDO:
                which = read_what(call.part("what"), store.zone)
                return undo(journal, which, partial=call.flag("partial")).answer()
            case _:
                assert_never(call.action)

    def _selected(self, call: Call) -> Answer:
        limit = call.limit(SELECT_LIMIT)
        rows = self._store.select(call.table, call.filters, limit=limit)
        if not call.counts:
            return _answer(rows=rows)
        return _answer(rows=rows, count=len(rows) if len(rows) < limit else self._store.count(call.table, call.filters))

    @cached_property
    def _vectors(self) -> "Vectors":
        # Not at the top: numpy is a quarter of the time in which the terminal starts, and few calls need it.
        from device.vectors import Vectors

        return Vectors(self._store)

    def _upserted(self, call: Call) -> Answer:
        project_id, content = call.optional_text("projectId"), call.text("content")
        self._vectors.upsert(call.row_id, call.vector, project_id=project_id, content=content)
        return _answer(ok=True)

    def _searched(self, call: Call) -> Answer:
        hits = self._vectors.nearest(call.vector, project_id=_project(call.filters), limit=call.limit(SEARCH_LIMIT))
        return _answer(results=[{"id": hit.id, "content": hit.content, "score": hit.score} for hit in hits])


def _project(filters: Row) -> str | None:
    for name in filters:
        if name != "projectId":
            raise CallRefused(f"A search by vector cannot be filtered by {shown(name)}.")
    return valid_text(filters["projectId"], "projectId") if filters else None


def _refuse_too_large(answer: Answer, max_bytes: int) -> None:
    if len(json.dumps(answer, ensure_ascii=False).encode()) > max_bytes:
        raise CallRefused(f"The answer would be larger than {max_bytes} bytes: ask for less.")


def _answer(**fields: bool | int | Row | Sequence[Row] | None) -> Answer:
    return cast("Answer", fields)
