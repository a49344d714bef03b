"""A repeated call takes effect once."""

import json
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.executor import Executor
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
    assert store.run("SELECT count(*) AS n FROM _ledger") == [{"n": 0}]


def test_entry_and_change_are_written_together(store: Store, executor: Executor) -> None:
    store.run("CREATE TRIGGER full BEFORE INSERT ON _ledger BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    assert executor.execute(_INSERT) == {"error": "The device's database could not do it: the disk is full."}
    assert store.counts()[TableName.TASKS] == 0


def test_entries_older_than_a_week_are_forgotten_at_the_next_start(
    store: Store, executor: Executor, clock: ManualClock
) -> None:
    week_ms = 7 * 24 * 3600 * 1000
    executor.execute(_INSERT)
    clock.now += 1
    executor.execute({**_INSERT, "id": "c2"})
    clock.now += week_ms
    Executor(store)
    assert store.run("SELECT id FROM _ledger") == [{"id": "c2"}]
