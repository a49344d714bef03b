from uuid import uuid4

import pytest
from django.contrib.admin.models import DELETION, LogEntry
from django.contrib.contenttypes.models import ContentType
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
from rest_framework_simplejwt.tokens import RefreshToken

from accounts import erasure
from accounts.audit import reason_of
from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.tokens import bearer_of, grant_of, issue_tokens, rotate_refresh_token
from accounts.cipher import WrappedKey
from accounts.encryption import master_keys
from accounts.erasure import erase_rows, forget, half_erased, rows_to_erase
from accounts.errors import AccountGone, InvalidCredentials
from accounts.keys.custody import ENCRYPTED_TABLES, EncryptedTable, Register
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.models import AuditEvent, RetiredKey, User
from accounts.session_models import Device, Session, TokenFamily
from memory.models import MemoryEpisodic
from tests.accounts.events import event_about

EPISODES = EncryptedTable(model=MemoryEpisodic)


@pytest.fixture
def episodes(monkeypatch: pytest.MonkeyPatch) -> EncryptedTable:
    """Tables that must always be registered: their rows do not outlive the user."""
    register = Register()
    register.add(EPISODES)
    for table in ENCRYPTED_TABLES:
        if table.name.startswith("accounts_"):
            register.add(table)
    monkeypatch.setattr(erasure, "ENCRYPTED_TABLES", register)
    monkeypatch.setattr(erasure, "PLAIN_TABLES", {})
    return EPISODES


def _live_a_little(user: User) -> None:
    rotate_refresh_token(issue_tokens(user).refresh)
    RefreshToken.for_user(user).blacklist()  # as before there were sessions
    register_device(grant_of(user, family=uuid4()), DeviceFacts(device_id="laptop"))


def _remember(user: User, number: int = 1) -> None:
    vault = open_vault(user.id)
    rows = [MemoryEpisodic(user=user) for _ in range(number)]
    for row in rows:
        row.summary_encrypted = vault.seal(row, "summary_encrypted", "painted the fence")
    MemoryEpisodic.objects.bulk_create(rows)


def test_erasure_deletes_all_rows_of_user_and_none_of_others(alice: User, bob: User, episodes: EncryptedTable) -> None:
    for user in (alice, bob):
        _live_a_little(user)
        _remember(user)
    forget(alice.id)
    assert list(User.objects.all()) == [bob]
    assert [device.user for device in Device.objects.all()] == [bob]
    assert [row.user for row in MemoryEpisodic.objects.all()] == [bob]
    assert TokenFamily.objects.count() == 1
    assert [session.user for session in Session.objects.all()] == [bob]
    assert [token.user for token in OutstandingToken.objects.all()] == [bob]
    assert BlacklistedToken.objects.count() == 1


def test_erasing_twice_succeeds(alice: User) -> None:
    same = User.objects.get()
    forget(alice.id)
    forget(same.id)
    assert not User.objects.exists()


def test_audit_events_outlive_user_with_unreadable_reasons(alice: User, sam: User) -> None:
    event = event_about(alice, "she asked for it")
    LogEntry.objects.create(
        user=sam,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(alice.id),
        object_repr=alice.email,
        action_flag=DELETION,
    )
    forget(alice.id)
    event = AuditEvent.objects.get(id=event.id)
    assert (event.subject_id, event.action) == (alice.id, "reveal")
    assert "she asked" not in event.reason_encrypted
    with pytest.raises(AccountGone):
        reason_of(event)
    assert not LogEntry.objects.exists()


def test_key_is_destroyed_and_access_ended_before_rows_are_deleted(
    alice: User, episodes: EncryptedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    rotate_user_key(alice.id)
    _remember(alice, 3)
    access = issue_tokens(alice).access
    monkeypatch.setattr(erasure, "erase_rows", _killed)
    with pytest.raises(KeyboardInterrupt):
        forget(alice.id)

    kept = User.objects.get()
    assert (kept.encryption_key, kept.master_key_id, kept.is_active) == ("", "", False)
    assert (RetiredKey.objects.count(), MemoryEpisodic.objects.count()) == (0, 3)
    with pytest.raises(InvalidCredentials):
        bearer_of(access)
    for opening in (open_vault, vault_for_writing, rotate_user_key):
        with pytest.raises(AccountGone):
            opening(alice.id)
    assert half_erased() == [alice.id]

    monkeypatch.undo()
    forget(alice.id)
    assert (User.objects.count(), MemoryEpisodic.objects.count(), half_erased()) == (0, 0, [])


def test_erased_rows_cannot_be_decrypted_with_any_remaining_key(alice: User) -> None:
    """Nothing left in the database decrypts a copy of the rows. A copy of the wrapped key would."""
    event = event_about(alice, "she asked for it")
    wrapped = WrappedKey(token=alice.encryption_key, master_key_id=alice.master_key_id)
    forget(alice.id)
    assert not User.objects.exists()
    assert not RetiredKey.objects.exists()
    assert AuditEvent.objects.get().reason_encrypted == event.reason_encrypted
    assert master_keys().unwrap(wrapped, user_id=alice.id, version=1).version == 1


def test_rows_are_erased_in_batches_without_touching_other_users(
    alice: User, bob: User, episodes: EncryptedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "_BATCH", 2)
    _remember(alice, 5)
    _remember(bob)
    MemoryEpisodic.objects.filter(user=alice).update(summary_encrypted="damaged")
    assert {table: rows for table, rows in rows_to_erase(alice.id).items() if rows} == {"memory_memoryepisodic": 5}

    class Counted:
        done: tuple[int, ...] = ()

        def expect(self, count: int) -> None: ...

        def advance(self, count: int) -> None:
            self.done += (count,)

    progress = Counted()
    erase_rows(alice.id, [episodes], progress=progress)
    assert progress.done == (2, 2, 1)
    assert [row.user for row in MemoryEpisodic.objects.all()] == [bob]
    assert User.objects.count() == 2


def test_erasing_unknown_user_succeeds(db: None) -> None:
    forget(uuid4())


def _killed(*_arguments: object, **_named: object) -> None:
    raise KeyboardInterrupt
