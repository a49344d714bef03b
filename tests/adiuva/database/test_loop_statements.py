"""Short statements on the event loop over a real database: which path they take, and what they see."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Final, LiteralString

import psycopg
import pytest
from channels.db import database_sync_to_async
from django.db import ProgrammingError

from accounts.auth.devices import DeviceFacts, authenticate_token, device_arrived, register_device
from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.models import User
from accounts.statements import Found, ThreadStatements, Value
from adiuva.database import loop_statements
from adiuva.database.availability import availability
from adiuva.database.loop_statements import MAX_CONNECTIONS, LoopStatements
from adiuva.server.asgi import Application
from adiuva.wiring import composition
from adiuva.wiring.composition import Parts
from agents.permissions.disclosures import DatabaseDisclosures
from tests.adiuva.server.test_asgi import probe
from tests.chat.sockets import Server
from tests.conftest import PASSWORD
from tests.contexts import is_kept
from tests.databases import end_other_sessions

pytestmark = pytest.mark.django_db(transaction=True)

LAPTOP: Final = DeviceFacts(device_id="laptop", platform="linux", app_version="1.0")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No read falls back to a thread only because a busy machine was slow to open a connection."""
    monkeypatch.setattr(loop_statements, "_WAIT_S", 30.0)


class Threads(ThreadStatements):
    """The fallback to threads; counts how often it was used."""

    def __init__(self) -> None:
        self.reads = 0

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        self.reads += 1
        return await super().rows(statement, parameters)


@asynccontextmanager
async def begun(threads: Threads) -> AsyncIterator[LoopStatements]:
    statements = LoopStatements(threads)
    statements.begin()
    assert statements._opening is not None
    await statements._opening
    try:
        yield statements
    finally:
        await statements.aclose()


async def test_each_wait_for_a_connection_is_told() -> None:
    waits: list[float] = []
    statements = LoopStatements(Threads(), on_wait=waits.append)
    statements.begin()
    assert statements._opening is not None
    await statements._opening
    await statements.rows("SELECT %s::text", ["told"])
    await statements.aclose()
    assert len(waits) == 1
    assert waits[0] > 0


async def test_before_its_beginning_and_after_its_end_threads_read() -> None:
    threads = Threads()
    statements = LoopStatements(threads)
    assert await statements.rows("SELECT %s::text", ["before"]) == [("before",)]
    async with begun(threads) as statements:
        assert await statements.rows("SELECT %s::text", ["within"]) == [("within",)]
        assert threads.reads == 1
    assert await statements.rows("SELECT %s::text", ["after"]) == [("after",)]
    assert threads.reads == 2


@pytest.mark.parametrize("proxied", [False, True])
async def test_statements_are_planned_once_on_connections_of_the_database_itself(
    monkeypatch: pytest.MonkeyPatch, *, proxied: bool
) -> None:
    if proxied:
        monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", -1)
    async with begun(Threads()) as statements:
        itself = await statements.rows("SELECT statement FROM pg_prepared_statements", [])
        planned = await statements.rows("SHOW plan_cache_mode", [])
    assert itself == ([] if proxied else [("SELECT statement FROM pg_prepared_statements",)])
    assert planned == [("auto" if proxied else "force_generic_plan",)]


async def test_connections_that_were_cut_cost_no_answer() -> None:
    threads = Threads()
    async with begun(threads) as statements:
        await statements.rows("SELECT 1", [])
        await database_sync_to_async(end_other_sessions)()

        found = [await statements.rows("SELECT 1", []) for _ in range(MAX_CONNECTIONS)]
        assert found == [[(1,)]] * MAX_CONNECTIONS
        assert threads.reads > 0
        async with asyncio.timeout(60):  # until the pool has opened others
            while threads.reads > 0:
                threads.reads = 0
                assert await statements.rows("SELECT 2", []) == [(2,)]


def _a_known_device() -> str:
    """The access token with which a device has said hello."""
    access = issue_tokens(User.objects.create_user("alice@example.com", PASSWORD)).access
    register_device(bearer_of(access).grant, LAPTOP)
    return access


async def test_device_that_comes_back_takes_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    access = await database_sync_to_async(_a_known_device)()
    monkeypatch.delattr("accounts.auth.devices.register_device")
    threads = Threads()
    async with begun(threads) as statements:
        identity = await authenticate_token(access, statements)
        assert await device_arrived(identity, LAPTOP, statements=statements)
    assert threads.reads == 0


async def test_while_its_connections_cannot_be_made_threads_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_statements, "_WAIT_S", 0.5)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        away = {"host": "127.0.0.1", "port": closed.getsockname()[1], "dbname": "adiuva", "user": "adiuva"}
        monkeypatch.setattr(loop_statements, "connection", SimpleNamespace(get_connection_params=lambda: dict(away)))
        threads = Threads()
        async with asyncio.timeout(20), begun(threads) as statements:
            assert await statements.rows("SELECT 1", []) == [(1,)]
        assert threads.reads == 1


async def test_new_connections_do_not_keep_the_turn_that_needed_them_first(monkeypatch: pytest.MonkeyPatch) -> None:
    async with begun(Threads()) as statements:
        monkeypatch.setattr(availability, "returns", availability.returns + 1)
        assert not await is_kept(lambda: statements.rows("SELECT 1", []))


async def test_another_event_loop_is_served_by_threads() -> None:
    threads = Threads()
    async with begun(threads) as statements:
        found = await asyncio.to_thread(lambda: asyncio.run(statements.rows("SELECT 1", [])))
    assert (found, threads.reads) == ([(1,)], 1)


async def test_what_is_wrong_with_a_statement_is_said_as_django_says_it() -> None:
    async with begun(Threads()) as statements:
        with pytest.raises(ProgrammingError):
            await statements.rows("SELECT nothing_like_it", [])
        assert await statements.rows("SELECT 1", []) == [(1,)]


async def test_a_read_that_is_cancelled_leaves_nothing_behind() -> None:
    threads = Threads()
    async with begun(threads) as statements:
        await statements.rows("SELECT 1", [])
        sleeping = asyncio.create_task(statements.rows("SELECT pg_sleep(60)", []))
        async with asyncio.timeout(60):
            while not await statements.rows("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", []):
                pass
            sleeping.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sleeping
            while await statements.rows("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", []):
                pass
    assert threads.reads == 0


async def test_the_application_reads_so_from_its_first_event_to_its_end() -> None:
    statements = LoopStatements(Threads())
    application = Application(Parts(services=Server().services, memory=None, statements=statements))
    async with asyncio.timeout(60):
        assert await probe(application) == 200
        assert statements._pool is not None
        assert not statements._pool.closed
        await application.drain()
    assert statements._pool.closed


def test_turns_use_it_for_what_they_wait_for() -> None:
    parts = composition.parts()
    run = parts.services.turns.run

    assert parts.statements is not None
    assert run.rules._statements is parts.statements
    assert isinstance(run.disclosures, DatabaseDisclosures)
    assert run.disclosures._statements is parts.statements
    assert run.marks is run.rules
    assert run.approvals.policies == run.rules.policies
    assert parts.notices is not None
    assert parts.notices._listener is run.rules
