from functools import partial
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction

from accounts.audit import reason_of, record_event
from accounts.errors import AccountGone, CorruptedText
from accounts.models import AuditEvent, User
from tests.accounts.threads import as_another_process


def test_event_stores_actor_subject_action_and_reason_encrypted_with_subjects_key(alice: User, sam: User) -> None:
    row_id = uuid4()
    event = record_event(actor=sam, subject_id=alice.id, action="reveal", object_id=row_id, reason="she asked \ud83d")
    stored = AuditEvent.objects.get()
    assert (stored.id, stored.actor, stored.subject_id, stored.action, stored.object_id) == (
        event.id,
        sam,
        alice.id,
        "reveal",
        row_id,
    )
    assert stored.reason_encrypted.startswith("v1:")
    assert reason_of(stored) == "she asked \ud83d"


def test_event_without_reason_needs_no_key(sam: User) -> None:
    gone = uuid4()
    event = record_event(actor=sam, subject_id=gone, action="deactivate")
    assert (event.reason_encrypted, reason_of(event)) == ("", "")


def test_event_with_reason_is_refused_when_subject_does_not_exist(sam: User) -> None:
    with pytest.raises(AccountGone):
        record_event(actor=sam, subject_id=uuid4(), action="reveal", reason="she asked for it")
    assert not AuditEvent.objects.exists()


def test_reason_copied_from_another_event_cannot_be_decrypted(alice: User, sam: User) -> None:
    first, second = (record_event(actor=sam, subject_id=alice.id, action="reveal", reason=why) for why in ("a", "b"))
    AuditEvent.objects.filter(id=first.id).update(reason_encrypted=second.reason_encrypted)
    with pytest.raises(CorruptedText):
        reason_of(AuditEvent.objects.get(id=first.id))


@pytest.mark.django_db(transaction=True)
def test_recording_event_with_reason_locks_subject_exclusively(alice: User, sam: User) -> None:
    """The caller may update the user's row next. Two transactions with a shared lock on it would deadlock."""
    with transaction.atomic():
        record_event(actor=sam, subject_id=alice.id, action="deactivate", reason="she asked for it")
        with pytest.raises(OperationalError, match="could not obtain lock"):
            as_another_process(partial(share_at_once, alice))
        alice.save(update_fields=["is_active"])


def share_at_once(user: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM accounts_user WHERE id = %s FOR SHARE NOWAIT", [user.id])


def test_event_is_kept_when_actor_is_deleted(alice: User, sam: User) -> None:
    record_event(actor=sam, subject_id=alice.id, action="reveal", reason="she asked for it")
    sam.delete()
    event = AuditEvent.objects.get()
    assert (event.actor, reason_of(event)) == (None, "she asked for it")
