"""Disclosures in the database."""

import json
import logging
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final, TypeAlias
from uuid import UUID, uuid4

from django.db import Error, connection
from django.utils import timezone as clock

from accounts.cipher import Place
from accounts.database import in_database
from accounts.errors import AccountError, EncryptionError, WrongKeyVersion
from accounts.keys.vault import Vault, open_vault
from agents.calls import Table
from agents.errors import Unrecorded
from agents.permissions.disclosures.ledger import Occasion, Sent
from agents.permissions.disclosures.models import Disclosure
from agents.requests import MAX_NAME_CHARS, storable

_Value: TypeAlias = UUID | str | bool | int | datetime | None
_COLUMNS: Final = (
    'id, request_id, device_id, source, job_id, model, left_server, "table", row_count, row_ids_encrypted, at'
)
_ATTEMPTS: Final = 3
"""A key may be rotated between reading it and writing the rows, but not three times in a row."""

logger = logging.getLogger(__name__)


class DatabaseDisclosures:
    """The ``DisclosureStore`` in the database. ``on_server`` names the models that are part of the server."""

    def __init__(self, *, on_server: AbstractSet[str]) -> None:
        self._on_server = on_server

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        try:
            await in_database(record, occasion, sent, left_server=sent.model not in self._on_server)
        except (AccountError, Error):
            logger.exception("a disclosure could not be written down")
            raise Unrecorded from None


def record(occasion: Occasion, sent: Sent, *, left_server: bool) -> None:
    """Write one row for each table; for a job, leave out what an earlier run of it has sent.

    Model requests wait for this, so it takes two statements: one reads the key, the other writes the rows if the key is
    still the present one. Raises ``AccountGone`` or ``EncryptionError``.
    """
    for _ in range(_ATTEMPTS):
        vault = open_vault(occasion.origin.user_id)
        rows = list(_new_rows(occasion, sent, vault, left_server=left_server))
        if not rows or _written(occasion.origin.user_id, vault.key.version, rows):
            return
    raise WrongKeyVersion(vault.key.version)


def _new_rows(occasion: Occasion, sent: Sent, vault: Vault, *, left_server: bool) -> Iterable[Sequence[_Value]]:
    """The values of ``_COLUMNS`` for each table."""
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
    """Write ``rows`` if the user's key has this ``version``, under a lock on it. Returns whether it had."""
    values = ", ".join(["(%s::uuid, %s, %s, %s, %s::uuid, %s, %s, %s, %s, %s, %s::timestamptz)"] * len(rows))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH owner AS MATERIALIZED (
                SELECT id FROM accounts_user WHERE id = %s AND encryption_key_version = %s FOR SHARE
            )
            INSERT INTO agents_disclosure ({_COLUMNS}, user_id)
            SELECT new.*, owner.id FROM (VALUES {values}) AS new, owner
            """,  # noqa: S608 - built from constants
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
            # Better counted twice than not at all.
            continue


def _place(row_id: UUID) -> Place:
    return Place(table="agents_disclosure", column="row_ids_encrypted", row_id=row_id)
