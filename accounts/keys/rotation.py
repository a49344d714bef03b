"""Changing keys: rotating users' keys, and wrapping them with the newest master key.

A rotation gives a user a new key and encrypts again everything that the older key encrypted. First the present key is
retired and a new one takes its place, under an exclusive lock on the user's row. Then the rows are renewed, batch by
batch, in short transactions that hold the share lock as every writer does. Finally, when no table holds anything made
with the retired key, it is destroyed, again under the exclusive lock. Both keys decrypt what they made throughout. A
killed process leaves an unfinished rotation, which the next one completes.

Wrapping changes nothing that the keys have encrypted. Each wrapped key is stored with the fingerprint of its master
key, so a killed process leaves no state: the next one wraps the remaining keys.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.addresses import ADDRESS_COLUMN
from accounts.cipher import MasterKeys, WrappedKey, new_user_key
from accounts.encryption import master_keys
from accounts.errors import AccountGone, EncryptionError, RotationUnderWay
from accounts.keys.batch_renewal import Batch, Unreadable, missed, renew_all, renew_rows
from accounts.keys.custody import ENCRYPTED_TABLES
from accounts.keys.vault import open_vault
from accounts.locks import lock_user, try_lock
from accounts.lookup import rewrap_lookup_key
from accounts.models import RetiredKey, User
from accounts.process_pool import process_pool
from accounts.progress import SILENT, Progress

_ROUNDS: Final = 10
"""A writer that read a row before it was renewed may restore the older ciphertext, so a rotation looks again."""
_MIN_ROWS_FOR_PROCESSES: Final = 5_000
_MANY_ROWS: Final = 20_000
"""A user with fewer rows is handled by one process; a larger user's rows are shared between processes. These are
some seconds of work: the longest that one process should run alone, or the progress bar should stand still.
"""
_WRAPPED: Final = ("encryption_key", "master_key_id")
_USERS: Final = User._meta.db_table  # noqa: SLF001 - Django's public name for it


@dataclass(frozen=True, kw_only=True, slots=True)
class Rotation:
    """The result of a rotation. The older key stays as long as ``left`` rows need it.

    ``resumed`` says that the rotation had been started before. ``unreadable`` rows are counted in ``left``.
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


@dataclass(frozen=True, slots=True)
class FailedRotation:
    """A user whose key was not rotated, and why; the reason is empty if the account was erased in the meantime."""

    user_id: UUID
    why: str = ""


def rotate_user_key(
    user_id: UUID,
    *,
    progress: Progress = SILENT,
    within_s: float | None = None,
    executor: Executor | None = None,
) -> Rotation:
    """Give the user a new key, or complete a rotation that was started before. Not inside a transaction.

    After ``within_s`` seconds no more batches start, and the next call continues. Rows that cannot be decrypted are
    left unchanged and reported, and the older key is kept for them. ``progress`` counts rows. With an ``executor`` its
    processes encrypt the rows.

    Raises ``AccountGone``, ``RotationUnderWay`` if another process rotates this user's key, and as ``open_vault`` if
    the present key cannot be unwrapped; then nothing has changed.
    """
    until = inf if within_s is None else time.monotonic() + within_s
    with try_lock(rotation_lock(user_id)) as locked:
        if not locked:
            raise RotationUnderWay
        version, resumed = _begin(user_id)
        renewed = 0
        for _ in range(_ROUNDS):
            unreadable: list[Unreadable] = []
            for table in ENCRYPTED_TABLES:
                stale, renew = table.stale(user_id, version), partial(renew_rows, table.name, user_id)
                done = renew_all(stale, renew, progress, until=until, executor=executor)
                renewed += done.renewed
                unreadable += done.unreadable
            left = _finish(user_id, version)
            if left <= len(unreadable) or time.monotonic() >= until:
                break
        return Rotation(
            user_id=user_id, version=version, resumed=resumed, renewed=renewed, left=left, unreadable=unreadable
        )


def rotation_lock(user_id: UUID) -> bytes:
    """The purpose of the advisory lock under which this user's key is rotated."""
    return f"adiuva rotation of a user's key\n{user_id}".encode()


def rows_to_renew(user_id: UUID) -> dict[str, int]:
    """How many rows a rotation would encrypt again now, by table. Raises ``AccountGone``."""
    version = User.objects.filter(id=user_id).values_list("encryption_key_version", flat=True).first()
    if version is None:
        raise AccountGone
    unfinished = RetiredKey.objects.filter(user_id=user_id).exists()
    rows = _left(user_id, version if unfinished else version + 1)
    # A rotation begins with the user's own row, together with the key.
    return rows if unfinished else {**rows, _USERS: 0}


@transaction.atomic(durable=True)
def _begin(user_id: UUID) -> tuple[int, bool]:
    """The version of the key to renew with, and whether it was there already."""
    user = lock_user(user_id)
    open_vault(user_id)
    if user.retired_keys.exists():
        return user.encryption_key_version, True
    key = new_user_key(version=user.encryption_key_version + 1)
    wrapped = master_keys().wrap(key, user_id=user_id)
    # At once, so that reading an address seldom needs an older key. One that is unreadable is found with other rows.
    with suppress(EncryptionError):
        user.set_text(ADDRESS_COLUMN, user.email)
        user.seal(key)
    RetiredKey.objects.create(
        user=user,
        version=user.encryption_key_version,
        encryption_key=user.encryption_key,
        master_key_id=user.master_key_id,
    )
    User.objects.filter(id=user_id).update(
        encryption_key=wrapped.token,
        encryption_key_version=key.version,
        master_key_id=wrapped.master_key_id,
        email_encrypted=user.email_encrypted,
    )
    return key.version, False


@transaction.atomic(durable=True)
def _finish(user_id: UUID, version: int) -> int:
    """Destroy the older keys if no row needs them; return how many rows still do."""
    user = lock_user(user_id)
    left = sum(_left(user_id, version).values())
    if not left:
        user.retired_keys.all().delete()
    return left


def _left(user_id: UUID, version: int) -> dict[str, int]:
    return {table.name: table.stale(user_id, version).count() for table in ENCRYPTED_TABLES}


def count_rows(users: Iterable[UUID], *, progress: Progress = SILENT) -> dict[UUID, dict[str, int]]:
    """How many rows would be encrypted again, by user and table. Users erased in the meantime are left out.

    ``progress`` counts users.
    """
    found: dict[UUID, dict[str, int]] = {}
    for user_id in users:
        with suppress(AccountGone):
            found[user_id] = rows_to_renew(user_id)
        progress.advance(1)
    return found


def workers(rows: int, *, processes: int) -> AbstractContextManager[Executor | None]:
    """A pool of processes to rotate so many rows; None if starting it would cost more than it saves."""
    return process_pool(processes if rows >= _MIN_ROWS_FOR_PROCESSES else 1)


def rotate_users(
    rows: Mapping[UUID, int], *, progress: Progress = SILENT, executor: Executor | None = None
) -> Iterator[Rotation | FailedRotation]:
    """Rotate the keys of these users, each with its approximate number of rows."""
    small = {user_id for user_id, number in rows.items() if executor and number < _MANY_ROWS}
    if executor:
        yield from _rotated_in_parallel(executor, small, rows, progress)
    for user_id in rows:
        if user_id not in small:
            yield _rotated(user_id, progress, executor)


def _rotated_in_parallel(
    executor: Executor, users: Iterable[UUID], rows: Mapping[UUID, int], progress: Progress
) -> Iterator[Rotation | FailedRotation]:
    futures = [executor.submit(_rotated, user_id) for user_id in users]
    try:
        for future in as_completed(futures):
            outcome = future.result()
            progress.advance(rows[outcome.user_id])
            yield outcome
    finally:
        for future in futures:
            future.cancel()


def _rotated(user_id: UUID, progress: Progress = SILENT, executor: Executor | None = None) -> Rotation | FailedRotation:
    try:
        return rotate_user_key(user_id, progress=progress, executor=executor)
    except AccountGone:
        return FailedRotation(user_id)
    except (EncryptionError, RotationUnderWay) as error:
        return FailedRotation(user_id, str(error))


def rewrap(*, progress: Progress = SILENT) -> Batch:
    """Wrap the lookup key and the keys of all users, older ones included, with the newest master key.

    The result counts users, as does ``progress``; of those that are unreadable a key stays as it is. Not inside a
    transaction. Raises ``KeyConfigurationError``, and as ``rewrap_lookup_key``; then nothing has changed.
    """
    rewrap_lookup_key()
    return renew_all(_to_rewrap(), _rewrap_users, progress)


def users_to_rewrap() -> int:
    """How many users have a key that is not wrapped with the newest master key. Raises ``KeyConfigurationError``."""
    return _to_rewrap().count()


def _to_rewrap() -> QuerySet[User]:
    newest = master_keys().newest.id
    older = RetiredKey.objects.exclude(master_key_id=newest).values("user")
    # The key of an account that is being erased is destroyed.
    return User.objects.exclude(encryption_key="").filter(~Q(master_key_id=newest) | Q(id__in=older))


def _rewrap_users(ids: Sequence[UUID], *, wait: bool) -> Batch:
    with transaction.atomic(durable=True):
        # Locked, so that no rotation changes keys at the same time.
        found = User.objects.select_for_update(no_key=True, skip_locked=not wait).filter(id__in=ids)
        users = list(found.prefetch_related("retired_keys"))
        unreadable = [refused for user in users if (refused := _rewrap_keys(master_keys(), user))]
        User.objects.bulk_update(users, _WRAPPED)
        RetiredKey.objects.bulk_update([key for user in users for key in user.retired_keys.all()], _WRAPPED)
    return Batch(
        renewed=len(users) - len(unreadable), unreadable=unreadable, missed=missed(ids, [user.id for user in users])
    )


def _rewrap_keys(masters: MasterKeys, user: User) -> Unreadable | None:
    """Wrap every key that can be unwrapped; report the user for the last one that cannot."""
    refused = None
    holders: list[tuple[User | RetiredKey, int]] = [(user, user.encryption_key_version)]
    holders += [(key, key.version) for key in user.retired_keys.all()]
    for holder, version in holders:
        wrapped = WrappedKey(token=holder.encryption_key, master_key_id=holder.master_key_id)
        try:
            fresh = masters.wrap(masters.unwrap(wrapped, user_id=user.id, version=version), user_id=user.id)
        except EncryptionError as error:
            refused = Unreadable(table=_USERS, row_id=user.id, reason=f"key {version}: {error}")
        else:
            holder.encryption_key, holder.master_key_id = fresh.token, fresh.master_key_id
    return refused
