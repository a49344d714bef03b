"""Exporting all data of a user, decrypted, as JSON in pieces: it is never in memory as a whole."""

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from django.db.models import Model

from accounts.errors import EncryptionError
from accounts.keys.batch_renewal import Unreadable
from accounts.keys.custody import ENCRYPTED_TABLES, PLAIN_TABLES, Exported, exported_values
from accounts.keys.vault import one_moment, open_vault
from accounts.models import User
from accounts.session_models import Device

_Row = TypeVar("_Row", bound=Model)
_ROWS_AT_ONCE: Final = 500
_ACCOUNT: Final = (
    *("id", "email", "language", "timezone", "memory_enabled", "memory_words_days"),
    *("is_active", "is_staff", "date_joined", "last_login"),
)
_DEVICE: Final = ("id", "device_id", "platform", "app_version", "first_seen", "last_seen", "removed_at")


def export_account(user_id: UUID) -> Generator[str, None, None]:
    """The account, its devices and all tables of ``custody``, as of one moment.

    ``unreadable`` lists the rows that cannot be decrypted. Raises as ``open_vault``, before the first piece.
    """
    unreadable: list[Unreadable] = []
    with one_moment():
        vault = open_vault(user_id)
        account = _account(User.objects.get(id=user_id), unreadable)
        devices = Device.objects.for_user(user_id).select_related("user").order_by("first_seen", "id")
        yield f'{{\n"account": {json.dumps(account)}'
        yield from _list("devices", _readable(devices, partial(exported_values, names=_DEVICE), unreadable))
        for plain in PLAIN_TABLES.values():
            rows = plain.rows_of(user_id).order_by("pk").iterator(chunk_size=_ROWS_AT_ONCE)
            yield from _list(plain.name, map(plain.export, rows))
        for table in (table for table in ENCRYPTED_TABLES if not table.part_of_account):
            sealed = table.rows_of(user_id).order_by("pk").iterator(chunk_size=_ROWS_AT_ONCE)
            yield from _list(table.name, _readable(sealed, partial(table.export, vault=vault), unreadable))
        lost = ({"table": row.table, "id": str(row.row_id), "reason": row.reason} for row in unreadable)
        yield from _list("unreadable", lost)
        yield "\n}\n"


def _account(user: User, unreadable: list[Unreadable]) -> Exported:
    try:
        return exported_values(user, _ACCOUNT)
    except EncryptionError as error:
        unreadable.append(Unreadable(table=user._meta.db_table, row_id=user.id, reason=str(error)))  # noqa: SLF001 - public
        return {"email": None, **exported_values(user, [name for name in _ACCOUNT if name != "email"])}


def _readable(
    rows: Iterable[_Row], export: Callable[[_Row], Exported], unreadable: list[Unreadable]
) -> Iterator[Exported]:
    for row in rows:
        try:
            yield export(row)
        except EncryptionError as error:
            unreadable.append(Unreadable(table=row._meta.db_table, row_id=row.pk, reason=str(error)))  # noqa: SLF001 - public


def _list(name: str, rows: Iterable[Exported]) -> Iterator[str]:
    """The next member of an object: a list with one item per line."""
    yield f",\n{json.dumps(name)}: ["
    separator = "\n"
    for row in rows:
        # ASCII, as in REST's answers: half a surrogate pair cannot be encoded otherwise.
        yield separator + json.dumps(row)
        separator = ",\n"
    yield "]" if separator == "\n" else "\n]"
