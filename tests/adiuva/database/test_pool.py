from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection, connections

from accounts.models import User
from accounts.session_models import Device
from adiuva.database import pool
from adiuva.database.availability import WatchedConnection
from adiuva.database.pool import database_from_url
from adiuva.pooled_postgresql.base import DatabaseWrapper
from tests.accounts.device_rows import stored_device
from tests.databases import drop_orphans, empty_database, empty_tables, end_other_sessions, url_of


@pytest.mark.django_db
def test_test_database_has_vectors() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT '[1,0]'::vector <=> '[0,1]'::vector")
        assert cursor.fetchone() == (1.0,)


def test_fresh_database_is_migrated_and_has_no_users(fresh_database_url: str) -> None:
    with psycopg.connect(fresh_database_url) as fresh:
        assert fresh.execute("SELECT count(*) FROM accounts_user").fetchone() == (0,)


def test_empty_database_has_no_tables(database_server: None) -> None:
    with empty_database() as url, psycopg.connect(url) as empty:
        assert empty.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


@pytest.mark.skipif(bool(settings.DATABASE_URL), reason="drops databases of the embedded server alone")
def test_databases_of_dead_processes_are_dropped_and_no_template(database_server: None) -> None:
    dead = 2**22 + 1  # above the highest process id of Linux
    orphan, template = f"adiuva_fresh_{dead}_0", f"adiuva_template_{dead}"
    with psycopg.connect(url_of("postgres"), autocommit=True) as session:
        for name in (orphan, template):
            session.execute(f"CREATE DATABASE {name} TEMPLATE template1")
        drop_orphans()
        left = {name for (name,) in session.execute("SELECT datname FROM pg_database")} & {orphan, template}
        session.execute(f"DROP DATABASE {template}")
    assert left == {template}


@pytest.mark.django_db(transaction=True)
def test_tables_are_emptied_but_for_what_migrating_made(alice: User) -> None:
    stored_device(alice, "laptop")
    kept = [model.objects.count() for model in (ContentType, Permission)]

    empty_tables()

    assert [User.objects.count(), Device.objects.count()] == [0, 0]
    assert [model.objects.count() for model in (ContentType, Permission)] == kept


def test_address_becomes_settings_with_a_pool() -> None:
    database = database_from_url("postgresql://ada:p%40ss@db.example:5433/adiuva?sslmode=require&connect_timeout=7")
    assert database == {
        "ENGINE": "adiuva.pooled_postgresql",
        "NAME": "adiuva",
        "USER": "ada",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": 5433,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
        "DISABLE_SERVER_SIDE_CURSORS": False,
        "OPTIONS": {
            "sslmode": "require",
            "connect_timeout": 7,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 4,
            "tcp_user_timeout": 30_000,
            "pool": {"min_size": 1, "max_size": 16, "timeout": 10.0, "connection_class": WatchedConnection},
        },
    }


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_socket_folder_may_stand_for_the_host(scheme: str) -> None:
    assert database_from_url(f"{scheme}://adiuva@%2Frun%2Fpostgres/name")["HOST"] == "/run/postgres"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://ada:s3cret@db/adiuva",
        "s3cret",
        "postgresql://",
        "postgresql://ada:s3cret@db",
        "postgresql://ada:s3cret@db:port/adiuva",
        "postgresql://ada:s3cret@[db/adiuva",
        "postgresql://ada:s3cret@db/adiuva?sslmode=verify_full",
    ],
)
def test_invalid_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_URL ") as caught:
        database_from_url(url)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None


IDLE = 12
"""More dead connections than the pool could try within its time-out."""


@pytest.fixture
def idle_connections(transactional_db: None) -> Iterator[ThreadPoolExecutor]:
    """Put this many idle connections into the pool, opened by these threads."""
    at_once = Barrier(IDLE)
    with ThreadPoolExecutor(IDLE) as threads:
        list(threads.map(lambda _: answer(at_once), range(IDLE)))
        yield threads


def answer(at_once: Barrier | None = None) -> int:
    """What the database answers to this thread, which returns its connection afterwards."""
    with closing(connection), connection.cursor() as cursor:
        if at_once is not None:
            at_once.wait(20)
        cursor.execute("SELECT 42")
        [found] = cursor.fetchone()
    return int(found)


def test_restart_of_the_database_causes_no_error(idle_connections: ThreadPoolExecutor) -> None:
    end_other_sessions()
    assert idle_connections.submit(answer).result() == 42

    end_other_sessions()
    assert list(idle_connections.map(lambda _: answer(), range(3 * IDLE))) == [42] * 3 * IDLE


def test_database_that_ends_each_connection_is_reported(
    idle_connections: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(_: psycopg.Connection[object]) -> None:
        raise psycopg.errors.AdminShutdown("terminating connection due to administrator command")

    used = connections["default"]
    assert isinstance(used, DatabaseWrapper)
    with monkeypatch.context() as patch:
        patch.setattr(pool, "_ASK_EVERY_S", 0.0)
        patch.setattr(used.pool, "check_connection", ended)
        with pytest.raises(OperationalError, match="terminating connection"):
            idle_connections.submit(answer).result()
    assert idle_connections.submit(answer).result() == 42


def test_connection_that_was_asked_lately_is_lent_without_a_round_trip(
    idle_connections: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = connections["default"]
    assert isinstance(used, DatabaseWrapper)
    all_of_them = range(2 * 16)
    for _ in all_of_them:
        idle_connections.submit(answer).result()
    asked: list[object] = []
    monkeypatch.setattr(used.pool, "check_connection", asked.append)

    assert [idle_connections.submit(answer).result() for _ in all_of_them] == [42] * 32
    assert asked == []

    monkeypatch.setattr(pool, "_ASK_EVERY_S", 0.0)
    idle_connections.submit(answer).result()
    assert len(asked) == 1


@pytest.mark.django_db(transaction=True)
def test_each_wait_for_a_connection_is_told() -> None:
    waits: list[float] = []
    pool.on_wait.add(waits.append)
    try:
        answer()
    finally:
        pool.on_wait.discard(waits.append)
    assert len(waits) == 1
    assert waits[0] > 0
