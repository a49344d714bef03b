"""What staff did to a user, and why: recorded in the transaction that does it."""

from typing import Final
from uuid import UUID, uuid4

from django.db import transaction

from accounts.keys.custody import EncryptedTable
from accounts.keys.vault import open_vault
from accounts.locks import lock_user
from accounts.models import AuditEvent, User

AUDIT_EVENTS: Final = EncryptedTable(
    model=AuditEvent,
    # Not the actor: which member of staff it was is not the user's data.
    exported=("id", "action", "object_id", "reason_encrypted", "created_at"),
    outlives_owner=True,
)


def record_event(
    *, actor: User | None, subject_id: UUID, action: str, object_id: UUID | None = None, reason: str = ""
) -> AuditEvent:
    """Record that ``actor`` does this to the user ``subject_id``, or to the row ``object_id`` of that user.

    Without an actor it was the server itself, or its operator at the command line. A reason is encrypted with the
    user's key; with one, this raises as ``open_vault``.
    """
    event = AuditEvent(id=uuid4(), actor=actor, subject_id=subject_id, action=action, object_id=object_id)
    with transaction.atomic():
        if reason:
            # An exclusive lock, unlike other writers: the recorded change often writes the user's row next, and two
            # transactions that share a lock on it could not.
            lock_user(subject_id)
            event.reason_encrypted = open_vault(subject_id).seal(event, "reason_encrypted", reason)
        event.save(force_insert=True)
    return event


def reason_of(event: AuditEvent) -> str:
    """The reason, or an empty text. Raises as ``open_vault``, also for an erased user, or ``EncryptionError``."""
    return open_vault(event.subject_id).open(event, "reason_encrypted") if event.reason_encrypted else ""
