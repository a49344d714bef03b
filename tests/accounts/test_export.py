import json
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.tokens import grant_of
from accounts.errors import AccountGone, MissingMasterKey
from accounts.export import export_account
from accounts.keys.custody import ENCRYPTED_TABLES, PLAIN_TABLES
from accounts.keys.rotation import rotate_user_key
from accounts.models import AuditEvent, User
from accounts.session_models import Device
from tests.accounts.device_rows import stored_device
from tests.accounts.events import event_about, made_events
from tests.accounts.threads import as_another_process


def test_export_contains_all_data_of_user_decrypted(alice: User, bob: User) -> None:
    register_device(grant_of(alice, family=uuid4()), DeviceFacts(device_id="laptop", platform="linux"))
    event = event_about(alice, "line\none \ud83d \0")
    event_about(bob, "another's")
    exported = json.loads("".join(export_account(alice.id)))
    assert exported["account"]["email"] == "alice@example.com"
    assert [device["device_id"] for device in exported["devices"]] == ["laptop"]
    [told] = exported["accounts_auditevent"]
    assert (told["id"], told["action"], told["reason"]) == (str(event.id), "reveal", "line\none \ud83d \0")
    tables = {*(table.name for table in ENCRYPTED_TABLES if not table.part_of_account), *PLAIN_TABLES}
    assert exported.keys() == {"account", "devices", "unreadable", *tables}
    assert exported["unreadable"] == []


def test_export_contains_no_key_and_no_password(alice: User) -> None:
    exported = "".join(export_account(alice.id))
    assert [
        secret for secret in (alice.encryption_key, alice.master_key_id, alice.password) if secret in exported
    ] == []


def test_export_lists_undecryptable_rows(alice: User) -> None:
    good, bad = (event_about(alice, reason) for reason in ("good", "bad"))
    AuditEvent.objects.filter(id=bad.id).update(reason_encrypted=good.reason_encrypted)
    exported = json.loads("".join(export_account(alice.id)))
    assert [row["reason"] for row in exported["accounts_auditevent"]] == ["good"]
    assert exported["unreadable"] == [
        {
            "table": "accounts_auditevent",
            "id": str(bad.id),
            "reason": "The encrypted text is damaged, or does not belong to this place.",
        }
    ]


@pytest.mark.parametrize("column", ["device_id_encrypted", "platform_encrypted"])
def test_export_lists_undecryptable_devices(alice: User, column: str) -> None:
    good, bad = stored_device(alice, "laptop"), stored_device(alice, "phone")
    Device.objects.filter(id=bad.id).update(**{column: getattr(good, column)})
    exported = json.loads("".join(export_account(alice.id)))
    assert [device["device_id"] for device in exported["devices"]] == ["laptop"]
    assert [(row["table"], row["id"]) for row in exported["unreadable"]] == [("accounts_device", str(bad.id))]


def test_export_fails_before_first_chunk_for_unknown_user_or_missing_master_key(
    alice: User, settings: Settings
) -> None:
    with pytest.raises(AccountGone):
        next(export_account(uuid4()))
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    with pytest.raises(MissingMasterKey):
        next(export_account(alice.id))


@pytest.mark.django_db(transaction=True)
def test_export_is_complete_when_key_is_rotated_meanwhile(alice: User) -> None:
    reasons = made_events(alice, 5)
    pieces = export_account(alice.id)
    first = next(pieces)
    assert as_another_process(lambda: rotate_user_key(alice.id)).finished
    exported = json.loads(first + "".join(pieces))
    assert {row["id"]: row["reason"] for row in exported["accounts_auditevent"]} == {
        str(row_id): reason for row_id, reason in reasons.items()
    }
    assert exported["unreadable"] == []
