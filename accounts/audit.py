"""What staff did to whom, and why: written in the transaction that does it."""

from typing import cast
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Model

from accounts.custody import EncryptedTable, Exported
from accounts.models import AuditEvent, User
from accounts.vault import Vault, open_vault, vault_for_writing


def record_event(
    *, actor: User, subject_id: UUID, action: str, object_id: UUID | None = None, reason: str = ""
) -> AuditEvent:
    """Writes that ``actor`` does this to the user ``subject_id``, to the row ``object_id`` where it is about one.

    Raises as ``open_vault`` when there is a reason, which only the key of whom it is about opens.
    """
    event = AuditEvent(id=uuid4(), actor=actor, subject_id=subject_id, action=action, object_id=object_id)
    with transaction.atomic():
        if reason:
            place = AUDIT_EVENTS.place(event.id, "reason_encrypted")
            event.reason_encrypted = vault_for_writing(subject_id).encrypt(place, reason)
        event.save(force_insert=True)
    return event


def reason_of(event: AuditEvent) -> str:
    """The reason given, or nothing. Raises as ``open_vault``, also when the user was erased, or ``EncryptionError``."""
    return _reason(event, open_vault(event.subject_id)) if event.reason_encrypted else ""


def _reason(event: AuditEvent, vault: Vault) -> str:
    if not event.reason_encrypted:
        return ""
    return vault.decrypt(AUDIT_EVENTS.place(event.id, "reason_encrypted"), event.reason_encrypted)


def _exported(row: Model, vault: Vault) -> Exported:
    event = cast("AuditEvent", row)
    # Who of the staff it was is not the user's data.
    return {
        "id": str(event.id),
        "action": event.action,
        "object_id": str(event.object_id) if event.object_id else None,
        "reason": _reason(event, vault),
        "created_at": event.created_at.isoformat(),
    }


AUDIT_EVENTS = EncryptedTable(
    model=AuditEvent,
    columns=("reason_encrypted",),
    rows_of=AuditEvent.objects.for_user,
    export=_exported,
    outlives_owner=True,
)
