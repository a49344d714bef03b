"""Rows of one table, opened with whatever key made them and made again with the present one."""

from collections.abc import Callable, Sequence
from typing import cast
from uuid import UUID

from django.db import connection, transaction

from accounts.batches import Row, locked_rows, write_rows
from accounts.custody import ENCRYPTED_TABLES, EncryptedTable, Opened, Renewal
from accounts.errors import EncryptionError
from accounts.keys import Place
from accounts.passes import Batch, Unreadable
from accounts.vault import Vault, vault_for_writing


def renew_rows(name: str, user_id: UUID, ids: Sequence[UUID], *, wait: bool) -> Batch:
    """Rows of the table ``name``, in one transaction. One that cannot be opened is left as it is."""
    table = ENCRYPTED_TABLES[name]
    reads = table.renewal.reads if table.renewal else ()
    writes = table.renewal.writes if table.renewal else ()
    with transaction.atomic(durable=True):
        _commit_in_passing()
        vault = vault_for_writing(user_id)
        rows = locked_rows(table.model, ("id", *table.columns, *reads), ids, wait=wait)
        renewed, unreadable = _each_readable(table, rows, lambda some: _renewed(table, some, vault))
        if renewed:
            write_rows(table.model, ("id", *table.columns, *writes), renewed)
    return Batch(renewed=len(renewed), unreadable=unreadable, missed=_missed(ids, rows))


def _missed(ids: Sequence[UUID], rows: Sequence[Row]) -> Sequence[UUID]:
    if len(rows) == len(ids):
        return ()
    found = {row[0] for row in rows}
    return [row_id for row_id in ids if row_id not in found]


def _commit_in_passing() -> None:
    """Does not wait until the disk has it. A batch that a crash of the database loses is done again: the older key goes
    in a later transaction, which waits, and no later one is on the disk without those before it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def _each_readable(
    table: EncryptedTable, rows: Sequence[Row], renew: Callable[[Sequence[Row]], list[Row]]
) -> tuple[list[Row], list[Unreadable]]:
    """All rows at once; where one of them cannot be opened, either half, so that a few cost little."""
    try:
        return renew(rows), []
    except EncryptionError as error:
        if len(rows) == 1:
            return [], [Unreadable(table=table.name, row_id=cast("UUID", rows[0][0]), reason=str(error))]
    halves = (rows[: len(rows) // 2], rows[len(rows) // 2 :])
    parts = [_each_readable(table, half, renew) for half in halves]
    return [row for part, _ in parts for row in part], [row for _, part in parts for row in part]


def _renewed(table: EncryptedTable, rows: Sequence[Row], vault: Vault) -> list[Row]:
    """The id, the ciphertext and what else changes, of each row. Raises ``EncryptionError``."""
    name, columns, renewal = table.name, table.columns, table.renewal
    sealed: list[list[object]] = []
    opened: list[Opened] = []
    for row in rows:
        row_id = cast("UUID", row[0])
        tokens: list[object] = [row_id]
        texts: list[bytes] = []
        for column, token in zip(columns, row[1:], strict=False):
            # What held no text stays as it was, empty or null.
            text, renewed = (
                vault.renew(Place(table=name, column=column, row_id=row_id), cast("str", token))
                if token
                else (b"", token)
            )
            tokens.append(renewed)
            texts.append(text)
        sealed.append(tokens)
        if renewal:
            opened.append(_opened(renewal, columns, row, texts))
    if renewal:
        for tokens, others in zip(sealed, renewal.renewed(opened, vault), strict=True):
            tokens.extend(others)
    return [tuple(tokens) for tokens in sealed]


def _opened(renewal: Renewal, columns: Sequence[str], row: Row, texts: Sequence[bytes]) -> Opened:
    return Opened(
        id=cast("UUID", row[0]),
        texts={column: text.decode("utf-8", "surrogatepass") for column, text in zip(columns, texts, strict=True)},
        values=dict(zip(renewal.reads, row[1 + len(columns) :], strict=True)),
    )
