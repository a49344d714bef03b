"""What the files of a database still hold of an erased user.

PostgreSQL deletes a row by marking it; its bytes stay until the space is used again, in a table as in the write-ahead
log. This searches the files of a cluster for what can be known of the user: the id as text and as bytes, the address if
it is given, ciphertexts whose digests were kept, and the wrapped key, which is recognized by opening it. A value that
PostgreSQL has compressed, or split over two pages of the log, is not found.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import connection

from accounts.erasure_traces import digest_of
from accounts.progress import SILENT, Progress

WAL: Final = "the write-ahead log"
STATISTICS: Final = "pg_statistic"
"""The table of PostgreSQL's that has values of rows, for the planner, until their table is analyzed again."""
_CHUNK: Final = 8 * 1024 * 1024
_OVERLAP: Final = 4096
"""Longer than anything that is searched for."""
_TOKEN: Final = re.compile(rb"gAAAA[A-Za-z0-9_-]{59,}={0,2}", re.ASCII)
_TABLE_FILE: Final = re.compile(r"base/(?P<database>\d+)/(?P<file>\d+)(?:\.\d+|_fsm|_vm|_init)?")
_TABLES: Final = """
    SELECT pg_relation_filenode(file.oid), coalesce(owner.relname, indexed.relname, file.relname)
    FROM pg_class AS file
    LEFT JOIN pg_index AS entry ON entry.indexrelid = file.oid
    LEFT JOIN pg_class AS indexed ON indexed.oid = entry.indrelid
    LEFT JOIN pg_class AS owner ON owner.reltoastrelid = coalesce(indexed.oid, file.oid)
    WHERE pg_relation_filenode(file.oid) IS NOT NULL
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What to look for: ``texts`` by what they are, digests of ciphertexts, and whether a token is the user's key."""

    texts: Sequence[tuple[str, bytes]]
    digests: frozenset[bytes] = frozenset()
    is_key: Callable[[bytes], bool] = field(default=lambda _: False)

    def found_in(self, block: bytes, *, fresh_from: int = 0) -> Iterator[str]:
        """What ``block`` holds, once for each place; what ends before ``fresh_from`` was found before."""
        for kind, text in self.texts:
            at = block.find(text)
            while at >= 0:
                if at + len(text) > fresh_from:
                    yield kind
                at = block.find(text, at + 1)
        for match in _TOKEN.finditer(block):
            token_is = self._kind(match[0]) if match.end() > fresh_from else None
            if token_is is not None:
                yield token_is

    def _kind(self, token: bytes) -> str | None:
        if self.is_key(token):
            return "wrapped key"
        return "ciphertext" if digest_of(token) in self.digests else None


def evidence_of(
    user_id: UUID, *, addresses: Iterable[str], digests: frozenset[bytes], is_key: Callable[[bytes], bool]
) -> Evidence:
    texts = [("id", str(user_id).encode()), ("id", user_id.hex.encode()), ("id", user_id.bytes)]
    texts += [("address", address.encode()) for address in dict.fromkeys(addresses)]
    return Evidence(texts=texts, digests=digests, is_key=is_key)


@dataclass(frozen=True, kw_only=True, slots=True)
class Remains:
    """What was found, by place: ``table NAME``, the log, or another file."""

    places: Mapping[str, Mapping[str, int]]
    tables: Sequence[str]
    """Those of the places that are tables of this database."""
    unread: int
    """Files that went away or may not be read."""


def search(folder: Path, evidence: Evidence, *, progress: Progress = SILENT) -> Remains:
    """Search the files of the cluster in ``folder``. ``progress`` counts MiB."""
    names, places = _table_names(), defaultdict[str, Counter[str]](Counter)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    progress.expect(sum(_mebibytes(path) for path in files))
    unread = 0
    for path in files:
        try:
            found = Counter(_found_in_file(path, evidence))
        except OSError:
            found, unread = Counter(), unread + 1
        if found:
            places[_place(path.relative_to(folder).as_posix(), names)].update(found)
        progress.advance(_mebibytes(path))
    tables = sorted({name for name in names.values() if f"table {name}" in places})
    return Remains(places={name: dict(counts) for name, counts in sorted(places.items())}, tables=tables, unread=unread)


def cluster_folder() -> Path:
    """The folder of the database's files, as the server knows it."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        return Path(cursor.fetchone()[0])


def checkpoint() -> None:
    """Write all pages to the files, so that a search sees them."""
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")


def rewrite(tables: Collection[str]) -> None:
    """Rewrite tables without what was deleted. Each is locked meanwhile. For a superuser."""
    with connection.cursor() as cursor:
        if STATISTICS in tables:
            # ANALYZE would leave those of a table that is empty now.
            cursor.execute("DELETE FROM pg_statistic")
            cursor.execute("ANALYZE")
        for table in tables:
            cursor.execute(f"VACUUM FULL {connection.ops.quote_name(table)}")


def renew_log() -> None:
    """Replace all files of the write-ahead log. For a superuser on a cluster without replicas."""
    with connection.cursor() as cursor:
        # Otherwise PostgreSQL renames an old file and writes it again later, from its beginning.
        cursor.execute("ALTER SYSTEM SET wal_recycle = off")
        cursor.execute("SELECT pg_reload_conf()")
        try:
            cursor.execute("SELECT count(*) FROM pg_ls_waldir()")
            for _ in range(cursor.fetchone()[0] + 1):
                # A file without any record is not left for the next one.
                cursor.execute("SELECT pg_logical_emit_message(false, 'adiuva', ''), pg_switch_wal()")
            cursor.execute("CHECKPOINT")
            cursor.execute("CHECKPOINT")
        finally:
            cursor.execute("ALTER SYSTEM RESET wal_recycle")
            cursor.execute("SELECT pg_reload_conf()")


def _found_in_file(path: Path, evidence: Evidence) -> Iterator[str]:
    with path.open("rb") as file:
        tail = b""
        while chunk := file.read(_CHUNK):
            block = tail + chunk
            yield from evidence.found_in(block, fresh_from=len(tail))
            tail = block[-_OVERLAP:]


def _place(name: str, tables: Mapping[tuple[str, str], str]) -> str:
    if name.startswith("pg_wal/"):
        return WAL
    match = _TABLE_FILE.fullmatch(name)
    if match is None:
        return f"the file {name}"
    table = tables.get((match["database"], match["file"]))
    return f"table {table}" if table else "files of tables that are gone, or of another database"


def _table_names() -> dict[tuple[str, str], str]:
    """By database and file; of an index and of what is stored apart the table they belong to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT oid FROM pg_database WHERE datname = current_database()")
        database = str(cursor.fetchone()[0])
        cursor.execute(_TABLES)
        return {(database, str(file)): table for file, table in cursor.fetchall()}


def _mebibytes(path: Path) -> int:
    with suppress(OSError):
        return max(1, path.stat().st_size // 2**20)
    return 0
