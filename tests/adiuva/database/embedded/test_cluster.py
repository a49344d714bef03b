import os
import shutil
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from adiuva.database.embedded import running
from adiuva.database.embedded.cluster import Cluster, living_server
from adiuva.database.embedded.paths import database_folder, socket_folder
from adiuva.database.embedded.programs import programs_for, server_user
from adiuva.errors import EmbeddedPostgresError
from tests.adiuva.servers import cluster_data, connect, kill_and_wait, silent


def _cluster(data_dir: Path, *, patience_s: float) -> Cluster:
    user = server_user()
    folder = database_folder(data_dir)
    return Cluster(
        user=user,
        programs=programs_for(user),
        folder=folder / "cluster",
        sockets=socket_folder(data_dir),
        patience_s=patience_s,
    )


@pytest.mark.usefixtures("cluster")
def test_living_server_that_does_not_answer_is_left_alone(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        pid = living_server(cluster_data(data_dir))
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(EmbeddedPostgresError, match="PostgreSQL does not answer"):
                _cluster(data_dir, patience_s=1.0).start()
        finally:
            os.kill(pid, signal.SIGCONT)
        assert living_server(cluster_data(data_dir)) == pid
        with connect(data_dir) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.usefixtures("cluster")
def test_data_of_another_version_is_refused(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        pass
    (cluster_data(data_dir) / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedPostgresError, match="was made by PostgreSQL 17 and this is 18"), running(data_dir):
        pass


@pytest.mark.usefixtures("cluster")
def test_broken_data_is_reported_with_the_reason_from_the_log(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        pass
    (cluster_data(data_dir) / "global" / "pg_control").unlink()
    with pytest.raises(EmbeddedPostgresError, match=r"did not start: .*pg_control.*server\.log"), running(data_dir):
        pass


@pytest.mark.usefixtures("cluster")
def test_start_waits_for_the_sessions_of_a_killed_server(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        """End the last session as soon as the start waits for it."""

        waits = 0

        def monotonic(self) -> float:
            return 0.0

        def sleep(self, _seconds: float) -> None:
            self.waits += 1
            if self.waits == 1:
                kill_and_wait(session)

    clock = Clock()
    with running(data_dir, tell=silent):
        with connect(data_dir) as connection:
            session = connection.info.backend_pid
            os.kill(session, signal.SIGSTOP)  # so that it does not notice that its server is gone
            server = living_server(cluster_data(data_dir))
            assert server is not None
            kill_and_wait(server)
        monkeypatch.setattr("adiuva.database.embedded.cluster.time", clock)
        _cluster(data_dir, patience_s=30).start()
    assert clock.waits >= 1


@pytest.mark.usefixtures("cluster")
def test_server_of_other_data_on_our_socket_is_refused(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(data_dir, tell=silent):
        theirs = _cluster(data_dir, patience_s=30)
        ours = theirs.folder.parent / "ours"
        (ours / "data").mkdir(parents=True)
        (ours / "data" / "PG_VERSION").write_text("18\n")
        mine = replace(theirs, folder=ours)
        monkeypatch.setattr("adiuva.database.embedded.cluster.living_server", lambda _data: 1)
        with pytest.raises(EmbeddedPostgresError, match="Another PostgreSQL server uses"):
            mine.start()


@pytest.mark.usefixtures("cluster")
def test_server_that_would_not_stop_is_logged(data_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(data_dir, tell=silent):
        cluster = _cluster(data_dir, patience_s=30)
        broken = data_dir.parent / "programs"
        broken.mkdir()
        (broken / "pg_ctl").write_text("#!/bin/sh\necho server does not shut down; exit 1\n")
        (broken / "pg_ctl").chmod(0o755)
        replace(cluster, programs=broken).stop()
        assert "PostgreSQL did not stop: server does not shut down" in caplog.text


def test_preparation_that_fails_is_reported_with_the_reason(data_dir: Path) -> None:
    cluster = _with_initdb(data_dir, "echo no space left; exit 1")
    with pytest.raises(EmbeddedPostgresError, match=r"^The database cannot be made in .*data\.new.*: no space left$"):
        cluster.make()


def test_preparation_keeps_away_from_one_that_a_killed_process_left_running(data_dir: Path) -> None:
    cluster = _with_initdb(data_dir, 'mkdir "$2" && echo "$2" > "$2/PG_VERSION"')
    drafts = []
    for _ in range(2):
        cluster.make()
        drafts.append((cluster.data / "PG_VERSION").read_text())
        shutil.rmtree(cluster.data)
    assert len(set(drafts)) == 2


def _with_initdb(data_dir: Path, script: str) -> Cluster:
    """A cluster that is made by ``script``, whose ``$2`` is the folder."""
    programs = data_dir.parent / "programs"
    programs.mkdir()
    (programs / "initdb").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "initdb").chmod(0o755)
    cluster = replace(_cluster(data_dir, patience_s=30), programs=programs)
    cluster.folder.parent.mkdir(parents=True, exist_ok=True)
    return cluster


@pytest.mark.usefixtures("cluster")
def test_what_statements_hold_stays_out_of_the_log(data_dir: Path) -> None:
    word = "quincunx-marmalade"
    with running(data_dir, tell=silent), connect(data_dir) as connection:
        connection.execute("CREATE TABLE kept (word text UNIQUE)")
        connection.execute("INSERT INTO kept VALUES (%s)", [word])
        for statement in (
            "INSERT INTO kept VALUES (%s)",
            "SELECT %s::integer",
            "SELECT nothing FROM kept WHERE word = %s",
            "DO $$ BEGIN RAISE WARNING 'said %%', " + f"'{word}'" + "; END $$; -- %s",
        ):
            with suppress(psycopg.Error):
                connection.execute(psycopg.ClientCursor(connection).mogrify(statement, [word]))
    log = _cluster(data_dir, patience_s=1.0).log.read_text()
    assert ("database system is shut down" in log, word in log) == (True, False)
