"""Renewing rows in batches until all are done, while others go on reading and writing them.

``renew_all`` runs any renewal over pending rows; ``renew_rows`` is the renewal of a table whose user has a new key.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final, Protocol, cast
from uuid import UUID

from django.db import connection, connections, transaction
from django.db.models import Model, QuerySet

from accounts.cipher import Place
from accounts.errors import EncryptionError
from accounts.keys.bulk_rows import Row, locked_rows, write_rows
from accounts.keys.custody import ENCRYPTED_TABLES, DecryptedRow, EncryptedTable
from accounts.keys.vault import Vault, vault_for_writing
from accounts.process_pool import in_pool
from accounts.progress import Progress

BATCH: Final = 1000
"""Rows in one transaction, which locks them for some tens of milliseconds."""
_THREADS: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """A row that cannot be decrypted, and why; it is left unchanged. Holds nothing of the row's content."""

    table: str
    row_id: UUID
    reason: str

    def __str__(self) -> str:
        return f"{self.table} {self.row_id}: {self.reason}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """The result for some rows: how many were renewed, which are unreadable, which are locked by others or gone."""

    renewed: int = 0
    unreadable: Sequence[Unreadable] = ()
    missed: Sequence[UUID] = ()


class Renew(Protocol):
    """Renews the rows with these ids in its own transaction; skips locked rows unless ``wait``."""

    def __call__(self, ids: Sequence[UUID], *, wait: bool) -> Batch: ...


def renew_all(
    pending: QuerySet[Model],
    renew: Renew,
    progress: Progress,
    *,
    until: float = inf,
    executor: Executor | None = None,
) -> Batch:
    """Renew all pending rows in batches, then, one by one, those that were locked. Raises what ``renew`` raises.

    No batch starts after ``until`` (seconds of ``time.monotonic``).

    Works in the ``executor`` or in two threads: one encrypts while the database writes for the other. A process that
    belongs to a pool itself works alone, as the others keep the database busy. Batches never wait for locked rows, so
    no transactions can wait for each other in a circle.
    """
    done: list[Batch] = []

    def take(batch: Batch) -> None:
        done.append(batch)
        progress.advance(batch.renewed + len(batch.unreadable))

    ids: list[UUID] = list(pending.values_list("pk", flat=True))
    _each(_batched(ids, BATCH), partial(_unless_late, renew, until, wait=False), take, executor)
    if any(batch.missed for batch in done) and time.monotonic() < until:
        unreadable = {row.row_id for batch in done for row in batch.unreadable}
        ids = [row_id for row_id in pending.values_list("pk", flat=True) if row_id not in unreadable]
        _each(_batched(ids, 1), partial(_unless_late, renew, until, wait=True), take, executor)
    return Batch(
        renewed=sum(batch.renewed for batch in done), unreadable=[row for batch in done for row in batch.unreadable]
    )


def renew_rows(name: str, user_id: UUID, ids: Sequence[UUID], *, wait: bool) -> Batch:
    """Encrypt rows of the table ``name`` with their user's present key. Unreadable rows are left unchanged."""
    table = ENCRYPTED_TABLES[name]
    reads = table.renewal.reads if table.renewal else ()
    writes = table.renewal.writes if table.renewal else ()
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            # Do not wait for the disk. A batch that a crash of the database loses is done again: the older key is
            # destroyed in a later transaction, which does wait, and none is durable without the earlier ones.
            cursor.execute("SET LOCAL synchronous_commit = off")
        vault = vault_for_writing(user_id)
        rows = locked_rows(table.model, ("id", *table.columns, *reads), ids, wait=wait)
        renewed, unreadable = _readable(table, rows, lambda some: _renewed(table, some, vault))
        if renewed:
            write_rows(table.model, ("id", *table.columns, *writes), renewed)
    return Batch(renewed=len(renewed), unreadable=unreadable, missed=missed(ids, [row[0] for row in rows]))


def missed(ids: Sequence[UUID], found: Sequence[object]) -> Sequence[UUID]:
    """Those of ``ids`` that were not found."""
    known = set(found)
    return [row_id for row_id in ids if row_id not in known]


def _unless_late(renew: Renew, until: float, ids: Sequence[UUID], *, wait: bool) -> Batch:
    return renew(ids, wait=wait) if time.monotonic() < until else Batch()


def _each(
    batches: Sequence[Sequence[UUID]],
    renew: Callable[[Sequence[UUID]], Batch],
    take: Callable[[Batch], None],
    executor: Executor | None,
) -> None:
    if executor is not None and len(batches) > 1:
        _in_parallel(batches, renew, take, executor)
    elif in_pool() or len(batches) == 1:
        for ids in batches:
            take(renew(ids))
    else:
        with ThreadPoolExecutor(_THREADS) as threads:
            _in_parallel(batches, partial(_with_its_own_connection, renew), take, threads)


def _in_parallel(
    batches: Sequence[Sequence[UUID]],
    renew: Callable[[Sequence[UUID]], Batch],
    take: Callable[[Batch], None],
    executor: Executor,
) -> None:
    futures = [executor.submit(renew, ids) for ids in batches]
    try:
        for future in futures:
            take(future.result())
    except BaseException:
        # Also on Ctrl-C: started batches finish, and no others start.
        for future in futures:
            future.cancel()
        wait(futures)
        raise


def _with_its_own_connection(renew: Callable[[Sequence[UUID]], Batch], ids: Sequence[UUID]) -> Batch:
    try:
        return renew(ids)
    finally:
        connections.close_all()


def _batched(ids: Sequence[UUID], size: int) -> list[Sequence[UUID]]:
    return [ids[start : start + size] for start in range(0, len(ids), size)]


def _readable(
    table: EncryptedTable, rows: Sequence[Row], renew: Callable[[Sequence[Row]], list[Row]]
) -> tuple[list[Row], list[Unreadable]]:
    """All rows at once; if one of them is unreadable, each half by itself, so that a few cost little."""
    try:
        return renew(rows), []
    except EncryptionError as error:
        if len(rows) == 1:
            return [], [Unreadable(table=table.name, row_id=cast("UUID", rows[0][0]), reason=str(error))]
    halves = (rows[: len(rows) // 2], rows[len(rows) // 2 :])
    parts = [_readable(table, half, renew) for half in halves]
    return [row for part, _ in parts for row in part], [row for _, part in parts for row in part]


def _renewed(table: EncryptedTable, rows: Sequence[Row], vault: Vault) -> list[Row]:
    """The id, the ciphertext and the other changed values of each row. Raises ``EncryptionError``."""
    renewal = table.renewal
    encrypted: list[list[object]] = []
    decrypted: list[DecryptedRow] = []
    for row in rows:
        row_id = cast("UUID", row[0])
        tokens: list[object] = [row_id]
        texts: dict[str, bytes] = {}
        for column, token in zip(table.columns, row[1:], strict=False):
            place = Place(table=table.name, column=column, row_id=row_id)
            # A column without text stays as it is, empty or null.
            texts[column], renewed = vault.renew(place, cast("str", token)) if token else (b"", token)
            tokens.append(renewed)
        encrypted.append(tokens)
        if renewal:
            values = dict(zip(renewal.reads, row[len(tokens) :], strict=True))
            decoded = {column: text.decode("utf-8", "surrogatepass") for column, text in texts.items()}
            decrypted.append(DecryptedRow(id=row_id, texts=decoded, values=values))
    if renewal:
        for tokens, others in zip(encrypted, renewal.renewed(decrypted, vault), strict=True):
            tokens.extend(others)
    return [tuple(tokens) for tokens in encrypted]
