"""What users and programs sign in with besides a password. Secrets are stored encrypted, or as digests alone."""

from datetime import datetime
from typing import ClassVar, Final
from uuid import uuid4

from django.db import models
from django.utils import timezone as clock

from accounts.encryption import EncryptedTextField
from accounts.models import OwnedQuerySet, User

MAX_CREDENTIAL_ID_BYTES: Final = 1023
"""By WebAuthn."""
EVERYTHING: Final = "read write"
"""The scope of a personal token that may do all that its user may."""


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
    # What it may do (``auth/token_scopes.py``), separated by spaces. The default also holds for processes of the
    # release before this column.
    scope = models.TextField("scopes", default=EVERYTHING, db_default=EVERYTHING)

    name: str | None = None
    text: str = ""
    """The decrypted name and the token itself, where they are known (``auth/personal_tokens.py``)."""
    resource: str | None = None
    access_expires_at: datetime | None = None
    """As of ``ProgramAccess``, where they are known; None for a token that its user has made."""

    objects = OwnedQuerySet["PersonalToken"].as_manager()

    def __str__(self) -> str:
        return str(self.id)

    @property
    def scopes(self) -> list[str]:
        """The scope's words."""
        return self.scope.split()

    @property
    def client_id(self) -> str | None:
        """The program that has got it by OAuth."""
        program = getattr(self, "program", None)
        return None if program is None else program.client_id


class ProgramAccess(models.Model):
    """What makes a personal token one that a program has got by OAuth (``auth/program_access.py``).

    The token's own digest is then that of the access token, until ``access_expires_at``; the token's end is that of the
    whole access. Before the program has fetched its tokens it is that of nothing. Secrets are stored as digests alone.
    """

    token = models.OneToOneField(PersonalToken, on_delete=models.CASCADE, primary_key=True, related_name="program")
    client_id = models.TextField()
    resource = models.TextField()
    redirect_uri = models.TextField()
    challenge = models.CharField(max_length=128)
    code_digest = models.CharField(max_length=64, unique=True)
    # Empty once the code was used.
    code_expires_at = models.DateTimeField(null=True)
    access_expires_at = models.DateTimeField(null=True)
    # Of the part of a refresh token that stays, and of the one that changes each time.
    family_digest = models.CharField(max_length=64, unique=True)
    refresh_digest = models.CharField(max_length=64, blank=True)
    refreshed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.pk)


class Passkey(models.Model):
    """A WebAuthn credential with which a user signs in (``auth/passkeys.py``): the public half, and its name.

    ``backup_eligible`` and ``backed_up`` say whether its owner's other devices may have it, and have it.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passkeys")
    # Random, and chosen by the authenticator: it finds the user who signs in.
    credential_id = models.BinaryField(max_length=MAX_CREDENTIAL_ID_BYTES, unique=True)
    public_key = models.BinaryField()
    sign_count = models.BigIntegerField(default=0)
    transports = models.CharField(max_length=100, blank=True)
    backup_eligible = models.BooleanField(default=False)
    backed_up = models.BooleanField(default=False)
    name_encrypted = EncryptedTextField()
    created_at = models.DateTimeField("created", default=clock.now)
    last_used_at = models.DateTimeField("last used", null=True)

    name: str | None = None
    """The decrypted name, where it is known."""

    objects = OwnedQuerySet["Passkey"].as_manager()

    def __str__(self) -> str:
        return str(self.id)


class PasskeyChallenge(models.Model):
    """A question that an authenticator has not answered yet (``auth/challenges.py``). Only its digest is stored."""

    digest = models.CharField(max_length=64, primary_key=True)
    purpose = models.CharField(max_length=16)
    # No user is known yet when it is about signing in.
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    network = models.CharField(max_length=64)
    expires_at = models.DateTimeField("expires")

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            # Those of one network, counted and cut off at the oldest.
            models.Index(fields=["network", "expires_at"], name="accounts_challenge_network"),
            # Those that have expired.
            models.Index(fields=["expires_at"], name="accounts_challenge_expires"),
        ]

    def __str__(self) -> str:
        return self.purpose


class AuthenticatorApp(models.Model):
    """An app that shows a code of six digits every 30 s. It counts once ``confirmed_at`` is set.

    ``used_step`` is the latest period whose code was used: a code works once.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="authenticator_apps")
    name_encrypted = EncryptedTextField(blank=True)
    secret_encrypted = EncryptedTextField()
    used_step = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=clock.now)
    confirmed_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    name: str = ""
    """The decrypted name, where it is known."""

    objects = OwnedQuerySet["AuthenticatorApp"].as_manager()

    def __str__(self) -> str:
        return str(self.id)


class RecoveryCode(models.Model):
    """A code that takes the place of a second factor once. Only its digest is stored."""

    # No index of its own: that of the constraint below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes", db_index=False)
    digest = models.CharField(max_length=64)

    objects = OwnedQuerySet["RecoveryCode"].as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the use of a code.
            models.UniqueConstraint(fields=["user", "digest"], name="accounts_recoverycode_of_user"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
