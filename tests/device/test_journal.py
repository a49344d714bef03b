"""A repeated call takes effect once, and what it changed is kept for a while."""

import json
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.entries import Entry, RowChange
from device.errors import CallRefused
from device.executor import Executor
from device.journal import KEPT_MS, Journal
from device.store import Store
from device.tables import TableName
from tests.device.clocks import ManualClock

_INSERT: dict[str, Any] = {
    "type": "tool_call",
    "id": "c1",
    "action": "insert",
    "table": "tasks",
    "data": {"title": "Buy milk"},
}


@settings(max_examples=60, deadline=None)
@given(order=st.lists(st.integers(0, 4), min_size=1, max_size=25), reopen=st.integers(0, 24))
def test_call_sent_any_number_of_times_is_applied_once(order: list[int], reopen: int) -> None:
    """In any order, over two connections, and with the file reopened in between."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "device.sqlite3"
        answers = dict(_sent(path, order[:reopen]))
        again = _sent(path, order[reopen:])
        with closing(Store(path)) as store:
            titles = sorted(str(row["title"]) for row in store.select(TableName.TASKS, {}))
    # Each insertion creates a new row: no constraint of the table would prevent a second one.
    assert titles == sorted(f"task {number}" for number in set(order))
    assert all(answers.setdefault(number, answer) == answer for number, answer in again)


def _sent(path: Path, numbers: list[int]) -> list[tuple[int, str]]:
    with closing(Store(path)) as one, closing(Store(path)) as other:
        executors = (Executor(one), Executor(other))
        return [
            (
                number,
                json.dumps(
                    executors[place % 2].execute(
                        {"id": f"c{number}", "action": "insert", "table": "tasks", "data": {"title": f"task {number}"}}
                    )
                ),
            )
            for place, number in enumerate(numbers)
        ]


def test_call_from_many_threads_is_applied_once(store: Store, executor: Executor) -> None:
    ready = threading.Barrier(8)
    answers = []

    def send() -> None:
        ready.wait(timeout=10)
        answers.append(executor.execute(_INSERT))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert store.select(TableName.TASKS, {}) == [answers[0]["row"]]
    assert answers == [answers[0]] * 8


def test_known_call_is_answered_as_before_even_when_the_row_has_changed(store: Store, executor: Executor) -> None:
    first = executor.execute(_INSERT)
    [task] = store.select(TableName.TASKS, {})
    store.delete(TableName.TASKS, str(task["id"]))
    assert executor.execute(_INSERT) == first
    assert store.select(TableName.TASKS, {}) == []


def test_known_call_is_known_in_another_kind_of_frame(store: Store, executor: Executor) -> None:
    first = executor.execute(_INSERT)
    assert executor.execute({**_INSERT, "type": "mutation", "request_id": "r2"}) == first
    assert store.counts()[TableName.TASKS] == 1


@pytest.mark.parametrize(
    "other",
    [
        {"data": {"title": "Buy bread"}},
        {"table": "notes"},
        {"action": "vector_upsert", "data": {"id": "n", "content": ""}, "vector": [1.0]},
    ],
)
def test_known_id_with_other_arguments_is_an_error(store: Store, executor: Executor, other: dict[str, Any]) -> None:
    executor.execute(_INSERT)
    assert executor.execute({**_INSERT, **other}) == {"error": "This call id was used before, with other arguments."}
    counts = store.counts()
    assert (counts[TableName.TASKS], counts[TableName.NOTES]) == (1, 0)


def test_write_that_failed_is_not_remembered(store: Store, executor: Executor) -> None:
    update: dict[str, Any] = {
        "id": "c2",
        "action": "update",
        "table": "tasks",
        "data": {"id": "t", "updates": {"title": None}},
    }
    assert executor.execute(update) == {"error": "title must not be null."}
    assert store.run("SELECT count(*) AS n FROM _journal") == [{"n": 0}]


def test_entry_and_change_are_written_together(store: Store, executor: Executor) -> None:
    store.run("CREATE TRIGGER full BEFORE INSERT ON _journal BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    assert executor.execute(_INSERT) == {"error": "The device's database could not do it: the disk is full."}
    assert store.counts()[TableName.TASKS] == 0


def test_entry_says_what_was_changed_by_whom_and_for_which_request(store: Store, clock: ManualClock) -> None:
    journal = Executor(store).journal
    row = Executor(store).execute({**_INSERT, "request_id": "r", "by": "task_agent"})["row"]
    assert isinstance(row, dict)
    clock.now += 5
    journal.update(TableName.TASKS, str(row["id"]), {"status": "done"})

    by_hand, by_agent = journal.entries("true")

    assert by_agent == Entry(
        id="c1",
        request_id="r",
        by="task_agent",
        at=clock.now - 5,
        changes=(RowChange(table=TableName.TASKS, id=str(row["id"]), before=None, after=row),),
    )
    assert (by_hand.by, by_hand.request_id, by_hand.at) == ("user", None, clock.now)
    assert by_hand.changes == (
        RowChange(table=TableName.TASKS, id=str(row["id"]), before=row, after={**row, "status": "done"}),
    )


def test_what_changes_nothing_is_no_entry_by_the_user(store: Store) -> None:
    journal = Journal(store)
    task = journal.insert(TableName.TASKS, {"title": "Roof"})
    journal.update(TableName.TASKS, str(task["id"]), {"title": "Roof"})
    journal.update(TableName.TASKS, "nobody", {"title": "Roof"})
    journal.delete(TableName.TASKS, "nobody")
    with pytest.raises(CallRefused):
        journal.insert(TableName.TASKS, {})
    assert len(journal.entries("true")) == 1


def test_entries_are_kept_for_thirty_days(store: Store, executor: Executor, clock: ManualClock) -> None:
    first = executor.execute(_INSERT)
    clock.now += 1
    executor.execute({**_INSERT, "id": "c2"})
    clock.now += KEPT_MS - 1
    assert not executor.journal.prune()
    assert executor.execute(_INSERT) == first
    clock.now += 1
    _prune(executor.journal)
    assert store.run("SELECT id FROM _journal") == [{"id": "c2"}]


def test_pruning_removes_a_slice_at_a_time_the_oldest_first(store: Store, clock: ManualClock) -> None:
    journal = Journal(store)
    for number in range(450):
        clock.now += 1
        journal.insert(TableName.CLIENTS, {"name": f"client {number}"})
    clock.now += KEPT_MS - 9
    left = []
    while journal.prune():
        left.append([entry.changes for entry in journal.entries("true")])
    assert [len(entries) for entries in left] == [250, 50, 10]
    assert left[1] == left[0][:50]


def test_beyond_the_limit_the_oldest_lose_their_changes_and_calls_stay_known(store: Store) -> None:
    journal = Journal(store, kept_bytes=2000)
    executor = Executor(store, journal=journal)
    numbers = range(30)
    for number in numbers:
        executor.execute({**_INSERT, "id": f"c{number}"})
    assert len(journal.entries("true")) == len(numbers)
    _prune(journal)

    kept = journal.entries("true")

    assert 0 < len(kept) < 5
    assert [entry.id for entry in kept] == [f"c{number}" for number in reversed(numbers)][: len(kept)]
    assert executor.execute({**_INSERT, "id": "c0"}) == {
        "error": "It was done, and what came of it is not kept any more."
    }
    assert executor.execute({"id": "u", "action": "undo", "data": {"what": {"call": "c0"}}}) == {
        "undo": {"undone": [], "conflicts": []}
    }
    assert store.counts()[TableName.TASKS] == len(numbers)
    size = "SELECT sum(length(changes) + length(result)) AS size, sum(bytes) AS counted FROM _journal"
    [counted] = store.run(size)
    assert counted["size"] == counted["counted"] <= 2000  # type: ignore[operator]
    _prune(Journal(store, kept_bytes=0))
    assert journal.entries("true") == []


def _prune(journal: Journal) -> None:
    while journal.prune():
        pass
