from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from uuid import UUID

import pytest
from cryptography.fernet import Fernet
from django.db import OperationalError, connection, transaction
from pytest_django import Settings

from accounts.audit import reason_of
from accounts.errors import AccountGone, CorruptedKey, MissingMasterKey, RotationUnderWay, WrongKeyVersion
from accounts.keys import batch_renewal, rotation
from accounts.keys.rotation import rotate_user_key, rows_to_renew
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.locks import lock_user
from accounts.models import AuditEvent, RetiredKey, User
from tests.accounts.conftest import at_once
from tests.accounts.events import event_about, made_events, reasons_about, rewrite_one, versions_of
from tests.accounts.threads import alone, as_another_process

pytestmark = pytest.mark.django_db(transaction=True)


class Counted:
    """A progress that counts."""

    def __init__(self) -> None:
        self.done = 0

    def expect(self, count: int) -> None:
        raise AssertionError("the caller of the rotation passes the number of rows")

    def advance(self, count: int) -> None:
        self.done += count


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_renewal, "BATCH", 3)


def test_rotation_makes_a_new_key_and_encrypts_every_row_again(alice: User, small_batches: None) -> None:
    reasons = made_events(alice, 10)
    before = open_vault(alice.id)
    progress = Counted()
    done = rotate_user_key(alice.id, progress=progress)
    assert (done.version, done.resumed, done.renewed, done.left, done.finished) == (2, False, 10, 0, True)
    assert progress.done == 10
    assert versions_of(reasons) == {"v2"}
    assert reasons_about(alice) == reasons
    after = open_vault(alice.id)
    assert (after.versions, after.key.secret != before.key.secret) == ((2,), True)
    assert not RetiredKey.objects.exists()


def test_rotation_leaves_rows_without_text_and_rows_of_others(alice: User, bob: User) -> None:
    empty = AuditEvent.objects.create(subject_id=alice.id, action="deactivate")
    of_bob = made_events(bob, 2)
    assert rotate_user_key(alice.id).renewed == 0
    empty.refresh_from_db()
    assert empty.reason_encrypted == ""
    assert (versions_of(of_bob), reasons_about(bob)) == ({"v1"}, of_bob)


def test_rotation_again_counts_up(alice: User) -> None:
    reasons = made_events(alice, 2)
    assert [rotate_user_key(alice.id).version for _ in range(3)] == [2, 3, 4]
    assert (versions_of(reasons), reasons_about(alice)) == ({"v4"}, reasons)


def test_rotation_that_has_no_time_goes_on_next_time(alice: User) -> None:
    reasons = made_events(alice, 5)
    begun = rotate_user_key(alice.id, within_s=0)
    assert (begun.version, begun.renewed, begun.left, begun.finished) == (2, 0, 5, False)
    assert open_vault(alice.id).versions == (2, 1)
    newer = event_about(alice, "written meanwhile")
    assert versions_of([newer.id]) == {"v2"}
    assert reasons_about(alice) == {**reasons, newer.id: "written meanwhile"}
    assert rows_to_renew(alice.id)["accounts_auditevent"] == 5
    ended = rotate_user_key(alice.id)
    assert (ended.version, ended.resumed, ended.renewed, ended.finished) == (2, True, 5, True)
    assert reasons_about(alice) == {**reasons, newer.id: "written meanwhile"}


def test_rows_to_renew_are_counted_without_changing_anything(alice: User) -> None:
    made_events(alice, 3)
    counted = rows_to_renew(alice.id)
    assert (counted["accounts_auditevent"], sum(counted.values())) == (3, 3)
    assert open_vault(alice.id).versions == (1,)


def test_rotation_of_an_unknown_user_fails(alice: User) -> None:
    unknown = UUID(int=0)
    with pytest.raises(AccountGone):
        rotate_user_key(unknown)
    with pytest.raises(AccountGone):
        rows_to_renew(unknown)


def test_second_rotation_of_one_user_says_so_while_the_first_is_under_way(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = rotation._begin
    said: list[type[BaseException]] = []

    def while_another_comes(user_id: UUID) -> tuple[int, bool]:
        if user_id == alice.id:
            with pytest.raises(RotationUnderWay) as refused:
                as_another_process(lambda: rotate_user_key(alice.id))
            said.append(refused.type)
            as_another_process(lambda: rotate_user_key(bob.id))
        return begin(user_id)

    monkeypatch.setattr(rotation, "_begin", while_another_comes)
    assert rotate_user_key(alice.id).finished
    assert said == [RotationUnderWay]
    assert rotate_user_key(alice.id).version == 3


# Undecryptable rows


def test_rotation_names_unreadable_rows_leaves_them_and_keeps_the_older_key(alice: User, small_batches: None) -> None:
    reasons = made_events(alice, 8)
    damaged, moved_to, moved_from, gone, *_ = AuditEvent.objects.order_by("id")
    tampered = {
        damaged.id: damaged.reason_encrypted[:-7] + "AAAAAA=",
        moved_to.id: moved_from.reason_encrypted,
        gone.id: f"v7:{gone.reason_encrypted.partition(':')[2]}",
    }
    for row_id, token in tampered.items():
        AuditEvent.objects.filter(id=row_id).update(reason_encrypted=token)

    done = rotate_user_key(alice.id)

    assert {str(row) for row in done.unreadable} == {
        f"accounts_auditevent {damaged.id}: The encrypted text is damaged, or does not belong to this place.",
        f"accounts_auditevent {moved_to.id}: The encrypted text is damaged, or does not belong to this place.",
        f"accounts_auditevent {gone.id}: The text was encrypted with version 7 of the user's key.",
    }
    assert (done.renewed, done.left, done.finished) == (5, 3, False)
    stored = AuditEvent.objects.filter(id__in=tampered)
    assert dict(stored.values_list("id", "reason_encrypted")) == tampered
    assert open_vault(alice.id).versions == (2, 1)

    AuditEvent.objects.filter(id=damaged.id).update(reason_encrypted=damaged.reason_encrypted)
    AuditEvent.objects.filter(id__in=[moved_to.id, gone.id]).delete()
    assert rotate_user_key(alice.id).finished
    assert open_vault(alice.id).versions == (2,)
    assert reasons_about(alice) == {key: value for key, value in reasons.items() if key not in {moved_to.id, gone.id}}


def test_rotation_changes_nothing_without_the_master_key(alice: User, settings: Settings) -> None:
    made_events(alice, 2)
    right, before = settings.MASTER_KEYS, _stored()
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    with pytest.raises(MissingMasterKey) as missing:
        rotate_user_key(alice.id)
    assert missing.value.fingerprint == alice.master_key_id
    settings.MASTER_KEYS = right
    assert _stored() == before


def test_rotation_changes_nothing_when_the_users_key_is_damaged(alice: User) -> None:
    made_events(alice, 2)
    User.objects.update(encryption_key=alice.encryption_key[:-7] + "AAAAAA=")
    before = _stored()
    with pytest.raises(CorruptedKey):
        rotate_user_key(alice.id)
    assert _stored() == before


def test_older_key_that_is_damaged_leaves_the_rest_readable(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    old = made_events(alice, 1)
    rotate_user_key(alice.id, within_s=0)
    new = event_about(alice, "written meanwhile")
    RetiredKey.objects.update(encryption_key="damaged")
    vault = open_vault(alice.id)
    assert vault.open(new, "reason_encrypted") == "written meanwhile"
    with pytest.raises(WrongKeyVersion):
        reason_of(AuditEvent.objects.get(id__in=old))
    [record, *_] = caplog.records
    assert record.getMessage() == (
        f"older key 1 of user {alice.id} cannot be opened: The wrapped key is damaged, or belongs to another user."
    )
    done = rotate_user_key(alice.id)
    assert ([row.row_id for row in done.unreadable], RetiredKey.objects.count()) == (list(old), 1)


# Concurrent writers


def test_rotation_with_writers_loses_no_row(alice: User, small_batches: None) -> None:
    reasons = made_events(alice, 60)
    started = Barrier(4)
    over = Event()

    def write(number: int) -> dict[UUID, str]:
        written: dict[UUID, str] = {}
        started.wait(timeout=30)
        while not over.is_set() or len(written) < 5:
            reason = f"writer {number} wrote {len(written)}"
            written[event_about(alice, reason).id] = reason
            rewrite_one(alice, f"again {reason}", list(reasons))
        return written

    def rotate() -> list[int]:
        started.wait(timeout=30)
        try:
            return [rotate_user_key(alice.id).version for _ in range(3)]
        finally:
            over.set()

    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(alone, lambda number=number: write(number)) for number in range(3)]
        assert pool.submit(alone, rotate).result(timeout=60) == [2, 3, 4]
        written = {row_id: reason for each in writers for row_id, reason in each.result(timeout=60).items()}

    opened = reasons_about(alice)
    assert opened.keys() == reasons.keys() | written.keys()
    assert {row_id: opened[row_id] for row_id in written} == written
    assert all(opened[row_id] == reason or opened[row_id].startswith("again ") for row_id, reason in reasons.items())
    assert versions_of(opened) == {"v4"}
    assert open_vault(alice.id).versions == (4,)


def test_rotation_waits_for_a_row_that_a_writer_has_locked(
    alice: User, small_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons = made_events(alice, 7)
    chosen = next(iter(reasons))
    locked, passed_over = Event(), Event()

    class Seen(Counted):
        def advance(self, count: int) -> None:
            super().advance(count)
            if self.done == 6:
                passed_over.set()

    def write() -> None:
        with transaction.atomic():
            vault = vault_for_writing(alice.id)
            event = AuditEvent.objects.select_for_update().get(id=chosen)
            locked.set()
            assert passed_over.wait(timeout=30)
            event.reason_encrypted = vault.seal(event, "reason_encrypted", "corrected")
            event.save(update_fields=["reason_encrypted"])

    begin = rotation._begin
    with ThreadPoolExecutor(1) as pool:

        def then_somebody_writes(user_id: UUID) -> tuple[int, bool]:
            begun = begin(user_id)
            pool.submit(alone, write)
            assert locked.wait(timeout=30)
            return begun

        monkeypatch.setattr(rotation, "_begin", then_somebody_writes)
        assert rotate_user_key(alice.id, progress=Seen()).finished
    assert reasons_about(alice) == {**reasons, chosen: "corrected"}


def test_older_key_stays_when_a_writer_put_older_ciphertext_back(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = made_events(alice, 3)
    old = {event.id: event.reason_encrypted for event in AuditEvent.objects.all()}
    finish = rotation._finish
    seen: list[int] = []

    def after_a_writer(user_id: UUID, version: int) -> int:
        if not seen:
            row_id, token = next(iter(old.items()))
            AuditEvent.objects.filter(id=row_id).update(reason_encrypted=token)
        seen.append(finish(user_id, version))
        return seen[-1]

    monkeypatch.setattr(rotation, "_finish", after_a_writer)
    done = rotate_user_key(alice.id)
    assert (seen, done.renewed, done.finished) == ([1, 0], 4, True)
    assert reasons_about(alice) == reasons


@pytest.mark.parametrize("step", ["_begin", "_finish"])
def test_keys_change_only_when_no_writer_is_at_work(alice: User, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    made_events(alice, 1)
    monkeypatch.setattr("accounts.keys.rotation.lock_user", _impatient(lock_user))
    writing, refused = Event(), Event()
    original = getattr(rotation, step)

    def write() -> None:
        with transaction.atomic():
            vault_for_writing(alice.id)
            writing.set()
            assert refused.wait(timeout=30)

    def while_somebody_writes(*arguments: object) -> object:
        with ThreadPoolExecutor(1) as pool:
            writer = pool.submit(alone, write)
            assert writing.wait(timeout=30)
            try:
                with pytest.raises(OperationalError, match="lock timeout"):
                    original(*arguments)
            finally:
                refused.set()
            writer.result(timeout=30)
        return original(*arguments)

    monkeypatch.setattr(rotation, step, while_somebody_writes)
    assert rotate_user_key(alice.id).finished


def test_one_rotation_and_one_who_comes_at_once_agree(alice: User) -> None:
    reasons = made_events(alice, 3)

    def rotate() -> str:
        try:
            return str(rotate_user_key(alice.id).finished)
        except RotationUnderWay:
            return "under way"

    assert set(at_once(rotate, rotate)) <= {"True", "under way"}
    assert reasons_about(alice) == reasons


def test_rotation_stops_where_a_batch_fails_and_goes_on_next_time(
    alice: User, small_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons = made_events(alice, 12)

    class Interrupting(Counted):
        def advance(self, count: int) -> None:
            super().advance(count)
            raise KeyboardInterrupt

    progress = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        rotate_user_key(alice.id, progress=progress)
    assert progress.done == 3
    assert reasons_about(alice) == reasons
    left = sum(rows_to_renew(alice.id).values())
    done = rotate_user_key(alice.id)
    assert (done.resumed, done.finished, done.renewed) == (True, True, left)
    assert left <= 9
    assert reasons_about(alice) == reasons


def _impatient(locked: Callable[[UUID], User]) -> Callable[[UUID], User]:
    def lock(user_id: UUID) -> User:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '50ms'")
        return locked(user_id)

    return lock


def _stored() -> list[object]:
    return [
        *User.objects.values_list("id", "encryption_key", "encryption_key_version", "master_key_id"),
        *RetiredKey.objects.values_list("user", "version", "encryption_key"),
        *AuditEvent.objects.order_by("id").values_list("id", "reason_encrypted"),
    ]
