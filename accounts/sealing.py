"""Encrypted texts of accounts as attributes: opened when they are first read, encrypted when their row is saved.

The wrapped key is a column of the user, so opening costs no query once the row and its user are loaded. Only while a
rotation goes on the key of another version may have to be read.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast
from uuid import UUID, uuid4

from django.db import connection, models

from accounts.cipher import UserKey, WrappedKey, decrypt, encrypt, key_version, new_user_key
from accounts.encryption import master_keys, place_of
from accounts.errors import AccountGone, CorruptedText, WrongKeyVersion

_Texts: TypeAlias = dict[str, tuple[str | None, str]]
"""By column: the ciphertext and what it says; None for a text that is not encrypted yet."""
_SHARED: Final = """
    SELECT encryption_key, encryption_key_version, master_key_id FROM accounts_user WHERE id = %s FOR SHARE
"""
KEY_COLUMNS: Final = ("encryption_key", "encryption_key_version", "master_key_id")


class SealedText(property):
    """The text in ``column`` of a ``SealedRow``. Reading it raises as ``opened``."""

    def __init__(self, column: str) -> None:
        super().__init__(lambda row: row.opened(column), lambda row, text: row.set_text(column, text))

    if TYPE_CHECKING:

        def __get__(self, row: Any, owner: type | None = None) -> str: ...  # type: ignore[override] # read from rows


class SealedRow(models.Model):
    """A row with texts that are encrypted with its owner's key."""

    class Meta:
        abstract = True

    def key_owner(self) -> "KeyOwner":
        """The user whose key encrypts the row's texts."""
        raise NotImplementedError

    def opened(self, column: str) -> str:
        """The text in ``column``. Raises ``AccountGone`` or ``EncryptionError``."""
        texts, token = self._texts(), getattr(self, column)
        known = texts.get(column)
        if known is None or known[0] not in (None, token):
            known = texts[column] = token, self._decrypted(column, token)
        return known[1]

    def opened_or_empty(self, column: str) -> str:
        """As ``opened``; empty for a damaged text. For names: their rows can be listed and removed without."""
        try:
            return self.opened(column)
        except (CorruptedText, WrongKeyVersion):
            return ""

    def set_text(self, column: str, text: str) -> None:
        """Change the text; saving the row encrypts it."""
        self._texts()[column] = None, text

    def unsealed(self) -> Collection[str]:
        """The columns whose new text is not encrypted yet."""
        return [column for column, (token, _) in self._texts().items() if token is None]

    def seal(self, key: UserKey) -> None:
        """Encrypt what is not yet. The caller sees to it that ``key`` stays the owner's present key until the end."""
        for column in self.unsealed():
            text = self._texts()[column][1]
            token = encrypt(key, place_of(self, column), text) if text else ""
            setattr(self, column, token)
            self._texts()[column] = token, text

    def refresh_from_db(self, *args: Any, **kwargs: Any) -> None:
        super().refresh_from_db(*args, **kwargs)
        self._texts().clear()

    def _texts(self) -> _Texts:
        return cast("_Texts", self.__dict__.setdefault("_opened_texts", {}))

    def _decrypted(self, column: str, token: str) -> str:
        if not token:
            return ""
        return decrypt(self.key_owner().key_of(key_version(token)), place_of(self, column), token)


class KeyOwner(SealedRow):
    """A user as the owner of a key, and of texts encrypted with it.

    ``encryption_key`` is a Fernet key, wrapped by the master key with the fingerprint ``master_key_id``, and bound to
    this user and to ``encryption_key_version``. It is created with the user, in the same INSERT.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    encryption_key = models.TextField(editable=False)
    encryption_key_version = models.PositiveIntegerField(default=1, editable=False)
    master_key_id = models.CharField(max_length=16, editable=False)

    class Meta:
        abstract = True

    def key_owner(self) -> "KeyOwner":
        return self

    def make_key(self) -> None:
        """Give a new user a key. Raises ``KeyConfigurationError``."""
        key = new_user_key(version=self.encryption_key_version)
        wrapped = master_keys().wrap(key, user_id=self.id)
        self.encryption_key, self.master_key_id = wrapped.token, wrapped.master_key_id

    @property
    def key(self) -> UserKey:
        """The key as of when this row was loaded. Raises ``AccountGone`` once it is destroyed, or as ``open_vault``."""
        if not self.encryption_key:
            raise AccountGone
        return unwrapped(self.id, self.encryption_key_version, self.encryption_key, self.master_key_id)

    def check_key(self) -> None:
        """Raises as ``key`` unless it can be opened."""
        _ = self.key

    def key_of(self, version: int) -> UserKey:
        """Raises ``WrongKeyVersion``, and as ``key``. A query only for another version than the one loaded."""
        if version == self.encryption_key_version:
            return self.key
        if version > self.encryption_key_version:
            # A rotation has begun since this row was loaded.
            present = self._present()
            if version == present.encryption_key_version:
                return present.key
        older = cast("Any", self).retired_keys.filter(version=version).first()
        if older is None:
            raise WrongKeyVersion(version)
        return unwrapped(self.id, version, older.encryption_key, older.master_key_id)

    def _present(self) -> "KeyOwner":
        present = type(self)._base_manager.only(*KEY_COLUMNS).filter(pk=self.pk).first()  # noqa: SLF001 - Django's public name
        if present is None:
            raise AccountGone
        return present


def key_for_writing(user_id: UUID) -> UserKey:
    """The user's key, which stays the present one until the end of the transaction. One query.

    Raises ``AccountGone`` and as ``open_vault``.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SHARED, [user_id])
        found = cursor.fetchone()
    if not found or not found[0]:
        raise AccountGone
    token, version, master_key_id = found
    return unwrapped(user_id, version, token, master_key_id)


def unwrapped(user_id: UUID, version: int, token: str, master_key_id: str) -> UserKey:
    """This user's key. Raises ``MissingMasterKey``, ``CorruptedKey`` or ``KeyConfigurationError``."""
    wrapped = WrappedKey(token=token, master_key_id=master_key_id)
    return master_keys().unwrap(wrapped, user_id=user_id, version=version)
