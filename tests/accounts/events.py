"""Audit events, which tests use as an example of encrypted rows."""

from collections.abc import Iterable, Sequence
from random import choice
from uuid import UUID

from django.db import transaction

from accounts.audit import record_event
from accounts.keys.vault import one_moment, open_vault, vault_for_writing
from accounts.models import AuditEvent, User


def made_events(user: User, number: int) -> dict[UUID, str]:
    """Record ``number`` events about ``user``, each with a different reason."""
    vault = open_vault(user.id)
    reasons: dict[UUID, str] = {}
    rows = []
    for position in range(number):
        row = AuditEvent(subject_id=user.id, action="reveal")
        reasons[row.id] = f"reason {position}"
        row.reason_encrypted = vault.seal(row, "reason_encrypted", reasons[row.id])
        rows.append(row)
    AuditEvent.objects.bulk_create(rows)
    return reasons


def event_about(user: User, reason: str) -> AuditEvent:
    """Record an event with ``user`` as actor and subject."""
    return record_event(actor=user, subject_id=user.id, action="reveal", reason=reason)


def reasons_about(user: User) -> dict[UUID, str]:
    """All decrypted reasons, read in one snapshot."""
    with one_moment():
        vault = open_vault(user.id)
        events = AuditEvent.objects.for_user(user.id)
        return {event.id: vault.open(event, "reason_encrypted") for event in events}


def rewrite_one(user: User, reason: str, among: Sequence[UUID]) -> None:
    """Read a random one of these events and replace its reason, as a concurrent writer."""
    with transaction.atomic():
        vault = vault_for_writing(user.id)
        chosen = choice(among)
        event = AuditEvent.objects.select_for_update().get(id=chosen)
        vault.open(event, "reason_encrypted")
        event.reason_encrypted = vault.seal(event, "reason_encrypted", reason)
        event.save(update_fields=["reason_encrypted"])


def versions_of(ids: Iterable[UUID]) -> set[str]:
    """The versions of the keys that encrypt the reasons, such as ``v2``."""
    tokens = AuditEvent.objects.filter(id__in=list(ids)).values_list("reason_encrypted", flat=True)
    return {token.partition(":")[0] for token in tokens}
