"""What the terminal device's journal costs: a write beside one that only remembers its call, and opening a long one."""

import json
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.environment import Environment
from benchmarks.tables import Bound, Figure
from device.executor import Executor
from device.journal import KEPT_MS, Draft, Journal
from device.store import Store

TITLE: Final = "The journal of the terminal device"
_WRITES: Final = 500
"""Of a round."""
_ENTRIES: Final = 100_000
_OPENINGS: Final = 20


class _Ledger(Journal):
    """It remembers calls and not what they changed."""

    def _write(self, draft: Draft) -> None:
        self.store.run(
            "INSERT INTO _journal (id, hash, result, actor, at, bytes) VALUES (?, ?, ?, ?, ?, 0)",
            (draft.id, draft.hash, json.dumps(draft.answer, ensure_ascii=False), draft.by, self.store.clock()),
        )


def measure(environment: Environment) -> Iterator[Figure]:
    """The median of writes, of rounds in turn; and of openings, when all entries are recent and when all are over."""
    environment.say("  the journal")
    with TemporaryDirectory() as folder:
        yield _writing(Path(folder), environment.sizes.rounds)
        for name, age_ms in (("recent", 0), ("older than 30 days", KEPT_MS + 24 * 3600 * 1000)):
            yield _opening(Path(folder) / f"{age_ms}.sqlite3", name, age_ms)


def _writing(folder: Path, rounds: int) -> Figure:
    times: dict[str, list[float]] = {"journal": [], "ledger": []}
    with closing(Store(folder / "journal.sqlite3")) as one, closing(Store(folder / "ledger.sqlite3")) as other:
        executors = {"journal": Executor(one), "ledger": Executor(other, journal=_Ledger(other))}
        for number in range(rounds):
            for name, executor in executors.items():
                times[name].append(statistics.median(_writes(executor, number)))
    return Figure(
        name="a write: a task is added, or its state changed",
        unit="ms",
        value=statistics.median(times["journal"]),
        floor=statistics.median(times["ledger"]),
        bound=Bound.RATIO,
        limit=1.15,
        spread=f"{min(times['journal']):.2f}–{max(times['journal']):.2f}",
    )


def _writes(executor: Executor, number: int) -> Iterator[float]:
    row_id: Any = None
    for each in range(_WRITES):
        if each % 2:
            call: Any = {"action": "update", "data": {"id": row_id, "updates": {"status": "done"}}}
        else:
            call = {"action": "insert", "data": {"title": f"Task {each}", "description": "What there is to do. " * 10}}
        named = {"id": f"{number}-{each}", "request_id": str(number), "by": "task_agent", "table": "tasks"}
        started = time.perf_counter()
        answer: Any = executor.execute({"type": "tool_call", **named, **call})
        yield (time.perf_counter() - started) * 1e3
        row_id = answer["row"]["id"]


def _opening(file: Path, name: str, age_ms: int) -> Figure:
    with closing(Store(file)) as store:
        _fill(store, store.clock() - age_ms)
    times = []
    for _ in range(_OPENINGS):
        started = time.perf_counter()
        with closing(Store(file)) as store:
            Executor(store)
            times.append((time.perf_counter() - started) * 1e3)
    return Figure(
        name=f"opened with {_ENTRIES:,} entries, {name}",
        unit="ms",
        value=statistics.median(times),
        bound=Bound.VALUE,
        limit=50,
        spread=f"{min(times):.2f}–{max(times):.2f}",
    )


def _fill(store: Store, at: int) -> None:
    row = {"id": "t", "title": "Task", "description": "What there is to do. " * 10}
    changes = json.dumps([{"table": "tasks", "id": "t", "before": None, "after": row}])
    with store.transaction():
        for number in range(_ENTRIES):
            store.run(
                "INSERT INTO _journal (id, hash, result, requestId, actor, at, changes, bytes)"
                " VALUES (?, ?, '{}', ?, 'task_agent', ?, ?, ?)",
                (f"c{number}", "0" * 64, f"r{number // 3}", at - number, changes, len(changes)),
            )
