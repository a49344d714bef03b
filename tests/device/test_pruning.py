"""What the journal keeps no longer is removed in the background, between calls, and a kill loses nothing."""

import asyncio
import logging
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from device.executor import Executor
from device.journal import KEPT_MS, Journal
from device.pruning import pruned
from device.store import Store
from device.tables import TableName
from tests.device.clocks import ManualClock, SequentialIds

PATIENCE_S = 30


class WatchedJournal(Journal):
    """It sets ``done`` when there is nothing to prune any more, and ``failed`` when it could not prune."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.done, self.failed = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def prune(self) -> bool:
        try:
            more = super().prune()
        except Exception:
            self._loop.call_soon_threadsafe(self.failed.set)
            raise
        if not more:
            self._loop.call_soon_threadsafe(self.done.set)
        return more


def _fill(store: Store, clock: ManualClock, number: int) -> None:
    """Entries that are over, and one that is not."""
    executor = Executor(store)
    with store.transaction():
        for each in range(number):
            executor.execute({"id": f"old {each}", "action": "insert", "table": "clients", "data": {"name": "ACME"}})
    clock.now += KEPT_MS + 1
    executor.execute({"id": "new", "action": "insert", "table": "clients", "data": {"name": "new"}})


def _ids(store: Store) -> list[object]:
    return [entry["id"] for entry in store.run("SELECT id FROM _journal ORDER BY number")]


async def test_what_is_over_is_removed_while_the_device_runs(store: Store, clock: ManualClock) -> None:
    _fill(store, clock, 500)
    journal = WatchedJournal(store)
    async with pruned(journal, pause_s=0), asyncio.timeout(PATIENCE_S):
        await journal.done.wait()
    assert _ids(store) == ["new"]
    assert store.counts()[TableName.CLIENTS] == 501


async def test_a_pruning_that_fails_is_tried_again(
    store: Store, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    _fill(store, clock, 1)
    journal = WatchedJournal(store)
    store.run("CREATE TRIGGER full BEFORE DELETE ON _journal BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    async with pruned(journal, every_s=0), asyncio.timeout(PATIENCE_S):
        await journal.failed.wait()
        assert _ids(store) == ["old 0", "new"]
        store.run("DROP TRIGGER full")
        await journal.done.wait()
    assert _ids(store) == ["new"]
    assert "The journal could not be pruned" in caplog.text


def test_a_kill_between_two_slices_loses_nothing(
    store: Store, clock: ManualClock, data_file: Path, tmp_path: Path
) -> None:
    _fill(store, clock, 450)
    journal = Journal(store)
    for number, left in enumerate((251, 51, 1)):
        assert journal.prune()
        copy = tmp_path / f"killed-{number}.sqlite3"
        for suffix in ("", "-wal"):
            shutil.copy(f"{data_file}{suffix}", f"{copy}{suffix}")
        with closing(Store(copy, clock=clock, new_id=SequentialIds())) as killed:
            assert len(_ids(killed)) == left
            assert _ids(killed)[-1] == "new"
            again = Executor(killed)
            while again.journal.prune():
                pass
            assert _ids(killed) == ["new"]
            again.execute({"id": "u", "action": "undo", "data": {"what": {"call": "new"}}})
            assert killed.counts()[TableName.CLIENTS] == 450
