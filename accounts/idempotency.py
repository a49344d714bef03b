"""Requests that are carried out once, however often they are sent: their answers, kept for a day by the client's key.

The unique key of a row decides between requests that come at the same time. A row without a status belongs to a request
that still runs, or was cut off: what it did is not known, so it is not done again.
"""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import ClassVar, Final
from uuid import UUID, uuid4

from django.db import models, transaction
from django.utils import timezone as clock

from accounts.encryption import EncryptedTextField
from accounts.errors import IdempotencyKeyInUse, IdempotencyKeyReused
from accounts.keys.custody import EncryptedTable
from accounts.keys.vault import vault_for_writing
from accounts.models import OwnedQuerySet, User

KEPT: Final = timedelta(days=1)
MAX_OF_USER: Final = 200
"""With more, the oldest goes."""
MAX_ANSWER_CHARS: Final = 1024 * 1024
"""A longer answer is not kept: its request cannot be repeated."""


class IdempotentAnswer(models.Model):
    """The answer to a request with an ``Idempotency-Key``.

    ``request_encrypted`` is a digest of the request, encrypted because short words can be guessed from one.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="idempotent_answers", db_index=False)
    key_digest = models.CharField(max_length=64)
    request_encrypted = EncryptedTextField()
    status = models.PositiveSmallIntegerField(null=True)
    content_type = models.CharField(max_length=100, blank=True)
    body_encrypted = EncryptedTextField(blank=True)
    created_at = models.DateTimeField(default=clock.now, db_index=True)

    objects = OwnedQuerySet["IdempotentAnswer"].as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "key_digest"], name="accounts_idempotent_once")
        ]

    def __str__(self) -> str:
        return f"idempotent answer {self.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptAnswer:
    """An answer as it was given."""

    status: int
    content_type: str
    body: str


def begin(user_id: UUID, key: str, request: bytes) -> UUID | KeptAnswer:
    """The id under which to ``keep`` the answer to this ``request``; or the answer, if it was given before.

    Raises ``IdempotencyKeyInUse`` and ``IdempotencyKeyReused``, and as ``open_vault``.
    """
    digest, now = sha256(request).hexdigest(), clock.now()
    with transaction.atomic():
        vault = vault_for_writing(user_id)
        rows = IdempotentAnswer.objects.for_user(user_id)
        rows.filter(created_at__lt=now - KEPT).delete()
        new = IdempotentAnswer(user_id=user_id, key_digest=sha256(key.encode()).hexdigest(), created_at=now)
        sealed = vault.seal(new, "request_encrypted", digest)
        row, is_new = rows.get_or_create(
            user_id=user_id, key_digest=new.key_digest, defaults={"id": new.id, "request_encrypted": sealed}
        )
        if is_new:
            surplus = rows.order_by("-created_at", "id").values_list("id", flat=True)[MAX_OF_USER:]
            rows.filter(id__in=list(surplus)).delete()
            return row.id
        if vault.open(row, "request_encrypted") != digest:
            raise IdempotencyKeyReused
        if row.status is None:
            raise IdempotencyKeyInUse
        body = vault.open(row, "body_encrypted")
    return KeptAnswer(status=row.status, content_type=row.content_type, body=body)


def keep(user_id: UUID, row_id: UUID, answer: KeptAnswer) -> None:
    """Keep the answer of the request that began with this id, unless it is too long. Raises as ``open_vault``."""
    if len(answer.body) > MAX_ANSWER_CHARS:
        return
    with transaction.atomic():
        vault = vault_for_writing(user_id)
        row = IdempotentAnswer.objects.for_user(user_id).filter(id=row_id).first()
        if row is not None:
            row.status, row.content_type = answer.status, answer.content_type
            row.body_encrypted = vault.seal(row, "body_encrypted", answer.body)
            row.save(update_fields=["status", "content_type", "body_encrypted"])


def release(user_id: UUID, row_id: UUID) -> None:
    """The request did nothing: it may be sent again."""
    IdempotentAnswer.objects.for_user(user_id).filter(id=row_id).delete()


# An export shows when there were such requests; what they answered may contain a token.
IDEMPOTENT_ANSWERS: Final = EncryptedTable(model=IdempotentAnswer, exported=("id", "status", "created_at"))
