"""Exporting all data of a user, decrypted, as JSON in pieces: it is never in memory as a whole."""

import json
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from accounts.errors import EncryptionError
from accounts.keys.batch_renewal import Unreadable
from accounts.keys.custody import ENCRYPTED_TABLES, PLAIN_TABLES, EncryptedTable, PlainTable
from accounts.keys.vault import Vault, one_moment, open_vault
from accounts.models import Device, User

_ROWS_AT_ONCE = 500


def export_account(user_id: UUID) -> Iterator[str]:
    """The account, its devices and all tables of ``custody``, as of one moment.

    ``unreadable`` lists the rows that cannot be decrypted. Raises as ``open_vault``, before the first piece.
    """
    with one_moment():
        vault = open_vault(user_id)
        user = User.objects.get(id=user_id)
        yield f'{{\n"account": {json.dumps(_account(user))},\n'
        yield from _list("devices", map(_device, Device.objects.for_user(user_id).order_by("first_seen", "id")))
        yield ",\n"
        for table in PLAIN_TABLES.values():
            yield from _list(table.name, _plain_rows(table, user_id))
            yield ",\n"
        yield from _tables(user_id, ENCRYPTED_TABLES, vault)
        yield "\n}\n"


def export_tables(user_id: UUID, tables: Iterable[EncryptedTable]) -> Iterator[str]:
    """As ``export_account``, with these tables alone."""
    with one_moment():
        vault = open_vault(user_id)
        yield "{\n"
        yield from _tables(user_id, tables, vault)
        yield "\n}\n"


def _tables(user_id: UUID, tables: Iterable[EncryptedTable], vault: Vault) -> Iterator[str]:
    unreadable: list[Unreadable] = []
    for table in tables:
        yield from _list(table.name, _rows(table, user_id, vault, unreadable))
        yield ",\n"
    yield from _list(
        "unreadable", ({"table": row.table, "id": str(row.row_id), "reason": row.reason} for row in unreadable)
    )


def _rows(
    table: EncryptedTable, user_id: UUID, vault: Vault, unreadable: list[Unreadable]
) -> Iterator[Mapping[str, object]]:
    for row in table.rows_of(user_id).order_by("pk").iterator(chunk_size=_ROWS_AT_ONCE):
        try:
            yield table.export(row, vault)
        except EncryptionError as error:
            unreadable.append(Unreadable(table=table.name, row_id=row.pk, reason=str(error)))


def _plain_rows(table: PlainTable, user_id: UUID) -> Iterator[Mapping[str, object]]:
    rows = table.rows_of(user_id).order_by("pk").iterator(chunk_size=_ROWS_AT_ONCE)
    return (table.export(row) for row in rows)


def _list(name: str, rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """A member of an object: a list with one item per line."""
    yield f"{json.dumps(name)}: ["
    separator = "\n"
    for row in rows:
        # ASCII, as in REST's answers: half a surrogate pair cannot be encoded otherwise.
        yield separator + json.dumps(row)
        separator = ",\n"
    yield "]" if separator == "\n" else "\n]"


def _account(user: User) -> Mapping[str, object]:
    return {
        "id": str(user.id),
        "email": user.email,
        "language": user.language,
        "timezone": user.timezone,
        "memory_enabled": user.memory_enabled,
        "is_active": user.is_active,
        "is_staff": user.is_staff,
        "date_joined": user.date_joined.isoformat(),
        "last_login": user.last_login.isoformat() if user.last_login else None,
    }


def _device(device: Device) -> Mapping[str, object]:
    return {
        "device_id": device.device_id,
        "platform": device.platform,
        "app_version": device.app_version,
        "first_seen": device.first_seen.isoformat(),
        "last_seen": device.last_seen.isoformat(),
        "removed_at": device.removed_at.isoformat() if device.removed_at else None,
    }
