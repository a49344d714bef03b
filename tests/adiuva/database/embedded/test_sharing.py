import fcntl
import os
import shutil
import signal
import subprocess
from pathlib import Path

import psycopg
import pytest

from adiuva.database.embedded import running, start_again
from adiuva.database.embedded.cluster import Cluster, living_server
from adiuva.database.embedded.paths import database_folder, socket_folder
from adiuva.database.embedded.programs import server_user
from adiuva.database.embedded.sharing import cluster_folder
from adiuva.errors import EmbeddedPostgresError
from tests.adiuva.servers import as_root, cluster_data, connect, kill_and_wait, line, python, silent

HOLD = """
import sys
from pathlib import Path
from adiuva.database.embedded import running
with running(Path(sys.argv[1])):
    print("holding", flush=True)
    sys.stdin.read()
"""


HOLD_AND_WRITE = """
import sys
from pathlib import Path
from adiuva.database.embedded import running
from tests.adiuva.servers import connect
with running(Path(sys.argv[1])), connect(Path(sys.argv[1])) as connection:
    connection.execute("CREATE TABLE kept (number int)")
    connection.execute("INSERT INTO kept SELECT generate_series(1, 1000)")
    connection.autocommit = False
    connection.execute("INSERT INTO kept VALUES (-1)")  # never committed
    print("written", flush=True)
    sys.stdin.read()
"""


def count(data_dir: Path) -> object:
    with connect(data_dir) as connection:
        return connection.execute("SELECT count(*), min(number) FROM kept").fetchone()


def test_first_start_makes_a_database_with_vectors_and_says_so(data_dir: Path) -> None:
    told: list[str] = []
    with running(data_dir, tell=told.append), connect(data_dir) as connection:
        extensions = connection.execute("SELECT extname FROM pg_extension ORDER BY extname").fetchall()
        assert extensions == [("plpgsql",), ("vector",)]
        assert connection.execute("SELECT lower('ÀÉ')").fetchone() == ("àé",)
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
    assert told == ["Preparing the database (first start)…"]
    with running(data_dir, tell=told.append):
        assert len(told) == 1


@pytest.mark.usefixtures("cluster")
def test_server_stops_with_its_last_holder(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        with running(data_dir, tell=silent):
            pid = living_server(cluster_data(data_dir))
        assert living_server(cluster_data(data_dir)) == pid is not None
    assert living_server(cluster_data(data_dir)) is None
    assert not socket_folder(data_dir).exists()


@pytest.mark.usefixtures("cluster")
def test_two_processes_share_one_server(data_dir: Path) -> None:
    with python(HOLD, data_dir) as other:
        assert line(other) == "holding"
        pid = living_server(cluster_data(data_dir))
        with running(data_dir, tell=silent):
            assert living_server(cluster_data(data_dir)) == pid
        assert living_server(cluster_data(data_dir)) == pid is not None
        other.communicate()
    assert living_server(cluster_data(data_dir)) is None


@pytest.mark.usefixtures("cluster")
def test_killed_holder_does_not_keep_the_server_running(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        with python(HOLD, data_dir) as other:
            assert line(other) == "holding"
            kill_and_wait(other.pid)
        assert living_server(cluster_data(data_dir)) is not None
    assert living_server(cluster_data(data_dir)) is None


@pytest.mark.usefixtures("cluster")
def test_server_of_a_killed_holder_is_joined(data_dir: Path) -> None:
    with python(HOLD_AND_WRITE, data_dir) as writer:
        assert line(writer) == "written"
        pid = living_server(cluster_data(data_dir))
        kill_and_wait(writer.pid)
    with running(data_dir, tell=silent):
        assert living_server(cluster_data(data_dir)) == pid is not None
        assert count(data_dir) == (1000, 1)


@pytest.mark.usefixtures("cluster")
def test_everything_killed_loses_nothing_committed(data_dir: Path) -> None:
    with python(HOLD_AND_WRITE, data_dir) as writer:
        assert line(writer) == "written"
        server = living_server(cluster_data(data_dir))
        assert server is not None
        os.killpg(writer.pid, signal.SIGKILL)
        kill_and_wait(server)
    with running(data_dir, tell=silent):
        assert living_server(cluster_data(data_dir)) not in {None, server}
        assert count(data_dir) == (1000, 1)


@pytest.mark.usefixtures("cluster")
def test_server_that_was_killed_is_started_again_for_its_holder(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        server = living_server(cluster_data(data_dir))
        assert server is not None
        start_again(data_dir)
        assert living_server(cluster_data(data_dir)) == server
        kill_and_wait(server)
        start_again(data_dir)
        with connect(data_dir) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    start_again(data_dir)  # by a process that has left: nothing stays
    assert living_server(cluster_data(data_dir)) is None


@pytest.mark.usefixtures("cluster")
def test_start_that_fails_again_is_logged(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_cluster: Cluster) -> None:
        raise EmbeddedPostgresError("PostgreSQL does not answer.")

    monkeypatch.setattr(Cluster, "start", fail)
    start_again(data_dir)
    assert caplog.messages == ["the embedded database could not be started again: PostgreSQL does not answer."]


@pytest.mark.usefixtures("cluster")
def test_lock_files_naming_a_living_stranger_do_not_stop_the_start(data_dir: Path) -> None:
    with python(HOLD_AND_WRITE, data_dir) as writer:
        assert line(writer) == "written"
        server = living_server(cluster_data(data_dir))
        assert server is not None
        kill_and_wait(writer.pid)
        kill_and_wait(server)
    user = server_user()
    identity = {"user": user.uid, "group": user.gid} if user.borrowed else {}
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, **identity) as stranger:  # type: ignore[call-overload]
        # PostgreSQL takes any process of the same system user for its own server and refuses to start.
        for lock in (cluster_data(data_dir) / "postmaster.pid", socket_folder(data_dir) / ".s.PGSQL.5432.lock"):
            _, rest = lock.read_text().split("\n", 1)
            with lock.open("r+") as file:
                file.write(f"{stranger.pid}\n{rest}")
                file.truncate()
        with running(data_dir, tell=silent):
            assert count(data_dir) == (1000, 1)
        assert stranger.poll() is None
        stranger.kill()


def test_interrupted_preparation_is_done_again(data_dir: Path) -> None:
    draft = cluster_data(data_dir).parent / "data.new"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    user = server_user()
    if user.borrowed:
        os.chown(draft.parent, user.uid, user.gid)
    with running(data_dir, tell=silent), connect(data_dir) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.usefixtures("cluster")
def test_failed_start_leaves_no_server_behind(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_cluster: Cluster) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Cluster, "_create_database", fail)
    with pytest.raises(KeyboardInterrupt), running(data_dir, tell=silent):
        pass
    assert living_server(cluster_data(data_dir)) is None


@as_root
def test_data_out_of_reach_goes_elsewhere_and_stays_there(tmp_path: Path) -> None:
    data_dir = tmp_path / "var"  # pytest's folders are closed to other users
    folder = database_folder(data_dir)
    with running(data_dir, tell=silent), connect(data_dir) as connection:
        connection.execute("CREATE TABLE kept (number int)")
    away = Path((folder / "elsewhere").read_text().strip())
    try:
        assert away.parent == Path("/var/lib/adiuva")
        assert not (folder / "cluster").exists()
        assert tmp_path.stat().st_mode & 0o777 == 0o700
        with running(data_dir, tell=silent):
            assert count(data_dir) == (0, None)
    finally:
        shutil.rmtree(away)


@as_root
def test_unreachable_data_is_reported_rather_than_lost(tmp_path: Path) -> None:
    folder = database_folder(tmp_path)
    (folder / "cluster").mkdir(parents=True)
    with pytest.raises(EmbeddedPostgresError, match="cannot reach its database"):
        cluster_folder(folder, server_user(), home=tmp_path)


def test_folder_of_another_user_is_reported(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    def deny(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr("adiuva.database.embedded.sharing.make_socket_folder", deny)
    match = "may not use /somewhere: run Adiuva as the user who owns"
    with pytest.raises(EmbeddedPostgresError, match=match), running(data_dir):
        pass


def test_gate_that_stays_closed_is_reported(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.database.embedded.sharing._GATE_PATIENCE_S", 0.0)
    gate = database_folder(data_dir) / "gate.lock"
    gate.parent.mkdir(parents=True)
    with gate.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        match = r"Another process keeps .*gate\.lock for too long"
        with pytest.raises(EmbeddedPostgresError, match=match), running(data_dir, tell=silent):
            pass


@pytest.mark.usefixtures("cluster")
def test_connection_to_a_stopped_server_fails(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        pass
    with pytest.raises(psycopg.OperationalError):
        connect(data_dir)
