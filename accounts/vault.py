"""Encrypts and decrypts for one user."""

from dataclasses import dataclass
from typing import Self

from accounts.keyring import master_keys
from accounts.keys import Place, UserKey, decrypt, encrypt
from accounts.models import User


@dataclass(frozen=True, kw_only=True, slots=True)
class Vault:
    """The user's key, opened. It lives in memory only, and its representation shows nothing but the version."""

    key: UserKey

    @classmethod
    def for_user(cls, user: User) -> Self:
        """Raises ``MissingMasterKey``, ``CorruptedKey`` or ``KeyConfigurationError``. Asks no database."""
        version = user.encryption_key_version
        return cls(key=master_keys().unwrap(user.wrapped_key, user_id=user.id, version=version))

    def encrypt(self, place: Place, plaintext: str) -> str:
        return encrypt(self.key, place, plaintext)

    def decrypt(self, place: Place, token: str) -> str:
        """Raises ``CorruptedText``, also for a text that was moved here, or ``WrongKeyVersion``."""
        return decrypt(self.key, place, token)
