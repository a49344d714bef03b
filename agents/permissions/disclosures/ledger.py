"""The ledger of one turn or job: what a model is about to be sent is written down before it is sent."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from agents.calls import Table
from agents.permissions.disclosures.matching import TableRow, embedded, rows_of, told
from agents.permissions.disclosures.records import Occasion, Sent
from agents.permissions.disclosures.store import DisclosureStore
from agents.scopes import AnyScope, NoteScope, ProjectScope
from agents.tools.rows import text
from agents.tools.runs import Run

Ids: TypeAlias = Mapping[Table, frozenset[str]]


class Ledger:
    """Knows the rows that a turn or job has had of the device, and writes down which of them go to which model.

    A row counts once for each model. Writing comes before sending, so that a killed process loses nothing; a row may
    then stand in the ledger that a process killed in between never sent.
    """

    def __init__(self, occasion: Occasion, store: DisclosureStore) -> None:
        self._occasion = occasion
        self._store = store
        self._runs: list[Run] = []
        self._viewed: list[TableRow] = []
        self._sent: dict[str, set[tuple[Table, str]]] = {}
        self._writing = asyncio.Lock()

    def follow(self, run: Run) -> None:
        """What the device answers to ``run`` may be sent from now on."""
        self._runs.append(run)

    def view(self, scope: AnyScope) -> None:
        """The client has named the row whose page is ``scope``."""
        match scope:
            case ProjectScope():
                self._viewed.append((Table.PROJECTS, {"id": scope.entityId}))
            case NoteScope():
                self._viewed.append((Table.NOTES, {"id": scope.entityId}))
            case _:
                pass

    async def telling(self, model: str, texts: Iterable[str]) -> None:
        """``texts`` are about to be told to ``model``. Raises ``Unrecorded``: then they must not be."""
        await self._record(model, lambda rows: told(texts, _by_table(rows)))

    async def embedding(self, model: str, texts: Sequence[str]) -> None:
        """``texts`` are about to be turned into vectors by ``model``. Raises as ``telling``."""
        await self._record(model, lambda rows: embedded(texts, rows))

    async def _record(self, model: str, find: Callable[[Sequence[TableRow]], Ids]) -> None:
        async with self._writing:
            sent = self._sent.setdefault(model, set())
            fresh = [(table, row) for table, row in self._rows() if (table, text(row, "id")) not in sent]
            if not fresh:
                return
            found = find(fresh)
            if not found:
                return
            await self._store.record(self._occasion, Sent(model=model, rows=found))
            sent.update((table, row_id) for table, ids in found.items() for row_id in ids)

    def _rows(self) -> list[TableRow]:
        had = [each for run in self._runs for exchange in run.tool_results for each in rows_of(exchange)]
        return [*self._viewed, *had]


def _by_table(rows: Iterable[TableRow]) -> dict[Table, set[str]]:
    found: dict[Table, set[str]] = {}
    for table, row in rows:
        found.setdefault(table, set()).add(text(row, "id"))
    return found
