"""What a turn asks of the database: transactions, rows, and what is written ahead."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import psycopg

from benchmarks.environment import Environment
from benchmarks.processes import Server, run_worker
from benchmarks.tables import Bound, Figure
from tests.adiuva.servers import connect

TITLE: Final = "What a turn of 2 tool calls together and 1 more asks of the database, with a memory"
_PLAN: Final = "turn"
_COMMITS: Final = 8.0
_SETTLED_S: Final = 3.0
"""Until what turns leave behind is written, and PostgreSQL has counted it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Counted:
    """What a database has done in ``seconds``; of all it has ever done, they are those of the monotonic clock."""

    seconds: float
    commits: int
    inserted: int
    wal_bytes: int


def measure(environment: Environment) -> Iterator[Figure]:
    """The mean of many turns of one user: what they ask beyond one turn on a connection of its own, and beyond what the
    server asks in the same time at rest.
    """
    turns = environment.sizes.turns
    with environment.server(memory=True) as server, connect(environment.data_dir) as database:
        token = server.register()
        _take_turns(server, token, 2)  # they open connections, and leave something to recall
        rest = _used(database, lambda: time.sleep(_SETTLED_S))
        one = _used(database, lambda: _take_turns(server, token, 1))
        took = _used(database, lambda: _take_turns(server, token, 1 + turns))
    for name, unit, total, first, at_rest, limit in (
        ("commits", "", took.commits, one.commits, rest.commits, _COMMITS),
        ("rows inserted", "", took.inserted, one.inserted, rest.inserted, None),
        ("written ahead", "kB", took.wal_bytes / 1000, one.wal_bytes / 1000, rest.wal_bytes / 1000, None),
    ):
        yield Figure(
            name=f"{name}, of each turn",
            unit=unit,
            value=(total - first - at_rest * (took.seconds - one.seconds) / rest.seconds) / turns,
            bound=Bound.NONE if limit is None else Bound.VALUE,
            limit=limit,
        )


def _take_turns(server: Server, token: str, turns: int) -> None:
    run_worker("server_waits", url=server.socket_url, tokens=[token], plan=_PLAN, turns=turns)
    time.sleep(_SETTLED_S)


def _used(database: psycopg.Connection[tuple[object, ...]], work: Callable[[], None]) -> _Counted:
    """What the database counts while ``work`` is done."""
    before = _counted(database)
    work()
    after = _counted(database)
    return _Counted(
        seconds=after.seconds - before.seconds,
        commits=after.commits - before.commits,
        inserted=after.inserted - before.inserted,
        wal_bytes=after.wal_bytes - before.wal_bytes,
    )


def _counted(database: psycopg.Connection[tuple[object, ...]]) -> _Counted:
    row = database.execute(
        "SELECT xact_commit, tup_inserted, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"
        " FROM pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    assert row is not None
    commits, inserted, wal_bytes = (int(str(each)) for each in row)
    return _Counted(seconds=time.monotonic(), commits=commits, inserted=inserted, wal_bytes=wal_bytes)
