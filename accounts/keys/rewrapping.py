"""Wrapping all users' keys with the newest master key. What the keys have encrypted does not change.

Each wrapped key is stored with the fingerprint of its master key, so a killed process leaves no state: the next one
wraps the remaining keys.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.cipher import MasterKeys, WrappedKey
from accounts.encryption import master_keys
from accounts.errors import EncryptionError
from accounts.keys.batch_renewal import Batch, Unreadable, missed, renew_all
from accounts.models import RetiredKey, User
from accounts.progress import SILENT, Progress

_WRAPPED: Final = ("encryption_key", "master_key_id")
_USERS: Final = User._meta.db_table  # noqa: SLF001 - Django's public name for it


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewrapping:
    """How many users' keys were wrapped again, and whose keys cannot be unwrapped and stay as they are."""

    rewrapped: int
    unreadable: Sequence[Unreadable]


def rewrap(*, progress: Progress = SILENT) -> Rewrapping:
    """Wrap the keys of all users, older ones included, that are not wrapped with the newest master key.

    ``progress`` counts users. Not inside a transaction. Raises ``KeyConfigurationError``.
    """
    newest = master_keys().newest.id
    done = renew_all(lambda: list(_to_rewrap(newest).values_list("id", flat=True)), _rewrap_users, progress)
    return Rewrapping(rewrapped=done.renewed, unreadable=done.unreadable)


def users_to_rewrap() -> int:
    """How many users have a key that is not wrapped with the newest master key. Raises ``KeyConfigurationError``."""
    return _to_rewrap(master_keys().newest.id).count()


def _to_rewrap(newest: str) -> QuerySet[User]:
    older = RetiredKey.objects.exclude(master_key_id=newest).values("user")
    # The key of an account that is being erased is destroyed.
    return User.objects.exclude(encryption_key="").filter(~Q(master_key_id=newest) | Q(id__in=older))


def _rewrap_users(ids: Sequence[UUID], *, wait: bool) -> Batch:
    unreadable: list[Unreadable] = []
    with transaction.atomic(durable=True):
        # Locked, so that no rotation changes keys at the same time.
        users = list(User.objects.select_for_update(no_key=True, skip_locked=not wait).filter(id__in=ids))
        older = _by_user(RetiredKey.objects.filter(user__in=users))
        for user in users:
            refused = _rewrap_keys(master_keys(), user, older.get(user.id, []))
            if refused:
                unreadable.append(refused)
        User.objects.bulk_update(users, _WRAPPED)
        RetiredKey.objects.bulk_update([key for keys in older.values() for key in keys], _WRAPPED)
    return Batch(
        renewed=len(users) - len(unreadable), unreadable=unreadable, missed=missed(ids, [user.id for user in users])
    )


def _rewrap_keys(masters: MasterKeys, user: User, older: Sequence[RetiredKey]) -> Unreadable | None:
    """Wrap every key that can be unwrapped; report the user for the last one that cannot."""
    refused = None
    holders: list[tuple[User | RetiredKey, int]] = [(user, user.encryption_key_version)]
    holders += [(key, key.version) for key in older]
    for holder, version in holders:
        wrapped = WrappedKey(token=holder.encryption_key, master_key_id=holder.master_key_id)
        try:
            fresh = masters.wrap(masters.unwrap(wrapped, user_id=user.id, version=version), user_id=user.id)
        except EncryptionError as error:
            refused = Unreadable(table=_USERS, row_id=user.id, reason=f"key {version}: {error}")
        else:
            holder.encryption_key, holder.master_key_id = fresh.token, fresh.master_key_id
    return refused


def _by_user(keys: Iterable[RetiredKey]) -> dict[UUID, list[RetiredKey]]:
    found: dict[UUID, list[RetiredKey]] = {}
    for key in keys:
        found.setdefault(key.user_id, []).append(key)
    return found
