"""Encryption as Django sees it: the installation's master keys from settings, and columns of ciphertext."""

from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from django.core import checks
from django.db import models

from accounts.cipher import MasterKeys, Place


def master_keys() -> MasterKeys:
    """The master keys of this installation. Raises ``KeyConfigurationError`` if ``ADIUVA_MASTER_KEYS`` is unusable."""
    return _parsed(settings.MASTER_KEYS)


_parsed = lru_cache(maxsize=1)(MasterKeys.parse)


class EncryptedTextField(models.TextField):  # type: ignore[type-arg] # generic for the type checker only
    """A column of text that only the key of the row's owner decrypts; empty or null means no text.

    It stores ciphertext as it is given: encrypt with ``Vault.seal``, decrypt with ``Vault.open``. Rotation, export and
    erasure find a table by this field type, so its model has a UUID primary key ``id`` and a manager with ``for_user``.
    """

    def deconstruct(self) -> Any:
        # Migrations know a text column: how its content is made is not the database's concern.
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs

    def check(self, **kwargs: Any) -> list[checks.CheckMessage]:
        found = super().check(**kwargs)
        key = self.model._meta.pk  # noqa: SLF001 - Django's public name for it
        if key.name == "id" and isinstance(key, models.UUIDField) and hasattr(self.model._default_manager, "for_user"):  # noqa: SLF001 - public
            return found
        hint = "Give the model a UUID primary key called id and a queryset with for_user(user_id)."
        error = checks.Error("The owner of this ciphertext cannot be found.", hint=hint, obj=self, id="accounts.E001")
        return [*found, error]


@cache
def encrypted_columns(model: type[models.Model]) -> tuple[str, ...]:
    """The names of the model's columns of ciphertext."""
    fields = model._meta.concrete_fields  # noqa: SLF001 - Django's public name for it
    return tuple(field.attname for field in fields if isinstance(field, EncryptedTextField))


def place_of(row: models.Model, column: str) -> Place:
    """Where the ciphertext in ``column`` of ``row`` belongs."""
    return Place(table=row._meta.db_table, column=column, row_id=row.pk)  # noqa: SLF001 - Django's public name for it
