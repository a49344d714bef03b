"""Test databases: copies of one that is migrated once, named after their process, dropped when it has ended."""

import fcntl
import hashlib
import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

import django
import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from psycopg import sql

_counter = itertools.count()

_RISKY: Final = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}

_EMPTY_TABLES: Final = """
DO $$
DECLARE
    name regclass;
    filled boolean;
BEGIN
    FOR name IN
        SELECT oid FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
            AND relname NOT IN ('django_migrations', 'django_content_type', 'auth_permission')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', name) INTO filled;
        IF filled THEN
            EXECUTE format('DELETE FROM %s', name);
        END IF;
    END LOOP;
END
$$
"""


def prefer_speed() -> None:
    """Trade durability for speed: a crash of the machine may lose data. Only for the embedded server."""
    with _maintenance() as session:
        for name, value in _RISKY.items():
            session.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        session.execute("SELECT pg_reload_conf()")


def drop_orphans() -> None:
    """Drop what killed test runs left behind. Only for the embedded server: another may serve other machines too."""
    with _maintenance() as session:
        for (name,) in session.execute("SELECT datname FROM pg_database").fetchall():
            maker = re.match(r"adiuva_(?:test|fresh|empty|draft)_(\d+)", name)
            if maker and not _alive(int(maker[1])):
                with suppress(psycopg.errors.InvalidCatalogName):  # another run was first
                    _drop(session, name)


@contextmanager
def fresh_database() -> Iterator[str]:
    """A migrated database without rows; yields its ``DATABASE_URL`` and drops it at the end of the block.

    The server then closes connections that are still open.
    """
    with _database(f"adiuva_fresh_{os.getpid()}_{next(_counter)}", template=migrated_template()) as url:
        yield url


@contextmanager
def empty_database() -> Iterator[str]:
    """As ``fresh_database``, but without tables."""
    with _database(f"adiuva_empty_{os.getpid()}_{next(_counter)}", template="template1") as url:
        yield url


@contextmanager
def django_connected_to_copy() -> Iterator[None]:
    """Point Django at a migrated database of this process's own until the end of the block."""
    name = f"adiuva_test_{os.getpid()}"
    with _database(name, template=migrated_template()), _django_connected_to(name):
        yield


def empty_tables() -> None:
    """Delete every row of Django's database except those created by migrations.

    Django's own ``flush`` truncates each table and recreates content types and permissions, which takes 20 times as
    long where most tables are empty.
    """
    with connection.cursor() as cursor:
        cursor.execute(_EMPTY_TABLES)


def end_other_sessions() -> None:
    """End every other session of Django's database, and wait until each has ended."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@cache
def migrated_template() -> str:
    """The name of the database that others are copied from; migrates it unless an earlier run has.

    It is kept until a migration changes. Processes that need it at the same time wait for the one that creates it.
    """
    name = f"adiuva_template_{_migrations_fingerprint()}"
    with _alone(), _maintenance() as session:
        if not _exists(session, name):
            for (older,) in session.execute(
                r"SELECT datname FROM pg_database WHERE datname LIKE 'adiuva\_template\_%'"
            ):
                with suppress(psycopg.errors.ObjectInUse):  # a run of an older version goes on
                    session.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(older)))
            draft = f"adiuva_draft_{os.getpid()}"
            session.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(draft)))
            with _django_connected_to(draft):
                call_command("migrate", verbosity=0)
            session.execute(
                sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(draft), sql.Identifier(name))
            )
    return name


@contextmanager
def _database(name: str, *, template: str) -> Iterator[str]:
    with _maintenance() as session:
        session.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
        )
        try:
            yield url_of(name)
        finally:
            _drop(session, name)


@contextmanager
def _django_connected_to(name: str) -> Iterator[None]:
    settled = str(connection.settings_dict["NAME"])
    _connect_django_to(name)
    try:
        yield
    finally:
        _connect_django_to(settled)


def _connect_django_to(name: str) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined] # PostgreSQL's alone
    settings.DATABASES["default"]["NAME"] = name
    connection.settings_dict["NAME"] = name


def _migrations_fingerprint() -> str:
    """Changes with any migration of any installed app, and with Django's version, as Django creates the permissions."""
    digest = hashlib.sha256(django.__version__.encode())
    for app in apps.get_app_configs():
        for path in sorted(Path(app.path).glob("migrations/*.py")):
            digest.update(path.name.encode() + path.read_bytes())
        # Content types and permissions depend on the models.
        digest.update(" ".join(sorted(model._meta.label for model in app.get_models())).encode())
    return digest.hexdigest()[:16]


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other process of this data folder is in such a block."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with (settings.DATA_DIR / "template.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _exists(session: psycopg.Connection[tuple[str]], name: str) -> bool:
    return session.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone() is not None


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
    """The ``DATABASE_URL`` of the database ``name`` on the session's server."""
    user, password, host, port = (
        quote(str(settings.DATABASES["default"][key]), safe="") for key in ("USER", "PASSWORD", "HOST", "PORT")
    )
    return f"postgresql://{user}{password and ':'}{password}@{host}{port and ':'}{port}/{name}"
