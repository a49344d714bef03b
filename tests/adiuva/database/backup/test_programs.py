"""How PostgreSQL's programs are told to connect."""

import os
from pathlib import Path

import pytest

from adiuva.database.backup import programs
from adiuva.database.backup.programs import environment, said_by
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
        programs._path_of("pg_dump")
    (tmp_path / "pg_dump").touch(mode=0o755)
    assert programs._path_of("pg_dump") == os.fspath(tmp_path / "pg_dump")


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
