"""The devices and the sign-ins of users."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar, Final, Self
from uuid import UUID, uuid4

from django.db import models, transaction
from django.utils import timezone as clock

from accounts.encryption import EncryptedTextField
from accounts.lookup import digest_to_store, digests_to_find, expected_digest
from accounts.models import OwnedQuerySet, User
from accounts.sealing import KeyOwner, SealedRow, SealedText, key_for_writing

MAX_DEVICE_ID_CHARS: Final = 200
MAX_DEVICE_TEXT_CHARS: Final = 100
_DEVICE: Final = "device"


class DeviceQuerySet(OwnedQuerySet["Device"]):
    def named(self, user_id: UUID, device_id: str) -> Self:
        """The user's device with this id. One more query, for the lookup key."""
        return self.filter(user_id=user_id, device_digest=device_digests([(user_id, device_id)])[0])

    def present(self) -> Self:
        return self.filter(removed_at=None)

    def online(self, now: datetime) -> Self:
        """Those with a socket on any process."""
        return self.filter(online_until__gt=now)

    def away(self, now: datetime) -> Self:
        """Those without a socket, the one that has been away longest first."""
        return self.exclude(online_until__gt=now).order_by("last_seen", "id")


def device_digests(devices: Iterable[tuple[UUID, str]]) -> list[bytes]:
    """The digests by which devices are found, each by its user and the id it gave itself. One query."""
    return digests_to_find(_DEVICE, (_digested(user_id, device_id) for user_id, device_id in devices))


def expected_device_digest(user_id: UUID, device_id: str) -> tuple[bytes, str] | None:
    """As ``device_digests`` and ``accounts.lookup.expected_digest``."""
    return expected_digest(_DEVICE, _digested(user_id, device_id))


def _digested(user_id: UUID, device_id: str) -> str:
    return f"{user_id}\n{device_id}"


class Device(SealedRow):
    """A client that has connected, with the id it gave itself. A removed one is kept, so that its id stays taken.

    What it calls itself is encrypted, the id found by a keyed digest; read many devices with their ``user``.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that of the constraint below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="devices", db_index=False)
    device_digest = models.BinaryField(max_length=32)
    device_id_encrypted = EncryptedTextField()
    platform_encrypted = EncryptedTextField(blank=True)
    app_version = models.CharField(max_length=MAX_DEVICE_TEXT_CHARS, blank=True)
    first_seen = models.DateTimeField(default=clock.now)
    last_seen = models.DateTimeField(default=clock.now)
    removed_at = models.DateTimeField(null=True, blank=True)
    # Renewed by the process that holds the socket, so that it expires when that process is killed.
    online_until = models.DateTimeField(null=True, blank=True, editable=False)

    device_id = SealedText("device_id_encrypted")
    platform = SealedText("platform_encrypted")

    objects = DeviceQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the list of a user's devices, and the lookup by user and id when a device connects.
            models.UniqueConstraint(fields=["user", "device_digest"], name="accounts_device_of_user"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The number of devices online, which are few among all.
            models.Index(
                fields=["online_until"], condition=models.Q(online_until__isnull=False), name="accounts_device_online"
            ),
            # Those that were removed long ago, which are deleted.
            models.Index(
                fields=["removed_at"], condition=models.Q(removed_at__isnull=False), name="accounts_device_removed"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    def key_owner(self) -> KeyOwner:
        return self.user

    @transaction.atomic
    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        sealed = self.unsealed()
        if sealed:
            key = key_for_writing(self.user_id)
            self.device_digest = digest_to_store(_DEVICE, _digested(self.user_id, self.device_id))
            if self._state.adding:
                # A retired device that comes again has the same id, so that what waits for it still does.
                self.id = UUID(bytes=self.device_digest[:16], version=5)
            self.seal(key)
        names = update_fields if update_fields is None else {*update_fields, *sealed}
        super().save(*args, update_fields=names, **kwargs)


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


class Session(models.Model):
    """A sign-in and all that followed from it (``auth/sessions.py``). Its id is the family of its tokens.

    ``refresh_id`` is the id of the one refresh token that works now, ``former_refresh_id`` that of the token it
    was given for. ``password_digest`` and ``generation`` are the user's: when either changes, the session is over.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sessions", db_index=False)
    # What the client called itself when it signed in.
    client_encrypted = EncryptedTextField(blank=True)
    refresh_id = models.CharField(max_length=32)
    former_refresh_id = models.CharField(max_length=32, blank=True)
    password_digest = models.CharField(max_length=64)
    generation = models.PositiveIntegerField()
    created_at = models.DateTimeField("created", default=clock.now)
    last_used_at = models.DateTimeField("last used", default=clock.now)
    ended_at = models.DateTimeField("ended", null=True)
    # Whether the user was told of this sign-in (``auth/notices.py``).
    announced = models.BooleanField(default=False)

    client: str | None = None
    """The decrypted name of the client, where it is known."""
    device: Device | None = None
    """The device that used it last, where it is known."""

    objects = OwnedQuerySet["Session"].as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            # A user's sessions, those used last first.
            models.Index(fields=["user", "-last_used_at"], name="accounts_session_of_user"),
            # Those whose tokens have all expired.
            models.Index(fields=["last_used_at"], name="accounts_session_unused"),
        ]

    def __str__(self) -> str:
        return str(self.id)
