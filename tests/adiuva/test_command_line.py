import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import django.db
import psycopg
import pytest
from psycopg_pool import PoolTimeout
from pytest_django import Settings

from adiuva import command_line
from adiuva.command_line import needs_database, run
from adiuva.database import embedded
from adiuva.database.embedded.cluster import living_server
from adiuva.errors import EmbeddedPostgresError
from tests.adiuva.production import environment, manage, manage_by_command
from tests.adiuva.servers import cluster_data
from tests.databases import empty_database
from tests.forks import ROOT


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["migrate"], True),
        (["runserver", "8001"], True),
        (["shell"], True),
        (["check"], False),
        (["frame_schema"], False),
        (["check", "--database", "default"], True),
        (["migrate", "--help"], False),
        (["help", "migrate"], False),
        ([], False),
    ],
)
def test_database_is_started_for_commands_that_use_it(command: list[str], *, needed: bool) -> None:
    assert needs_database(["manage.py", *command]) is needed


class Started:
    """Replaces starting the database; records the data folders."""

    def __init__(self, refusal: str = "") -> None:
        self.folders: list[Path] = []
        self._refusal = refusal

    def __call__(self, data_dir: Path) -> None:
        if self._refusal:
            raise EmbeddedPostgresError(self._refusal)
        self.folders.append(data_dir)


@pytest.mark.parametrize(
    ("command", "url", "starts"),
    [
        (["check", "--database", "default"], "", True),
        (["check", "--database", "default"], "postgresql://db.example/adiuva", False),
        (["frame_schema"], "", False),
    ],
    ids=["embedded", "own", "none"],
)
def test_embedded_database_is_started_where_there_is_no_other(
    command: list[str],
    url: str,
    *,
    starts: bool,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    db: None,
) -> None:
    started = Started()
    settings.DATABASE_URL = url
    monkeypatch.setattr(embedded, "ensure_running", started)
    run(["manage.py", *command])
    assert started.folders == ([settings.DATA_DIR] if starts else [])
    assert capsys.readouterr().out != ""


def test_command_without_its_database_is_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATABASE_URL = ""
    monkeypatch.setattr(embedded, "ensure_running", Started("PostgreSQL does not answer."))
    with pytest.raises(SystemExit) as ended:
        run(["manage.py", "migrate"])
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", "PostgreSQL does not answer.\n")


@pytest.mark.parametrize("kind", [django.db.OperationalError, psycopg.OperationalError, PoolTimeout])
def test_command_whose_database_does_not_answer_is_one_sentence(
    kind: type[Exception], settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATABASE_URL = "postgresql://db.example/adiuva"

    def refuse(_arguments: object) -> NoReturn:
        raise kind("connection refused\n\tIs the server running?")

    monkeypatch.setattr(command_line, "execute_from_command_line", refuse)
    with pytest.raises(SystemExit) as ended:
        run(["manage.py", "migrate"])
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", "The database cannot be used: connection refused.\n")


def test_command_that_is_interrupted_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_arguments: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "execute_from_command_line", interrupt)
    with pytest.raises(SystemExit) as ended:
        run(["manage.py", "check"])
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "Stopped.\n")


def test_command_whose_output_no_one_reads_ends_without_a_word(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, str(ROOT / "manage.py"), "frame_schema"]
    env = environment(tmp_path, ADIUVA_DEBUG="1")
    try:
        ran = subprocess.run(
            command, env=env, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120, check=False
        )
    finally:
        os.close(writer)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_command_before_the_tables_are_made_says_what_to_run(database_server: None, tmp_path: Path) -> None:
    with empty_database() as url:
        ran = manage("forget_old", env=environment(tmp_path, ADIUVA_DEBUG="1", DATABASE_URL=url))
    assert ran.returncode == 2
    assert ran.stderr.startswith("The database lacks what this release needs: relation ")
    assert ran.stderr.endswith(" does not exist. Run manage.py migrate first.\n")


def test_command_runs_on_the_embedded_database_and_stops_it(data_dir: Path) -> None:
    ran = manage_by_command("migrate", env=environment(data_dir, ADIUVA_DEBUG="1"))
    assert (ran.returncode, ran.stderr) == (0, "Preparing the database (first start)…\n"), ran
    assert living_server(cluster_data(data_dir)) is None


@pytest.mark.usefixtures("cluster")
def test_command_that_fails_stops_the_database_too(data_dir: Path) -> None:
    ran = manage_by_command("migrate", "no_such_app", env=environment(data_dir, ADIUVA_DEBUG="1"))
    assert ran.returncode == 1
    assert "No installed app with label 'no_such_app'" in ran.stderr
    assert living_server(cluster_data(data_dir)) is None


def test_unusable_database_is_one_sentence(tmp_path: Path) -> None:
    data = tmp_path / "postgres" / "cluster"
    data.mkdir(parents=True)
    (tmp_path / "postgres" / "elsewhere").write_text(f"{data}\n")
    (data / "data").mkdir()
    (data / "data" / "PG_VERSION").write_text("9\n")
    ran = manage("migrate", env=environment(tmp_path, ADIUVA_DEBUG="1"))
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"The database in {data}/data was made by PostgreSQL 9 and this is 18: ")
    assert ran.stderr.count("\n") == 1
