"""Writing a backup of Django's database while servers use it: everything in it is as of one moment."""

import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO, Any, Final

from django.db import connection, transaction
from psycopg import sql

from accounts.progress import SILENT, Progress
from adiuva.database.backup.archive import Manifest, drafted
from adiuva.database.backup.programs import said_by, started
from adiuva.errors import BackupError

_PIECE: Final = 1024 * 1024
_LINES_KEPT: Final = 100
_OPTIONS: Final = (
    *("--format=custom", "--verbose", "--no-password", "--no-owner", "--no-privileges"),
    # Neither belongs to our role where a superuser made the extension.
    *("--no-comments", "--exclude-extension=*"),
)
_TABLE: Final = re.compile(r'(?:dumping contents of|processing data for) table "(?:public\.)?([^"]+)"')
OF_EXTENSION: Final = "EXISTS (SELECT FROM pg_depend WHERE objid = {oid} AND deptype = 'e')"
TABLES: Final = f"""
SELECT relname FROM pg_class
WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND NOT {OF_EXTENSION.format(oid="pg_class.oid")}
ORDER BY relname
"""  # noqa: S608 - constants
_WRAPPED: Final = """
SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'master_key_id'
"""


def back_up(path: Path, *, progress: Progress = SILENT, now: datetime | None = None) -> Manifest:
    """Write a backup of everything to ``path``, which must not exist, and check it. Raises ``BackupError``."""
    with drafted(path) as draft, _snapshot() as snapshot:
        manifest = _manifest(now or datetime.now(UTC))
        progress.expect(manifest.rows)
        draft.write_dump(_dump(snapshot, RowsDone(manifest, progress)))
        draft.finish(manifest)
    return manifest


class RowsDone:
    """Turns what a program says about its tables into progress, and keeps its last lines."""

    def __init__(self, manifest: Manifest, progress: Progress) -> None:
        self._tables, self._progress = manifest.tables, progress
        self._current = ""
        self.lines: deque[str] = deque(maxlen=_LINES_KEPT)

    def read(self, stream: IO[bytes]) -> None:
        """Read until the end of ``stream``."""
        for line in stream:
            self.take(line.decode("utf-8", "replace"))
        self._progress.advance(self._tables.get(self._current, 0))

    def take(self, line: str) -> None:
        self.lines.append(line)
        if (named := _TABLE.search(line)) is not None:
            self._progress.advance(self._tables.get(self._current, 0))
            self._current = named[1]


def rows_of(statement: sql.Composable | str) -> list[tuple[Any, ...]]:
    """The rows that ``statement`` finds in Django's database."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


@contextmanager
def beside(work: Callable[..., None], *arguments: object) -> Iterator[None]:
    """Do ``work`` in a thread meanwhile, and wait for its end."""
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@contextmanager
def _snapshot() -> Iterator[str]:
    """The name of a snapshot of the database, the same for our own queries within the block and for ``pg_dump``."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0]


def _manifest(now: datetime) -> Manifest:
    tables = [name for (name,) in rows_of(TABLES)]
    if "django_migrations" not in tables:
        raise BackupError("The database has no tables of ours, so there is nothing to back up.")
    return Manifest(
        made_at=now.isoformat(timespec="seconds"),
        postgresql=rows_of("SHOW server_version")[0][0],
        tables={name: _count(name) for name in tables},
        migrations=[name for (name,) in rows_of("SELECT app || '.' || name FROM django_migrations ORDER BY 1")],
        master_keys=_master_keys(),
    )


def _count(table: str) -> int:
    (found,) = rows_of(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))
    return int(found[0])


def _master_keys() -> list[str]:
    """The fingerprints of the master keys that wrapped anything in any table."""
    found: set[str] = set()
    for (table,) in rows_of(_WRAPPED):
        statement = sql.SQL("SELECT DISTINCT master_key_id FROM {}").format(sql.Identifier(table))
        found.update(name for (name,) in rows_of(statement) if name)
    return sorted(found)


def _dump(snapshot: str, done: RowsDone) -> Iterator[bytes]:
    with started("pg_dump", *_OPTIONS, f"--snapshot={snapshot}", stdout=PIPE, stderr=PIPE) as program:
        try:
            assert program.stdout is not None and program.stderr is not None  # noqa: S101, PT018 - for the types
            with beside(done.read, program.stderr), _killed_unless_read(program):
                while piece := program.stdout.read(_PIECE):
                    yield piece
        finally:
            program.wait()
    if program.returncode != 0:
        raise BackupError(said_by("pg_dump", done.lines))


@contextmanager
def _killed_unless_read(program: Popen[bytes]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        program.kill()
        raise
