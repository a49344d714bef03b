"""How processes wait for each other in the database. Each lock ends by itself when its process is killed.

- The share lock on a user's row is held by every transaction that writes what the user's key encrypts
  (``vault_for_writing``). Many writers hold it at once.
- ``lock_user`` takes the same row exclusively: to change keys, to erase, or to count before adding. It waits for all
  writers and keeps others out. A transaction locks the user before any row of that user's, so that two transactions
  never wait for each other in a circle.
- Advisory locks are about a purpose and not about a row. ``try_lock`` outlasts transactions; ``lock_until_commit``
  serializes them.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connection

from accounts.errors import AccountGone
from accounts.models import User


def lock_user(user_id: UUID) -> User:
    """The user, locked exclusively until the end of the transaction. Raises ``AccountGone``."""
    user = User.objects.select_for_update(no_key=True).filter(id=user_id).first()
    if user is None:
        raise AccountGone
    return user


def share_user(user_id: UUID) -> None:
    """Keep the user's keys as they are until the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM accounts_user WHERE id = %s FOR SHARE", [user_id])


@contextmanager
def try_lock(purpose: bytes) -> Iterator[bool]:
    """Yields whether this process has the lock for the block; False means that another process has it."""
    number = _number(purpose)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        locked = bool(cursor.fetchone()[0])
    try:
        yield locked
    finally:
        if locked:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])


def lock_until_commit(purpose: bytes) -> None:
    """Wait for the lock and hold it until the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_number(purpose)])


def _number(purpose: bytes) -> int:
    return int.from_bytes(hashlib.sha256(purpose).digest()[:8], "big", signed=True)
