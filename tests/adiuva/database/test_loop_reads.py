"""Short reads on the event loop over a real database: which path they take, and what they see."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import LiteralString
from uuid import UUID

import pytest
from channels.db import database_sync_to_async
from django.db import ProgrammingError

from accounts.models import User
from adiuva.database import loop_reads
from adiuva.database.loop_reads import MAX_CONNECTIONS, LoopReader
from adiuva.server.asgi import Application
from adiuva.wiring import composition
from adiuva.wiring.composition import Parts
from agents.calls import Table
from agents.permissions.approvals.policies import Policies, read_policies, replace_policies
from agents.permissions.models import Decision
from agents.permissions.sharing import DatabaseMarks, Marks, replace_marks
from agents.reading import Found, ThreadReader
from agents.tools.spec import Risk
from tests.adiuva.server.test_asgi import probe
from tests.chat.sockets import Server
from tests.databases import end_other_sessions

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No read falls back to a thread only because a busy machine was slow to open a connection."""
    monkeypatch.setattr(loop_reads, "_WAIT_S", 30.0)


class Threads(ThreadReader):
    """The fallback to threads; counts how often it was used."""

    def __init__(self) -> None:
        self.reads = 0

    async def rows(self, statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
        self.reads += 1
        return await super().rows(statement, parameters)


@asynccontextmanager
async def begun(threads: Threads) -> AsyncIterator[LoopReader]:
    reader = LoopReader(threads)
    reader.begin()
    assert reader._opening is not None
    await reader._opening
    try:
        yield reader
    finally:
        await reader.aclose()


async def test_each_read_sees_what_was_decided_before_it(alice: User) -> None:
    threads = Threads()
    async with begun(threads) as reader:
        for decision in (Decision.DENY, Decision.ASK, Decision.DENY):
            await database_sync_to_async(replace_policies)(alice.id, risks={Risk.WRITE: decision}, tools={})
            assert (await read_policies(alice.id, reader=reader)).decision("create_task", Risk.WRITE) is decision
    assert threads.reads == 0


async def test_policies_are_the_same_by_either_way(alice: User, bob: User) -> None:
    tools = {"create_task": Decision.DENY, "delete_task": Decision.AUTO}
    await database_sync_to_async(replace_policies)(alice.id, risks={Risk.READ: Decision.ASK}, tools=tools)
    async with begun(Threads()) as reader:
        for user in (alice, bob):
            assert await read_policies(user.id, reader=reader) == await read_policies(user.id)
        assert await read_policies(bob.id, reader=reader) == Policies()


async def test_marks_are_seen_from_the_moment_they_are_made(alice: User) -> None:
    marked = Marks(tables=frozenset({Table.NOTES}), projects=frozenset({"p1"}))
    async with begun(Threads()) as reader:
        store = DatabaseMarks(reader)
        for marks in (Marks(), marked, Marks()):
            await database_sync_to_async(replace_marks)(alice.id, marks)
            assert await store.marks(alice.id) == marks


async def test_before_its_beginning_and_after_its_end_threads_read() -> None:
    threads = Threads()
    reader = LoopReader(threads)
    assert await reader.rows("SELECT %s::text", ["before"]) == [("before",)]
    async with begun(threads) as reader:
        assert await reader.rows("SELECT %s::text", ["within"]) == [("within",)]
        assert threads.reads == 1
    assert await reader.rows("SELECT %s::text", ["after"]) == [("after",)]
    assert threads.reads == 2


async def test_connections_that_were_cut_cost_no_answer() -> None:
    threads = Threads()
    async with begun(threads) as reader:
        await reader.rows("SELECT 1", [])
        await database_sync_to_async(end_other_sessions)()

        found = [await reader.rows("SELECT 1", []) for _ in range(MAX_CONNECTIONS)]
        assert found == [[(1,)]] * MAX_CONNECTIONS
        assert threads.reads > 0
        async with asyncio.timeout(60):  # until the pool has opened others
            while threads.reads > 0:
                threads.reads = 0
                assert await reader.rows("SELECT 2", []) == [(2,)]


async def test_while_its_connections_cannot_be_made_threads_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_reads, "_WAIT_S", 0.5)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        away = {"host": "127.0.0.1", "port": closed.getsockname()[1], "dbname": "adiuva", "user": "adiuva"}
        monkeypatch.setattr(loop_reads, "connection", SimpleNamespace(get_connection_params=lambda: dict(away)))
        threads = Threads()
        async with asyncio.timeout(20), begun(threads) as reader:
            assert await reader.rows("SELECT 1", []) == [(1,)]
        assert threads.reads == 1


async def test_another_event_loop_is_served_by_threads() -> None:
    threads = Threads()
    async with begun(threads) as reader:
        found = await asyncio.to_thread(lambda: asyncio.run(reader.rows("SELECT 1", [])))
    assert (found, threads.reads) == ([(1,)], 1)


async def test_what_is_wrong_with_a_statement_is_said_as_django_says_it() -> None:
    async with begun(Threads()) as reader:
        with pytest.raises(ProgrammingError):
            await reader.rows("SELECT nothing_like_it", [])
        assert await reader.rows("SELECT 1", []) == [(1,)]


async def test_a_read_that_is_cancelled_leaves_nothing_behind() -> None:
    threads = Threads()
    async with begun(threads) as reader:
        await reader.rows("SELECT 1", [])
        sleeping = asyncio.create_task(reader.rows("SELECT pg_sleep(60)", []))
        async with asyncio.timeout(60):
            while not await reader.rows("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", []):
                pass
            sleeping.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sleeping
            while await reader.rows("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", []):
                pass
    assert threads.reads == 0


async def test_the_application_reads_so_from_its_first_event_to_its_end() -> None:
    reader = LoopReader(Threads())
    application = Application(Parts(services=Server().services, memory=None, reader=reader))
    async with asyncio.timeout(60):
        assert await probe(application) == 200
        assert reader._pool is not None
        assert not reader._pool.closed
        await application.drain()
    assert reader._pool.closed


def test_turns_read_policies_and_marks_so() -> None:
    parts = composition.parts()
    run = parts.services.turns.run

    assert isinstance(run.approvals.policies, partial)
    assert isinstance(run.marks, DatabaseMarks)
    assert parts.reader is not None
    assert (run.approvals.policies.keywords["reader"], run.marks._reader) == (parts.reader, parts.reader)
