"""A new key for a user, and all that the older one made encrypted again.

First the present key becomes an older one and a new one takes its place, under an exclusive lock on the user's row.
Then the rows follow, batch by batch, in short transactions that hold the share lock as every writer does. The older key
is destroyed at last, again under the exclusive lock, when nothing made with it is left in any table. Old and new
key open what they made throughout; a process that is killed leaves a rotation half done, which the next one ends.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.advisory import held
from accounts.custody import ENCRYPTED_TABLES, EncryptedTable
from accounts.errors import AccountGone, RotationUnderWay
from accounts.keyring import master_keys
from accounts.keys import new_user_key
from accounts.models import RetiredKey, User
from accounts.passes import Deadline, Unreadable, renew_all
from accounts.progress import SILENT, Progress
from accounts.renewal import renew_rows
from accounts.vault import open_vault

_PURPOSE: Final = "rotation of a user's key"
_ROUNDS: Final = 10
"""A writer that had read a row before it was renewed may put the older ciphertext back. Seldom once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rotation:
    """How a rotation went. As long as rows are ``left`` that need the older key, it is there and opens them.

    ``resumed`` is a rotation that had been begun before; ``unreadable`` rows are among those left.
    """

    user_id: UUID
    version: int
    resumed: bool
    renewed: int
    left: int
    unreadable: Sequence[Unreadable]

    @property
    def finished(self) -> bool:
        return not self.left


def rotate_user_key(
    user_id: UUID,
    *,
    progress: Progress = SILENT,
    within_s: float | None = None,
    executor: Executor | None = None,
) -> Rotation:
    """Give the user a new key; a rotation that was begun before is ended instead.

    After ``within_s`` seconds no more rows are begun, and the next call goes on. Rows that cannot be opened are left as
    they are and named, and the older key is kept for them. ``progress`` is told of rows done. With an ``executor`` the
    rows are encrypted in its processes. Not inside a transaction.

    Raises ``AccountGone``, ``RotationUnderWay`` while another process rotates this user's key, and as ``open_vault``
    when the present key cannot be opened: then nothing has been changed.
    """
    deadline = Deadline.after(within_s)
    with held(_PURPOSE, user_id) as alone:
        if not alone:
            raise RotationUnderWay
        version, resumed = _begin(user_id)
        renewed = 0
        for _ in range(_ROUNDS):
            done = [
                renew_all(
                    partial(_stale_rows, table, user_id, version),
                    partial(renew_rows, table.name, user_id),
                    progress,
                    deadline=deadline,
                    executor=executor,
                )
                for table in ENCRYPTED_TABLES
            ]
            renewed += sum(batch.renewed for batch in done)
            unreadable = [row for batch in done for row in batch.unreadable]
            left = _finish(user_id, version)
            if left <= len(unreadable) or deadline.over:
                break
        return Rotation(
            user_id=user_id, version=version, resumed=resumed, renewed=renewed, left=left, unreadable=unreadable
        )


def rows_to_renew(user_id: UUID) -> dict[str, int]:
    """How many rows a rotation would encrypt again now, by table. Raises ``AccountGone``."""
    version = User.objects.filter(id=user_id).values_list("encryption_key_version", flat=True).first()
    if version is None:
        raise AccountGone
    half_done = RetiredKey.objects.filter(user_id=user_id).exists()
    return _left(user_id, version if half_done else version + 1)


@transaction.atomic(durable=True)
def _begin(user_id: UUID) -> tuple[int, bool]:
    """The version of the key to renew with, and whether it was there already, half way."""
    user = _locked(user_id)
    open_vault(user_id)
    if user.retired_keys.exists():
        return user.encryption_key_version, True
    key = new_user_key(version=user.encryption_key_version + 1)
    wrapped = master_keys().wrap(key, user_id=user_id)
    RetiredKey.objects.create(
        user=user,
        version=user.encryption_key_version,
        encryption_key=user.encryption_key,
        master_key_id=user.master_key_id,
    )
    User.objects.filter(id=user_id).update(
        encryption_key=wrapped.token, encryption_key_version=key.version, master_key_id=wrapped.master_key_id
    )
    return key.version, False


@transaction.atomic(durable=True)
def _finish(user_id: UUID, version: int) -> int:
    """Destroy the older keys, if nothing needs them any more; how many rows still do."""
    user = _locked(user_id)
    left = sum(_left(user_id, version).values())
    if not left:
        user.retired_keys.all().delete()
    return left


def _locked(user_id: UUID) -> User:
    """The user, whose row nobody else holds a share lock on."""
    user = User.objects.select_for_update(no_key=True).filter(id=user_id).first()
    if user is None:
        raise AccountGone
    return user


def _left(user_id: UUID, version: int) -> dict[str, int]:
    return {table.name: table.stale(user_id, version).count() for table in ENCRYPTED_TABLES}


def _stale_rows(table: EncryptedTable, user_id: UUID, version: int) -> list[UUID]:
    return list(table.stale(user_id, version).values_list("id", flat=True))
