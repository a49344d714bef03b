from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from pytest_django import Settings

from accounts.auth.registration import DEMO_EMAIL
from accounts.models import User
from adiuva.database import embedded
from adiuva.server import starting
from adiuva.server.health import unapplied_migrations

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "http://127.0.0.1:8000"
SAID = [
    "Demo account: demo@adiuva.local, password adiuva-demo-2026",
    "The workspace, in a browser: http://127.0.0.1:8000/app/",
    'In a second terminal: ./dev chat "Which tasks are due today?"',
    f"Adiuva is ready at {ADDRESS}",
]


def connected() -> bool:
    """Whether this thread has an open database connection."""
    return connection.connection is not None


@pytest.fixture
def development(settings: Settings) -> None:
    settings.DEBUG = True


@pytest.fixture
def one_migration_behind() -> Iterator[None]:
    """The tables as of the release before the latest migration of agents."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    [latest] = graph.leaf_nodes("agents")
    [before] = [parent.key for parent in graph.node_map[latest].parents if parent.key[0] == "agents"]
    executor.migrate([before])
    yield
    MigrationExecutor(connection).migrate(graph.leaf_nodes())


def test_embedded_database_runs_until_connections_are_closed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[tuple[str, bool]] = []

    @contextmanager
    def running(data_dir: Path) -> Iterator[None]:
        assert data_dir == settings.DATA_DIR
        events.append(("starts", connected()))
        yield
        events.append(("stops", connected()))

    connection.close()
    settings.DATABASE_URL = ""
    monkeypatch.setattr(embedded, "running", running)
    with starting.database():
        assert not User.objects.exists()
        events.append(("in use", connected()))
    assert events == [("starts", False), ("in use", True), ("stops", False)]


def test_configured_database_is_used_without_the_embedded_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> NoReturn:
        raise AssertionError("the embedded database was started")

    settings.DATABASE_URL = "postgresql://db.example/adiuva"
    monkeypatch.setattr(embedded, "running", refuse)
    with starting.database():
        assert not User.objects.exists()
    assert not connected()


def test_connections_are_closed_after_a_failed_start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> NoReturn:
        with starting.database():
            assert not User.objects.exists()
            raise ZeroDivisionError

    settings.DATABASE_URL = "postgresql://db.example/adiuva"
    with pytest.raises(ZeroDivisionError):
        fail()
    assert not connected()


def test_development_start_makes_the_demo_account(development: None, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        starting.prepare()
        assert capsys.readouterr() == ("", "")
        assert not connected()
    assert [user.email for user in User.objects.all()] == [DEMO_EMAIL]


@pytest.mark.parametrize(("debug", "said"), [(True, SAID), (False, SAID[-1:])])
def test_server_that_answers_says_where_and_in_development_how_to_go_on(
    settings: Settings, capsys: pytest.CaptureFixture[str], debug: bool, said: list[str]
) -> None:
    settings.DEBUG = debug
    starting.announce(ADDRESS)
    assert capsys.readouterr().out.splitlines() == said


def test_development_start_brings_the_tables_up_to_date(
    development: None, one_migration_behind: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unapplied_migrations() == 1
    starting.prepare()
    assert capsys.readouterr() == ("", "Preparing the tables…\n")
    assert unapplied_migrations() == 0


def test_production_start_changes_nothing_and_says_what_is_missing(
    settings: Settings,
    one_migration_behind: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.DEBUG, settings.STATIC_ROOT = False, tmp_path / "none"
    starting.prepare()
    assert capsys.readouterr().out == ""
    assert caplog.messages == [
        "there are no static files: run manage.py collectstatic",
        "migrations are missing (1): run manage.py migrate",
    ]
    assert (unapplied_migrations(), User.objects.count()) == (1, 0)
