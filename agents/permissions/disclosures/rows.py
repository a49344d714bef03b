"""Disclosures as rows of the database."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, TypeAlias
from uuid import UUID, uuid4

from django.db import connection
from django.utils import timezone as clock

from accounts.errors import EncryptionError, WrongKeyVersion
from accounts.keys import Place
from accounts.vault import Vault, open_vault
from agents.calls import Table
from agents.names import MAX_NAME_CHARS, storable
from agents.permissions.disclosures.entries import Disclosure
from agents.permissions.disclosures.records import Occasion, Sent

_Value: TypeAlias = UUID | str | bool | int | datetime | None
_COLUMNS: Final = (
    'id, request_id, device_id, source, job_id, model, left_server, "table", row_count, row_ids_encrypted, at'
)
_TRIES: Final = 3
"""A key may be rotated between the reading and the writing, but not three times in a row."""


def record(occasion: Occasion, sent: Sent, *, left_server: bool) -> None:
    """Write down what is sent, a row a table; of a job, without what an earlier run of it has sent already.

    It stands on the way to model requests, so it takes two statements: one reads the key, the other writes the rows if
    it is still the present one. Raises ``AccountGone`` or ``EncryptionError``.
    """
    for _ in range(_TRIES):
        vault = open_vault(occasion.origin.user_id)
        rows = list(_new_rows(occasion, sent, vault, left_server=left_server))
        if not rows or _written(occasion.origin.user_id, vault.key.version, rows):
            return
    raise WrongKeyVersion(vault.key.version)


def _new_rows(occasion: Occasion, sent: Sent, vault: Vault, *, left_server: bool) -> Iterable[Sequence[_Value]]:
    """The values of ``_COLUMNS``, a table each."""
    origin, now = occasion.origin, clock.now()
    model = storable(sent.model)[:MAX_NAME_CHARS]
    for table, told in sent.rows.items():
        ids = told - _known(occasion, model, table, vault)
        if ids:
            row_id = uuid4()
            yield (
                row_id,
                storable(origin.request_id)[:MAX_NAME_CHARS],
                storable(origin.device_id),
                occasion.source.value,
                occasion.job_id,
                model,
                left_server,
                table.value,
                len(ids),
                vault.encrypt(_place(row_id), json.dumps(sorted(ids))),
                now,
            )


def _written(user_id: UUID, version: int, rows: Sequence[Sequence[_Value]]) -> bool:
    """Write ``rows`` if the user's key is of this ``version``; whether it was. It stays so until they are written."""
    values = ", ".join(["(%s::uuid, %s, %s, %s, %s::uuid, %s, %s, %s, %s, %s, %s::timestamptz)"] * len(rows))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH owner AS MATERIALIZED (
                SELECT id FROM accounts_user WHERE id = %s AND encryption_key_version = %s FOR SHARE
            )
            INSERT INTO agents_disclosure ({_COLUMNS}, user_id)
            SELECT new.*, owner.id FROM (VALUES {values}) AS new, owner
            """,  # noqa: S608 - put together of constants
            [user_id, version, *(value for row in rows for value in row)],
        )
        written: int = cursor.rowcount
    return written == len(rows)


def row_ids_in(row: Disclosure, vault: Vault) -> list[str]:
    """Raises ``EncryptionError``."""
    ids: list[str] = json.loads(vault.decrypt(_place(row.id), row.row_ids_encrypted))
    return ids


def _known(occasion: Occasion, model: str, table: Table, vault: Vault) -> frozenset[str]:
    if occasion.job_id is None:
        return frozenset()
    earlier = Disclosure.objects.for_user(occasion.origin.user_id).filter(
        job_id=occasion.job_id, model=model, table=table
    )
    return frozenset(row_id for ids in _readable(earlier, vault) for row_id in ids)


def _readable(rows: Iterable[Disclosure], vault: Vault) -> Iterable[list[str]]:
    for row in rows:
        try:
            yield row_ids_in(row, vault)
        except EncryptionError:
            # Counted twice rather than not at all.
            continue


def _place(row_id: UUID) -> Place:
    return Place(table="agents_disclosure", column="row_ids_encrypted", row_id=row_id)
