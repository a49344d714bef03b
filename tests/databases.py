"""Databases of test runs: named after the process that made them, dropped when it is gone."""

import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import quote

import psycopg
from django.conf import settings
from django.db import connection
from psycopg import sql

_counter = itertools.count()


def drop_orphans() -> None:
    """Drops what killed test runs left behind. Only for the embedded server: another may serve other machines too."""
    with _maintenance() as session:
        for (name,) in session.execute("SELECT datname FROM pg_database").fetchall():
            maker = re.match(r"adiuva_[a-z]+_(\d+)", name)
            if maker and not _alive(int(maker[1])):
                with suppress(psycopg.errors.InvalidCatalogName):  # another run was first
                    _drop(session, name)


@contextmanager
def fresh_database() -> Iterator[str]:
    """An empty database; gives its ``DATABASE_URL`` and drops it afterwards, whoever is still connected."""
    name = f"adiuva_fresh_{os.getpid()}_{next(_counter)}"
    with _maintenance() as session:
        session.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield url_of(name)
        finally:
            _drop(session, name)


def end_other_sessions() -> None:
    """Ends every other session of the test database, so that it can be dropped."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def _maintenance() -> psycopg.Connection[tuple[str]]:
    return psycopg.connect(url_of("postgres"), autocommit=True)


def _drop(session: psycopg.Connection[tuple[str]], name: str) -> None:
    session.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def url_of(name: str) -> str:
    """The ``DATABASE_URL`` of the database ``name`` of the session's server."""
    user, password, host, port = (
        quote(str(settings.DATABASES["default"][key]), safe="") for key in ("USER", "PASSWORD", "HOST", "PORT")
    )
    return f"postgresql://{user}{password and ':'}{password}@{host}{port and ':'}{port}/{name}"
