"""How an account ends, and what is remembered of one.

First everybody is signed out, which cancels what is under way, and the key is destroyed: from that moment nobody can
read what it encrypted, in this database. Only then the rows go, in batches, and at last the account. What is killed in
between is ended by doing it again; accounts that wait for that are found by the key that is not there.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import F
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken

from accounts.custody import ENCRYPTED_TABLES, PLAIN_TABLES, EncryptedTable, PlainTable
from accounts.errors import WrongPassword
from accounts.models import User
from accounts.progress import SILENT, Progress
from accounts.signals import announce_revocation

_BATCH: Final = 1000


def erase_account(user: User, password: str) -> None:
    """Erases the account of a user who proves to be there. Raises ``WrongPassword``. Not inside a transaction."""
    if not user.check_password(password):
        raise WrongPassword
    forget(user.id)


def forget(user_id: UUID, *, progress: Progress = SILENT) -> None:
    """Erases the account and everything of it, for good. ``progress`` is told of rows gone. Not inside a transaction.

    Again is no error: it ends what was interrupted.
    """
    _close(user_id)
    erase_rows(user_id, _erased(), progress=progress)
    _delete(user_id)


def erase_rows(user_id: UUID, tables: Iterable[EncryptedTable | PlainTable], *, progress: Progress = SILENT) -> None:
    """Deletes the user's rows of these tables, in short transactions, also those that cannot be opened."""
    for table in tables:
        while ids := list(table.rows_of(user_id).values_list("pk", flat=True)[:_BATCH]):
            table.model._default_manager.filter(pk__in=ids).delete()  # noqa: SLF001 - Django's public name for it
            progress.advance(len(ids))


def rows_to_erase(user_id: UUID) -> dict[str, int]:
    """How many rows ``forget`` would delete, by table."""
    return {table.name: table.rows_of(user_id).count() for table in _erased()}


def _erased() -> list[EncryptedTable | PlainTable]:
    return [*(table for table in ENCRYPTED_TABLES if not table.outlives_owner), *PLAIN_TABLES.values()]


def half_erased() -> list[UUID]:
    """The users whose erasure was interrupted before it was done."""
    return list(User.objects.filter(encryption_key="").values_list("id", flat=True))


@transaction.atomic(durable=True)
def _close(user_id: UUID) -> None:
    """Ends all access and overwrites the wrapped key, both or neither: nobody is left with a closed account unerased.

    No writer is at work then, who would hold the share lock on the user's row, and the next one gets no key.
    """
    user = User.objects.select_for_update(no_key=True).filter(id=user_id).first()
    if user is None:
        return
    user.retired_keys.all().delete()
    User.objects.filter(id=user_id).update(
        encryption_key="", master_key_id="", is_active=False, token_generation=F("token_generation") + 1
    )
    announce_revocation(user_id)


@transaction.atomic(durable=True)
def _delete(user_id: UUID) -> None:
    # Locked first: a device that says hello meanwhile waits for the end, and then belongs to nobody.
    user = User.objects.select_for_update().filter(id=user_id).first()
    if user is None:
        return
    # These would stay behind: tokens, and the address in what staff did to the account in the admin.
    OutstandingToken.objects.filter(user=user).delete()
    LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user_id)).delete()
    user.delete()
