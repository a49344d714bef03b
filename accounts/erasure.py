"""Erasing an account.

First all access ends and the key is destroyed: from that moment nothing in this database decrypts what it encrypted.
Then the rows are deleted, in batches, and finally the account. An interrupted erasure is completed by running it again;
a destroyed key shows which accounts need that.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Final
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import F
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken

from accounts.erasure_traces import drop_old_traces, note_ciphertexts
from accounts.errors import AccountError, AccountGone
from accounts.keys.custody import ENCRYPTED_TABLES, PLAIN_TABLES, EncryptedTable, UserTable, row_counts
from accounts.locks import lock_user
from accounts.models import User
from accounts.progress import SILENT, Progress
from accounts.signals import account_erased, announce_revocation

_BATCH: Final = 1000


def forget(user_id: UUID, *, progress: Progress = SILENT) -> None:
    """Erase the account and all its data. ``progress`` counts deleted rows. Not inside a transaction.

    Idempotent: completes an interrupted erasure.
    """
    addressee = _addressee(user_id)
    drop_old_traces()
    _close(user_id)
    erase_rows(user_id, _erased(), progress=progress)
    _delete(user_id)
    if addressee is not None:
        account_erased.send_robust(sender=None, address=addressee[0], language=addressee[1])


def erase_rows(user_id: UUID, tables: Iterable[UserTable], *, progress: Progress = SILENT) -> None:
    """Delete the user's rows of these tables in short transactions, including rows that cannot be decrypted."""
    for table in tables:
        columns = table.columns if isinstance(table, EncryptedTable) else ()
        while rows := list(table.rows_of(user_id).values_list("pk", *columns)[:_BATCH]):
            with transaction.atomic():
                note_ciphertexts(user_id, chain.from_iterable(row[1:] for row in rows))
                table.model._default_manager.filter(pk__in=[row[0] for row in rows]).delete()  # noqa: SLF001 - public
            progress.advance(len(rows))


def rows_to_erase(user_id: UUID) -> dict[str, int]:
    """How many rows ``forget`` would delete, by table."""
    return row_counts(user_id, _erased())


def _addressee(user_id: UUID) -> tuple[str, str] | None:
    """The user's address and language, read while the key exists; None if they cannot be."""
    user = User.objects.filter(id=user_id).first()
    try:
        return None if user is None else (user.email, user.language)
    except AccountError:  # the erasure must go on
        return None


def _erased() -> list[UserTable]:
    encrypted = (table for table in ENCRYPTED_TABLES if not (table.outlives_owner or table.part_of_account))
    return [*encrypted, *PLAIN_TABLES.values()]


def half_erased() -> list[UUID]:
    """The users whose erasure was interrupted."""
    return list(User.objects.filter(encryption_key="").values_list("id", flat=True))


@transaction.atomic(durable=True)
def _close(user_id: UUID) -> None:
    """End all access and overwrite the wrapped key, both or neither.

    The lock waits for writers that hold the share lock on the user's row; the next writer gets no key.
    """
    try:
        user = lock_user(user_id)
    except AccountGone:
        return
    older = user.retired_keys.values_list("encryption_key", flat=True)
    note_ciphertexts(user_id, [user.encryption_key, user.email_encrypted, *older])
    user.retired_keys.all().delete()
    User.objects.filter(id=user_id).update(
        encryption_key="",
        master_key_id="",
        email_encrypted="",
        is_active=False,
        token_generation=F("token_generation") + 1,
    )
    announce_revocation(user_id)


@transaction.atomic(durable=True)
def _delete(user_id: UUID) -> None:
    # FOR UPDATE, unlike lock_user: a device that registers meanwhile waits, and then finds no user to refer to.
    user = User.objects.select_for_update().filter(id=user_id).first()
    if user is None:
        return
    # These would stay: tokens, and the user's id in Django's log of the admin.
    OutstandingToken.objects.filter(user=user).delete()
    LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user_id)).delete()
    sealed = user.devices.values_list("device_id_encrypted", "platform_encrypted")
    note_ciphertexts(user_id, chain.from_iterable(sealed))
    user.delete()
