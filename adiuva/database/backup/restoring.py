"""Restoring a backup: in one transaction, so that a kill at any moment leaves the database as it was.

``pg_restore`` writes the dump as a script, which we pass on to ``psql`` between a BEGIN and a COMMIT of our own. The
COMMIT is sent only after ``psql`` has said that all before it is done, the counting of the rows included; without it
``psql`` ends at the end of its input, and the server rolls everything back.
"""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO, Final

import psycopg
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from accounts.cipher import MasterKeys
from accounts.errors import KeyConfigurationError
from accounts.process_pool import close_connections
from accounts.progress import SILENT, Progress
from adiuva.database.backup.archive import Manifest, Pieces, opened
from adiuva.database.backup.dumping import OF_EXTENSION, TABLES, RowsDone, beside, rows_of
from adiuva.database.backup.programs import parameters, said_by, started
from adiuva.errors import BackupError

_PIECE: Final = 1024 * 1024
_LOOKS, _PAUSE_S = 20, 0.05
_LOCK_S: Final = 30
_DONE: Final = b"adiuva: all is restored\n"
_FILLED_BY_MIGRATIONS: Final = frozenset({"django_migrations", "django_content_type", "auth_permission"})
_PSQL: Final = ("--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", "--set=VERBOSITY=terse",
                "--set=SHOW_CONTEXT=never")  # fmt: skip
_RESTORE: Final = ("--file=-", "--verbose", "--no-owner", "--no-privileges")
_NEWER_SETTING: Final = b"SET transaction_timeout = 0;\n"
"""In every script of ``pg_restore``; PostgreSQL 17 was the first that knew it."""
_KNOWS_SETTING: Final = 170_000
_OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND COALESCE(backend_type, 'client backend') = 'client backend'
"""
_DROPS: Final = f"""
SELECT format('DROP %s IF EXISTS public.%I CASCADE', CASE relkind WHEN 'v' THEN 'VIEW'
    WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, relname)
FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND relnamespace = 'public'::regnamespace
    -- Sequences of columns go with their tables.
    AND NOT EXISTS (SELECT FROM pg_depend
        WHERE objid = pg_class.oid AND (deptype = 'e' OR relkind = 'S' AND deptype IN ('a', 'i')))
UNION ALL
SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure)
FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND NOT {OF_EXTENSION.format(oid="pg_proc.oid")}
UNION ALL
SELECT format('DROP TYPE IF EXISTS public.%I CASCADE', typname)
FROM pg_type WHERE typtype IN ('e', 'd') AND typnamespace = 'public'::regnamespace
    AND NOT {OF_EXTENSION.format(oid="pg_type.oid")}
"""  # noqa: S608 - constants
_COUNT: Final = """
DO $$
DECLARE
    wanted jsonb := {tables};
    name text;
    found bigint;
BEGIN
    FOR name IN SELECT jsonb_object_keys(wanted) LOOP
        EXECUTE format('SELECT count(*) FROM public.%I', name) INTO found;
        IF found <> (wanted ->> name)::bigint THEN
            RAISE EXCEPTION 'the table % has % rows after the restore, in the backup %', name, found, wanted ->> name;
        END IF;
    END LOOP;
END
$$;
"""


def restore(path: Path, *, replace: bool = False, without_keys: bool = False, progress: Progress = SILENT) -> Manifest:
    """Fill Django's database from the backup ``path``, or with ``replace`` put it in place of what is there.

    Raises ``BackupError`` if the file is not complete, is of a newer release, needs master keys that are not configured
    (unless ``without_keys``), if others use the database, or if it has rows and is not to be replaced. The database is
    then as before.
    """
    with opened(path) as (manifest, pieces):
        if not without_keys:
            check_keys(manifest)
        check_release(manifest)
        _check_target(replace=replace)
        beginning = _beginning([statement for (statement,) in rows_of(_DROPS)])
        older = int(rows_of("SHOW server_version_num")[0][0]) < _KNOWS_SETTING
        close_connections()
        progress.expect(manifest.rows)
        _Passage(manifest=manifest, progress=progress, leave_out=_NEWER_SETTING if older else b"").run(
            pieces, before=beginning, after=_ending(manifest)
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return manifest


def check_keys(manifest: Manifest) -> None:
    """Raises ``BackupError`` unless all master keys that the backup needs are configured."""
    try:
        configured = {key.id for key in MasterKeys.parse(settings.MASTER_KEYS).keys}
    except KeyConfigurationError as error:
        raise BackupError(str(error)) from None
    if missing := sorted(set(manifest.master_keys) - configured):
        raise BackupError(
            f"The backup needs the master keys with the fingerprints {', '.join(missing)}, which are not in "
            "ADIUVA_MASTER_KEYS: add them, behind the newest. Without them the data of its users cannot be opened."
        )


def check_release(manifest: Manifest) -> None:
    """Raises ``BackupError`` if the backup has migrations that this release does not know."""
    if unknown := sorted(set(manifest.migrations) - _known_migrations()):
        raise BackupError(f"The backup is of a newer release, which has {unknown[-1]}: update the server first.")


def left_to_migrate(manifest: Manifest) -> bool:
    """Whether this release has migrations that the backup was made before."""
    return bool(_known_migrations() - set(manifest.migrations))


def _known_migrations() -> set[str]:
    return {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}


def _others() -> int:
    """How many connections the database has besides ours. One that has just been closed may take a moment to end."""
    close_connections()
    with psycopg.connect(**parameters(), autocommit=True) as alone:
        for _ in range(_LOOKS):
            (others,) = alone.execute(_OTHERS).fetchone() or (0,)
            if not others:
                break
            time.sleep(_PAUSE_S)
    return int(others)


def _check_target(*, replace: bool) -> None:
    if others := _others():
        raise BackupError(
            f"The database has {others} other connection{'s' if others > 1 else ''}: "
            "stop its servers and workers first."
        )
    if not replace and (filled := next(_filled_tables(), None)) is not None:
        raise BackupError(f"The database is not empty ({filled} has rows): --replace deletes its content.")


def _filled_tables() -> Iterator[str]:
    for (name,) in rows_of(TABLES):
        exists = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(name))
        if name not in _FILLED_BY_MIGRATIONS and rows_of(exists)[0][0]:
            yield name


def _beginning(drops: Sequence[str]) -> bytes:
    statements = ["BEGIN", f"SET LOCAL lock_timeout = '{_LOCK_S}s'", "SET LOCAL client_min_messages = error", *drops]
    return _script([*statements, "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public"])


def _ending(manifest: Manifest) -> bytes:
    tables = sql.Literal(json.dumps(dict(manifest.tables))).as_string(None)
    return _COUNT.replace("{tables}", tables).encode() + b"\\echo " + _DONE


def _script(statements: Iterable[str]) -> bytes:
    return "".join(f"{statement};\n" for statement in statements).encode()


@dataclass(kw_only=True)
class _Passage:
    """A dump on its way through ``pg_restore`` and ``psql`` into the database."""

    manifest: Manifest
    progress: Progress
    leave_out: bytes
    _fed: bool = field(default=False, init=False)

    def run(self, pieces: Pieces, *, before: bytes, after: bytes) -> None:
        """Raises ``BackupError``; the transaction is rolled back then."""
        converted, loaded = RowsDone(self.manifest, self.progress), RowsDone(self.manifest, SILENT)
        with ExitStack() as stack:
            converter = stack.enter_context(started("pg_restore", *_RESTORE, stdin=PIPE, stdout=PIPE, stderr=PIPE))
            loader = stack.enter_context(started("psql", *_PSQL, stdin=PIPE, stdout=PIPE, stderr=PIPE))
            stack.callback(_end, converter, loader)
            stack.enter_context(beside(loaded.read, loader.stderr))
            stack.enter_context(beside(converted.read, converter.stderr))
            stack.enter_context(beside(self._feed, pieces, converter.stdin))
            stack.callback(_end, converter, loader)
            taken = self._pass_on(converter, loader, before)
            if converter.wait() != 0 and taken:
                raise BackupError(said_by("pg_restore", converted.lines))
            done = taken and self._fed and _write_all(loader.stdin, after) and _said(loader.stdout)
            if done:
                _write_all(loader.stdin, _script(["COMMIT"]))
            _close(loader.stdin)
            loader.wait()
        if loader.returncode != 0 or not done:
            raise BackupError(said_by("psql", loaded.lines))

    def _feed(self, pieces: Pieces, stream: IO[bytes]) -> None:
        try:
            with suppress(BrokenPipeError):
                for piece in pieces:
                    stream.write(piece)
                self._fed = True
        finally:
            # Also when the file cannot be read to its end: the converter waits for more until then.
            _close(stream)

    def _pass_on(self, converter: Popen[bytes], loader: Popen[bytes], before: bytes) -> bool:
        """Whether the loader has taken everything."""
        assert converter.stdout is not None and loader.stdin is not None  # noqa: S101, PT018 - for the types
        if not _write_all(loader.stdin, before):
            converter.kill()
            return False
        leave_out = self.leave_out
        while piece := converter.stdout.read1(_PIECE):  # type: ignore[attr-defined] # it is buffered
            if leave_out and leave_out in piece:
                piece, leave_out = piece.replace(leave_out, b"", 1), b""
            if not _write_all(loader.stdin, piece):
                converter.kill()
                return False
        return True


def _write_all(stream: IO[bytes] | None, data: bytes) -> bool:
    assert stream is not None  # noqa: S101 - for the types
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:  # it has stopped at an error
        return False
    return True


def _said(stream: IO[bytes] | None) -> bool:
    """Wait until the loader has done everything; False if it ends before."""
    assert stream is not None  # noqa: S101 - for the types
    return any(line == _DONE for line in stream)


def _close(stream: IO[bytes] | None) -> None:
    with suppress(BrokenPipeError):
        assert stream is not None  # noqa: S101 - for the types
        stream.close()


def _end(*programs: Popen[bytes]) -> None:
    for program in programs:
        if program.poll() is None:
            program.kill()
