"""Preferences, each under a key. Synchronous; every write is one short transaction."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone as clock

from accounts.cipher import UserKey, keyed_index
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from memory.errors import InvalidMemory, UnreadableRow
from memory.models import (
    MAX_CORE_ROWS,
    MAX_KEY_CHARS,
    MAX_VALUE_CHARS,
    CoreQuerySet,
    MemoryCore,
    fitting,
    opened,
)

_PURPOSE: Final = "memory core key"


@dataclass(frozen=True, kw_only=True, slots=True)
class CoreEntry:
    """A preference in its owner's words. If the row cannot be decrypted, key and value are empty."""

    id: UUID
    key: str
    value: str
    updated_at: datetime
    unreadable: bool = False


def key_index(key: UserKey, name: str) -> str:
    """The HMAC (hex) that finds the key ``name``: the same for every case, spacing and Unicode composition of it."""
    folded = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    return keyed_index(key, _PURPOSE, folded)


def set_core(user_id: UUID, key: str, value: str) -> CoreEntry:
    """Store ``value`` under ``key``, in place of an earlier value.

    Raises ``InvalidMemory`` if either is empty or too long, or if there are ``MAX_CORE_ROWS`` keys already, and as
    ``open_vault``.
    """
    key = fitting(key, what="key", limit=MAX_KEY_CHARS)
    value = fitting(value, what="value", limit=MAX_VALUE_CHARS)
    try:
        return _written(user_id, key, value)
    except IntegrityError:
        # Another transaction inserted the same key: now there is a row to update.
        return _written(user_id, key, value)


def delete_core(user_id: UUID, key: str) -> bool:
    """Return whether there was a value under ``key``."""
    with transaction.atomic():
        deleted, _ = _rows_of(user_id, vault_for_writing(user_id), key).delete()
    return bool(deleted)


def delete_core_row(user_id: UUID, row_id: UUID) -> bool:
    """Delete a row by its id, even one that cannot be decrypted. Return whether there was one."""
    deleted, _ = MemoryCore.objects.for_user(user_id).filter(id=row_id).delete()
    return bool(deleted)


def list_core(user_id: UUID) -> list[CoreEntry]:
    """All preferences, sorted by key; rows that cannot be decrypted are last."""
    vault = open_vault(user_id)
    entries = [core_entry(vault, row) for row in MemoryCore.objects.for_user(user_id)]
    return sorted(entries, key=lambda entry: (entry.unreadable, entry.key.casefold(), entry.id))


def core_entry(vault: Vault, row: MemoryCore) -> CoreEntry:
    """The row decrypted, or marked as unreadable."""
    try:
        return opened_entry(vault, row)
    except UnreadableRow:
        return CoreEntry(id=row.id, key="", value="", updated_at=row.updated_at, unreadable=True)


def opened_entry(vault: Vault, row: MemoryCore) -> CoreEntry:
    """The row decrypted. Raises ``UnreadableRow``."""
    key, value = opened(vault, row, "key_encrypted"), opened(vault, row, "value_encrypted")
    return CoreEntry(id=row.id, key=key, value=value, updated_at=row.updated_at)


@transaction.atomic
def _written(user_id: UUID, key: str, value: str) -> CoreEntry:
    vault = vault_for_writing(user_id)
    row = _rows_of(user_id, vault, key).select_for_update().first()
    if row is None:
        row = MemoryCore(id=uuid4(), user_id=user_id)
        if MemoryCore.objects.for_user(user_id).count() >= MAX_CORE_ROWS:
            raise InvalidMemory(f"There are {MAX_CORE_ROWS} keys already: forget one first.")
    row.key_index = key_index(vault.key, key)
    row.key_encrypted = vault.seal(row, "key_encrypted", key)
    row.value_encrypted = vault.seal(row, "value_encrypted", value)
    row.updated_at = clock.now()
    row.save()
    return CoreEntry(id=row.id, key=key, value=value, updated_at=row.updated_at)


def _rows_of(user_id: UUID, vault: Vault, key: str) -> CoreQuerySet:
    """The row of ``key``, whose index may have been made with any of the user's keys."""
    indexes = [key_index(vault.key_of(version), key) for version in vault.versions]
    return MemoryCore.objects.for_user(user_id).filter(key_index__in=indexes)
