from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from cryptography.fernet import Fernet
from django.db import transaction
from pytest_django import Settings

from accounts.cipher import MasterKeys
from accounts.erasure import _close
from accounts.keys import batch_renewal
from accounts.keys.rotation import rewrap, rotate_user_key, users_to_rewrap
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.models import RetiredKey, User
from tests.accounts.events import made_events, reasons_about
from tests.accounts.threads import alone

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def new_master(settings: Settings) -> Callable[[], str]:
    """Put a newer master key first and return its fingerprint."""

    def put() -> str:
        settings.MASTER_KEYS = f"{Fernet.generate_key().decode()},{settings.MASTER_KEYS}"
        return MasterKeys.parse(settings.MASTER_KEYS).newest.id

    return put


def test_rewrapping_makes_the_older_master_key_superfluous(
    alice: User, bob: User, new_master: Callable[[], str], settings: Settings
) -> None:
    reasons = made_events(alice, 3)
    rotate_user_key(alice.id, within_s=0)
    vaults = [open_vault(user.id) for user in (alice, bob)]
    newest = new_master()
    assert users_to_rewrap() == 2

    done = rewrap()

    assert (done.renewed, done.unreadable, users_to_rewrap()) == (2, [], 0)
    assert set(User.objects.values_list("master_key_id", flat=True)) == {newest}
    assert set(RetiredKey.objects.values_list("master_key_id", flat=True)) == {newest}
    settings.MASTER_KEYS = settings.MASTER_KEYS.partition(",")[0]
    assert [open_vault(user.id) for user in (alice, bob)] == vaults
    assert reasons_about(alice) == reasons


def test_rewrapping_with_nothing_to_do_does_nothing(alice: User) -> None:
    before = User.objects.values().get()
    assert rewrap().renewed == 0
    assert User.objects.values().get() == before


def test_rewrapping_goes_in_batches_and_takes_the_rest_next_time(
    db: None, new_master: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_renewal, "BATCH", 2)
    for number in range(7):
        User.objects.create_user(f"user{number}@example.com")
    new_master()

    class Interrupting:
        def expect(self, count: int) -> None: ...

        def advance(self, count: int) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rewrap(progress=Interrupting())
    left = users_to_rewrap()
    assert left < 7
    assert (rewrap().renewed, users_to_rewrap()) == (left, 0)


def test_rewrapping_names_keys_that_cannot_be_opened_and_leaves_them(
    alice: User, bob: User, sam: User, new_master: Callable[[], str]
) -> None:
    damaged = alice.encryption_key[:-7] + "AAAAAA="
    User.objects.filter(id=alice.id).update(encryption_key=damaged)
    User.objects.filter(id=bob.id).update(master_key_id="0123456789abcdef")
    newest = new_master()

    done = rewrap()

    assert {str(row) for row in done.unreadable} == {
        f"accounts_user {alice.id}: key 1: The wrapped key is damaged, or belongs to another user.",
        f"accounts_user {bob.id}: key 1: The master key with the fingerprint 0123456789abcdef is not configured.",
    }
    assert done.renewed == 1
    stored = {user.id: (user.encryption_key, user.master_key_id) for user in User.objects.all()}
    assert stored[alice.id] == (damaged, alice.master_key_id)
    assert stored[bob.id] == (bob.encryption_key, "0123456789abcdef")
    assert stored[sam.id][1] == newest


def test_rewrapping_leaves_an_account_whose_key_was_destroyed(alice: User, new_master: Callable[[], str]) -> None:
    _close(alice.id)
    new_master()
    assert (users_to_rewrap(), rewrap().renewed) == (0, 0)


def test_rewrapping_waits_for_a_user_who_is_being_written(
    alice: User, bob: User, new_master: Callable[[], str]
) -> None:
    new_master()
    writing, passed_over = Event(), Event()

    class Seen:
        def expect(self, count: int) -> None: ...

        def advance(self, count: int) -> None:
            passed_over.set()

    def write() -> None:
        with transaction.atomic():
            vault_for_writing(alice.id)
            writing.set()
            assert passed_over.wait(timeout=30)

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(alone, write)
        assert writing.wait(timeout=30)
        assert rewrap(progress=Seen()).renewed == 2
        writer.result(timeout=30)
