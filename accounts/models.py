"""Who is it? The user, with the key that user's data is encrypted with, and the devices the user has."""

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone as clock

from accounts.keyring import master_keys
from accounts.keys import WrappedKey, new_user_key
from accounts.timezones import is_timezone

MAX_DEVICE_ID_CHARS: Final = 200
MAX_DEVICE_TEXT_CHARS: Final = 100
ENDING_ACCESS: Final = frozenset({"password", "is_active"})
"""The fields of a user whose change can end the access of those who are signed in."""


def normalised_address(email: str) -> str:
    """The one way to write an address: two that differ in case, in white space around or in width are one account."""
    return unicodedata.normalize("NFKC", email).strip().lower()


def supported_languages() -> Sequence[tuple[str, str]]:
    return settings.LANGUAGES


def validate_timezone(name: str) -> None:
    """Raises ``ValidationError`` unless ``name`` is a zone of the IANA database."""
    if not is_timezone(name):
        raise ValidationError("This is not a time zone: write an IANA name such as Europe/Rome.", code="timezone")


class UserManager(BaseUserManager["User"]):
    """Makes users, and finds them by their address however it is written."""

    def create_user(
        self, email: str, password: str | None = None, *, language: str = "en", timezone: str = "UTC"
    ) -> "User":
        """A new user with a key. Raises ``IntegrityError`` when the address is taken; checks nothing else."""
        user = self.model(email=email, language=language, timezone=timezone)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None) -> "User":
        """A new user who may do everything in the admin."""
        user = self.model(email=email, is_staff=True, is_superuser=True)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=normalised_address(username or ""))


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account. The address is the login.

    ``encryption_key`` is the user's Fernet key, wrapped by the master key whose fingerprint is ``master_key_id``, and
    bound to this user and to ``encryption_key_version``. It is made when the user is first saved, in the same INSERT.
    Tokens and sessions in the admin carry the ``token_generation`` they were given out in, so counting it up ends all.
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
    """Of the fields that can end access, those that were loaded or saved, with their values."""

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Beside the unique column, which Django asks of a login: holds for rows that did not come by save(), too.
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
            self._receive_key()
        super().save(*args, **kwargs)

    @property
    def wrapped_key(self) -> WrappedKey:
        return WrappedKey(token=self.encryption_key, master_key_id=self.master_key_id)

    def get_session_auth_hash(self) -> str:
        """What a session in the admin stands for. As a token it ends with the password, and with the generation."""
        return f"{super().get_session_auth_hash()}.{self.token_generation}"

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """The same under older secret keys."""
        for older in super().get_session_auth_fallback_hash():
            yield f"{older}.{self.token_generation}"

    def _receive_key(self) -> None:
        key = new_user_key(version=self.encryption_key_version)
        wrapped = master_keys().wrap(key, user_id=self.id)
        self.encryption_key, self.master_key_id = wrapped.token, wrapped.master_key_id


class DeviceQuerySet(models.QuerySet["Device"]):
    """The devices of a user, and those of them that were not removed."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def present(self) -> Self:
        return self.filter(removed_at=None)

    def online(self, now: datetime) -> Self:
        """Those with a socket, on whichever process."""
        return self.filter(online_until__gt=now)


class Device(models.Model):
    """A client that has connected, by the id it gave itself. One that was removed stays, so that its id stays taken."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that of the constraint below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="devices", db_index=False)
    device_id = models.CharField(max_length=MAX_DEVICE_ID_CHARS)
    platform = models.CharField(max_length=MAX_DEVICE_TEXT_CHARS, blank=True)
    app_version = models.CharField(max_length=MAX_DEVICE_TEXT_CHARS, blank=True)
    first_seen = models.DateTimeField(default=clock.now)
    last_seen = models.DateTimeField(default=clock.now)
    removed_at = models.DateTimeField(null=True, blank=True)
    # Said again and again by the process that holds its socket, so that a killed one leaves nothing that stays true.
    online_until = models.DateTimeField(null=True, blank=True, editable=False)

    objects = DeviceQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the list of a user's devices, and a hello, which names user and id.
            models.UniqueConstraint(fields=["user", "device_id"], name="accounts_device_of_user"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # How many are online: few of all there are.
            models.Index(
                fields=["online_until"], condition=models.Q(online_until__isnull=False), name="accounts_device_online"
            ),
        ]

    def __str__(self) -> str:
        return self.device_id


class DevicesOnline(models.Model):
    """How many devices were online at most in the five minutes from ``at`` on, of all users, for staff's charts."""

    at = models.DateTimeField(primary_key=True)
    online = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "devices online"

    def __str__(self) -> str:
        return f"{self.online} from {self.at:%Y-%m-%d %H:%M}"


class TokenFamily(models.Model):
    """A sign-in whose tokens were used on a device. A family is the first pair of tokens and all that come of it."""

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="families")
    family = models.UUIDField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the check of a token, which asks whether its family was used on a removed device.
            models.UniqueConstraint(fields=["family", "device"], name="accounts_tokenfamily_of_device"),
        ]

    def __str__(self) -> str:
        return str(self.family)


class PersonalTokenQuerySet(models.QuerySet["PersonalToken"]):
    """The personal tokens of a user."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class PersonalToken(models.Model):
    """What a user lets a program in with (``personal_tokens.py``). Of the token itself only a digest is kept.

    ``password_digest`` and ``generation`` are the user's of when it was given out: it ends when either changes.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="personal_tokens")
    name_encrypted = models.TextField()
    digest = models.CharField(max_length=64, unique=True)
    password_digest = models.CharField(max_length=64)
    generation = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=clock.now)
    last_used_at = models.DateTimeField("last used", null=True)
    expires_at = models.DateTimeField("expires", null=True)

    objects = PersonalTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.id)


class RetiredKey(models.Model):
    """An older key of a user, kept while anything made with it is left. Wrapped as ``User.encryption_key`` is."""

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
    """What was done, by whose data it was done to."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(subject_id=user_id)


class AuditEvent(models.Model):
    """Something that staff did to a user's account or data: who, to whom, what, when, and the reason given.

    Of users' own deeds only those are among them that let a program in or out (``personal_tokens.py``). The reason is
    encrypted with the key of whom it is about, so it ends with that user; the event stays.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    # Not a foreign key: the event outlives the account.
    subject_id = models.UUIDField("user")
    action = models.CharField(max_length=64)
    object_id = models.UUIDField("row", null=True)
    reason_encrypted = models.TextField(blank=True)
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
