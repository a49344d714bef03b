"""The drill of docs/running.md with real processes: back up, restore, and a kill in the middle of each."""

import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from cryptography.fernet import Fernet
from psycopg import sql
from psycopg.conninfo import make_conninfo

from accounts.cipher import fingerprint
from adiuva.database.backup.archive import check
from adiuva.database.embedded import django_database, running
from tests.accounts.mail_servers import certificate
from tests.adiuva.database.encrypted import over_tls
from tests.adiuva.production import environment, manage
from tests.adiuva.servers import silent
from tests.databases import fresh_database
from tests.forks import Fork

pytestmark = [pytest.mark.end_to_end, pytest.mark.usefixtures("database_server")]

KEY = Fernet.generate_key().decode()
SESSIONS = 200
WAIT_S = 30.0


def env_of(url: str, folder: Path, **variables: str) -> dict[str, str]:
    return environment(folder, ADIUVA_DEBUG="1", DATABASE_URL=url, ADIUVA_MASTER_KEYS=KEY, **variables)


def connected(url: str) -> closing[psycopg.Connection[tuple[object, ...]]]:
    return closing(psycopg.connect(url, autocommit=True))


def fill(url: str, word: str) -> None:
    """Rows as a server leaves them: some sessions, and the fingerprint of a master key."""
    with connected(url) as connection:
        connection.execute(
            "INSERT INTO django_session "
            "SELECT %s || n, repeat(md5(n::text), 50), now() FROM generate_series(1, %s) AS n",
            [word, SESSIONS],
        )
        connection.execute(
            "INSERT INTO accounts_lookupkey (id, wrapped_key, master_key_id) VALUES (1, %s, %s)",
            [word, fingerprint(KEY.encode())],
        )


def rows_in(connection: psycopg.Connection[tuple[object, ...]], table: str) -> list[tuple[object, ...]]:
    return connection.execute(sql.SQL("SELECT * FROM {} ORDER BY 1").format(sql.Identifier(table))).fetchall()


def content(url: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    with connected(url) as connection:
        names = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
        ).fetchall()
        return {str(name): rows_in(connection, str(name)) for (name,) in names}


@pytest.fixture
def source(database_server: None) -> Iterator[str]:
    with fresh_database() as url:
        fill(url, "source")
        yield url


@pytest.fixture
def target(database_server: None) -> Iterator[str]:
    with fresh_database() as url:
        yield url


@pytest.fixture
def backup(source: str, tmp_path: Path) -> Path:
    path = tmp_path / "backup.tar"
    done = manage("backup", str(path), env=env_of(source, tmp_path))
    assert done.returncode == 0, done.stderr
    assert f"It opens with the master keys {fingerprint(KEY.encode())} (fingerprints)" in done.stdout
    return path


@pytest.mark.usefixtures("cluster")
def test_a_restored_database_has_every_row_and_the_backup_no_key(
    source: str, backup: Path, data_dir: Path, tmp_path: Path
) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert KEY.encode() not in backup.read_bytes()
    env = env_of(url="", folder=data_dir)
    with running(data_dir, tell=silent):  # from one server into another, the embedded one
        checked = manage("restore", str(backup), "--check", env=env)
        assert (checked.returncode, "All of them are configured." in checked.stdout) == (0, True), checked.stderr
        done = manage("restore", str(backup), env=env)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("Restored ")
        embedded = django_database(data_dir)
        target = make_conninfo(host=str(embedded["HOST"]), dbname=str(embedded["NAME"]), user=str(embedded["USER"]))
        assert content(target) == content(source)
        with connected(target) as connection:  # sequences go on where they were
            connection.execute("INSERT INTO django_content_type (app_label, model) VALUES ('a', 'b')")
        assert manage("backup", str(tmp_path / "again.tar"), env=env).returncode == 0
    whole, again = check(backup), check(tmp_path / "again.tar")
    assert (again.rows, again.migrations, again.master_keys) == (whole.rows + 1, whole.migrations, whole.master_keys)


def test_a_database_that_wants_tls_is_backed_up_and_restored(source: str, target: str, tmp_path: Path) -> None:
    context, authority = certificate(tmp_path)
    path = tmp_path / "backup.tar"
    with over_tls(source, context) as address:
        checked = f"{address}?sslmode=verify-full&sslrootcert=system"
        done = manage("backup", str(path), env=env_of(checked, tmp_path, SSL_CERT_FILE=str(authority)))
        assert done.returncode == 0, done.stderr
    with over_tls(target, context) as address:  # without an sslmode Django encrypts where the server can
        done = manage("restore", str(path), env=env_of(address, tmp_path))
        assert done.returncode == 0, done.stderr
    assert content(target) == content(source)


def test_what_does_not_fit_is_refused_and_changes_nothing(backup: Path, target: str, tmp_path: Path) -> None:
    fill(target, "target")
    before, env = content(target), env_of(target, tmp_path)
    damaged = tmp_path / "damaged.tar"
    damaged.write_bytes(backup.read_bytes()[:-5000])
    refusals = [
        manage("restore", str(backup), env=env),
        manage("restore", str(damaged), "--replace", env=env),
        manage("restore", str(backup), "--replace", env={**env, "ADIUVA_MASTER_KEYS": Fernet.generate_key().decode()}),
    ]
    with connected(target):
        refusals.append(manage("restore", str(backup), "--replace", env=env))
    for refusal, reason in zip(
        refusals, ["is not empty", "cut off", "needs the master keys", "1 other connection:"], strict=True
    ):
        assert (refusal.returncode, reason in refusal.stderr) == (2, True), refusal.stderr
    assert content(target) == before


@contextmanager
def killed(process: Callable[[], Fork], until: Callable[[], bool]) -> Iterator[None]:
    """Start ``process``, kill it once it is where ``until`` says, and go on."""
    running, deadline = process(), time.monotonic() + WAIT_S
    try:
        while not until():
            assert time.monotonic() < deadline and running.poll() is None, running.stdout.read()  # noqa: PT018
            time.sleep(0.02)
        running.kill()
        running.wait(timeout=WAIT_S)
        yield
    finally:
        running.close()


def waits(url: str) -> bool:
    """Whether a session of the database waits for a lock."""
    with connected(url) as connection:
        found = connection.execute(
            "SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) "
            "WHERE NOT granted AND datname = current_database()"
        )
        return found.fetchone() is not None


def wait_for_end(url: str) -> None:
    """Wait until no other session is in the database."""
    deadline = time.monotonic() + WAIT_S
    with connected(url) as connection:
        while connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone():
            assert time.monotonic() < deadline, "a session goes on"
            time.sleep(0.02)


def test_a_killed_backup_leaves_no_file_of_its_name_and_can_be_run_again(source: str, tmp_path: Path) -> None:
    folder, env = tmp_path / "backups", env_of(source, tmp_path)
    folder.mkdir()
    with connected(source) as blocker:
        blocker.execute("BEGIN; LOCK TABLE django_session IN ACCESS EXCLUSIVE MODE")
        starting = lambda: Fork(["manage.py", "backup", str(folder / "a.tar")], env=env, errors_apart=False)  # noqa: E731
        with killed(starting, until=lambda: waits(source)):
            assert [path.name for path in folder.iterdir()] == [".a.tar.partial"]
    wait_for_end(source)
    again = manage("backup", str(folder / "a.tar"), env=env)
    assert again.returncode == 0, again.stderr
    assert [path.name for path in folder.iterdir()] == ["a.tar"]
    assert manage("restore", str(folder / "a.tar"), "--check", env=env).returncode == 0


BARRIER = """
CREATE SCHEMA barrier;
CREATE FUNCTION barrier.wait() RETURNS event_trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM count(*) FROM pg_catalog.pg_shdescription; END';
CREATE EVENT TRIGGER barrier ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION barrier.wait();
"""
"""Indexes are made after the rows: a restore waits there, while another database's session has the shared catalogue."""


def test_a_killed_restore_leaves_the_database_as_it_was_and_can_be_run_again(
    source: str, backup: Path, target: str, tmp_path: Path
) -> None:
    fill(target, "target")
    before, env = content(target), env_of(target, tmp_path)
    with connected(source) as blocker:
        with connected(target) as connection:
            connection.execute(BARRIER)
        blocker.execute("BEGIN; LOCK TABLE pg_catalog.pg_shdescription IN ACCESS EXCLUSIVE MODE")
        starting = lambda: Fork(["manage.py", "restore", str(backup), "--replace"], env=env, errors_apart=False)  # noqa: E731
        with killed(starting, until=lambda: waits(target)):
            blocker.execute("ROLLBACK")
    wait_for_end(target)
    assert content(target) == before
    with connected(target) as connection:
        connection.execute("DROP EVENT TRIGGER barrier; DROP SCHEMA barrier CASCADE")
    again = manage("restore", str(backup), "--replace", env=env)
    assert again.returncode == 0, again.stderr
    assert content(target) == content(source)
