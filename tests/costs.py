"""The cost of work as a count, which is the same on every machine, unlike its time."""

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from unittest.mock import patch

import psycopg
from psycopg.pq import TransactionStatus


def calls_of(work: Callable[[], object]) -> int:
    """The number of calls, of Python's and of C's functions, that ``work`` makes.

    Garbage collection is off meanwhile, so finalizers of earlier tests' objects do not count.
    """
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    gc.disable()
    with coverage_paused():
        sys.setprofile(count)
        try:
            work()
        finally:
            sys.setprofile(before)
            gc.enable()
    return calls


def objects_by_type() -> Counter[type]:
    """How many objects of each type there are that may refer to others, after a garbage collection."""
    gc.collect()
    return Counter(map(type, gc.get_objects()))


@contextmanager
def coverage_paused() -> Iterator[None]:
    """Suspend coverage in this thread: for repeated work, which coverage would take twice as long to run.

    Property tests may use it if other tests cover the same code. Do not await meanwhile: coverage counts calls and
    returns, which must match. pytest-cov's ``no_cover`` does not work here: threads that are already running, such as
    asgiref's, would never be measured again.
    """
    tracing = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracing)


@dataclass(kw_only=True)
class DatabaseCosts:
    """What the database was asked by all threads and tasks of this process; ``commits`` also counts plain reads."""

    statements: list[str] = field(default_factory=list)
    commits: int = 0


@contextmanager
def database_costs() -> Iterator[DatabaseCosts]:
    """The statements and commits of the block. PostgreSQL commits each statement that is in no transaction.

    Checks of connections, which are empty statements, do not count: how many there are depends on which connection of
    the pool was free, and when it was last asked.
    """
    costs = DatabaseCosts()

    def counting(execute: Callable[..., Any]) -> Callable[..., Any]:
        def counted(cursor: Any, statement: object, *arguments: Any, **options: Any) -> Any:
            if not statement:
                return execute(cursor, statement, *arguments, **options)
            costs.statements.append(str(statement))
            alone = cursor.connection.info.transaction_status is TransactionStatus.IDLE
            costs.commits += cursor.connection.autocommit and alone
            return execute(cursor, statement, *arguments, **options)

        return counted

    def commit(connection: psycopg.Connection[Any]) -> None:
        costs.commits += connection.info.transaction_status is not TransactionStatus.IDLE
        committed(connection)

    committed = psycopg.Connection.commit
    with (
        patch.object(psycopg.Cursor, "execute", counting(psycopg.Cursor.execute)),
        patch.object(psycopg.AsyncCursor, "execute", counting(psycopg.AsyncCursor.execute)),
        patch.object(psycopg.Connection, "commit", commit),
    ):
        yield costs
