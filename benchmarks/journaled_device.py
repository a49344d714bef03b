"""A terminal's device whose journal can be switched off: the work of a process of its own."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pydantic import JsonValue

from benchmarks.devices import TurnFailed
from benchmarks.plans import ROWS, message
from device.addresses import server_address
from device.client import connected
from device.entries import Answer
from device.executor import MAX_ANSWER_BYTES, Executor
from device.frames import StreamEnd
from device.hello import Hello
from device.journal import Draft, Journal
from device.store import Store
from device.tables import TableName
from tests.proxied import devices_behind_proxy

_ORDER: Final = (True, False, False, True)
"""Whether the journal is on, turn after turn, again and again: what grows, or warms up, does so for both."""
_LEDGER: Final = "CREATE TABLE _ledger (id TEXT PRIMARY KEY NOT NULL, hash TEXT, result TEXT, appliedAt INTEGER)"


class SwitchedJournal(Journal):
    """While it is off, a call that was applied is remembered as before there was a journal: in a table of its own."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.is_on = True
        store.run(_LEDGER)

    def _write(self, draft: Draft) -> None:
        if self.is_on:
            super()._write(draft)
            return
        answer = json.dumps(draft.answer, ensure_ascii=False)
        self.store.run(
            "INSERT INTO _ledger (id, hash, result, appliedAt) VALUES (?, ?, ?, ?)",
            (draft.id, draft.hash, answer, self.store.clock()),
        )


class CountingExecutor(Executor):
    """It counts its calls, by action."""

    def __init__(self, store: Store, *, journal: Journal) -> None:
        super().__init__(store, journal=journal)
        self.calls = Counter[str]()

    def execute(self, frame: Mapping[str, JsonValue], *, max_bytes: int = MAX_ANSWER_BYTES) -> Answer:
        self.calls[str(frame["action"])] += 1
        return super().execute(frame, max_bytes=max_bytes)


async def journaled_writes(*, url: str, token: str, plan: str, turns: int) -> JsonValue:
    """Of each of ``turns`` turns of ``plan``, and one before: whether the journal was on, and its calls, by action."""
    done: list[JsonValue] = []
    with _journal() as journal, devices_behind_proxy():
        executor = CountingExecutor(journal.store, journal=journal)
        hello = Hello(device_id=journal.store.device_id)
        async with connected(server_address(url), token, executor=executor, hello=hello) as client:
            for journal.is_on in (True, *islice(cycle(_ORDER), turns)):
                executor.calls.clear()
                async for frame in client.home(message(plan)):
                    if isinstance(frame, StreamEnd) and frame.finish_reason != "done":
                        raise TurnFailed(frame.finish_reason)
                done.append({"journal": journal.is_on, "calls": dict(executor.calls)})
    return done


@contextmanager
def _journal() -> Iterator[SwitchedJournal]:
    with TemporaryDirectory() as folder, closing(Store(Path(folder) / "device.sqlite3")) as store:
        for row in ROWS:
            inserted = store.insert(TableName.TASKS, {"title": str(row["title"])})
            store.run("UPDATE tasks SET id = ? WHERE id = ?", (str(row["id"]), str(inserted["id"])))
        yield SwitchedJournal(store)
