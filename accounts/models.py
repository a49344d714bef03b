"""Users with their keys, and the record of what staff did."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models, transaction
from django.utils import timezone as clock
from rest_framework_simplejwt.utils import get_md5_hash_password

from accounts.addresses import ADDRESS_COLUMN, AddressField
from accounts.encryption import EncryptedTextField
from accounts.errors import AccountError
from accounts.sealing import KEY_COLUMNS, KeyOwner
from accounts.timezones import is_timezone

_Row = TypeVar("_Row", bound=models.Model)

ENDING_ACCESS: Final = frozenset({"password", "is_active"})
"""The fields of a user whose change can end access."""


def supported_languages() -> Sequence[tuple[str, str]]:
    return settings.LANGUAGES


def validate_timezone(name: str) -> None:
    """Raises ``ValidationError`` unless ``name`` is a zone of the IANA database."""
    if not is_timezone(name):
        raise ValidationError("This is not a time zone: write an IANA name such as Europe/Rome.", code="timezone")


class AddressState(models.TextChoices):
    """Whether the user has proved that the address is theirs (``auth/verification.py``)."""

    UNVERIFIED = "unverified"
    PENDING = "pending"
    """Not yet, and they must before they sign in."""
    VERIFIED = "verified"


class UserManager(BaseUserManager["User"]):
    """Creates users, and finds them by any form of their address."""

    def create_user(
        self, email: str, password: str | None = None, *, language: str = "en", timezone: str = "UTC", **rights: bool
    ) -> "User":
        """A new user with a key. Raises ``IntegrityError`` if the address is taken; checks nothing else."""
        user = self.model(email=email, language=language, timezone=timezone, **rights)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None) -> "User":
        """A new user with all rights in the admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=username or "")

    def for_user(self, user_id: UUID) -> "models.QuerySet[User]":
        """The user as a row of a table with ciphertext."""
        return self.filter(id=user_id)


class User(AbstractBaseUser, PermissionsMixin, KeyOwner):
    """A person with an account. The address is the login.

    Tokens and sessions in the admin contain the ``token_generation`` at which they were issued, so incrementing it ends
    them all.
    """

    email = AddressField(
        "email address", db_column="email_digest", unique=True, error_messages={"unique": "This address is taken."}
    )
    email_encrypted = EncryptedTextField(editable=False)
    language = models.CharField(max_length=16, choices=supported_languages, default="en")
    timezone = models.CharField("time zone", max_length=64, default="UTC", validators=[validate_timezone])
    is_staff = models.BooleanField("staff", default=False, help_text="May sign in to the admin.")
    is_active = models.BooleanField(
        "active", default=True, help_text="Without it the user cannot sign in, and tokens given out stop working."
    )
    date_joined = models.DateTimeField(default=clock.now, editable=False)
    token_generation = models.PositiveIntegerField(default=0, editable=False)
    # The digests of the stored hash before and after it was last renewed: both are of one password.
    hash_renewal = models.CharField(max_length=64, default="", db_default="", editable=False)
    # Incrementing it ends the sessions in the admin alone.
    staff_generation = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    # Since when the admin asks them for a second factor (``auth/second_factor.py``).
    second_factor_since = models.DateTimeField(null=True, editable=False)
    address_state = models.CharField(
        max_length=16,
        choices=AddressState,
        default=AddressState.UNVERIFIED,
        db_default=AddressState.UNVERIFIED,
        editable=False,
    )
    memory_enabled = models.BooleanField(
        "memory", default=True, help_text="Without it nothing is remembered, and nothing remembered is used."
    )
    memory_words_days = models.PositiveIntegerField(
        "days that words are remembered",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(36_500)],
        help_text="For how many days the words of conversations are remembered; then only summaries. Empty: always.",
    )

    access_as_stored: Mapping[str, object] = MappingProxyType({})
    """The values of the fields in ``ENDING_ACCESS``, as last loaded or saved."""

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        try:
            return self.email
        except AccountError:  # erased, or the master key is missing: a list with this row is still shown
            return f"user {self.pk}"

    @property
    def is_being_erased(self) -> bool:
        """Whether an erasure has destroyed the key and not ended yet; it may have been interrupted."""
        return not self.encryption_key

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **kwargs: Any) -> Self:
        user = super().from_db(db, field_names, values, **kwargs)
        user.access_as_stored = {name: user.__dict__[name] for name in ENDING_ACCESS.intersection(field_names)}
        return user

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        if self._state.adding:
            self._save_new(*args, **kwargs)
        elif "email" in (names := self._names_to_save(update_fields)) and self.unsealed():
            self._save_with_address({*names, ADDRESS_COLUMN}, *args, **kwargs)
        else:
            super().save(*args, update_fields=names, **kwargs)

    def refresh_from_db(
        self, using: str | None = None, fields: Iterable[str] | None = None, from_queryset: Any = None
    ) -> None:
        # Without the address, which need not be readable; like a deferred field it is opened when it is read.
        names = {field.attname for field in self._meta.concrete_fields} - self.get_deferred_fields()
        wanted = [name for name in (fields or names) if name != "email"]
        super().refresh_from_db(using=using, fields=[*wanted, ADDRESS_COLUMN], from_queryset=from_queryset)
        self.__dict__.pop("email", None)

    def check_password(self, raw_password: str | None) -> bool:
        """Whether it is the user's. A hash that was made in another way than today's is renewed, which ends nothing."""
        return check_password(raw_password, self.password, self._renew_hash)

    def _renew_hash(self, raw_password: str) -> None:
        renewed, before = make_password(raw_password), get_md5_hash_password(self.password)
        with transaction.atomic():
            user = User.objects.select_for_update(no_key=True).filter(id=self.id)
            stored, renewal = user.values_list("password", "hash_renewal").first() or ("", "")
            if stored == self.password:
                # Not by ``save``, which announces another password.
                stored, now = renewed, get_md5_hash_password(renewed)
                user.update(password=renewed, hash_renewal=before + now)
                for resting in (self.sessions, self.personal_tokens):
                    resting.filter(password_digest=before).update(password_digest=now)
            elif renewal != before + get_md5_hash_password(stored):
                return  # it is no longer the user's password
        self.password = stored
        self.access_as_stored = {**self.access_as_stored, "password": stored}

    def _save_new(self, *args: Any, **kwargs: Any) -> None:
        if not self.encryption_key:
            self.make_key()
        self.seal(self.key)
        super().save(*args, **kwargs)

    @transaction.atomic
    def _save_with_address(self, names: Collection[str], *args: Any, **kwargs: Any) -> None:
        # Locked, so that no rotation retires the key in the meantime.
        self.seal(User.objects.select_for_update(no_key=True).only(*KEY_COLUMNS).get(id=self.id).key)
        super().save(*args, update_fields=names, **kwargs)

    def _names_to_save(self, update_fields: Iterable[str] | None) -> Collection[str]:
        """By default all that are loaded, but not the key and what it encrypts: a rotation may have renewed them."""
        if update_fields is not None:
            return set(update_fields)
        loaded = {field.attname for field in self._meta.concrete_fields} - self.get_deferred_fields()
        return loaded - {"id", ADDRESS_COLUMN, *KEY_COLUMNS}

    def get_session_auth_hash(self) -> str:
        """Ends a session in the admin when the password or one of the generations changes."""
        return f"{super().get_session_auth_hash()}.{self.token_generation}.{self.staff_generation}"

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """The same with older secret keys."""
        for older in super().get_session_auth_fallback_hash():
            yield f"{older}.{self.token_generation}.{self.staff_generation}"


class OwnedQuerySet(models.QuerySet[_Row]):
    """Rows with a ``user``. Every read of what users own begins with ``for_user``."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class RetiredKey(models.Model):
    """An older key of a user, kept while any row needs it. Wrapped like ``User.encryption_key``."""

    # No index of its own: that of the constraint below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="retired_keys", db_index=False)
    version = models.PositiveIntegerField()
    encryption_key = models.TextField()
    master_key_id = models.CharField(max_length=16)
    retired_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the opening of a user's vault.
            models.UniqueConstraint(fields=["user", "version"], name="accounts_retiredkey_of_user"),
        ]

    def __str__(self) -> str:
        return f"version {self.version}"


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def for_user(self, user_id: UUID) -> Self:
        return self.filter(subject_id=user_id)


class AuditEvent(models.Model):
    """An action of staff on a user's account or data: who, to whom, what, when and why.

    Users' own actions are recorded only when they change how they sign in, create or revoke a personal token, or sign
    in to the admin. The reason is encrypted with the key of the user it is about, so it becomes unreadable when that
    user is erased; the event stays.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    # Not a foreign key: the event outlives the account.
    subject_id = models.UUIDField("user")
    action = models.CharField(max_length=64)
    object_id = models.UUIDField("row", null=True)
    reason_encrypted = EncryptedTextField(blank=True)
    created_at = models.DateTimeField(default=clock.now)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            # The newest events, as staff list them.
            models.Index(fields=["-created_at"], name="accounts_auditevent_newest"),
            # The events of one user: export, rotation.
            models.Index(fields=["subject_id", "-created_at"], name="accounts_auditevent_of_user"),
        ]

    def __str__(self) -> str:
        return self.action
