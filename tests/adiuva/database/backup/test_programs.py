"""How PostgreSQL's programs are told to connect."""

import os
import sys
from pathlib import Path

import pytest

from adiuva.database.backup import programs
from adiuva.database.backup.programs import environment, said_by
from adiuva.database.embedded.programs import installed_programs
from adiuva.errors import BackupError, EmbeddedPostgresError


def test_a_program_gets_what_it_needs_to_connect_and_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADIUVA_MASTER_KEYS", "secret")
    monkeypatch.setenv("PGOPTIONS", "-c search_path=elsewhere")
    found = environment(
        {"host": "db.example", "port": 5433, "user": "adiuva", "password": "p", "dbname": "name", "sslmode": "require"}
    )
    assert {name: value for name, value in found.items() if name.startswith("PG")} == {
        "PGHOST": "db.example",
        "PGPORT": "5433",
        "PGUSER": "adiuva",
        "PGPASSWORD": "p",
        "PGDATABASE": "name",
        "PGSSLMODE": "require",
        "PGCLIENTENCODING": "UTF8",
        "PGAPPNAME": "adiuva backup",
    }
    assert "secret" not in found.values()


def test_without_the_wheel_the_systems_programs_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise EmbeddedPostgresError

    monkeypatch.setattr(programs, "installed_programs", missing)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupError, match=r"^There is no pg_dump: "):
        programs._found("pg_dump")
    (tmp_path / "pg_dump").touch(mode=0o755)
    assert programs._found("pg_dump") == (os.fspath(tmp_path / "pg_dump"), "")


@pytest.mark.skipif(sys.platform != "linux", reason="needs the loader of Linux")
def test_the_wheels_programs_get_the_libpq_of_this_process() -> None:
    path, library = programs._found("pg_dump")
    assert Path(path) == installed_programs() / "pg_dump"
    assert Path(library).is_file()


def test_where_they_cannot_an_encrypted_connection_takes_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder with a space in its name, which LD_PRELOAD cannot hold.
    (tmp_path / "maps").write_text("7f00-7f01 r--p 0000 08:01 42   /my packages/psycopg.libs/libpq-1.so.5.18\n")
    monkeypatch.setattr(programs, "_LOADED", tmp_path / "maps")
    monkeypatch.setattr(programs, "_encrypted", lambda: False)
    wheels = os.fspath(installed_programs() / "pg_dump")
    assert programs._found("pg_dump") == (wheels, "")
    monkeypatch.setattr(programs, "_encrypted", lambda: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupError, match=r"^There is no pg_dump for an encrypted connection: install PostgreSQL's"):
        programs._found("pg_dump")
    (tmp_path / "pg_dump").touch(mode=0o755)
    assert programs._found("pg_dump") == (os.fspath(tmp_path / "pg_dump"), "")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "psql failed: no reason given"),
        (["psql:<stdin>:3: ERROR:  no space\n", "rollback\n"], "psql failed: psql:<stdin>:3: ERROR:  no space"),
        (["going on\n", "and on\n"], "psql failed: and on"),
    ],
)
def test_the_reason_is_the_last_error(lines: list[str], said: str) -> None:
    assert said_by("psql", lines) == said
