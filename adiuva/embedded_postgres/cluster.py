"""One PostgreSQL server and its data: made, started, proved, stopped."""

import logging
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from adiuva.embedded_postgres import stale
from adiuva.embedded_postgres.configuration import write_configuration
from adiuva.embedded_postgres.places import DATABASE, ROLE, Places
from adiuva.embedded_postgres.programs import MAJOR_VERSION
from adiuva.embedded_postgres.system_user import SystemUser
from adiuva.errors import EmbeddedPostgresError

logger = logging.getLogger(__name__)

_PATIENCE_S = 90.0
_PAUSE_S = 0.1
# Texts sort and compare the same on every machine, and lower case works beyond ASCII.
_INITDB_OPTIONS = (
    *("--username", ROLE, "--encoding", "UTF8", "--no-instructions"),
    *("--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
    *("--auth-local", "peer", "--auth-host", "reject"),
)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """The server of one data folder. The caller sees to it that only one process at a time starts or stops it."""

    user: SystemUser
    programs: Path
    places: Places
    sockets: Path
    patience_s: float = _PATIENCE_S

    @property
    def exists(self) -> bool:
        return (self.places.data / "PG_VERSION").exists()

    def make(self) -> None:
        """Makes an empty cluster. Cut short, it leaves nothing that a later start would take for data."""
        draft = self.places.cluster / "data.new"
        self.user.make_folder(self.places.cluster)
        shutil.rmtree(draft, ignore_errors=True)
        made = self.user.run([self.programs / "initdb", "--pgdata", draft, *_INITDB_OPTIONS])
        if made.returncode != 0:
            raise EmbeddedPostgresError(f"The database cannot be made in {draft}: {_last_line(made.stdout)}")
        draft.rename(self.places.data)

    def start(self) -> None:
        """Starts the server unless it runs already, and proves that it answers.

        Raises ``EmbeddedPostgresError`` when it does not within ``patience_s``; a living server is never touched.
        """
        self._check_version()
        deadline = time.monotonic() + self.patience_s
        while (failure := self._attempt()) is not None:
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(f"PostgreSQL does not answer: {failure} (its log is {self.places.log})")
            time.sleep(_PAUSE_S)
        self._furnish()

    def stop(self) -> None:
        """Stops the server: sessions are ended, what was committed is written out."""
        stopped = self._pg_ctl("stop", "--mode", "fast")
        if stopped.returncode != 0 and stale.living_server(self.places.data) is not None:
            logger.warning("PostgreSQL did not stop: %s", _last_line(stopped.stdout))

    def _attempt(self) -> str | None:
        """Starts or asks the server once; what stands in the way when it may pass, None when the server answers."""
        if stale.living_server(self.places.data) is None:
            stale.disown_locks(self.places.data, self.sockets)
            write_configuration(self.places.data, sockets=self.sockets, user=self.user)
            stale.keep_log_small(self.places.log)
            known = self._log_size()
            started = self._pg_ctl("start", "--log", str(self.places.log))
            if started.returncode != 0:
                return self._reason_to_wait(started.stdout, known)
        try:
            with self._connect("postgres") as connection:
                row = connection.execute("SELECT current_setting('data_directory')").fetchone()
        except psycopg.OperationalError as error:
            return _last_line(str(error))
        if row != (str(self.places.data),):
            raise EmbeddedPostgresError(f"Another PostgreSQL server uses {self.sockets}: stop it first.")
        return None

    def _reason_to_wait(self, said: str, known: int) -> str:
        """Why the server did not start, if waiting helps: the sessions of a killed server take a moment to end.

        ``said`` is what ``pg_ctl`` said, ``known`` how many bytes of the log are about earlier starts.
        """
        log = self.places.log.read_bytes()[known:].decode(errors="replace") if self.places.log.exists() else ""
        fatal = [line for line in log.splitlines() if "FATAL:" in line or "PANIC:" in line]
        reason = _last_line("\n".join(fatal) or log or said)
        if "shared memory block" in reason:
            return reason
        raise EmbeddedPostgresError(f"PostgreSQL did not start: {reason} (its log is {self.places.log})")

    def _log_size(self) -> int:
        return self.places.log.stat().st_size if self.places.log.exists() else 0

    def _furnish(self) -> None:
        with self._connect("postgres") as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                return
            # In the template, so that every database made here, a test's too, has it.
            with self._connect("template1") as template:
                template.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    def _check_version(self) -> None:
        made_by = (self.places.data / "PG_VERSION").read_text(encoding="utf-8").strip()
        if made_by != MAJOR_VERSION:
            raise EmbeddedPostgresError(
                f"The database in {self.places.data} was made by PostgreSQL {made_by} and this is {MAJOR_VERSION}: "
                "move it with pg_dump, or set ADIUVA_DATA_DIR to another folder."
            )

    def _connect(self, database: str) -> psycopg.Connection[tuple[object, ...]]:
        # The library waits at least 2 s for a server that accepts and says nothing.
        timeout = min(5, round(self.patience_s))
        return psycopg.connect(
            host=str(self.sockets), dbname=database, user=ROLE, connect_timeout=timeout, autocommit=True
        )

    def _pg_ctl(self, action: str, *options: str) -> subprocess.CompletedProcess[str]:
        timeout = str(round(self.patience_s))
        command: list[str | Path] = [
            self.programs / "pg_ctl",
            action,
            "--pgdata",
            self.places.data,
            "--wait",
            "--timeout",
            timeout,
        ]
        return self.user.run([*command, *options], timeout_s=self.patience_s + 30)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"
