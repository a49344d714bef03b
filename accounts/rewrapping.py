"""Every user's key, wrapped again with the newest master key. What the keys have encrypted stays as it is.

Beside a wrapped key stands which master key wrapped it, so a process that is killed leaves nothing to remember: the
next one takes the keys that are left.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.errors import EncryptionError
from accounts.keyring import master_keys
from accounts.keys import MasterKeys, WrappedKey
from accounts.models import RetiredKey, User
from accounts.passes import Batch, Unreadable, renew_all
from accounts.progress import SILENT, Progress

_WRAPPED: Final = ("encryption_key", "master_key_id")
_USERS: Final = User._meta.db_table  # noqa: SLF001 - Django's public name for it


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewrapping:
    """How many users had keys to be wrapped again, and who has a key that cannot be opened, which is left as it is."""

    rewrapped: int
    unreadable: Sequence[Unreadable]


def rewrap(*, progress: Progress = SILENT) -> Rewrapping:
    """Wrap the keys of all users, older ones too, that another master key than the newest has wrapped.

    ``progress`` is told of users done. Not inside a transaction. Raises ``KeyConfigurationError``.
    """
    newest = master_keys().newest.id
    done = renew_all(lambda: list(_to_rewrap(newest).values_list("id", flat=True)), _rewrap_users, progress)
    return Rewrapping(rewrapped=done.renewed, unreadable=done.unreadable)


def users_to_rewrap() -> int:
    """How many users have a key that the newest master key has not wrapped. Raises ``KeyConfigurationError``."""
    return _to_rewrap(master_keys().newest.id).count()


def _to_rewrap(newest: str) -> QuerySet[User]:
    older = RetiredKey.objects.exclude(master_key_id=newest).values("user")
    # Of an account that is being erased there is no key any more.
    return User.objects.exclude(encryption_key="").filter(~Q(master_key_id=newest) | Q(id__in=older))


def _rewrap_users(ids: Sequence[UUID], *, wait: bool) -> Batch:
    unreadable: list[Unreadable] = []
    with transaction.atomic(durable=True):
        # Locked, so that a rotation does not mix up its new key and the one it retires with these.
        users = list(User.objects.select_for_update(no_key=True, skip_locked=not wait).filter(id__in=ids))
        older = _by_user(RetiredKey.objects.filter(user__in=users))
        for user in users:
            refused = _rewrap_keys(master_keys(), user, older.get(user.id, []))
            if refused:
                unreadable.append(refused)
        User.objects.bulk_update(users, _WRAPPED)
        RetiredKey.objects.bulk_update([key for keys in older.values() for key in keys], _WRAPPED)
    found = {user.id for user in users}
    return Batch(
        renewed=len(users) - len(unreadable),
        unreadable=unreadable,
        missed=[user_id for user_id in ids if user_id not in found],
    )


def _rewrap_keys(masters: MasterKeys, user: User, older: Sequence[RetiredKey]) -> Unreadable | None:
    """Wraps every key that can be opened; names the user for the last one that cannot."""
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
