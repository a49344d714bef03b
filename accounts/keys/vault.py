"""Encrypting and decrypting for one user.

Readers open the vault with ``open_vault``. Writers of ciphertext begin their transaction with ``vault_for_writing``: it
holds a share lock on the user's row (``accounts/locks.py``), and keys are retired and destroyed only under the
exclusive one, so nothing is ever written with a key that is about to go. Ciphertext that is read to be written back is
read after that.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Model

from accounts.cipher import Place, UserKey, decrypt, encrypt, key_version, keyed_index, renew
from accounts.encryption import place_of
from accounts.errors import AccountGone, EncryptionError, WrongKeyVersion
from accounts.locks import share_user
from accounts.sealing import unwrapped

logger = logging.getLogger(__name__)

# SQL by hand: every turn opens vaults, and the ORM takes longer to compile this query than the database to answer it.
_KEYS_OF: Final = """
    SELECT present.encryption_key_version, present.encryption_key, present.master_key_id,
        older.version, older.encryption_key, older.master_key_id
    FROM accounts_user AS present LEFT JOIN accounts_retiredkey AS older ON older.user_id = present.id
    WHERE present.id = %s
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Vault:
    """The user's unwrapped keys: the present one encrypts, older ones still decrypt during a rotation.

    It exists in memory only, and its representation shows only versions. A vault with an ``owner`` looks up a key that
    is newer than itself when it meets a text made with it: a rotation may begin between opening the vault and reading
    the rows.
    """

    key: UserKey
    older: Mapping[int, UserKey] = field(default_factory=dict)
    owner: UUID | None = field(default=None, repr=False, compare=False)
    _newer: dict[int, UserKey] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def versions(self) -> tuple[int, ...]:
        """All versions of the key, the present one first."""
        return (self.key.version, *sorted(self.older, reverse=True))

    def key_of(self, version: int) -> UserKey:
        """Raises ``WrongKeyVersion``."""
        if version == self.key.version:
            return self.key
        if version > self.key.version and version not in self._newer and self.owner is not None:
            with suppress(AccountGone, EncryptionError):
                present = open_vault(self.owner).key
                self._newer[present.version] = present
        found = self.older.get(version) or self._newer.get(version)
        if found is None:
            raise WrongKeyVersion(version)
        return found

    def seal(self, row: Model, column: str, text: str) -> str:
        """``text`` as it may be stored in ``column`` of ``row``, made with the present key."""
        return self.encrypt(place_of(row, column), text)

    def open(self, row: Model, column: str) -> str:
        """The text in ``column`` of ``row``, empty if there is none. Raises as ``decrypt``."""
        token = getattr(row, column)
        return self.decrypt(place_of(row, column), token) if token else ""

    def open_or_none(self, row: Model, column: str) -> str | None:
        """As ``open``; None if it cannot be decrypted. For names: their rows can be listed and removed without."""
        try:
            return self.open(row, column)
        except EncryptionError:
            return None

    def encrypt(self, place: Place, plaintext: str) -> str:
        """The text as it may be stored at this place, made with the present key."""
        return encrypt(self.key, place, plaintext)

    def decrypt(self, place: Place, token: str) -> str:
        """Raises ``WrongKeyVersion``, or ``CorruptedText``, also for a text that was moved to this place."""
        return decrypt(self.key_of(key_version(token)), place, token)

    def renew(self, place: Place, token: str) -> tuple[bytes, str]:
        """The text in UTF-8 (with half surrogate pairs) and its ciphertext made with the present key.

        Raises as ``decrypt``.
        """
        return renew(self.key_of(key_version(token)), self.key, place, token)

    def digest(self, purpose: str, text: str) -> str:
        """A keyed digest (hex): equal for equal texts of this user under the present key, meaningless without it."""
        return keyed_index(self.key, purpose, text)


OpenVault: TypeAlias = Callable[[UUID], Awaitable[Vault]]
"""Gives a user's vault. Raises ``AccountError``, also for a key that cannot be opened, and errors of the database."""


def open_vault(user_id: UUID) -> Vault:
    """The user's vault for reading. One query.

    Raises ``AccountGone``, also during erasure when the key is already destroyed, ``MissingMasterKey``,
    ``CorruptedKey`` or ``KeyConfigurationError``. An older key that cannot be unwrapped is left out: only what it made
    is unreadable then.
    """
    with connection.cursor() as cursor:
        cursor.execute(_KEYS_OF, [user_id])
        found = cursor.fetchall()
    present = [StoredKey(*row[:3]) for row in found[:1]]
    older = [StoredKey(*row[3:]) for row in found if row[3] is not None]
    return vault_of(user_id, [*present, *older], owner=user_id)


class StoredKey(NamedTuple):
    """A wrapped key of a user as it is stored: the present one by the user, older ones by ``RetiredKey``."""

    version: int
    token: str
    master_key_id: str


def vault_of(user_id: UUID, keys: Sequence[StoredKey], *, owner: UUID | None = None) -> Vault:
    """The vault of the present key, which is the first of ``keys``, and the older ones. Raises as ``open_vault``.

    Keys and rows that one statement has read fit, and need no ``owner``.
    """
    if not keys or not keys[0].token:
        raise AccountGone
    present, older = unwrapped(user_id, *keys[0]), dict[int, UserKey]()
    for stored in keys[1:]:
        try:
            older[stored.version] = unwrapped(user_id, *stored)
        except EncryptionError as error:
            logger.warning("older key %d of user %s cannot be opened: %s", stored.version, user_id, error)
    return Vault(key=present, older=older, owner=owner)


def vault_for_writing(user_id: UUID) -> Vault:
    """As ``open_vault``, and keeps the user's keys as they are until the end of the transaction. Two queries."""
    if transaction.get_autocommit():
        raise transaction.TransactionManagementError("A vault is opened for writing inside a transaction only.")
    share_user(user_id)
    return open_vault(user_id)


@contextmanager
def one_moment() -> Iterator[None]:
    """Show everything read within the block as of its first query, so that keys and rows fit during a rotation.

    Nothing can be written within it. Inside another transaction that one's rules hold.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
