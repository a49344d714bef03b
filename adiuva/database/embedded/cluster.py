"""One PostgreSQL server and its data: creating, configuring, starting, checking and stopping it.

A killed server leaves files behind, which must not be taken for a running one.
"""

import logging
import os
import secrets
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from adiuva.database.embedded.paths import DATABASE, ROLE
from adiuva.database.embedded.programs import MAJOR_VERSION, SystemUser
from adiuva.errors import EmbeddedPostgresError

logger = logging.getLogger(__name__)

_PATIENCE_S = 90.0
_PAUSE_S = 0.1
_PID_FILE = "postmaster.pid"
_PROCESSES = Path("/proc")
_LOG_LIMIT_BYTES = 10 * 1024 * 1024
# Texts sort and compare the same on every machine, and lower case works beyond ASCII.
_INITDB_OPTIONS = (
    *("--username", ROLE, "--encoding", "UTF8", "--no-instructions"),
    *("--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
    *("--auth-local", "peer", "--auth-host", "reject"),
)

_SETTINGS = """\
# Written by Adiuva at every start.
listen_addresses = ''
unix_socket_directories = {sockets}
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = 256MB
dynamic_shared_memory_type = mmap
fsync = on
full_page_writes = on
synchronous_commit = on
max_wal_size = 512MB
min_wal_size = 32MB
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] '
# Statements, errors and their details may contain what a user wrote, so they are not logged. The client gets the
# error; what ends the server or a session is still logged.
log_min_messages = log
log_min_error_statement = panic
log_error_verbosity = terse
"""

_ACCESS = """\
# Written by Adiuva at every start. TYPE DATABASE USER METHOD
local all {role} peer map=adiuva
"""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """The server of one data folder. The caller ensures that only one process at a time starts or stops it."""

    user: SystemUser
    programs: Path
    folder: Path
    """Holds the data and the log; belongs to ``user``."""
    sockets: Path
    patience_s: float = _PATIENCE_S

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def exists(self) -> bool:
        return (self.data / "PG_VERSION").exists()

    def make(self) -> None:
        """Create an empty cluster. If interrupted, it leaves nothing that a later start would take for data."""
        self.user.make_folder(self.folder)
        for left in self.folder.glob("data.new*"):
            shutil.rmtree(left, ignore_errors=True)
        # A name of its own: the initdb of a killed process may still run, and would delete what it finds in its folder.
        draft = self.folder / f"data.new.{secrets.token_hex(4)}"
        made = self.user.run([self.programs / "initdb", "--pgdata", draft, *_INITDB_OPTIONS])
        if made.returncode != 0:
            raise EmbeddedPostgresError(f"The database cannot be made in {draft}: {_last_line(made.stdout)}")
        draft.rename(self.data)

    def start(self) -> None:
        """Start the server unless it runs already, and check that it answers.

        Raises ``EmbeddedPostgresError`` if it does not within ``patience_s``; a running server is never touched.
        """
        self._check_version()
        deadline = time.monotonic() + self.patience_s
        while (failure := self._attempt()) is not None:
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(f"PostgreSQL does not answer: {failure} (its log is {self.log})")
            time.sleep(_PAUSE_S)
        self._create_database()

    def stop(self) -> None:
        """Stop the server: end its sessions and write out what was committed."""
        stopped = self._pg_ctl("stop", "--mode", "fast")
        if stopped.returncode != 0 and living_server(self.data) is not None:
            logger.warning("PostgreSQL did not stop: %s", _last_line(stopped.stdout))

    def _attempt(self) -> str | None:
        """Start or ask the server once. Returns None if it answers, or a problem that may go away."""
        if living_server(self.data) is None:
            disown_locks(self.data, self.sockets)
            _write_configuration(self.data, sockets=self.sockets, user=self.user)
            keep_log_small(self.log)
            known = self.log.stat().st_size if self.log.exists() else 0
            started = self._pg_ctl("start", "--log", str(self.log))
            if started.returncode != 0:
                return self._reason_to_wait(started.stdout, known)
        try:
            with self._connect("postgres") as connection:
                row = connection.execute("SELECT current_setting('data_directory')").fetchone()
        except psycopg.OperationalError as error:
            return _last_line(str(error))
        if row != (str(self.data),):
            raise EmbeddedPostgresError(f"Another PostgreSQL server uses {self.sockets}: stop it first.")
        return None

    def _reason_to_wait(self, said: str, known: int) -> str:
        """Why the server did not start, if waiting may help: the sessions of a killed server take a moment to end.

        ``said`` is the output of ``pg_ctl``, ``known`` the size of the log (bytes) before this start.
        """
        log = self.log.read_bytes()[known:].decode(errors="replace") if self.log.exists() else ""
        fatal = [line for line in log.splitlines() if "FATAL:" in line or "PANIC:" in line]
        reason = _last_line("\n".join(fatal) or log or said)
        if "shared memory block" in reason:
            return reason
        raise EmbeddedPostgresError(f"PostgreSQL did not start: {reason} (its log is {self.log})")

    def _create_database(self) -> None:
        with self._connect("postgres") as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                return
            # In the template, so that every new database has it, also those of tests.
            with self._connect("template1") as template:
                template.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    def _check_version(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text(encoding="utf-8").strip()
        if made_by != MAJOR_VERSION:
            raise EmbeddedPostgresError(
                f"The database in {self.data} was made by PostgreSQL {made_by} and this is {MAJOR_VERSION}: "
                "move it with pg_dump, or set ADIUVA_DATA_DIR to another folder."
            )

    def _connect(self, database: str) -> psycopg.Connection[tuple[object, ...]]:
        # libpq waits at least 2 s for a server that accepts and does not answer.
        timeout = min(5, round(self.patience_s))
        return psycopg.connect(
            host=str(self.sockets), dbname=database, user=ROLE, connect_timeout=timeout, autocommit=True
        )

    def _pg_ctl(self, action: str, *options: str) -> subprocess.CompletedProcess[str]:
        waiting = ("--wait", "--timeout", str(round(self.patience_s)))
        command: list[str | Path] = [self.programs / "pg_ctl", action, "--pgdata", self.data, *waiting, *options]
        return self.user.run(command, timeout_s=self.patience_s + 30)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def _write_configuration(data: Path, *, sockets: Path, user: SystemUser) -> None:
    """Write the settings, who may connect, and the system users behind the role.

    Written at each start, so that the files always fit this version of the code.
    """
    # A list of folders in a string: quoted once as an item, once as the string.
    item = '"' + str(sockets).replace('"', '""') + '"'
    settings = _SETTINGS.format(sockets="'" + item.replace("'", "''") + "'")
    callers = "".join(f'adiuva "{name}" {ROLE}\n' for name in dict.fromkeys([user.name, "root"]))
    for name, text in (
        ("postgresql.conf", settings),
        ("pg_hba.conf", _ACCESS.format(role=ROLE)),
        ("pg_ident.conf", callers),
    ):
        path = data / name
        path.write_text(text, encoding="utf-8")
        if user.borrowed:
            os.chown(path, user.uid, user.gid)


def living_server(data: Path) -> int | None:
    """The process id of the server that runs on ``data``, or None.

    The number in ``postmaster.pid`` alone proves nothing: after a crash it may name any process of this machine.
    """
    pid = _first_number(data / _PID_FILE)
    return pid if pid is not None and _is_server(pid) and str(data) in _command(pid) else None


def disown_locks(data: Path, sockets: Path) -> None:
    """Let the next server start despite the lock files of a dead one.

    PostgreSQL refuses to start while any process with the id in the file is alive, except its own parent. So our own id
    replaces the dead one. The rest of the file stays, and with it PostgreSQL's check that no session of the dead server
    still holds the shared memory; deleting the file would remove that protection.
    """
    for path in (data / _PID_FILE, *sockets.glob(".s.PGSQL.*.lock")):
        pid = _first_number(path)
        if pid is not None and not _is_server(pid):
            _replace_first_line(path, str(os.getpid()))


def keep_log_small(log: Path) -> None:
    """Rotate a log over 10 MiB; only the previous one is kept."""
    if log.exists() and log.stat().st_size > _LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".old.log"))


def _first_number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _replace_first_line(path: Path, line: str) -> None:
    _, separator, rest = path.read_text(encoding="utf-8").partition("\n")
    # In place: the file keeps its owner, which PostgreSQL checks.
    with path.open("r+", encoding="utf-8") as file:
        file.write(line + separator + rest)
        file.truncate()


def _is_server(pid: int) -> bool:
    command = _command(pid)
    return bool(command) and Path(command[0]).name == "postgres"


def _command(pid: int) -> list[str]:
    """The program and arguments of a process; empty if it is gone or a zombie."""
    if _PROCESSES.exists():
        try:
            return os.fsdecode((_PROCESSES / str(pid) / "cmdline").read_bytes()).rstrip("\0").split("\0")
        except OSError:
            return []
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    return shown.stdout.split()
