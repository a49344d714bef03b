"""Erasing an account.

First all access ends and the key is destroyed: from that moment nothing in this database decrypts what it encrypted.
Then the rows are deleted, in batches, and finally the account. An interrupted erasure is completed by running it again;
a destroyed key shows which accounts need that.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import F
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken

from accounts.errors import AccountGone, WrongPassword
from accounts.keys.custody import ENCRYPTED_TABLES, PLAIN_TABLES, UserTable
from accounts.locks import lock_user
from accounts.models import User
from accounts.progress import SILENT, Progress
from accounts.signals import announce_revocation

_BATCH: Final = 1000


def erase_account(user: User, password: str) -> None:
    """Erase the account of a user with this password. Raises ``WrongPassword``. Not inside a transaction."""
    if not user.check_password(password):
        raise WrongPassword
    forget(user.id)


def forget(user_id: UUID, *, progress: Progress = SILENT) -> None:
    """Erase the account and all its data. ``progress`` counts deleted rows. Not inside a transaction.

    Idempotent: completes an interrupted erasure.
    """
    _close(user_id)
    erase_rows(user_id, _erased(), progress=progress)
    _delete(user_id)


def erase_rows(user_id: UUID, tables: Iterable[UserTable], *, progress: Progress = SILENT) -> None:
    """Delete the user's rows of these tables in short transactions, including rows that cannot be decrypted."""
    for table in tables:
        while ids := list(table.rows_of(user_id).values_list("pk", flat=True)[:_BATCH]):
            table.model._default_manager.filter(pk__in=ids).delete()  # noqa: SLF001 - Django's public name for it
            progress.advance(len(ids))


def rows_to_erase(user_id: UUID) -> dict[str, int]:
    """How many rows ``forget`` would delete, by table."""
    return {table.name: table.rows_of(user_id).count() for table in _erased()}


def _erased() -> list[UserTable]:
    return [*(table for table in ENCRYPTED_TABLES if not table.outlives_owner), *PLAIN_TABLES.values()]


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
    user.retired_keys.all().delete()
    User.objects.filter(id=user_id).update(
        encryption_key="", master_key_id="", is_active=False, token_generation=F("token_generation") + 1
    )
    announce_revocation(user_id)


@transaction.atomic(durable=True)
def _delete(user_id: UUID) -> None:
    # FOR UPDATE, unlike lock_user: a device that registers meanwhile waits, and then finds no user to refer to.
    user = User.objects.select_for_update().filter(id=user_id).first()
    if user is None:
        return
    # These would stay: tokens, and the address in Django's log of the admin.
    OutstandingToken.objects.filter(user=user).delete()
    LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user_id)).delete()
    user.delete()
