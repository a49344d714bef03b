"""Users with their keys, devices and tokens, and the record of what staff did."""

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone as clock

from accounts.cipher import new_user_key
from accounts.encryption import EncryptedTextField, master_keys
from accounts.timezones import is_timezone

_Row = TypeVar("_Row", bound=models.Model)

MAX_DEVICE_ID_CHARS: Final = 200
MAX_DEVICE_TEXT_CHARS: Final = 100
ENDING_ACCESS: Final = frozenset({"password", "is_active"})
"""The fields of a user whose change can end access."""


def normalised_address(email: str) -> str:
    """The canonical form: addresses that differ in case, surrounding white space or width are one account."""
    return unicodedata.normalize("NFKC", email).strip().lower()


def supported_languages() -> Sequence[tuple[str, str]]:
    return settings.LANGUAGES


def validate_timezone(name: str) -> None:
    """Raises ``ValidationError`` unless ``name`` is a zone of the IANA database."""
    if not is_timezone(name):
        raise ValidationError("This is not a time zone: write an IANA name such as Europe/Rome.", code="timezone")


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
        return self.get(email=normalised_address(username or ""))


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account. The address is the login.

    ``encryption_key`` is the user's Fernet key, wrapped by the master key with the fingerprint ``master_key_id``, and
    bound to this user and to ``encryption_key_version``. It is created with the user, in the same INSERT. Tokens and
    sessions in the admin contain the ``token_generation`` at which they were issued, so incrementing it ends them all.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    email = models.EmailField("email address", unique=True, error_messages={"unique": "This address is taken."})
    language = models.CharField(max_length=16, choices=supported_languages, default="en")
    timezone = models.CharField("time zone", max_length=64, default="UTC", validators=[validate_timezone])
    is_staff = models.BooleanField("staff", default=False, help_text="May sign in to the admin.")
    is_active = models.BooleanField(
        "active", default=True, help_text="Without it the user cannot sign in, and tokens given out stop working."
    )
    date_joined = models.DateTimeField(default=clock.now, editable=False)
    encryption_key = models.TextField(editable=False)
    encryption_key_version = models.PositiveIntegerField(default=1, editable=False)
    master_key_id = models.CharField(max_length=16, editable=False)
    token_generation = models.PositiveIntegerField(default=0, editable=False)
    memory_enabled = models.BooleanField(
        "memory", default=True, help_text="Without it nothing is remembered, and nothing remembered is used."
    )

    access_as_stored: Mapping[str, object] = MappingProxyType({})
    """The values of the fields in ``ENDING_ACCESS``, as last loaded or saved."""

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Django requires the unique column; this one also holds for rows that were not written by save().
            models.UniqueConstraint(
                Lower("email"), name="accounts_user_email_any_case", violation_error_message="This address is taken."
            ),
        ]

    def __str__(self) -> str:
        return self.email

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **kwargs: Any) -> Self:
        user = super().from_db(db, field_names, values, **kwargs)
        user.access_as_stored = {name: user.__dict__[name] for name in ENDING_ACCESS.intersection(field_names)}
        return user

    def clean(self) -> None:
        super().clean()
        self.email = normalised_address(self.email)

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = normalised_address(self.email)
        if self._state.adding and not self.encryption_key:
            key = new_user_key(version=self.encryption_key_version)
            wrapped = master_keys().wrap(key, user_id=self.id)
            self.encryption_key, self.master_key_id = wrapped.token, wrapped.master_key_id
        super().save(*args, **kwargs)

    def get_session_auth_hash(self) -> str:
        """Ends a session in the admin, like a token, when the password or the generation changes."""
        return f"{super().get_session_auth_hash()}.{self.token_generation}"

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """The same with older secret keys."""
        for older in super().get_session_auth_fallback_hash():
            yield f"{older}.{self.token_generation}"


class OwnedQuerySet(models.QuerySet[_Row]):
    """Rows with a ``user``. Every read of what users own begins with ``for_user``."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class DeviceQuerySet(OwnedQuerySet["Device"]):
    def present(self) -> Self:
        return self.filter(removed_at=None)

    def online(self, now: datetime) -> Self:
        """Those with a socket on any process."""
        return self.filter(online_until__gt=now)


class Device(models.Model):
    """A client that has connected, with the id it gave itself. A removed one is kept, so that its id stays taken."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that of the constraint below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="devices", db_index=False)
    device_id = models.CharField(max_length=MAX_DEVICE_ID_CHARS)
    platform = models.CharField(max_length=MAX_DEVICE_TEXT_CHARS, blank=True)
    app_version = models.CharField(max_length=MAX_DEVICE_TEXT_CHARS, blank=True)
    first_seen = models.DateTimeField(default=clock.now)
    last_seen = models.DateTimeField(default=clock.now)
    removed_at = models.DateTimeField(null=True, blank=True)
    # Renewed by the process that holds the socket, so that it expires when that process is killed.
    online_until = models.DateTimeField(null=True, blank=True, editable=False)

    objects = DeviceQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the list of a user's devices, and the lookup by user and id when a device connects.
            models.UniqueConstraint(fields=["user", "device_id"], name="accounts_device_of_user"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The number of devices online, which are few among all.
            models.Index(
                fields=["online_until"], condition=models.Q(online_until__isnull=False), name="accounts_device_online"
            ),
        ]

    def __str__(self) -> str:
        return self.device_id


class DevicesOnline(models.Model):
    """The maximum number of devices of all users online in the five minutes from ``at``, for the dashboard."""

    at = models.DateTimeField(primary_key=True)
    online = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "devices online"

    def __str__(self) -> str:
        return f"{self.online} from {self.at:%Y-%m-%d %H:%M}"


class TokenFamily(models.Model):
    """A sign-in whose tokens were used on a device. A family is the first pair of tokens and all its successors."""

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="families")
    family = models.UUIDField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the check of a token: whether its family was used on a removed device.
            models.UniqueConstraint(fields=["family", "device"], name="accounts_tokenfamily_of_device"),
        ]

    def __str__(self) -> str:
        return str(self.family)


class PersonalToken(models.Model):
    """A user's token for a program (``auth/personal_tokens.py``). Only a digest of the token itself is stored.

    ``password_digest`` and ``generation`` are the user's when it was issued: it ends when either changes.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="personal_tokens")
    name_encrypted = EncryptedTextField()
    digest = models.CharField(max_length=64, unique=True)
    password_digest = models.CharField(max_length=64)
    generation = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=clock.now)
    last_used_at = models.DateTimeField("last used", null=True)
    expires_at = models.DateTimeField("expires", null=True)

    name: str | None = None
    text: str = ""
    """The decrypted name and the token itself, where they are known (``auth/personal_tokens.py``)."""

    objects = OwnedQuerySet["PersonalToken"].as_manager()

    def __str__(self) -> str:
        return str(self.id)


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

    Users' own actions are recorded only when they create or revoke a personal token. The reason is encrypted with the
    key of the user it is about, so it becomes unreadable when that user is erased; the event stays.
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
