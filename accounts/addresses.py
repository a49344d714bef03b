"""Email addresses: encrypted with their user's key, and found by a keyed digest."""

import unicodedata
from typing import TYPE_CHECKING, Any, Final, cast

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.lookups import Lookup
from django.db.models.query_utils import DeferredAttribute

from accounts.lookup import digest_to_store, digests_to_find
from accounts.sealing import SealedRow

if TYPE_CHECKING:
    _EmailField = models.EmailField[str, str]
else:
    _EmailField = models.EmailField

ADDRESS_COLUMN: Final = "email_encrypted"
_PURPOSE: Final = "email address"
_LOOKUPS: Final = frozenset({"exact", "in", "isnull"})
_MAX_CHARS: Final = 1_000
"""Longer than any address, in every form."""


def normalised_address(email: str) -> str:
    """The canonical form: addresses that differ in case, surrounding white space or width are one account.

    A text that is too long for an address is returned unchanged. Anyone may send combining marks, and the time that
    Unicode needs to sort them grows with the square of their number.
    """
    if len(email) > _MAX_CHARS:
        return email
    return unicodedata.normalize("NFKC", email).strip().lower()


def validate_address(address: str) -> None:
    """Raises ``ValidationError`` for an address that is invalid, looks like another, or whose mail would go to another.

    Django's own validator takes a dotless i for an i, and a domain with invisible characters for the one without.
    """
    validate_email(address)
    local, _, domain = address.rpartition("@")
    try:
        # As Python's mail library writes it: IDNA 2003, which drops and replaces characters.
        is_own = domain.isascii() or domain.encode("idna").decode("idna") == domain
    except UnicodeError:
        is_own = False
    if not (local.isascii() and domain.isprintable() and is_own):
        raise ValidationError("Enter a valid email address.", code="invalid")


class Digest(bytes):
    """The keyed digest of an address, as it is stored."""


class _Address(DeferredAttribute):
    """The address: the one that was set, in canonical form, or else the one in the column of ciphertext."""

    def __get__(self, row: models.Model | None, owner: type[models.Model] | None = None) -> Any:
        return self if row is None else cast("SealedRow", row).opened(ADDRESS_COLUMN)

    def __set__(self, row: SealedRow, value: str | Digest | None) -> None:
        if not isinstance(value, Digest):
            value = normalised_address(value or "")
            row.set_text(ADDRESS_COLUMN, value)
        row.__dict__[self.field.attname] = value


class AddressField(_EmailField):
    """The address in Python; in the database only its keyed digest, which finds a user and keeps addresses unique.

    The address itself is in the column ``email_encrypted``. There are exact lookups only, by any form of an address,
    and only saving the row changes it.
    """

    descriptor_class = _Address
    default_validators = [validate_address]  # noqa: RUF012 - typed where it comes from

    def deconstruct(self) -> Any:
        # Migrations know a column of bytes: how its content is made is not the database's concern.
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.BinaryField", args, {"editable": True, **kwargs}

    def get_internal_type(self) -> str:
        return "BinaryField"

    def get_lookup(self, lookup_name: str) -> "type[Lookup[Any]] | None":
        return super().get_lookup(lookup_name) if lookup_name in _LOOKUPS else None

    def from_db_value(self, value: bytes | None, *_: object) -> Digest | None:
        return None if value is None else Digest(value)

    def get_prep_value(self, value: Any) -> str | Digest | None:
        if value is None or isinstance(value, Digest):
            return value
        return Digest(value) if isinstance(value, (bytes, memoryview)) else normalised_address(str(value))

    def get_db_prep_value(
        self,
        value: Any,
        connection: BaseDatabaseWrapper,  # noqa: ARG002 - Django's signature
        prepared: bool = False,
    ) -> bytes | None:
        value = value if prepared else self.get_prep_value(value)
        return digests_to_find(_PURPOSE, [value])[0] if isinstance(value, str) else value

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:  # noqa: ARG002 - Django's signature
        value = model_instance.__dict__.get(self.attname)
        if value is None:
            value = getattr(model_instance, self.attname)
        return Digest(digest_to_store(_PURPOSE, value)) if isinstance(value, str) else value

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        if isinstance(value, str):
            raise TypeError("Change an address by saving its user, so that the encrypted address changes, too.")
        return super().get_db_prep_save(value, connection)
