"""What the terminal device's journal costs: a write, opening a file with a long one, and pruning it."""

import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypedDict, cast

from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure, percentile
from device.executor import Executor
from device.journal import KEPT_MS, Journal
from device.store import Store

TITLE: Final = "The journal of the terminal device"
_WRITES: Final[Mapping[str, tuple[str, str]]] = {
    "writes": ("insert", "a task added"),
    "changes": ("update", "a task changed"),
}
"""By the plan of the model: the action of its calls, and what they do."""
_ROUND: Final = 4
"""Turns: with the journal, twice without, and with it again."""
_ENTRIES: Final = 100_000
_OPENINGS: Final = 20


class _Turn(TypedDict):
    journal: bool
    calls: Mapping[str, int]


def measure(environment: Environment) -> Iterator[Figure]:
    """Writes as their tools wait for them, with the journal and without, in turn; openings; slices of pruning."""
    yield from _writing(environment)
    with TemporaryDirectory() as folder:
        for name, age_ms in (("recent", 0), ("older than 30 days", KEPT_MS + 24 * 3600 * 1000)):
            environment.say(f"  {_ENTRIES:,} entries, {name}")
            file = Path(folder) / f"{age_ms}.sqlite3"
            yield _opening(file, name, age_ms)
        yield _pruning(file)


def _writing(environment: Environment) -> Iterator[Figure]:
    turns = max(1, environment.sizes.turns // _ROUND) * _ROUND
    parts: dict[str, list[Sequence[_Turn]]] = {plan: [] for plan in _WRITES}
    with environment.timed_server() as (server, waited):
        token = server.register()
        for number in range(environment.sizes.rounds):
            environment.say(f"  writes, part {number + 1}")
            for plan, done in parts.items():
                done.append(_turns(run_worker("journaled_writes", url=server.url, token=token, plan=plan, turns=turns)))
    for plan, (action, name) in _WRITES.items():
        yield _written(name, action, parts[plan], waited[action])


def _turns(done: object) -> Sequence[_Turn]:
    return cast("list[_Turn]", done)


def _written(name: str, action: str, parts: Sequence[Sequence[_Turn]], waited: Sequence[float]) -> Figure:
    times: dict[bool, list[float]] = {True: [], False: []}
    ratios, left = list[float](), iter(waited)
    for part in parts:
        turns = [(turn["journal"], list(islice(left, turn["calls"][action]))) for turn in part]
        for at in range(1, len(turns), _ROUND):  # the first turn is to warm up
            taken: dict[bool, list[float]] = {True: [], False: []}
            for journal, trips in turns[at : at + _ROUND]:
                taken[journal] += trips
            ratios.append(statistics.median(taken[True]) / statistics.median(taken[False]))
            for journal, trips in taken.items():
                times[journal] += trips
    return Figure(
        name=f"{name}, as its tool waits, median of {len(times[True]):,}",
        unit="µs",
        value=statistics.median(times[True]) * 1e6,
        floor=statistics.median(times[False]) * 1e6,
        bound=Bound.RATIO,
        limit=1.15,
        spread=f"ratio {percentile(ratios, 0.1):.2f}–{percentile(ratios, 0.9):.2f} in 8 of 10 of {len(ratios)} rounds",
    )


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


def _pruning(file: Path) -> Figure:
    """Of the entries in ``file``, which are all over."""
    times = []
    with closing(Store(file)) as store:
        journal, more = Journal(store), True
        while more:
            started = time.perf_counter()
            more = journal.prune()
            times.append((time.perf_counter() - started) * 1e3)
    return Figure(
        name="what a call may wait for a slice of pruning, 99th percentile",
        unit="ms",
        value=percentile(times, 0.99),
        bound=Bound.VALUE,
        limit=50,
        spread=f"{min(times):.2f}–{max(times):.2f}; {len(times)} slices in {sum(times) / 1e3:.1f} s",
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
